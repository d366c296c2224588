"""TRN294: a group's metrics have the granularity that Auto Scaling has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import auto_scaling_limits
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import AUTO_SCALING_GROUP
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = auto_scaling_limits()
    known = limits.metric_granularities
    for group in stack_set.resources(AUTO_SCALING_GROUP):
        for collection in properties_of(group)["MetricsCollection"].entries() or ():
            granularity = collection["Granularity"]
            text = granularity.text()
            if text is not None and text not in known:
                yield Violation(
                    message=f"{group.logical_id}: collects metrics every {text}; Auto Scaling has "
                    f"{alternatives(known)}",
                    hint=f"write {known[0]}",
                    resource=group,
                    path=granularity.path,
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
      MetricsCollection: [{Granularity: %s}]
"""

RULE = TemplateRule(
    id="TRN294",
    title="a group's metrics have the granularity that Auto Scaling has",
    severity=Severity.ERROR,
    why="Auto Scaling refuses any other, and the group with it.",
    source="https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_EnableMetricsCollection.html",
    good=_HEAD % "1Minute",
    bad=_HEAD % "1Second",
    check=_check,
)
