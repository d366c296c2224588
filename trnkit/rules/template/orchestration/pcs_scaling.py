"""TRN582: a node group of AWS PCS is static or dynamic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.pcs_resources import pcs_node_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in pcs_node_groups(stack_set):
        scaling = group.properties["ScalingConfiguration"]
        least = scaling["MinInstanceCount"].integer()
        most = scaling["MaxInstanceCount"].integer()
        if not least or most is None or least == most:
            continue
        if least > most:
            text = f"has at least {least} instances and at most {most}"
        else:
            text = f"has {least} static and {most - least} dynamic instances, which AWS PCS does "
            text += "not mix in a node group"
        yield Violation(
            message=f"{group.resource.logical_id}: {text}",
            hint=f"write MinInstanceCount 0, or {most} in both",
            resource=group.resource,
            path=scaling["MinInstanceCount"].path,
        )


_HEAD = """\
Resources:
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      SubnetIds: [subnet-1]
      ScalingConfiguration: {MaxInstanceCount: 4, MinInstanceCount: %d}
"""

RULE = TemplateRule(
    id="TRN582",
    title="a node group of AWS PCS is static or dynamic",
    severity=Severity.ERROR,
    why="Static means as many instances at least as at most, dynamic none at least; AWS PCS does "
    "not support what is between.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_create.html",
    good=_HEAD % 0,
    bad=_HEAD % 2,
    check=_check,
)
