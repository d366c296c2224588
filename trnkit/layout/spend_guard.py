"""What the watchdog and what it may do are, for a cluster; the functions on AWS read it as JSON.

Keys of the JSON are the attributes' names: `constructs_lib/cost/assets` reads nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.config.spend_guard import EnforcementMode

GUARD_NAMESPACE = "trnkit/spend"
"""CloudWatch namespace of the watchdog's own metrics; those of clusters differ by `ClusterName`."""

SPEND_METRICS = {
    "rate": "spend_rate_usd_per_hour",
    "month": "month_to_date_usd",
    "instances": "running_instances",
    "unpriced": "unpriced_instances",
    "unused": "unused_reserved_instances",
    "idle": "idle_instances_share",
    "beat": "watchdog_beats",
}
"""Names of the metrics, with the dimension `ClusterName`; some also with `NodeGroup`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRate:
    """What a running instance of a kind costs, with the volumes and metrics of its node.

    Attributes:
        instance_type: EC2 instance type.
        purchase: How it is bought: `on-demand` (also in a reservation), `spot`, `capacity-block`.
        usd_per_hour: US dollars an hour, the upper end where it is a range; None: unknown, which is
            an alarm of its own and never zero. Of a Capacity Block the part of its fee: it is paid.
    """

    instance_type: str
    purchase: Literal["on-demand", "spot", "capacity-block"]
    usd_per_hour: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedGroup:
    """A node group, as the watchdog sees it.

    Attributes:
        name: Its name, the value of the tag `trnkit-node-group` of its instances and of its Auto
            Scaling group.
        instance_type: EC2 instance type.
        purchase: As of `NodeRate`.
        count: Its full size.
        capacity_reservation_id: Its reservation or Capacity Block, where the file names one.
        block_start: When its Capacity Block begins, in UTC, or None.
        block_scale_in: When it is scaled in for the end of its block, in UTC, or None.
        driver: What scales it: `asg` an Auto Scaling group, found by its tags; `pcs`, `eks`,
            `batch`, `sagemaker` (HyperPod).
        resource: Its name with that service, `CLUSTER/GROUP`, of Batch the compute environment's.
    """

    name: str
    instance_type: str
    purchase: Literal["on-demand", "spot", "capacity-block"]
    count: int
    capacity_reservation_id: str | None
    block_start: str | None
    block_scale_in: str | None
    driver: Literal["asg", "pcs", "eks", "batch", "sagemaker"] = "asg"
    resource: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchdogPlan:
    """What is counted, and when people hear of it.

    Attributes:
        cluster: The cluster's name, the value of the tag `trnkit-cluster`.
        poll_minutes: How often it is counted.
        month_limit_usd: What a calendar month (UTC) may cost.
        alert_percent: Per cent of that at which to alert.
        spend_rate_usd_per_hour: Rate above which to alert, or None.
        fixed_usd_per_hour: What storage, network and the like cost, running or not; the upper end.
        rates: What running instances cost.
        groups: The node groups.
        unused_block_minutes: How long reserved instances may stand unused.
        idle_alert_minutes: How long a group may do nothing before people hear of it, or None.
        idle_below_percent: Mean use of NeuronCores up to which a node counts as idle.
        node_metrics_namespace: Where nodes send their own metrics; None: they send none, and
            nothing is known of idleness.
        namespace: CloudWatch namespace of the watchdog's own metrics.
    """

    cluster: str
    poll_minutes: int
    month_limit_usd: float
    alert_percent: tuple[float, ...]
    spend_rate_usd_per_hour: float | None
    fixed_usd_per_hour: float
    rates: tuple[NodeRate, ...]
    groups: tuple[GuardedGroup, ...]
    unused_block_minutes: int
    idle_alert_minutes: int | None
    idle_below_percent: float
    node_metrics_namespace: str | None
    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnforcementPlan:
    """What is done about spending, in stages.

    Attributes:
        mode: `dry-run`, `approval` or `automatic`.
        at_usd: Spent in the month from when on; None: never for what is spent.
        at_spend_rate_usd_per_hour: Rate from when on; None: never for the rate.
        grace_minutes: Time between the warning and the first thing that is done.
        checkpoint_minutes: Time between telling nodes to write a checkpoint and scaling in.
        protected_node_groups: Groups that are never touched.
        idle_mode: As `mode`, for idle groups; None: they are left alone.
        idle_minutes: How long a group must have done nothing.
        idle_protected_node_groups: Groups that may be idle; those that are never touched, too.

    Groups of Capacity Blocks are never touched: they are paid.
    """

    mode: EnforcementMode | None
    at_usd: float | None
    at_spend_rate_usd_per_hour: float | None
    grace_minutes: int
    checkpoint_minutes: int
    protected_node_groups: tuple[str, ...]
    idle_mode: EnforcementMode | None
    idle_minutes: int
    idle_protected_node_groups: tuple[str, ...]

    @property
    def writes(self) -> bool:
        """Whether anything is ever done: not where all is a dry run."""
        return any(mode not in (None, "dry-run") for mode in (self.mode, self.idle_mode))

    def touchable(self, groups: Iterable[GuardedGroup]) -> tuple[GuardedGroup, ...]:
        """The groups that may really be changed.

        Args:
            groups: The cluster's.
        """
        named = ((self.mode, self.protected_node_groups),)
        named += ((self.idle_mode, self.idle_protected_node_groups),)
        kept = [spared for mode, spared in named if mode not in (None, "dry-run")]
        return tuple(
            group
            for group in groups
            if group.purchase != "capacity-block"
            and any(group.name not in spared for spared in kept)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchDenialPlan:
    """Who loses the right to launch while the budget is passed.

    Attributes:
        role_names: IAM roles of the account.
        approval: Whether somebody must approve it in the Billing console.
    """

    role_names: tuple[str, ...]
    approval: Literal["AUTOMATIC", "MANUAL"]
