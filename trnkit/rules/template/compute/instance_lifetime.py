"""TRN276: the instance lifetime of a group is one that Auto Scaling takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import auto_scaling_limits
from trnkit.findings import Severity
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = auto_scaling_limits()
    least, most = limits.minimum_instance_lifetime_seconds, limits.maximum_instance_lifetime_seconds
    for group in stack_set.resources(AUTO_SCALING_GROUP):
        lifetime = properties_of(group)["MaxInstanceLifetime"]
        seconds = lifetime.integer()
        if seconds and not least <= seconds <= most:
            yield Violation(
                message=f"{group.logical_id}: MaxInstanceLifetime is {seconds} seconds; it is 0 or "
                f"{least} to {most}",
                hint="write a lifetime of days, or leave it out",
                resource=group,
                path=lifetime.path,
                evidence=f"catalogue, Auto Scaling groups ({limits.date})",
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
      MaxInstanceLifetime: """

RULE = TemplateRule(
    id="TRN276",
    title="the instance lifetime of a group is one that Auto Scaling takes",
    severity=Severity.ERROR,
    why="Auto Scaling refuses a lifetime of less than a day or more than a year.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/userguide/asg-max-instance-lifetime.html",
    good=_HEAD + "604800\n",
    bad=_HEAD + "3600\n",
    check=_check,
)
