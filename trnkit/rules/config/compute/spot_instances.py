"""TRN211: Spot is offered for the type, with options that Auto Scaling can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, spot_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import alternatives, from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        if group.capacity.type == "spot":
            yield from _offered(group, (*path, "capacity"))
            yield from _options(group, (*path, "capacity"))


def _offered(group: NodeGroupConfig, place: Path) -> Iterator[Violation]:
    known = find_instance_type(group.instance_type)
    if known is None or not known.usage_classes or "spot" in known.usage_classes:
        return
    doubt = next((d for d in known.disagreements if d.field == "usage_classes"), None)
    yield Violation(
        message=f"{format_path((*place, 'type'))} is spot, which {known.name} does not have; it is "
        f"sold as {alternatives(known.usage_classes, 'and')}"
        + (f" ({doubt.note})" if doubt else ""),
        hint=f"write `type: {known.usage_classes[0]}`, or take another instance type",
        path=(*place, "type"),
        severity=Severity.WARNING if doubt else None,
        evidence=from_catalogue(known, "usage classes"),
    )


def _options(group: NodeGroupConfig, place: Path) -> Iterator[Violation]:
    facts, behavior = spot_facts(), group.capacity.instance_interruption_behavior
    if behavior is not None and behavior not in facts.auto_scaling_interruption_behaviors:
        allowed = alternatives(facts.auto_scaling_interruption_behaviors)
        key = (*place, "instance_interruption_behavior")
        yield Violation(
            message=f"{format_path(key)} is {behavior}; instances of an Auto Scaling group can "
            f"only {allowed}",
            hint=f"write `{allowed}`, or leave it out",
            path=key,
            evidence=f"catalogue, Spot: {facts.note} ({facts.date})",
        )
    price = group.capacity.max_price_usd
    if price is not None and price <= facts.smallest_maximum_price_usd:
        key = (*place, "max_price_usd")
        yield Violation(
            message=f"{format_path(key)} is {price}; EC2 wants more than "
            f"{facts.smallest_maximum_price_usd}",
            hint="leave it out to pay the current Spot price",
            path=key,
            evidence=f"catalogue, Spot ({facts.date})",
        )


_GROUP = "compute: {node_groups: [{name: train, count: 1, instance_type: "

RULE = ConfigRule(
    id="TRN211",
    title="Spot is offered for the type, with options that Auto Scaling can have",
    severity=Severity.ERROR,
    why="A request that EC2 refuses leaves the group empty; only its activity history says why.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-requests.html",
    good=_GROUP + "trn2.48xlarge, capacity: {type: spot}}]}\n",
    bad=_GROUP + "trn2.48xlarge, capacity: {type: spot, instance_interruption_behavior: stop}}]}\n",
    check=_check,
)
