"""TRN583: custom Slurm settings are ones that AWS PCS supports where they stand."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from trnkit.catalog import pcs_settings
from trnkit.findings import Severity
from trnkit.rules.judging.wording import MOST, did_you_mean
from trnkit.rules.reading.pcs_resources import (
    PCS_CLUSTER,
    PCS_NODE_GROUP,
    PCS_QUEUE,
    pcs_node_groups,
)
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_VERSION = re.compile(r"[0-9]{1,4}\.[0-9]{1,4}")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    settings = pcs_settings()
    levels = {
        PCS_CLUSTER: ("a cluster", settings.cluster),
        PCS_NODE_GROUP: ("a compute node group", settings.compute_node_group),
        PCS_QUEUE: ("a queue", settings.queue),
    }
    for kind, (level, supported) in levels.items():
        others = {where: names for where, names in levels.values() if where != level}
        for resource in stack_set.resources(kind):
            for name in _names(properties_of(resource)):
                yield from _judge(name, level, supported, others)
    for group in pcs_node_groups(stack_set):
        version = group.slurm_version
        for name in _names(group.properties):
            yield from _too_new(name, name.text() or "", version)
        records = group.properties["SlurmConfiguration"]["GresCustomSettings"].entries()
        for record in records or ():
            yield from _attributes(record, version)


def _attributes(record: TemplateValue, version: str | None) -> Iterator[Violation]:
    """The keys of a record of `gres.conf`."""
    supported = pcs_settings().gres_attributes
    for key in record.mapping() or {}:
        name = str(key)
        yield from _too_new(record[name], name, version)
        if not _is_among(name, supported) and not name.startswith("Fn::"):
            close = get_close_matches(name, supported, MOST)
            yield Violation(
                message=f"{record.resource.logical_id}: has a record of gres.conf with {name}, "
                "which AWS PCS does not list",
                hint=did_you_mean(close, "remove it"),
                resource=record.resource,
                path=record[name].path,
                evidence=f"catalogue, Slurm settings ({pcs_settings().date})",
            )


def _names(properties: TemplateValue) -> Iterator[TemplateValue]:
    listed = properties["SlurmConfiguration"]["SlurmCustomSettings"]
    for setting in listed.entries() or ():
        yield setting["ParameterName"]


def _judge(
    value: TemplateValue,
    level: str,
    supported: tuple[str, ...],
    others: dict[str, tuple[str, ...]],
) -> Iterator[Violation]:
    name = value.text()
    if name is None or _is_among(name, supported):
        return
    elsewhere = next((where for where, names in others.items() if _is_among(name, names)), None)
    close = get_close_matches(name, supported, MOST)
    yield Violation(
        message=f"{value.resource.logical_id}: has the Slurm setting {name}, which AWS PCS does "
        f"not list for {level}",
        hint=f"move it to {elsewhere}" if elsewhere else did_you_mean(close, "remove it"),
        resource=value.resource,
        path=value.path,
        evidence=f"catalogue, Slurm settings of {level} ({pcs_settings().date})",
    )


def _is_among(name: str, names: tuple[str, ...]) -> bool:
    """Slurm's own names are the same in any case."""
    return name.lower() in map(str.lower, names)


def _too_new(value: TemplateValue, name: str, version: str | None) -> Iterator[Violation]:
    first = pcs_settings().minimum_versions.get(name)
    if first is None or version is None or not _VERSION.fullmatch(version):
        return
    if _parts(version) < _parts(first):
        yield Violation(
            message=f"{value.resource.logical_id}: has the Slurm setting {name}, which AWS PCS "
            f"supports from Slurm {first} on, and its cluster has {version}",
            hint="remove it, or raise the cluster's Version",
            resource=value.resource,
            path=value.path,
            evidence=f"catalogue, Slurm settings ({pcs_settings().date})",
        )


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


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
        SlurmCustomSettings: [{ParameterValue: "1024", ParameterName: %s}]
"""

RULE = TemplateRule(
    id="TRN583",
    title="custom Slurm settings are ones that AWS PCS supports where they stand",
    severity=Severity.WARNING,
    why="AWS PCS takes a part of Slurm's settings, others for clusters, node groups and queues, "
    "and refuses the rest.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/slurm-custom-settings.html",
    good=_HEAD % "MemSpecLimit",
    bad=_HEAD % "PrologFlags",
    check=_check,
)
