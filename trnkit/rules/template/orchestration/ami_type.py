"""TRN553: the AMI type of a managed node group has the Neuron driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.eks_groups import managed_groups
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.eks_groups import EksGroup
    from trnkit.rules.stack_set import StackSet

_RIGHT = "AL2023_x86_64_NEURON"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in managed_groups(stack_set):
        types = list(dict.fromkeys(kind.name for kind in group.neuron_types))
        if group.has_own_image is not False or not types or _may_install(group):
            continue
        fault = _fault(group, alternatives(types, "and"))
        if fault is not None:
            what, severity = fault
            known = group.ami_type
            yield Violation(
                message=f"{group.resource.logical_id}: {what}",
                hint=f"write AmiType: {_RIGHT}",
                resource=group.resource,
                path=group.properties["AmiType"].path,
                severity=severity,
                evidence=f"catalogue, {known.name} ({known.date})" if known else None,
            )


def _may_install(group: EksGroup) -> bool:
    """Whether user data may install the driver by itself."""
    if group.user_data is None or group.user_data.is_absent:
        return False
    return group.text is None or "neuron" in group.text.lower()


def _fault(group: EksGroup, types: str) -> tuple[str, Severity | None] | None:
    known = group.ami_type
    if group.properties["AmiType"].is_absent:
        what = f"names no AmiType, so nothing tells EKS that {types} wants the Neuron driver"
        return what, Severity.WARNING
    if known is None:
        return None
    if known.architecture != "x86_64" or known.os == "windows":
        return f"starts {types} from {known.name}, which does not boot on them", None
    if "neuron" not in known.drivers:
        return f"starts {types} from {known.name}, which has no Neuron driver", None
    if known.last_kubernetes_version is not None:
        last = known.last_kubernetes_version
        ended = _is_later(_kubernetes_version(group), last)
        what = f"starts {types} from {known.name}, whose last images are for Kubernetes {last}"
        return what, None if ended else Severity.WARNING
    return None


def _kubernetes_version(group: EksGroup) -> str | None:
    """The version of the node group, or of its cluster."""
    cluster = group.cluster()
    own = group.properties["Version"].text()
    return own or (properties_of(cluster)["Version"].text() if cluster else None)


def _is_later(version: str | None, last: str) -> bool:
    """Whether a version of Kubernetes comes after another."""
    numbers = (version or "").split(".")
    if len(numbers) != 2 or not all(n.isdecimal() and len(n) < 5 for n in numbers):
        return False
    return [int(number) for number in numbers] > [int(number) for number in last.split(".")]


_HEAD = """\
Resources:
  Group:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: training
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-1]
      InstanceTypes: [trn2.48xlarge]
      AmiType: """

RULE = TemplateRule(
    id="TRN553",
    title="the AMI type of a managed node group has the Neuron driver",
    severity=Severity.ERROR,
    why="The CDK and some other tools take the AMI type for NVIDIA GPUs when none is named; nodes "
    "join and offer no Neuron device.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-optimized-ami.html",
    good=f"{_HEAD}AL2023_x86_64_NEURON\n",
    bad=f"{_HEAD}AL2023_x86_64_NVIDIA\n",
    check=_check,
)
