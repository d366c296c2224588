"""TRN219: a reservation that the cluster makes has an end, or is meant to have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import count
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        new = group.capacity.create
        if group.capacity.type != "on-demand-reservation" or new is None:
            continue
        place = (*path, "capacity", "create")
        if (new.end_date is None) is not new.unlimited:
            got = "has both end_date and unlimited" if new.unlimited else "has no end"
            yield Violation(
                message=f"{format_path(place)} {got}; it bills {count(group.count, 'instance')} at "
                "the On-Demand price until it ends, used or not",
                hint="keep one of them"
                if new.unlimited
                else "write `end_date:`, or `unlimited: true` if that is meant",
                path=place,
            )
        if group.count == 0:
            yield Violation(
                message=f"{format_path((*path, 'count'))} is 0; a reservation is made of at least "
                "one instance",
                hint="write the number of instances to reserve",
                path=(*path, "count"),
            )
        elif new.unlimited and new.end_date is None:
            yield Violation(
                message=f"{format_path((*place, 'unlimited'))} is true: "
                f"{count(group.count, 'instance')} of {group.instance_type} bill at the On-Demand "
                "price, used or not, until the cluster is destroyed",
                hint="write an `end_date:` when you know one",
                path=(*place, "unlimited"),
                severity=Severity.INFO,
            )


_GROUP = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: on-demand-reservation, create: "
)

RULE = ConfigRule(
    id="TRN219",
    title="a new reservation has an end, or is meant to have none",
    severity=Severity.ERROR,
    why="A reservation bills at the On-Demand price from its creation, used or not.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html",
    good=_GROUP + "{end_date: '2027-03-31T18:00:00Z'}}}]}\n",
    bad=_GROUP + "{}}}]}\n",
    check=_check,
)
