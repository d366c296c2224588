"""TRN153: the zone of a group's subnets offers the instance type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region, region_of_zone_id, zone_ids_offering
from trnkit.findings import Severity
from trnkit.rules.launch_templates import LaunchTemplate, fleets
from trnkit.rules.rule import TemplateRule, Violation
from trnkit.rules.template_value import properties_of
from trnkit.rules.wording import alternatives

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        known = fleet.launch_template.instance_type
        if known is None or fleet.overrides_type or _is_reserved(fleet.launch_template):
            continue
        for value in fleet.subnets or ():
            subnet = value.referred("AWS::EC2::Subnet")
            zone = properties_of(subnet)["AvailabilityZoneId"].text() if subnet else None
            name = region_of_zone_id(zone) if zone else None
            zones = zone_ids_offering(known.name, name) if name else None
            if subnet is None or zone is None or name is None or zones is None or zone in zones:
                continue
            region = find_region(name)
            where = f"zones that do: {alternatives(zones)}" if zones else f"no zone of {name} does"
            yield Violation(
                message=f"{fleet.resource.logical_id}: the subnet {subnet.logical_id} is in "
                f"{zone}, which does not offer {known.name}; {where}",
                hint="move the subnet to a zone that offers the type",
                resource=fleet.resource,
                path=value.path,
                evidence=f"catalogue, offerings of {name} ({region.date})" if region else None,
            )


def _is_reserved(template: LaunchTemplate) -> bool:
    """Capacity Blocks are sold in places that the offerings do not list."""
    market = template.data["InstanceMarketOptions"]["MarketType"]
    target = template.data["CapacityReservationSpecification"]["CapacityReservationTarget"]
    return market.is_unknown or market.text() == "capacity-block" or not target.is_absent


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: trn1.32xlarge}}
  Group:
    Type: AWS::AutoScaling::AutoScalingGroup
    Properties:
      MinSize: "0"
      MaxSize: "1"
      VPCZoneIdentifier: [{Ref: Subnet}]
      LaunchTemplate:
        LaunchTemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
  Subnet:
    Type: AWS::EC2::Subnet
    Properties:
      VpcId: vpc-1
      CidrBlock: 10.0.0.0/24
"""

RULE = TemplateRule(
    id="TRN153",
    title="the zone of the subnets offers the instance type",
    severity=Severity.ERROR,
    why="Trainium is in few zones; a launch elsewhere fails, often as if capacity were short.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    good=_HEAD + "      AvailabilityZoneId: usw2-az4\n",
    bad=_HEAD + "      AvailabilityZoneId: usw2-az2\n",
    check=_check,
)
