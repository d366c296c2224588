"""TRN576: what a container of AWS Batch asks for fits on its node."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.nodes import neuron_cores
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.batch_jobs import job_containers
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.batch_jobs import JobContainer
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_MEBIBYTES = re.compile(r"([0-9]{1,12})(Mi|Gi)")
_NEURON = "aws.amazon.com/neuron"
_CORE = "aws.amazon.com/neuroncore"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for container in job_containers(stack_set):
        known = container.instance_type
        if known is not None:
            for kind, value, number in _asked(container):
                yield from _judge(known, kind, value, number)


def _asked(container: JobContainer) -> Iterator[tuple[str, TemplateValue, float]]:
    """Each amount it asks for, with the value that does."""
    own = container.value
    found: list[tuple[str, TemplateValue]] = [("VCPU", own["Vcpus"]), ("MEMORY", own["Memory"])]
    for entry in own["ResourceRequirements"].entries() or ():
        found.append((entry["Type"].text() or "", entry["Value"]))
    for part in ("Limits", "Requests") if container.is_pod else ():
        amounts = own["Resources"][part]
        for name in amounts.mapping() or {}:
            kind = {"cpu": "VCPU", "memory": "MEMORY"}.get(str(name), str(name))
            found.append((kind, amounts[str(name)]))
    for kind, value in found:
        memory = _MEBIBYTES.fullmatch(value.text() or "")
        number = value.number()
        if memory:
            number = float(memory[1]) * (1024 if memory[2] == "Gi" else 1)
        if number is not None:
            yield kind, value, number


def _judge(
    known: InstanceType, kind: str, value: TemplateValue, number: float
) -> Iterator[Violation]:
    if kind in ("GPU", "nvidia.com/gpu") and number:
        text = f"asks for GPUs on {known.name}, which has none"
        hint = "remove the requirement, and list /dev/neuron0 and those that follow as devices"
        yield _violation(
            value, text, hint, from_catalogue(known, count(known.chips or 0, "Neuron chip"))
        )
        return
    cores = neuron_cores(known)
    has = {
        "VCPU": (known.vcpus, "vCPUs"),
        "MEMORY": (known.memory_mib, "MiB of memory"),
        _NEURON: (known.chips, "Neuron chips"),
        _CORE: (cores.physical if cores else None, "NeuronCores"),
    }
    most, noun = has.get(kind, (None, ""))
    # Amazon ECS keeps some memory to itself, so all of it is never free.
    beyond = most is not None and (number > most or (kind == "MEMORY" and number == most))
    if beyond:
        text = f"asks for {number:g} {noun} on {known.name}, which has {most}"
        room = ", and the agent keeps some" if number == most else ""
        yield _violation(
            value, text + room, "ask for less", from_catalogue(known, f"{most} {noun}")
        )


def _violation(value: TemplateValue, text: str, hint: str, evidence: str) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
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
              ResourceRequirements:
                - {Type: MEMORY, Value: "65536"}
                - {Type: VCPU, Value: "%s"}
"""

RULE = TemplateRule(
    id="TRN576",
    title="what a container of AWS Batch asks for fits on its node",
    severity=Severity.ERROR,
    why="A job that no instance of its type can hold stays RUNNABLE for ever.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable.html",
    good=_HEAD % 12,
    bad=_HEAD % 192,
    check=_check,
)
