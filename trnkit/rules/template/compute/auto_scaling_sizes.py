"""TRN275: sizes of an Auto Scaling group, and those that schedules set, fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP
from trnkit.rules.reading.template_value import attribute_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ACTION = "AWS::AutoScaling::ScheduledAction"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in stack_set.resources(AUTO_SCALING_GROUP):
        yield from _desired(properties_of(group))
        yield from _kept_in_service(group)
    for action in stack_set.resources(_ACTION):
        sizes = properties_of(action)
        yield from _desired(sizes)
        least, most = sizes["MinSize"].integer(), sizes["MaxSize"].integer()
        if least is not None and most is not None and least > most:
            yield Violation(
                message=f"{action.logical_id}: sets MinSize {least} and MaxSize {most}",
                hint="write a MinSize that is at most MaxSize",
                resource=action,
                path=sizes["MinSize"].path,
            )
    yield from _beyond_their_groups(stack_set)


def _desired(sizes: TemplateValue) -> Iterator[Violation]:
    desired, name = sizes["DesiredCapacity"], sizes.resource.logical_id
    wanted = desired.integer()
    bounds = (("MinSize", "less", "least"), ("MaxSize", "more", "most"))
    for key, relation, limit in bounds:
        bound = sizes[key].integer()
        if wanted is None or bound is None:
            continue
        if wanted < bound if key == "MinSize" else wanted > bound:
            yield Violation(
                message=f"{name}: DesiredCapacity is {wanted}, {relation} than {key} allows: at "
                f"{limit} {bound}",
                hint=f"change DesiredCapacity or {key}",
                resource=sizes.resource,
                path=desired.path,
            )


def _kept_in_service(group: Resource) -> Iterator[Violation]:
    rolling = attribute_of(group, "UpdatePolicy")["AutoScalingRollingUpdate"]
    kept = rolling["MinInstancesInService"]
    least, most = kept.integer(), properties_of(group)["MaxSize"].integer()
    if least and most is not None and least >= most:
        yield Violation(
            message=f"{group.logical_id}: an update keeps {count(least, 'instance')} in service, "
            f"and MaxSize is {most}; CloudFormation wants fewer than that",
            hint="lower MinInstancesInService, or raise MaxSize",
            resource=group,
            path=kept.path,
        )


def _beyond_their_groups(stack_set: StackSet) -> Iterator[Violation]:
    """Actions that want more than their group may have, when none of its actions raises that."""
    actions: dict[Resource, list[TemplateValue]] = {}
    for action in stack_set.resources(_ACTION):
        sizes = properties_of(action)
        group = sizes["AutoScalingGroupName"].referred(AUTO_SCALING_GROUP)
        if group is not None:
            actions.setdefault(group, []).append(sizes)
    for group, those in actions.items():
        most = properties_of(group)["MaxSize"].integer()
        if most is None or any(not sizes["MaxSize"].is_absent for sizes in those):
            continue
        for sizes in those:
            wanted = sizes["DesiredCapacity"].integer()
            if wanted is not None and wanted > most:
                yield Violation(
                    message=f"{sizes.resource.logical_id}: sets DesiredCapacity {wanted}, and "
                    f"{group.logical_id} has at most {most}",
                    hint="set MaxSize in the action too, or raise the group's",
                    resource=sizes.resource,
                    path=sizes["DesiredCapacity"].path,
                    # The group's own may have been changed since.
                    severity=Severity.WARNING,
                )


_HEAD = """\
Resources:
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "4"
      VPCZoneIdentifier: [subnet-1]
      LaunchTemplate: {LaunchTemplateId: lt-0123456789abcdef0, Version: "1"}
      DesiredCapacity: """

RULE = TemplateRule(
    id="TRN275",
    title="the sizes of an Auto Scaling group fit each other",
    severity=Severity.ERROR,
    why="Auto Scaling refuses a desired capacity outside the bounds; a scheduled action that asks "
    "for one fails at its hour, when nobody looks.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html",
    good=_HEAD + '"4"\n',
    bad=_HEAD + '"5"\n',
    check=_check,
)
