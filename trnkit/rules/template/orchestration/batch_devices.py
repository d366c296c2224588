"""TRN575: containers of AWS Batch see the Neuron and the EFA devices of their nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.batch_jobs import job_containers
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.batch_jobs import JobContainer
    from trnkit.rules.stack_set import StackSet

_UNLIMITED = -1
_NUMBER = re.compile("[0-9]{1,4}$")


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the two kinds of device."""

    noun: str
    path: str


_NEURON = _Kind("Neuron device", "/dev/neuron")
_EFA = _Kind("EFA device", "/dev/infiniband/uverbs")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for container in job_containers(stack_set):
        if container.is_neuron and container.is_only:
            yield from _missing(container)
        yield from _locked_memory(container)
        known = container.instance_type
        if known is not None:
            yield from _judge(container, known, _NEURON, container.neuron_devices(), known.chips)
            most = known.maximum_efa_interfaces
            yield from _judge(container, known, _EFA, container.efa_devices(), most)


def _missing(container: JobContainer) -> Iterator[Violation]:
    """One kind without the other: the second list has replaced the first."""
    neuron, efa = container.neuron_devices(), container.efa_devices()
    known = container.instance_type
    if efa and neuron == []:
        yield _violation(
            container,
            "lists EFA devices and no Neuron device, so its container sees none",
            "list /dev/neuron0 and those that follow beside them",
            Severity.ERROR if known is not None else Severity.WARNING,
        )
    several = known is not None and (known.maximum_efa_interfaces or 0) > 0
    if neuron and efa == [] and several and container.has_node:
        yield _violation(
            container,
            "lists Neuron devices and no EFA device, so its nodes talk by TCP",
            "list /dev/infiniband/uverbs0 and those that follow beside them",
            Severity.WARNING,
        )


def _judge(
    container: JobContainer,
    known: InstanceType,
    kind: _Kind,
    listed: list[str] | None,
    most: int | None,
) -> Iterator[Violation]:
    """Devices that the type does not have, and those that a job over whole nodes leaves out."""
    if not listed or most is None:
        return
    numbers = {int(found[0]) for path in listed if (found := _NUMBER.search(path))}
    beyond = sorted(number for number in numbers if number >= most)
    evidence = from_catalogue(known, count(most, kind.noun))
    if beyond:
        has = (
            f"{kind.path}0 to {most - 1}" if most > 1 else f"{kind.path}0 only" if most else "none"
        )
        yield _violation(
            container,
            f"lists {kind.path}{beyond[0]}; {known.name} has {has}",
            "remove the devices that are not there",
            Severity.ERROR,
            evidence,
        )
    elif container.has_node and len(numbers) < most:
        yield _violation(
            container,
            f"lists {count(len(numbers), kind.noun)} of the {most} of {known.name}, and a node "
            "runs nothing else",
            f"list {kind.path}0 to {most - 1}",
            Severity.WARNING,
            evidence,
        )


def _locked_memory(container: JobContainer) -> Iterator[Violation]:
    limits = container.value["Ulimits"].entries()
    if not container.efa_devices() or limits is None or any(v.is_unknown for v in limits):
        return
    found = [v for v in limits if v["Name"].text() == "memlock"]
    values = [v[key].integer() for v in found for key in ("HardLimit", "SoftLimit")]
    if not found or any(value not in (None, _UNLIMITED) for value in values):
        is_what = "has a limit of" if found else "does not lift the limit of"
        yield _violation(
            container,
            f"lists EFA devices and {is_what} locked memory, where EFA registers its buffers",
            "add the Ulimit memlock with HardLimit and SoftLimit -1",
            Severity.WARNING,
        )


def _violation(
    container: JobContainer, text: str, hint: str, severity: Severity, evidence: str | None = None
) -> Violation:
    return Violation(
        message=f"{container.definition.logical_id}: {text}",
        hint=hint,
        resource=container.definition,
        path=(*container.value.path, "LinuxParameters"),
        severity=severity,
        evidence=evidence,
    )


_HEAD = """\
Resources:
  Training:
    Type: AWS::Batch::JobDefinition
    Properties:
      Type: multinode
      NodeProperties:
        NumNodes: 2
        MainNode: 0
        NodeRangeProperties:
          - TargetNodes: "0:"
            InstanceTypes: [trn2.3xlarge]
            Container:
              Image: example
              Vcpus: 8
              Memory: 65536
              Ulimits: [{Name: memlock, HardLimit: -1, SoftLimit: -1}]
              LinuxParameters:
                Devices:
                  - HostPath: /dev/infiniband/uverbs0
"""

RULE = TemplateRule(
    id="TRN575",
    title="containers of AWS Batch see the Neuron and the EFA devices of their nodes",
    severity=Severity.ERROR,
    why="A container has the devices that it lists. A second list in place of the first, as tools "
    "write for EFA, hides the Neuron devices.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/efa.html",
    good=_HEAD + "                  - HostPath: /dev/neuron0\n",
    bad=_HEAD,
    check=_check,
)
