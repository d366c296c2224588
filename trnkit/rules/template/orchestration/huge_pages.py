"""TRN565: huge pages are asked for in whole pages, and nobody takes those of EFA away."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from trnkit.catalog import efa_huge_pages
from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.booting_resources import user_data_places
from trnkit.rules.reading.fleets import launch_templates
from trnkit.rules.reading.kubernetes_manifests import manifest_values
from trnkit.rules.reading.node_config import shell_lines
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.reading.user_data import user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
_KEYS = ("hugepages-2Mi", "hugepages-1Gi")
_WRITTEN = re.compile(
    r"(hugepages-(?:2Mi|1Gi))\\*[\"']?\s*[:=]\s*\\*[\"']?([0-9][0-9.]{0,15}[A-Za-z]{0,2})\b"
)
_QUANTITY = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([A-Za-z]*)")
_RESERVES = re.compile(
    r"nr_hugepages\s*[= ]\s*([0-9]{1,9})\b|echo\s+([0-9]{1,9})\s*(?:>|\|\s*(?:sudo\s+)?tee)\s*"
    r"\S{0,80}(?:vm/nr_hugepages|hugepages-2048kB/nr_hugepages)"
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for value, key, amount in _amounts(stack_set):
        if _is_uneven(key, amount):
            yield Violation(
                message=f"{value.resource.logical_id}: asks for {key}: {amount}, which is no "
                "number of whole pages; an amount without unit is in bytes",
                hint=f"write a multiple of {key.partition('-')[2]}, with its unit",
                resource=value.resource,
                path=value.path,
            )
    yield from _reserved(stack_set)


def _amounts(stack_set: StackSet) -> Iterator[tuple[TemplateValue, str, str]]:
    """Every amount of huge pages, with its place and its resource name."""
    for resource in stack_set.resources("AWS::Batch::JobDefinition"):
        pod = properties_of(resource)["EksProperties"]["PodProperties"]
        for kind in ("Containers", "InitContainers"):
            for container in pod[kind].entries() or ():
                for part in ("Limits", "Requests"):
                    for key in _KEYS:
                        value = container["Resources"][part][key]
                        if value.text() is not None:
                            yield value, key, value.text() or ""
    texts = [(value, value.text()) for value in manifest_values(stack_set)]
    texts += [(value, user_data_text(value)) for value in user_data_places(stack_set)]
    for value, text in texts:
        for key, amount in dict.fromkeys(_WRITTEN.findall(text or "")):
            yield value, key, amount


def _is_uneven(key: str, amount: str) -> bool:
    given, page = _bytes(amount.strip()), _bytes(key.partition("-")[2])
    return given is not None and page is not None and given % page != 0


def _bytes(quantity: str) -> Fraction | None:
    """A quantity of Kubernetes in bytes; None when it is none."""
    matched = _QUANTITY.fullmatch(quantity)
    unit = _UNITS.get(matched[2]) if matched else None
    return None if matched is None or unit is None else Fraction(matched[1]) * unit


def _reserved(stack_set: StackSet) -> Iterator[Violation]:
    """User data that sets fewer pages than the EFA driver has reserved."""
    facts = efa_huge_pages()
    done: set[object] = set()
    for template in launch_templates(stack_set):
        data = template.data["UserData"]
        has_efa = any(interface.is_efa for interface in template.interfaces or ())
        if not has_efa or template.resource in done:
            continue
        done.add(template.resource)
        lines = "\n".join(shell_lines(user_data_text(data) or ""))
        numbers = [int(found[1] or found[2]) for found in _RESERVES.finditer(lines)]
        if numbers and numbers[-1] < facts.pages:
            yield Violation(
                message=f"{template.resource.logical_id}: user data reserves "
                f"{count(numbers[-1], 'huge page')}; the EFA driver reserves {facts.pages} for "
                "itself",
                hint=f"leave vm.nr_hugepages out, or write {facts.pages} and those of your own",
                resource=template.resource,
                path=data.path,
                severity=Severity.WARNING,
                evidence=f"catalogue, huge pages of EFA ({facts.date})",
            )


_HEAD = """\
Resources:
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: container
      EksProperties:
        PodProperties:
          Containers:
            - Image: public.ecr.aws/neuron/pytorch-training-neuronx
              Resources:
                Limits: {hugepages-2Mi: """

RULE = TemplateRule(
    id="TRN565",
    title="huge pages are asked for in whole pages, and those of EFA stay",
    severity=Severity.ERROR,
    why="256 is 256 bytes: Kubernetes refuses the pod. Fewer pages than the EFA driver wants make "
    "its start slow, or fail.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html",
    good=f"{_HEAD}5120Mi}}\n",
    bad=f'{_HEAD}"256"}}\n',
    check=_check,
)
