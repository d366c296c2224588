"""TRN376: an EFS file system has one mount target a zone, in few security groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import storage_limits
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.coexistence import exist_together
from trnkit.rules.reading.subnet_zones import zone_of
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = storage_limits()
    seen: dict[tuple[Hashable, Hashable], list[Resource]] = {}
    for target in stack_set.resources("AWS::EFS::MountTarget"):
        properties = properties_of(target)
        groups, subnet = properties["SecurityGroups"], properties["SubnetId"]
        number, most = len(groups.entries() or ()), limits.security_groups_per_mount_target
        if number > most:
            text = f"is {number} groups; a mount target is in {most} at the most"
            evidence = f"catalogue, limits of EFS ({limits.date})"
            yield at_value(groups, Objection(text, "keep those that admit NFS", evidence))
        owner = properties["FileSystemId"]
        file_system = owner.referred("AWS::EFS::FileSystem") or owner.text()
        place = _place(subnet)
        if file_system is None or place is None:
            continue
        others = seen.setdefault((file_system, place), [])
        first = next((other for other in others if exist_together(target, other)), None)
        others.append(target)
        if first is not None:
            text = f"is in the zone of {first.logical_id}; a zone has one mount target"
            yield at_value(subnet, Objection(text, "keep one; all subnets of the zone reach it"))


def _place(subnet: TemplateValue) -> Hashable | None:
    """The zone of a subnet in terms that can be compared, else the subnet itself."""
    found = subnet.referred("AWS::EC2::Subnet")
    if found is None:
        return subnet.text()
    terms, zone = zone_of(found)
    return found if zone is None else (terms, zone)


_HEAD = """\
Resources:
  One:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZoneId: use2-az1}
  Same:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.1.0/24, AvailabilityZoneId: use2-az1}
  Other:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.2.0/24, AvailabilityZoneId: use2-az2}
  Home:
    Type: AWS::EFS::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties: {Encrypted: true}
  First:
    Type: AWS::EFS::MountTarget
    Properties: {FileSystemId: {Ref: Home}, SubnetId: {Ref: One}, SecurityGroups: [sg-1]}
  Second:
    Type: AWS::EFS::MountTarget
    Properties:
      FileSystemId: {Ref: Home}
      SecurityGroups: [sg-1]
"""

RULE = TemplateRule(
    id="TRN376",
    title="an EFS file system has one mount target a zone, in few groups",
    severity=Severity.ERROR,
    why="EFS refuses the second mount target of a zone and the sixth security group when the "
    "stack is deployed.",
    source="https://docs.aws.amazon.com/efs/latest/ug/API_CreateMountTarget.html",
    good=_HEAD + "      SubnetId: {Ref: Other}\n",
    bad=_HEAD + "      SubnetId: {Ref: Same}\n",
    check=_check,
)
