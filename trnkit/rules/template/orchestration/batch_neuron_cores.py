"""TRN577: containers of AWS Batch name NeuronCores that their nodes have."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.nodes import neuron_cores
from trnkit.rules.judging.wording import alternatives, from_catalogue
from trnkit.rules.reading.batch_jobs import job_containers
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.batch_jobs import JobContainer
    from trnkit.rules.stack_set import StackSet

_SIZES = ("NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_VIRTUAL_CORE_SIZE")
_NUMBER, _VISIBLE = "NEURON_RT_NUM_CORES", "NEURON_RT_VISIBLE_CORES"
_CORES = re.compile("[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for container in job_containers(stack_set):
        known, environment = container.instance_type, container.environment
        if known is None or environment is None or not known.logical_neuroncore_sizes:
            continue
        yield from _judge(container, known, environment)


def _judge(
    container: JobContainer, known: InstanceType, environment: dict[str, str | None]
) -> Iterator[Violation]:
    sizes = known.logical_neuroncore_sizes
    stated = [(name, environment[name]) for name in _SIZES if name in environment]
    wrong = [(n, v) for n, v in stated if v and v.isdecimal() and int(v) not in sizes]
    for name, value in wrong:
        yield _violation(
            container,
            f"sets {name} to {value}; {known.name} takes {alternatives(sizes)}",
            f"write {sizes[-1]}, or remove it",
            from_catalogue(known, f"logical NeuronCore sizes {alternatives(sizes, 'and')}"),
        )
    if wrong:
        return
    size = next((int(v) for _, v in stated if v and v.isdecimal()), None)
    highest = _highest(environment)
    counted, most = neuron_cores(known, size), neuron_cores(known, min(sizes))
    if highest is None or counted is None or most is None:
        return
    name, last = highest
    # The size may also be set on the node, or be a value that is not known.
    allowed = counted.logical if size is not None else most.logical
    if last >= counted.logical:
        of_size = (
            f"with {counted.logical_size} to a logical one"
            if counted.logical_size > 1
            else "in all"
        )
        yield _violation(
            container,
            f"asks by {name} for {last + 1} NeuronCores; {known.name} has {counted.logical}, "
            f"{of_size}",
            f"ask for {counted.logical}, or set {_SIZES[0]} to {min(sizes)}"
            if last < most.logical
            else f"ask for {counted.logical}",
            from_catalogue(known, f"{counted.physical} NeuronCores"),
            Severity.ERROR if last >= allowed else Severity.WARNING,
        )


def _highest(environment: dict[str, str | None]) -> tuple[str, int] | None:
    """The highest NeuronCore that is asked for, and by which variable."""
    visible, number = environment.get(_VISIBLE), environment.get(_NUMBER)
    if visible and _CORES.fullmatch(visible):
        return _VISIBLE, max(int(part) for part in re.split("[-,]", visible))
    if number and re.fullmatch("[0-9]{1,5}", number) and int(number):
        return _NUMBER, int(number) - 1
    return None


def _violation(
    container: JobContainer,
    text: str,
    hint: str,
    evidence: str,
    severity: Severity = Severity.ERROR,
) -> Violation:
    return Violation(
        message=f"{container.definition.logical_id}: {text}",
        hint=hint,
        resource=container.definition,
        path=(*container.value.path, "Env" if container.is_pod else "Environment"),
        evidence=evidence,
        severity=severity,
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
            InstanceTypes: [trn2.48xlarge]
            Container:
              Image: example
              Environment:
                - {Name: NEURON_LOGICAL_NC_CONFIG, Value: "2"}
                - {Name: NEURON_RT_NUM_CORES, Value: "%s"}
"""

RULE = TemplateRule(
    id="TRN577",
    title="containers of AWS Batch name NeuronCores that their nodes have",
    severity=Severity.ERROR,
    why="The runtime counts logical cores. A trn2.48xlarge has 16 devices, 128 physical cores and, "
    "with two to a logical one as by default, 64 to ask for; trn1 has no such pairs.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/neuron-runtime/nrt-configurable-parameters.html",
    good=_HEAD % 64,
    bad=_HEAD % 128,
    check=_check,
)
