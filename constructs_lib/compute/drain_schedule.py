"""Tells the nodes of a group, at a moment known beforehand, to write a checkpoint."""

from __future__ import annotations

import json
from typing import cast

from aws_cdk import Arn, ArnComponents, ArnFormat, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_scheduler as scheduler
from constructs import Construct

from constructs_lib.arguments import instance, text
from trnkit.errors import ConstructError
from trnkit.layout.capacity import parse_utc
from trnkit.layout.draining import DrainPlan, drain_command
from trnkit.layout.tags import CLUSTER_TAG, NODE_GROUP_TAG

DOCUMENT = "AWS-RunShellScript"
_LEAST_SECONDS, _MOST_SECONDS = 60, 86_400
"""How old an event of EventBridge Scheduler's may become before it is given up."""


class DrainSchedule(Construct):
    """A one-time schedule that runs `trn-drain` on every node of a group.

    Creates `AWS::Scheduler::Schedule`, whose target is Systems Manager's `SendCommand` itself, so
    that no function stands between, and `AWS::IAM::Role`, which may run shell commands on instances
    that carry both tags, and do nothing else.

    Nodes are found by their tags when the time has come. All are told at once, and one that fails
    does not keep the others from being told: Run Command's own defaults are 50 at a time, and to
    stop after the first error. A command that cannot be sent is tried again until the deadline.

    The moment must lie ahead when the schedule is created or changed: EventBridge Scheduler refuses
    one in the past. It stays after its time, does nothing more, and costs nothing.

    Sources:
        https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
        https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
        https://docs.aws.amazon.com/systems-manager/latest/userguide/send-commands-multiple.html
        https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import DrainSchedule
        >>> from trnkit.layout.draining import DrainPlan
        >>> drain = DrainSchedule(
        ...     Stack(App(), "Compute"), "Drain", cluster_name="block-week", node_group="train",
        ...     plan=DrainPlan(
        ...         at="2027-03-08T10:35:00Z", deadline="2027-03-08T10:50:00Z",
        ...         reason="the Capacity Block ends"))
    """

    schedule_name: str
    """Name of the schedule."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        cluster_name: str,
        node_group: str,
        plan: DrainPlan,
    ) -> None:
        """Create the schedule and its role.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            cluster_name: Value of the tag `trnkit-cluster` on the nodes.
            node_group: Value of the tag `trnkit-node-group` on them.
            plan: When they are told, by when they must be done, and why. Nodes must have booted
                with a `NodeBundle`, which has the program.

        Raises:
            ConstructError: They are told at the deadline or after it, or less than a minute before;
                or the reason has what Run Command would replace.
        """
        super().__init__(scope, construct_id)
        text("cluster_name", cluster_name)
        text("node_group", node_group)
        instance("plan", plan, DrainPlan)
        seconds = _seconds(plan)
        stack = Stack.of(self)
        tags = {CLUSTER_TAG: cluster_name, NODE_GROUP_TAG: node_group}
        schedule = scheduler.CfnSchedule(
            self,
            "Resource",
            description=f"Tells the nodes of {cluster_name}, {node_group}: {plan.reason}"[:512],
            schedule_expression=f"at({plan.at.removesuffix('Z')})",
            schedule_expression_timezone="UTC",
            flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(mode="OFF"),
            target=scheduler.CfnSchedule.TargetProperty(
                arn=f"arn:{stack.partition}:scheduler:::aws-sdk:ssm:sendCommand",
                role_arn=self._role(tags).role_arn,
                input=json.dumps(_request(tags, plan, seconds)),
                retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
                    maximum_event_age_in_seconds=seconds, maximum_retry_attempts=185
                ),
            ),
        )
        self.schedule_name = schedule.ref

    def _role(self, tags: dict[str, str]) -> iam.Role:
        """May send this one document to instances with all of the tags."""
        stack = Stack.of(self)
        document = Arn.format(
            ArnComponents(service="ssm", account="", resource="document", resource_name=DOCUMENT),
            stack,
        )
        instances = Arn.format(
            ArnComponents(
                service="ec2",
                resource="instance",
                resource_name="*",
                arn_format=ArnFormat.SLASH_RESOURCE_NAME,
            ),
            stack,
        )
        tagged = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
        action = "ssm:SendCommand"
        return iam.Role(
            self,
            "Role",
            assumed_by=cast(
                "iam.IPrincipal",
                iam.ServicePrincipal(
                    "scheduler.amazonaws.com",
                    conditions={"StringEquals": {"aws:SourceAccount": stack.account}},
                ),
            ),
            description="Tells the nodes of a trnkit cluster to write a checkpoint",
            # With the role and not beside it, so that the schedule never has half of it.
            inline_policies={
                "SendCommand": iam.PolicyDocument(
                    statements=[
                        iam.PolicyStatement(actions=[action], resources=[document]),
                        iam.PolicyStatement(
                            actions=[action],
                            resources=[instances],
                            conditions={"StringEquals": tagged},
                        ),
                    ]
                )
            },
        )


def _request(tags: dict[str, str], plan: DrainPlan, seconds: int) -> dict[str, object]:
    """What Systems Manager is asked, as its API names it."""
    return {
        "DocumentName": DOCUMENT,
        "Comment": plan.reason[:100],
        "Targets": [{"Key": f"tag:{key}", "Values": [value]} for key, value in tags.items()],
        "Parameters": {
            "commands": [drain_command(plan.deadline, plan.reason)],
            "executionTimeout": [str(seconds)],
        },
        # A node that is reached after the deadline has nothing to be told any more.
        "TimeoutSeconds": seconds,
        "MaxConcurrency": "100%",
        "MaxErrors": "100%",
    }


def _check_reason(reason: str) -> None:
    text("plan.reason", reason)
    # Run Command takes `{{ssm:NAME}}` for a parameter, and fails on all nodes if there is none.
    if "{{" in reason:
        raise ConstructError(f"plan.reason must have no {{{{, got {reason!r}")


def _seconds(plan: DrainPlan) -> int:
    """From the telling to the deadline, within what Scheduler and Run Command take."""
    for name in ("at", "deadline"):
        text(f"plan.{name}", getattr(plan, name))
    _check_reason(plan.reason)
    try:
        seconds = int((parse_utc(plan.deadline) - parse_utc(plan.at)).total_seconds())
    except ValueError as error:
        raise ConstructError(
            f"plan.at and plan.deadline must be in UTC, as 2027-03-08T10:35:00Z: {error}"
        ) from error
    if seconds < _LEAST_SECONDS:
        raise ConstructError(
            f"plan.at must be at least a minute before plan.deadline, got {plan.at} and "
            f"{plan.deadline}"
        )
    return min(seconds, _MOST_SECONDS)
