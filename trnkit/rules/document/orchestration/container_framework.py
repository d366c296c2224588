"""TRN541: pods hold a framework that runs on the family of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.neuron_frameworks import judge_container_framework
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        for container in pod.containers:
            image = container.value["image"]
            found = judge_container_framework(image.text() or "", pod.node_types)
            if found is not None:
                yield in_document(f"{pod.name}: container {container.name}", image, found)


_JOB = """\
apiVersion: batch/v1
kind: Job
metadata: {name: serve}
spec:
  template:
    spec:
      restartPolicy: Never
      nodeSelector: {node.kubernetes.io/instance-type: %s}
      containers:
        - name: serve
          image: public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:0.24.0.1.1.0-sdk2.32.0
          resources: {limits: {aws.amazon.com/neuron: 1}}
"""

RULE = DocumentRule(
    id="TRN541",
    title="pods hold a framework that runs on their nodes",
    severity=Severity.WARNING,
    why="The native PyTorch backend and the vLLM plugin are for newer chips: on others a job fails "
    "when it loads them.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/components/torchneuron.html",
    good=_JOB % "trn2.48xlarge",
    bad=_JOB % "trn1.32xlarge",
    check=_check,
)
