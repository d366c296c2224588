"""TRN582: the sizes of a node group of AWS PCS do not contradict each other."""

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
        # What is between, static and dynamic at once, AWS PCS has supported since Slurm 24.05.
        if least is not None and most is not None and least > most:
            yield Violation(
                message=f"{group.resource.logical_id}: MinInstanceCount is {least} and "
                f"MaxInstanceCount is {most}",
                hint="write MinInstanceCount not above MaxInstanceCount",
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
    title="the sizes of a node group of AWS PCS do not contradict each other",
    severity=Severity.ERROR,
    why="AWS PCS keeps MinInstanceCount nodes running, and has no more than MaxInstanceCount.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_create.html",
    good=_HEAD % 2,
    bad=_HEAD % 5,
    check=_check,
)
