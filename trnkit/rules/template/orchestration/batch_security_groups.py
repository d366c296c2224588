"""TRN570: AWS Batch has security groups and subnets from one place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import function_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.fleets import Fleet
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    told: set[tuple[Resource, Resource]] = set()
    for fleet in fleets(stack_set):
        template = fleet.launch_template
        pair = (fleet.resource, template.resource)
        if fleet.resource.type != COMPUTE_ENVIRONMENT or pair in told:
            continue
        told.add(pair)
        groups = properties_of(fleet.resource)["ComputeResources"]["SecurityGroupIds"]
        certain = [i for i in template.interfaces or () if not i.value.is_unknown]
        if certain and any(_is_there(entry) for entry in groups.entries() or ()):
            yield Violation(
                message=f"{fleet.resource.logical_id}: has SecurityGroupIds, and "
                f"{template.resource.logical_id} has NetworkInterfaces; AWS Batch takes one of "
                "the two",
                hint="remove SecurityGroupIds, and give each interface its Groups",
                resource=fleet.resource,
                path=groups.path,
            )
        yield from _other_subnet(fleet)


_ALWAYS_THERE = ("Ref", "Fn::GetAtt", "Fn::ImportValue")


def _is_there(value: TemplateValue) -> bool:
    return not value.is_unknown or function_of(value.raw)[0] in _ALWAYS_THERE


def _other_subnet(fleet: Fleet) -> Iterator[Violation]:
    """An interface in a subnet that is not one of the environment's."""
    interface = fleet.interface_elsewhere
    if interface is not None:
        yield Violation(
            message=f"{fleet.launch_template.resource.logical_id}: the interface on "
            f"{interface.place} is in another subnet than {fleet.resource.logical_id} lists; AWS "
            "Batch starts nodes in the listed ones",
            hint="remove SubnetId from the interfaces",
            resource=fleet.launch_template.resource,
            path=interface.value["SubnetId"].path,
            severity=Severity.INFO,
        )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        NetworkInterfaces:
          - {DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [sg-1]}
  Environment:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        MaxvCpus: 192
        InstanceRole: arn:aws:iam::111122223333:instance-profile/ecsInstanceRole
        InstanceTypes: [trn2.3xlarge]
        Subnets: [subnet-1]
        LaunchTemplate:
          LaunchTemplateId: {Ref: Nodes}
          Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
"""

RULE = TemplateRule(
    id="TRN570",
    title="AWS Batch has security groups and subnets from one place",
    severity=Severity.ERROR,
    why="AWS Batch refuses a compute environment with security groups whose launch template has "
    "network interfaces. The CDK's own construct always adds a group.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/launch-templates.html",
    good=_HEAD,
    bad=_HEAD + "        SecurityGroupIds: [sg-1]\n",
    check=_check,
)
