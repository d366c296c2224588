"""TRN532: a pod asks for the EFA interfaces that its node has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading_documents.workloads import EFA, NEURON
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.workloads import PodSpec


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        asked, kinds = pod.total(EFA), pod.node_types
        numbers = {kind.maximum_efa_interfaces for kind in kinds}
        if asked is None or not kinds or None in numbers:
            continue
        most = max(kinds, key=lambda kind: kind.maximum_efa_interfaces or 0)
        verdict = _judge(pod, asked[0], most, only=len(kinds) == 1)
        if verdict is not None:
            # A family may have a larger type one day.
            severity = Severity.WARNING if pod.node_type_values is None else verdict[0]
            yield in_document(pod.name, asked[1], verdict[1], severity)


def _judge(
    pod: PodSpec, number: int, known: InstanceType, *, only: bool
) -> tuple[Severity, Objection] | None:
    most, asked = known.maximum_efa_interfaces or 0, count(number, "EFA interface")
    evidence = from_catalogue(known, count(most, "EFA interface") if most else "no EFA")
    if number > most:
        text = f"asks for {asked}; {known.name} has {most or 'none'}"
        hint = f"ask for {most}" if most else "remove it, or take a type with EFA"
        return Severity.ERROR, Objection(text, hint, evidence)
    devices = pod.total(NEURON)
    whole_node = devices is not None and devices[0] == known.chips
    if only and whole_node and 0 < number < most:
        text = f"asks for {asked} of {most} beside all Neuron devices of {known.name}"
        return Severity.WARNING, Objection(text, f"ask for {most}", evidence)
    return None


_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: pretrain}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {node.kubernetes.io/instance-type: trn2.48xlarge}
      containers:
        - name: train
          image: example.com/train:1
          resources: {limits: {aws.amazon.com/neuron: 16, vpc.amazonaws.com/efa: %s}}
"""

RULE = DocumentRule(
    id="TRN532",
    title="a pod asks for the EFA interfaces that its node has",
    severity=Severity.ERROR,
    why="With more, the pod stays pending; with fewer beside all Neuron devices, it works at a "
    "fraction of the bandwidth between nodes.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html",
    good=_JOB % "16",
    bad=_JOB % "32",
    check=_check,
)
