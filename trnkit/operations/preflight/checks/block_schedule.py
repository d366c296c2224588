"""TRN930: the schedule of a Capacity Block's nodes is still to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.cloudformation import DESCRIBE_STACKS
from trnkit.aws.ec2_capacity import DESCRIBE_INSTANCES
from trnkit.aws.failures import AwsFailure
from trnkit.layout.capacity import block_times, format_utc, scaling_schedule
from trnkit.layout.tags import NODE_GROUP_TAG
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from trnkit.aws.ec2_capacity import RunningInstance
    from trnkit.config import NodeGroupConfig
    from trnkit.layout.capacity import BlockTimes, ScalingSchedule
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    scheduled = [
        (index, group, times, schedule)
        for index, group in enumerate(account.cluster.compute.node_groups)
        if (times := block_times(group)) and (schedule := scaling_schedule(group))
    ]
    if not scheduled:
        return
    stack = account.stack(f"{account.cluster.name}-Compute")
    # What a stack has already is not made again, whatever the time.
    deployed = stack is not None and stack.is_made and account.is_own(stack.tags)
    for index, group, times, schedule in scheduled:
        path = ("compute", "node_groups", index, "capacity")
        begun = schedule.scale_out_at is not None and times.start <= account.now < times.scale_in
        if deployed and begun:
            try:
                yield _begun(account, group, schedule, path)
            except AwsFailure as failure:
                yield unanswered(failure, path=(*path, "start"))
        else:
            yield _judge(account.now, group.name, times, schedule, deployed=deployed, path=path)


def _begun(
    account: AccountView,
    group: NodeGroupConfig,
    schedule: ScalingSchedule,
    path: tuple[str | int, ...],
) -> CheckResult:
    """Past, in a stack that may have it: nodes that run in the block show that it does.

    Auto Scaling forgets a schedule that has happened, so that it cannot be asked for it.
    """
    name, evidence = group.name, f"now it is {format_utc(account.now)}"
    if any(_is_node(account, group, node) for node in account.running()):
        return ok(
            f"node group {name} started {schedule.scale_out_at} and is emptied at "
            f"{schedule.scale_in_at}",
            evidence=evidence,
            path=path,
        )
    return warning(
        f"node group {name} starts at {schedule.scale_out_at}, which is past, and none of its "
        "nodes runs in the block: if `start` has changed since the last deployment, Auto Scaling "
        "refuses the schedule",
        evidence=evidence,
        remedy="write `launch: with-deployment`, unless the stack has this very schedule",
        path=(*path, "start"),
    )


def _is_node(account: AccountView, group: NodeGroupConfig, node: RunningInstance) -> bool:
    wanted = group.capacity.capacity_reservation_id
    return (
        account.is_own(node.tags)
        and node.tags.get(NODE_GROUP_TAG) == group.name
        and node.purchase == "capacity-block"
        and wanted in (None, node.capacity_reservation_id)
    )


def _judge(
    now: datetime,
    name: str,
    times: BlockTimes,
    schedule: ScalingSchedule,
    *,
    deployed: bool,
    path: tuple[str | int, ...],
) -> CheckResult:
    evidence = f"now it is {format_utc(now)}"
    if times.scale_in <= now:
        say = warning if deployed else fail
        return say(
            f"node group {name} is emptied at {schedule.scale_in_at}, which is past"
            + ("" if deployed else ": Auto Scaling refuses the schedule"),
            evidence=evidence,
            remedy="name another block with its own `start` and `end`",
            path=(*path, "end"),
        )
    if schedule.scale_out_at is not None and times.start <= now:
        return fail(
            f"node group {name} starts at {schedule.scale_out_at}, which is past: Auto "
            "Scaling refuses the schedule",
            evidence=evidence,
            remedy="write `launch: with-deployment`",
            path=(*path, "start"),
        )
    if times.checkpoint is not None and times.checkpoint <= now and not deployed:
        return warning(
            f"node group {name} is told to write a checkpoint at {format_utc(times.checkpoint)}, "
            "which is past: EventBridge Scheduler is reported to refuse the schedule",
            evidence=evidence,
            remedy="take checkpoint_minutes out for what is left of this block",
            path=(*path, "checkpoint_minutes"),
        )
    starts = schedule.scale_out_at or "with the deployment"
    return ok(
        f"node group {name} starts {starts} and is emptied at {schedule.scale_in_at}",
        evidence=evidence,
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN930",
    name="block-schedule",
    title="The schedule of a Capacity Block's nodes is still to come",
    why="Auto Scaling refuses an action in the past, and the deployment fails late. Offline nobody "
    "knows what time it will be: templates are the same whenever they are made. A schedule that "
    "the cluster has from an earlier deployment stays, which its nodes in the block show; without "
    "any a start in the past is a warning then.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/"
    "API_PutScheduledUpdateGroupAction.html",
    needs=(DESCRIBE_STACKS, DESCRIBE_INSTANCES),
    run=_run,
)
