"""TRN153: the zone of a group's subnets offers the instance type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, region_of_zone_id
from trnkit.findings import Severity
from trnkit.rules.judging.offerings import judge_region, judge_zone
from trnkit.rules.reading.fleets import (
    INSTANCE,
    accelerated_templates,
    fleets,
    fleets_of,
    subnets_of_instance,
)
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet

_ZONE_NAME = re.compile("([a-z]{2,4}(?:-[a-z]+)+-[0-9]{1,2})[a-z]")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for fleet in fleets(stack_set):
        is_reserved = _is_reserved(fleet.launch_template)
        yield from _judge(fleet.resource, fleet.known_types, fleet.subnets, is_reserved)
    for instance in stack_set.resources(INSTANCE):
        properties = properties_of(instance)
        known = find_instance_type(properties["InstanceType"].text() or "")
        if known is not None and properties["LaunchTemplate"].is_absent:
            yield from _judge(instance, (known,), subnets_of_instance(instance), False)
    for template in accelerated_templates(stack_set):
        known, region = template.instance_type, template.resource.template.region
        if known and region and not fleets_of(template, stack_set):
            value = template.data["InstanceType"]
            yield from _nowhere([known], region, template.resource, value)


def _judge(
    resource: Resource,
    kinds: tuple[InstanceType, ...] | None,
    subnets: tuple[TemplateValue, ...] | None,
    is_reserved: bool,
) -> Iterator[Violation]:
    told = set[str]()
    for value in (subnets or ()) if kinds else ():
        subnet = value.referred("AWS::EC2::Subnet")
        zone, region = _place(subnet) if subnet else (None, None)
        region = region or resource.template.region
        missing = list(_nowhere(kinds or (), region, resource, value)) if region else []
        if missing and region and region not in told:
            told.add(region)
            yield from missing
        if missing or subnet is None or zone is None or is_reserved:
            continue
        yield from _not_in_zone(kinds or (), zone, subnet, resource, value)
    region = resource.template.region
    if kinds and region and not subnets:
        yield from _nowhere(kinds, region, resource, properties_of(resource))


def _place(subnet: Resource) -> tuple[str | None, str | None]:
    """Zone id and Region of a subnet. Zone names mean other zones in other accounts."""
    properties = properties_of(subnet)
    zone, name = properties["AvailabilityZoneId"].text(), properties["AvailabilityZone"].text()
    if zone is not None:
        return zone, region_of_zone_id(zone)
    named = _ZONE_NAME.fullmatch(name or "")
    return None, named[1] if named else subnet.template.region


def _nowhere(
    kinds: Iterable[InstanceType], region: str, resource: Resource, value: TemplateValue
) -> Iterator[Violation]:
    """Types that the Region has neither in a zone nor in Capacity Blocks."""
    wrong = judge_region([kind.name for kind in kinds], region)
    if wrong is not None:
        yield Violation(
            message=f"{resource.logical_id}: {wrong.text}",
            hint=wrong.hint,
            resource=resource,
            path=value.path,
            evidence=wrong.evidence,
        )


def _not_in_zone(
    kinds: Iterable[InstanceType],
    zone: str,
    subnet: Resource,
    resource: Resource,
    value: TemplateValue,
) -> Iterator[Violation]:
    wrong = judge_zone([kind.name for kind in kinds], zone)
    if wrong is not None:
        yield Violation(
            message=f"{resource.logical_id}: the subnet {subnet.logical_id} {wrong.text}",
            hint=wrong.hint,
            resource=resource,
            path=value.path,
            evidence=wrong.evidence,
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
    title="the zone of the subnets, and the region, offer the instance type",
    severity=Severity.ERROR,
    why="Trainium is in few zones; a launch elsewhere fails, often as if capacity were short.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-discovery.html",
    good=_HEAD + "      AvailabilityZoneId: usw2-az4\n",
    bad=_HEAD + "      AvailabilityZoneId: usw2-az2\n",
    check=_check,
)
