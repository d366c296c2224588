"""TRN930: the schedule of a Capacity Block's nodes is still to come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.cloudformation import DESCRIBE_STACKS
from trnkit.layout.capacity import block_times, format_utc, scaling_schedule
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import NodeGroupConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    scheduled = [
        (index, group)
        for index, group in enumerate(account.cluster.compute.node_groups)
        if scaling_schedule(group) is not None
    ]
    if not scheduled:
        return
    name = f"{account.cluster.name}-Compute"
    stack = account.cloudformation(account.cluster.region).stack(name)
    # What a stack has already is not made again, whatever the time.
    deployed = stack is not None and account.is_own(stack.tags)
    for index, group in scheduled:
        yield _judge(account, group, ("compute", "node_groups", index, "capacity"), deployed)


def _judge(
    account: AccountView, group: NodeGroupConfig, path: tuple[str | int, ...], deployed: bool
) -> CheckResult:
    times, schedule = block_times(group), scaling_schedule(group)
    if times is None or schedule is None:
        raise AssertionError("a schedule is made of times")
    evidence = f"now it is {format_utc(account.now)}"
    if times.scale_in <= account.now:
        say = warning if deployed else fail
        return say(
            f"node group {group.name} is emptied at {schedule.scale_in_at}, which is past"
            + ("" if deployed else ": Auto Scaling refuses the schedule"),
            evidence=evidence,
            remedy="name another block with its own `start` and `end`",
            path=(*path, "end"),
        )
    if schedule.scale_out_at is not None and times.start <= account.now and not deployed:
        return fail(
            f"node group {group.name} starts at {schedule.scale_out_at}, which is past: Auto "
            "Scaling refuses the schedule",
            evidence=evidence,
            remedy="write `launch: with-deployment`",
            path=(*path, "start"),
        )
    starts = schedule.scale_out_at or "with the deployment"
    return ok(
        f"node group {group.name} starts {starts} and is emptied at {schedule.scale_in_at}",
        evidence=evidence,
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN930",
    name="block-schedule",
    title="The schedule of a Capacity Block's nodes is still to come",
    why="Auto Scaling refuses an action in the past, and the deployment fails late. Offline nobody "
    "knows what time it will be: templates are the same whenever they are made. A schedule that "
    "the cluster has from an earlier deployment stays.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/"
    "API_PutScheduledUpdateGroupAction.html",
    needs=(DESCRIBE_STACKS,),
    run=_run,
)
