"""TRN584: generic resources of AWS PCS are declared twice alike, and are ones that nodes have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import pcs_settings
from trnkit.findings import Severity
from trnkit.layout.nodes import neuron_cores
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.pcs_resources import pcs_node_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.pcs_resources import PcsNodeGroup
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_ENTRY = re.compile(r"(?P<name>[A-Za-z_]\w*)(:(?P<type>[A-Za-z_]\w*))?(:(?P<count>[0-9]{1,6}))?")
_FILE = re.compile(r"(?P<stem>/dev/[A-Za-z_]+)(\[(?P<first>[0-9]+)-(?P<last>[0-9]+)\]|[0-9]+)")
_CORES = re.compile("neuron_?cores?", re.IGNORECASE)
_DEVICES = re.compile("neuron(_?devices?)?", re.IGNORECASE)
_NEURON_FILE = "/dev/neuron"


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of `gres.conf`.

    Attributes:
        counts: How many of each resource they declare, by name; None when that is not known.
        detects: Whether Slurm finds devices itself.
    """

    counts: dict[str, int | None]
    detects: bool


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in pcs_node_groups(stack_set):
        configuration = group.properties["SlurmConfiguration"]
        declared = configuration["GresCustomSettings"]
        records = _read(declared)
        for setting in configuration["SlurmCustomSettings"].entries() or ():
            if (setting["ParameterName"].text() or "").lower() != "gres":
                continue
            for name, number in _entries(setting["ParameterValue"]):
                if records is not None:
                    yield from _compare(setting["ParameterValue"], name, number, records)
                yield from _on_nodes(group, setting["ParameterValue"], name, number)
        for record in declared.entries() or ():
            yield from _file(group, record["File"])


def _read(declared: TemplateValue) -> _Records | None:
    """The records; None when it is not known which there are."""
    entries = declared.entries()
    if entries is None or any(entry.mapping() is None for entry in entries):
        return None
    counts: dict[str, int | None] = {}
    detects = False
    for record in entries:
        name, detection = record["Name"], record["AutoDetect"]
        detects |= not detection.is_absent and detection.text() not in ("off", "false")
        if name.is_absent:
            continue
        if name.text() is None:
            return None
        key, found = str(name.text()), _count(record)
        already = counts.get(key, 0)
        counts[key] = None if found is None or already is None else already + found
    return _Records(counts, detects)


def _count(record: TemplateValue) -> int | None:
    number, file = record["Count"], record["File"]
    if not number.is_absent:
        return number.integer()
    if not record["MultipleFiles"].is_absent or not record["AutoDetect"].is_absent:
        return None
    if file.is_absent:
        return 1
    found = _FILE.fullmatch(file.text() or "")
    if found is None:
        return None
    return int(found["last"]) - int(found["first"]) + 1 if found["last"] else 1


def _entries(value: TemplateValue) -> Iterator[tuple[str, int]]:
    for item in (value.text() or "").split(","):
        found = _ENTRY.fullmatch(item.strip())
        if found is not None:
            yield found["name"], int(found["count"] or 1)


def _compare(
    value: TemplateValue, name: str, number: int, records: _Records
) -> Iterator[Violation]:
    facts = pcs_settings()
    if name not in records.counts:
        if not (name == "gpu" and records.detects):
            text = f"Gres names {name}, and no record of GresCustomSettings declares it"
            hint = f"add a record with Name {name}, for example with File /dev/neuron[0-15]"
            yield _violation(value, text, hint)
        return
    declared = records.counts[name]
    if declared is not None and number > declared and name not in facts.shared_gres:
        text = f"Gres has {number} of {name}, and GresCustomSettings declares {declared}"
        yield _violation(value, text, f"write {name}:{declared}, or declare them all")


def _on_nodes(
    group: PcsNodeGroup, value: TemplateValue, name: str, number: int
) -> Iterator[Violation]:
    """Counts of Neuron resources beside what the type has.

    Slurm believes a count without a file, so nothing is refused: jobs get more than there is.
    """
    known = group.instance_type
    if known is None or known.chips is None:
        return
    cores, fewest = neuron_cores(known), min(known.logical_neuroncore_sizes or (1,))
    if _DEVICES.fullmatch(name) and number > known.chips:
        devices = count(known.chips, "Neuron device")
        text = f"Gres has {number} of {name}; {known.name} has {devices}"
        fact = from_catalogue(known, devices)
        yield _violation(value, text, f"write {name}:{known.chips}", fact, Severity.WARNING)
    elif _CORES.fullmatch(name) and cores is not None and number > cores.logical:
        most = cores.physical // fewest
        text = f"Gres has {number} of {name}; {known.name} has {cores.logical} logical NeuronCores"
        if cores.logical_size > 1:
            text += f" of {cores.logical_size}"
        hint = f"write {name}:{cores.logical}"
        if number <= most:
            hint += f", or set the logical NeuronCore size of the nodes to {fewest}"
        fact = from_catalogue(known, f"{cores.physical} NeuronCores")
        yield _violation(value, text, hint, fact, Severity.WARNING)


def _file(group: PcsNodeGroup, file: TemplateValue) -> Iterator[Violation]:
    known, found = group.instance_type, _FILE.fullmatch(file.text() or "")
    if known is None or known.chips is None or found is None or found["stem"] != _NEURON_FILE:
        return
    text = str(file.text())
    last = int(found["last"] or text.removeprefix(_NEURON_FILE))
    if last >= known.chips:
        has = f"{_NEURON_FILE}0 to {known.chips - 1}" if known.chips > 1 else f"{_NEURON_FILE}0"
        yield _violation(
            file,
            f"a record is about {text}; {known.name} has {has}, and nodes with fewer drain",
            f"write a File of {count(known.chips, 'device')}",
            from_catalogue(known, count(known.chips, "Neuron device")),
        )


def _violation(
    value: TemplateValue,
    text: str,
    hint: str,
    evidence: str | None = None,
    severity: Severity | None = None,
) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
        evidence=evidence,
        severity=severity,
    )


_HEAD = """\
Resources:
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      SubnetIds: [subnet-1]
      ScalingConfiguration: {MaxInstanceCount: 4, MinInstanceCount: 0}
      SlurmConfiguration:
        SlurmCustomSettings: [{ParameterName: Gres, ParameterValue: "neuron:16"}]
"""
_RECORD = """\
        GresCustomSettings: [{Name: neuron, File: "/dev/neuron[0-15]"}]
"""

RULE = TemplateRule(
    id="TRN584",
    title="generic resources of AWS PCS are declared twice alike, and are ones that nodes have",
    severity=Severity.ERROR,
    why="AWS PCS refuses a Gres entry without a record of gres.conf, or of more than the records "
    "have; it does not compare them with the hardware, and nodes without a record's file drain.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/gres-custom-settings.html",
    good=_HEAD + _RECORD,
    bad=_HEAD,
    check=_check,
)
