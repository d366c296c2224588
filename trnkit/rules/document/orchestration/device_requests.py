"""TRN534: devices are asked for in whole numbers, alike as request and as limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.quantities import parse_quantity
from trnkit.rules.reading_documents.workloads import EFA, NEURON, NEURON_CORE
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.workloads import Container


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        for container in pod.containers:
            for resource in (NEURON, NEURON_CORE, EFA):
                found = _judge(container, resource)
                if found is not None:
                    value, wrong = found
                    text = f"container {container.name} {wrong.text}"
                    yield in_document(pod.name, value, Objection(text, wrong.hint))


def _judge(container: Container, name: str) -> tuple[DocumentValue, Objection] | None:
    resources = container.value["resources"]
    limit, request = resources["limits"][name], resources["requests"][name]
    for value in (limit, request):
        number = parse_quantity(value.text())
        if number is not None and (number.denominator != 1 or number < 0):
            text = f"asks for {value.text()} of {name}, which comes in whole numbers"
            return value, Objection(text, "write a whole number")
    if request.is_absent:
        return None
    if limit.is_absent:
        if not container.is_whole:
            return None
        text = f"has a request for {name} and no limit"
        return request, Objection(text, "write it as limit; the request follows from it")
    asked, most = parse_quantity(request.text()), parse_quantity(limit.text())
    if asked is None or most is None or asked == most:
        return None
    text = f"has {name} {request.text()} as request and {limit.text()} as limit"
    return request, Objection(text, "make both the same")


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
          resources:
            requests: {aws.amazon.com/neuron: %s}
            limits: {aws.amazon.com/neuron: 16}
"""

RULE = DocumentRule(
    id="TRN534",
    title="devices are asked for in whole numbers, alike as request and as limit",
    severity=Severity.ERROR,
    why="Devices are not shared: Kubernetes refuses a pod whose limit differs from its request, is "
    "missing, or is a fraction.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/includes/"
    "k8s-neuron-device-plugin.html",
    good=_JOB % "16",
    bad=_JOB % "1",
    check=_check,
)
