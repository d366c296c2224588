"""TRN561: the sizes of a managed node group do not contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_ORDER = (("MinSize", "MaxSize"), ("MinSize", "DesiredSize"), ("DesiredSize", "MaxSize"))


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        sizes = group.properties["ScalingConfig"]
        for low, high in _ORDER:
            least, most = sizes[low].integer(), sizes[high].integer()
            if least is not None and most is not None and least > most:
                yield Violation(
                    message=f"{group.resource.logical_id}: {low} is {least} and {high} is {most}",
                    hint=f"write {low} not above {high}",
                    resource=group.resource,
                    path=sizes[low].path,
                )
                break
        update = group.properties["UpdateConfig"]
        number, share = update["MaxUnavailable"], update["MaxUnavailablePercentage"]
        if number.integer() is not None and share.integer() is not None:
            yield Violation(
                message=f"{group.resource.logical_id}: has MaxUnavailable and "
                "MaxUnavailablePercentage, of which EKS takes one",
                hint="remove one of the two",
                resource=group.resource,
                path=share.path,
            )


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      InstanceTypes: [trn2.48xlarge]
      AmiType: AL2023_x86_64_NEURON
      ScalingConfig: {MinSize: 0, MaxSize: 4, DesiredSize: """

RULE = TemplateRule(
    id="TRN561",
    title="the sizes of a managed node group do not contradict each other",
    severity=Severity.ERROR,
    why="EKS refuses a node group whose desired size is not between the least and the largest.",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html",
    good=f"{_HEAD}4}}\n",
    bad=f"{_HEAD}8}}\n",
    check=_check,
)
