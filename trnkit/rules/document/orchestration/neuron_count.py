"""TRN531: a pod asks for no more Neuron devices or NeuronCores than one node has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.neuron_numbers import judge_cores, judge_devices
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.workloads import NEURON, NEURON_CORE
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

_JUDGES = {NEURON: judge_devices, NEURON_CORE: judge_cores}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        if pod.node_type_values is not None and not pod.node_types:
            continue  # Its nodes are of types that are not known here.
        for resource, judge in _JUDGES.items():
            asked = pod.total(resource)
            verdict = judge(asked[0], pod.node_types) if asked else None
            if asked is not None and verdict is not None:
                # A family may have a larger type one day.
                severity = Severity.WARNING if pod.node_type_values is None else verdict[0]
                yield in_document(pod.name, asked[1], verdict[1], severity)


_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: pretrain}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {node.kubernetes.io/instance-type: trn2.3xlarge}
      containers:
        - name: train
          image: example.com/train:1
          resources: {limits: {aws.amazon.com/neuroncore: %s}}
"""

RULE = DocumentRule(
    id="TRN531",
    title="a pod asks for no more Neuron devices or NeuronCores than a node has",
    severity=Severity.ERROR,
    why="The pod stays pending for ever. On Trainium2 two physical cores make one that pods can "
    "ask for, unless the node is set up otherwise.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/"
    "neuron-features/logical-neuroncore-config.html",
    good=_JOB % "4",
    bad=_JOB % "16",
    check=_check,
)
