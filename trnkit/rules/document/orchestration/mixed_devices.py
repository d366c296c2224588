"""TRN537: a pod asks for Neuron devices or for GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.workloads import NVIDIA
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        gpus, neuron = pod.total(NVIDIA), pod.neuron_resource
        if gpus is not None and gpus[0] > 0:
            what = f"beside {neuron.path[-1]}" if neuron is not None else "on Neuron nodes"
            text = f"asks for {NVIDIA} {what}; no instance type has both"
            yield in_document(pod.name, gpus[1], Objection(text, f"remove {NVIDIA}"))


_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: pretrain}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: example.com/train:1
          resources: {limits: {aws.amazon.com/neuron: 16%s}}
"""

RULE = DocumentRule(
    id="TRN537",
    title="a pod asks for Neuron devices or for GPUs",
    severity=Severity.ERROR,
    why="No node has both, so the pod stays pending for ever.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    good=_JOB % "",
    bad=_JOB % ", nvidia.com/gpu: 8",
    check=_check,
)
