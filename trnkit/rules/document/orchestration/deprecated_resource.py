"""TRN530: pods ask for Neuron by the names that the device plugin has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.workloads import NEURON, NEURON_DEVICE
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        for container in pod.containers:
            asked = container.asked(NEURON_DEVICE)
            if not asked.is_absent:
                text = (
                    f"container {container.name} asks for {NEURON_DEVICE}, which the device plugin "
                    "no longer has"
                )
                found = Objection(text, f"ask for {NEURON}")
                yield in_document(pod.name, asked, found)


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
          resources: {limits: {%s: 16}}
"""

RULE = DocumentRule(
    id="TRN530",
    title="pods ask for Neuron by the names that the device plugin has",
    severity=Severity.ERROR,
    why="Nothing advertises the old name since Neuron 2.20, so the pod stays pending.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/announcements/"
    "neuron2.x/announce-no-support-device-version.html",
    good=_JOB % "aws.amazon.com/neuron",
    bad=_JOB % "aws.amazon.com/neurondevice",
    check=_check,
)
