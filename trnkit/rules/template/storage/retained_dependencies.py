"""TRN390: what a retained file system stands on is retained too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.reading.retention import retains
from trnkit.rules.reading.security_groups import SECURITY_GROUP, Direction, rules_of
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_DIRECTIONS: tuple[Direction, ...] = ("Ingress", "Egress")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        if retains(found.resource):
            yield from _subnets(found.properties["SubnetIds"])
            yield from _rules(found.properties["SecurityGroupIds"], stack_set)
    for target in stack_set.resources("AWS::EFS::MountTarget"):
        if retains(target):
            yield from _subnets(properties_of(target)["SubnetId"])
            yield from _rules(properties_of(target)["SecurityGroups"], stack_set)


def _subnets(listed: TemplateValue) -> Iterator[Violation]:
    for value in listed.entries() or ():
        subnet = value.referred("AWS::EC2::Subnet")
        if subnet is not None and _goes_first(subnet, value):
            yield _violation(
                value,
                f"its subnet {subnet.logical_id} is not, so deleting the stack fails",
                f"retain {subnet.logical_id} and its VPC, or put them into a stack of their own",
            )


def _rules(listed: TemplateValue, stack_set: StackSet) -> Iterator[Violation]:
    """Rules by which the servers of a file system reach each other."""
    for value in listed.entries() or ():
        group = value.referred(SECURITY_GROUP)
        if group is None or not retains(group):
            continue
        for direction in _DIRECTIONS:
            for rule in rules_of(group, direction, stack_set).rules:
                own = rule.value.resource
                if rule.is_separate and rule.peers_with((group,)) and _goes_first(own, value):
                    yield _violation(
                        value,
                        f"the rule {own.logical_id} of its security group is not, so it is cut off",
                        f"set DeletionPolicy of {own.logical_id} to RetainExceptOnCreate",
                    )


def _violation(value: TemplateValue, text: str, hint: str) -> Violation:
    return Violation(
        message=f"{value.resource.logical_id}: is retained, but {text}",
        hint=hint,
        resource=value.resource,
        path=value.path,
    )


def _goes_first(resource: Resource, value: TemplateValue) -> bool:
    """Whether it certainly goes with the stack that the retained resource is in."""
    return resource.template is value.resource.template and retains(resource) is False


_HEAD = """\
Resources:
  Storage:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24}
    UpdateReplacePolicy: Retain
%s
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [{Ref: Storage}]
      LustreConfiguration: {DeploymentType: SCRATCH_2}
"""

RULE = TemplateRule(
    id="TRN390",
    title="what a retained file system stands on is retained too",
    severity=Severity.WARNING,
    why="The network interfaces of a file system that stays hold its subnet, so that deleting the "
    "stack fails; rules between its servers that go take the file system off the network.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-attribute-deletionpolicy.html",
    good=_HEAD % "    DeletionPolicy: Retain",
    bad=_HEAD % "    DeletionPolicy: Delete",
    check=_check,
)
