"""TRN278: size, IOPS and throughput of a volume are ones that its type has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import gp3_limits, volume_limits
from trnkit.findings import Severity
from trnkit.rules.reading.launch_settings import volumes
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import VolumeLimits
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for volume in volumes(stack_set):
        limits = volume_limits(volume["VolumeType"].text() or "")
        if limits is None:
            continue
        for value, text, hint in _faults(volume, limits):
            yield Violation(
                message=f"{value.resource.logical_id}: {value.path[-1]} {text}",
                hint=hint,
                resource=value.resource,
                path=value.path,
                evidence=f"catalogue, {limits.kind} volumes ({limits.date})",
            )


def _faults(
    volume: TemplateValue, limits: VolumeLimits
) -> Iterator[tuple[TemplateValue, str, str]]:
    kind, size, iops = limits.kind, _size_of(volume), volume["Iops"]
    gib, operations = size.integer(), iops.integer()
    least, most = limits.minimum_size_gib, limits.maximum_size_gib
    if gib is not None and not least <= gib <= most:
        text = f"is {gib} GiB; {kind} volumes have {least} to {most}"
        yield size, text, "change the size, or the VolumeType"
    yield from _throughput(volume, kind)
    gp3 = gp3_limits()
    if kind == "gp3" and gib and operations is not None and operations > gp3.minimum_iops:
        allowed = max(gib * gp3.iops_per_gib, gp3.minimum_iops)
        if operations > allowed:
            text = f"is {operations}; a gp3 volume of {gib} GiB has at most {allowed}"
            yield iops, text, "raise the size, or lower Iops"


def _throughput(volume: TemplateValue, kind: str) -> Iterator[tuple[TemplateValue, str, str]]:
    value, gp3 = volume["Throughput"], gp3_limits()
    mibps = value.integer()
    if mibps is None:
        return
    if kind != "gp3":
        yield value, f"is set for a {kind} volume; only gp3 volumes have one", "take gp3"
        return
    least, most = gp3.minimum_throughput_mibps, gp3.maximum_throughput_mibps
    if not least <= mibps <= most:
        yield value, f"is {mibps} MiB/s; gp3 volumes have {least} to {most}", "change it"
    iops = gp3.minimum_iops if volume["Iops"].is_absent else volume["Iops"].integer()
    if iops is not None and mibps > iops * gp3.throughput_mibps_per_iops:
        needed = round(mibps / gp3.throughput_mibps_per_iops)
        text = f"is {mibps} MiB/s with {iops} IOPS; that throughput takes {needed} IOPS"
        yield value, text, f"set Iops to {needed}, or lower Throughput"


def _size_of(volume: TemplateValue) -> TemplateValue:
    in_mapping = volume["VolumeSize"]
    return volume["Size"] if in_mapping.is_absent else in_mapping


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        BlockDeviceMappings:
          - DeviceName: /dev/sda1
            Ebs: {Encrypted: true, VolumeType: gp3, VolumeSize: 500, Throughput: 1000, Iops: %d}
"""

RULE = TemplateRule(
    id="TRN278",
    title="size, IOPS and throughput of a volume are ones that its type has",
    severity=Severity.ERROR,
    why="EC2 accepts the launch template and refuses every launch.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html",
    good=_HEAD % 4000,
    bad=_HEAD % 3000,
    check=_check,
)
