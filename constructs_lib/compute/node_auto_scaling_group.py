"""The Auto Scaling group that keeps a node group at its size."""

from __future__ import annotations

from typing import Any

from aws_cdk import CfnAutoScalingScheduledAction, CfnUpdatePolicy
from aws_cdk import aws_autoscaling as autoscaling
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import as_text, instance, same_region, whole_number
from constructs_lib.compute.trainium_launch_template import TrainiumLaunchTemplate
from trnkit.layout.capacity import ScalingSchedule
from trnkit.layout.node_settings import BOOT_HOOK


class NodeAutoScalingGroup(Construct):
    """Equal nodes in one subnet, replaced when they fail.

    Creates `AWS::AutoScaling::AutoScalingGroup` with the launch template's latest version *number*
    (an attribute, so that CloudFormation sees each change; `$Latest` would hide it). Running nodes
    keep their version until they are replaced: training is never interrupted by a deploy. Start an
    instance refresh when you want them replaced.

    The stack does not wait for instances, so missing capacity shows in the group's activity instead
    of rolling a stack back after an hour.

    With a schedule it also creates `AWS::AutoScaling::ScheduledAction`: the group begins empty,
    grows to its size when a Capacity Block starts, and is emptied before EC2 terminates what still
    runs. CloudFormation would otherwise reset the size with every update of the group; an update
    policy keeps what the schedule has set.

    With a time for nodes to report that they are ready, the group has a lifecycle hook (in its
    `LifecycleHookSpecificationList`, so that the first node waits, too): a new node is in service
    when its boot scripts say so, and is replaced when they have not in time.

    Sources:
        https://docs.aws.amazon.com/autoscaling/ec2/userguide/launch-templates.html
        https://docs.aws.amazon.com/autoscaling/ec2/userguide/lifecycle-hooks.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.compute import (
        ...     MachineImage, NodeAutoScalingGroup, TrainiumLaunchTemplate)
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup
        >>> stack = Stack(App(), "Compute")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="usw2-az4")
        >>> template = TrainiumLaunchTemplate(
        ...     stack, "LaunchTemplate", instance_type="trn1.32xlarge", instance_profile=None,
        ...     image=MachineImage(image_id="ami-0123456789abcdef0"),
        ...     security_groups=[EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group])
        >>> nodes = NodeAutoScalingGroup(
        ...     stack, "Nodes", launch_template=template, subnet=network.compute_subnet,
        ...     desired_capacity=2)
    """

    auto_scaling_group_name: str
    """Name of the group."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        launch_template: TrainiumLaunchTemplate,
        subnet: ec2.ISubnet,
        desired_capacity: int,
        schedule: ScalingSchedule | None = None,
        ready_within_minutes: int | None = None,
    ) -> None:
        """Create the group.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            launch_template: What each node is.
            subnet: The one private subnet of all nodes: EFA and cluster placement end at its zone.
            desired_capacity: Number of nodes, also the maximum; the minimum is 0, so that people
                may scale in by hand.
            schedule: When to grow to that number and when to shrink to 0. None keeps the number.
            ready_within_minutes: Minutes that a new node has to report that it is ready, 1 to 120,
                as `NodeBoot` with a report does (`NodeReports` lets it). None: a node that runs is
                in service.

        Raises:
            ConstructError: No number of nodes or minutes, or a subnet of another region.
        """
        super().__init__(scope, construct_id)
        whole_number("desired_capacity", desired_capacity, least=0)
        whole_number("ready_within_minutes", ready_within_minutes, least=1, most=120, optional=True)
        instance("launch_template", launch_template, TrainiumLaunchTemplate)
        instance("schedule", schedule, ScalingSchedule, optional=True)
        same_region(self, subnet=subnet)
        group = autoscaling.CfnAutoScalingGroup(
            self,
            "Resource",
            min_size="0",
            max_size=as_text(desired_capacity),
            desired_capacity=as_text(0 if schedule and schedule.scale_out_at else desired_capacity),
            vpc_zone_identifier=[subnet.subnet_id],
            launch_template=autoscaling.CfnAutoScalingGroup.LaunchTemplateSpecificationProperty(
                launch_template_id=launch_template.launch_template_id,
                version=launch_template.latest_version_number,
            ),
            health_check_type="EC2",
            health_check_grace_period=600,
            metrics_collection=[
                autoscaling.CfnAutoScalingGroup.MetricsCollectionProperty(granularity="1Minute")
            ],
            lifecycle_hook_specification_list=_hooks(ready_within_minutes),
        )
        self.auto_scaling_group_name = group.ref
        if schedule is not None:
            group.cfn_options.update_policy = CfnUpdatePolicy(
                auto_scaling_scheduled_action=CfnAutoScalingScheduledAction(
                    ignore_unmodified_group_size_properties=True
                )
            )
            if schedule.scale_out_at:
                self._at("ScaleOut", schedule.scale_out_at, desired_capacity)
            self._at("ScaleIn", schedule.scale_in_at, 0)

    def _at(self, action: str, start_time: str, desired_capacity: int) -> None:
        autoscaling.CfnScheduledAction(
            self,
            action,
            auto_scaling_group_name=self.auto_scaling_group_name,
            start_time=start_time,
            min_size=0,
            desired_capacity=desired_capacity,
        )


def _hooks(minutes: int | None) -> list[Any] | None:
    if minutes is None:
        return None
    hook = autoscaling.CfnAutoScalingGroup.LifecycleHookSpecificationProperty(
        lifecycle_hook_name=BOOT_HOOK,
        lifecycle_transition="autoscaling:EC2_INSTANCE_LAUNCHING",
        default_result="ABANDON",
        heartbeat_timeout=minutes * 60,
    )
    return [hook]
