"""TRN220: a budget that watches a Capacity Block sees its fee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.tags import CLUSTER_TAG
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    blocks = [group.name for group in cluster.compute.node_groups if uses_capacity_block(group)]
    if blocks and cluster.budget.scope == "cluster" and not _counts_the_account(cluster):
        yield Violation(
            message=f"budget.scope is cluster, which counts what carries the tag {CLUSTER_TAG}; "
            f"the fee of the Capacity Block of {blocks[0]} is paid in advance and is on the "
            "reservation, so the budget stays near zero",
            hint="write `scope: account`, or add `further_budgets: [{name: account, scope: "
            "account, limit_usd: ...}]`; or tag the reservation at purchase and suppress this",
            path=("budget", "scope"),
        )


def _counts_the_account(cluster: ClusterConfig) -> bool:
    """Whether a budget beside the main one counts everything, with and without tags."""
    further = cluster.budget.further_budgets
    return any(budget.scope == "account" and not budget.services for budget in further)


_BLOCK = (
    "network: {availability_zone_id: use2-az3}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, capacity: "
    "{type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, "
    "start: 2027-03-01T11:30:00Z, end: 2027-03-08T11:30:00Z}}]}\n"
)

RULE = ConfigRule(
    id="TRN220",
    title="a budget that watches a Capacity Block sees its fee",
    severity=Severity.WARNING,
    why="Instances in a block are priced at zero; the block was paid when it was bought. A budget "
    "that filters on the instances' tag sees nothing of it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html",
    good=_BLOCK + "budget: {scope: account}\n",
    bad=_BLOCK + "budget: {scope: cluster}\n",
    check=_check,
)
