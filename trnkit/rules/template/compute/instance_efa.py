"""TRN291: instances that belong together have their EFA interfaces from a launch template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.fleets import INSTANCE
from trnkit.rules.reading.launch_templates import EFA_KINDS
from trnkit.rules.reading.placement_groups import cluster_among
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_INTERFACE = "AWS::EC2::NetworkInterface"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    alone = [found for i in stack_set.resources(INSTANCE) if (found := _without_template(i))]
    for instance, known in alone:
        attached = _efa_interfaces(properties_of(instance)["NetworkInterfaces"])
        most = known.maximum_efa_interfaces or 0
        if attached is None or attached >= most:
            continue
        others = sum(other.name == known.name for _, other in alone) - 1
        placed = cluster_among([properties_of(instance)["PlacementGroupName"]])
        together = others > 0 or placed is not None
        has = f"{attached} of the {most}" if attached else f"none of the {most}"
        yield Violation(
            message=f"{instance.logical_id}: has {has} EFA interfaces of {known.name}, so "
            f"{'it talks to its neighbours' if together else 'jobs over several nodes talk'} by TCP"
            "; AWS::EC2::Instance cannot ask for them itself",
            hint="define the interfaces in an AWS::EC2::LaunchTemplate, and name that",
            resource=instance,
            path=properties_of(instance)["InstanceType"].path,
            evidence=from_catalogue(known, count(most, "EFA interface")),
            severity=Severity.WARNING if together else Severity.INFO,
        )


def _without_template(instance: Resource) -> tuple[Resource, InstanceType] | None:
    properties = properties_of(instance)
    known = find_instance_type(properties["InstanceType"].text() or "")
    if known is None or not known.maximum_efa_interfaces:
        return None
    return (instance, known) if properties["LaunchTemplate"].is_absent else None


def _efa_interfaces(interfaces: TemplateValue) -> int | None:
    """How many of its interfaces are EFA; None when that is not known."""
    entries = interfaces.entries()
    if entries is None:
        return None
    found = 0
    for entry in entries:
        named = entry["NetworkInterfaceId"]
        if named.is_absent:
            continue
        resource = named.referred(_INTERFACE)
        if resource is None or properties_of(resource)["InterfaceType"].is_unknown:
            return None
        found += properties_of(resource)["InterfaceType"].text() in EFA_KINDS
    return found


_HEAD = """\
Resources:
  Together: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Box:
    Type: AWS::EC2::Instance
    Properties:
      ImageId: ami-0123456789abcdef0
      SubnetId: subnet-1
      PlacementGroupName: {Ref: Together}
      InstanceType: """

RULE = TemplateRule(
    id="TRN291",
    title="instances that belong together have EFA interfaces",
    severity=Severity.WARNING,
    why="The interfaces of AWS::EC2::Instance have neither type nor network card, so instances "
    "made without a launch template have no EFA, and collectives fall back to TCP.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-ec2-instance-networkinterface.html",
    good=_HEAD + "trn1.2xlarge\n",
    bad=_HEAD + "trn1.32xlarge\n",
    check=_check,
)
