"""TRN211: Spot is offered for the type, with options that Auto Scaling can have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, spot_facts
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.offerings import judge_spot
from trnkit.rules.judging.wording import alternatives
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
    verdict = judge_spot(known) if known else None
    if verdict is not None:
        yield at_path((*place, "type"), verdict[1], verdict[0])


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
