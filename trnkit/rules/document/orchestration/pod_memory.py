"""TRN536: a pod asks for no more memory than its node has."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

_MIB = 1024**2


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        asked, kinds = pod.memory, pod.node_types
        if asked is None or not kinds or any(kind.memory_mib is None for kind in kinds):
            continue
        largest = max(kinds, key=lambda kind: kind.memory_mib or 0)
        mib, most = asked[0] / _MIB, largest.memory_mib or 0
        if mib >= most:
            text = (
                f"asks for {_gib(mib)} GiB of memory; {largest.name} has {_gib(Fraction(most))} GiB"
                ", and the system takes some of it"
            )
            found = Objection(text, "ask for less", from_catalogue(largest, f"{most} MiB"))
            # A family may have a larger type one day.
            severity = Severity.WARNING if pod.node_type_values is None else None
            yield in_document(pod.name, asked[1], found, severity)


def _gib(mib: Fraction) -> str:
    return f"{float(mib / 1024):.6g}"


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
          resources: {limits: {aws.amazon.com/neuron: 1, memory: %s}}
"""

RULE = DocumentRule(
    id="TRN536",
    title="a pod asks for no more memory than its node has",
    severity=Severity.ERROR,
    why="The pod stays pending for ever. Memory of the Neuron devices is not the node's, and the "
    "kubelet keeps part of the node's for itself.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    good=_JOB % "100Gi",
    bad=_JOB % "128Gi",
    check=_check,
)
