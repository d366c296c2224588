"""TRN202: as many EFA interfaces as the instance type has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.efa import EfaPlanError, plan_interfaces
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.config import ClusterConfig, NodeGroupConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known, place = find_instance_type(group.instance_type), (*path, "efa", "interfaces")
        if known is None or known.maximum_efa_interfaces is None:
            continue
        verdict = _judge(known, known.maximum_efa_interfaces, group)
        if verdict is not None:
            severity, text, hint = verdict
            fact = f"{known.maximum_efa_interfaces} EFA interfaces"
            yield Violation(
                message=f"{format_path(place)} {text}",
                hint=hint,
                path=place,
                severity=severity,
                evidence=from_catalogue(known, fact),
            )


def _judge(
    known: InstanceType, most: int, group: NodeGroupConfig
) -> tuple[Severity, str, str] | None:
    asked, name = group.efa.interfaces, known.name
    if asked is not None and asked > most:
        if most == 0:
            return Severity.ERROR, f"is {asked}, but {name} has no EFA", "leave it out or write 0"
        text = f"is {asked}, but {name} has only {most}"
        return Severity.ERROR, text, f"leave it out to get all {most}"
    try:
        plan_interfaces(known, layout=group.efa.layout, efa_interfaces=asked)
    except EfaPlanError as error:
        return Severity.ERROR, f"cannot be laid out: {error}", "take another efa.layout"
    if asked is None or asked == most or (asked == 0 and group.count < 2):
        return None
    disputed = any(d.field == "maximum_efa_interfaces" for d in known.disagreements)
    severity = Severity.INFO if disputed else Severity.WARNING
    text = f"is {asked}; {name} has {most}, so the nodes talk over {asked} of {most} links"
    return severity, text, f"leave it out to get all {most}"


RULE = ConfigRule(
    id="TRN202",
    title="a node has as many EFA interfaces as its type has",
    severity=Severity.WARNING,
    why="With fewer, everything works at a fraction of the bandwidth between nodes; with more, "
    "no node starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4, "
    "efa: {interfaces: 16}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4, "
    "efa: {interfaces: 8}}]}\n",
    check=_check,
)
