"""TRN533: huge pages are asked for with a unit, alike in both places, and with memory beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.quantities import has_unit, parse_quantity
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.workloads import Container, PodSpec

_PREFIX = "hugepages-"
_LATE = ("Pod", "MPIJob", "PyTorchJob")
"""Of these the pod is validated alone, after a LimitRange of its namespace has added to it; of the
others, the template is, as it is written."""


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pod in documents.pods:
        for container in pod.containers:
            found = list(_judge(container))
            for value, wrong in found:
                text = f"container {container.name} {wrong.text}"
                yield in_document(pod.name, value, Objection(text, wrong.hint))
            if not found:
                yield from _alone(pod, container)


def _judge(container: Container) -> Iterator[tuple[DocumentValue, Objection]]:
    resources = container.value["resources"]
    limits, requests = resources["limits"], resources["requests"]
    asked = _asked(container)
    for value in asked:
        wrong = _judge_quantity(value)
        if wrong is not None:
            yield value, wrong
            return
    for value in asked:
        key = str(value.path[-1])
        limit, request = parse_quantity(limits[key].text()), parse_quantity(requests[key].text())
        both = not limits[key].is_absent and not requests[key].is_absent
        if both and limit is not None and request is not None and limit != request:
            text = f"has {key} {requests[key].text()} as request and {limits[key].text()} as limit"
            yield requests[key], Objection(text, "make both the same")
            return
        if limits[key].is_absent and container.is_whole:
            text = f"has a request for {key} and no limit"
            yield value, Objection(text, "add the same as limit")
            return


def _alone(pod: PodSpec, container: Container) -> Iterator[Violation]:
    """Huge pages without memory or cpu, of the container or of the pod."""
    asked, halves = _asked(container), container.value["resources"].fields()
    plain = [half[key] for half in halves for key in ("memory", "cpu")]
    is_given = any(not value.is_absent for value in (*plain, pod.spec["resources"]))
    if asked and container.is_whole and not is_given:
        text = f"container {container.name} asks for {asked[0].path[-1]} without memory or cpu"
        found = Objection(text, "add memory to requests and limits")
        yield in_document(
            pod.name, asked[0], found, Severity.WARNING if pod.kind in _LATE else None
        )


def _asked(container: Container) -> list[DocumentValue]:
    """The huge pages that a container asks for, limits first."""
    resources = container.value["resources"]
    parts = [part for half in ("limits", "requests") for part in resources[half].fields()]
    return [part for part in parts if str(part.path[-1]).startswith(_PREFIX)]


def _judge_quantity(value: DocumentValue) -> Objection | None:
    key, text = str(value.path[-1]), value.text()
    amount = parse_quantity(text)
    page = parse_quantity(key.removeprefix(_PREFIX))
    if text is None or amount is None or page is None or page <= 0 or amount <= 0:
        return None
    if amount % page == 0:
        return None
    unit = "" if has_unit(text) else ", which are bytes"
    return Objection(
        f"asks for {key} {text}{unit}; it comes in pages of {key.removeprefix(_PREFIX)}",
        "write the amount with its unit, as 5120Mi",
    )


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
            limits: {aws.amazon.com/neuron: 16, memory: 100Gi, hugepages-2Mi: %s}
"""

RULE = DocumentRule(
    id="TRN533",
    title="huge pages are asked for with a unit, and memory beside them",
    severity=Severity.ERROR,
    why="A number alone counts bytes. Kubernetes refuses what is no multiple of the page, a limit "
    "that differs from the request, and huge pages without memory or cpu (which a LimitRange may "
    "add to a pod).",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ml-hugepages.html",
    good=_JOB % "5120Mi",
    bad=_JOB % '"256"',
    check=_check,
)
