"""TRN591: instance groups of HyperPod are in zones that offer their types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region, region_of_zone_id, zone_ids_offering
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.hyperpod_groups import hyperpod_groups
from trnkit.rules.reading.subnet_zones import SUBNET
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.hyperpod_groups import HyperPodGroup
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for group in hyperpod_groups(stack_set):
        # The zone of a training plan is the plan's.
        if group.instance_type is not None and group.value["TrainingPlanArn"].is_absent:
            yield from _judge(group, group.instance_type.name)


def _judge(group: HyperPodGroup, name: str) -> Iterator[Violation]:
    subnets = group.network["Subnets"]
    zones = [_zone_id(value) for value in subnets.entries() or ()]
    known = [zone for zone in zones if zone is not None]
    region = find_region(region_of_zone_id(known[0]) or "") if known else None
    if region is None or len(known) < len(zones):
        return
    offering = zone_ids_offering(name, region.name)
    # SageMaker also has types in Regions where EC2 sells them to nobody else.
    if offering and not set(offering) & set(known):
        yield Violation(
            message=f"{group.cluster.logical_id}: {group.name} is in "
            f"{alternatives(dict.fromkeys(known), 'and')}, and EC2 offers {name} in "
            f"{alternatives(offering)}",
            hint="give the group a subnet in a zone that offers the type",
            resource=group.cluster,
            path=subnets.path,
            evidence=f"catalogue, offerings of {region.name} ({region.date})",
        )


def _zone_id(value: TemplateValue) -> str | None:
    subnet = value.referred(SUBNET)
    return properties_of(subnet)["AvailabilityZoneId"].text() if subnet is not None else None


_HEAD = """\
Resources:
  Subnet:
    Type: AWS::EC2::Subnet
    Properties: {VpcId: vpc-1, CidrBlock: 10.0.0.0/24, AvailabilityZoneId: %s}
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      VpcConfig: {Subnets: [{Ref: Subnet}], SecurityGroupIds: [sg-1]}
      InstanceGroups:
        - InstanceGroupName: train
          InstanceType: ml.trn1.32xlarge
          InstanceCount: 2
          ExecutionRole: arn:aws:iam::111122223333:role/nodes
          LifeCycleConfig: {SourceS3Uri: "s3://sagemaker-example", OnCreate: on_create.sh}
"""

RULE = TemplateRule(
    id="TRN591",
    title="instance groups of HyperPod are in zones that offer their types",
    severity=Severity.WARNING,
    why="HyperPod starts a group's instances in its subnets; where EC2 has none of the type, it "
    "reports insufficient capacity.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html",
    good=_HEAD % "usw2-az4",
    bad=_HEAD % "usw2-az2",
    check=_check,
)
