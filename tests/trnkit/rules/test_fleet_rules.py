"""Who starts a launch template, as what and where; and what its interfaces ask for."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    group,
    interface,
    nodes,
    older,
    recommended,
    subnet,
    template,
)

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN1, TRN2, TRN2U = "trn1.32xlarge", "trn2.48xlarge", "trn2u.48xlarge"
SOMETIMES = {"Fn::If": ["Sometimes", "a", "b"]}
ID, SUBNET = {"Ref": "Nodes"}, {"Ref": "Subnet"}
LATEST = {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}
DEFAULT = {"Fn::GetAtt": ["Nodes", "DefaultVersionNumber"]}
Row = tuple[str, Body, list[str]]


def scaling(types: Any, named: Body | None = None, subnets: Any = (SUBNET,)) -> Body:
    specification = {"Version": LATEST, **(named or {"LaunchTemplateId": ID})}
    mixed = {
        "LaunchTemplateSpecification": specification,
        "Overrides": [{"InstanceType": t} for t in types],
    }
    return {
        "Type": "AWS::AutoScaling::AutoScalingGroup",
        "Properties": {
            "VPCZoneIdentifier": list(subnets),
            "MixedInstancesPolicy": {"LaunchTemplate": mixed},
        },
    }


def node_group(
    types: Any, named: Body | None = None, subnets: Any = (SUBNET,), **more: Any
) -> Body:
    return {
        "Type": "AWS::EKS::Nodegroup",
        "Properties": {
            "Subnets": list(subnets),
            "LaunchTemplate": {"Version": LATEST, **(named or {"Id": ID})},
            "InstanceTypes": types,
            **more,
        },
    }


def batch(types: Any, named: Body | None = None, subnets: Any = (SUBNET,)) -> Body:
    computing = {
        "Subnets": list(subnets),
        "InstanceTypes": types,
        "LaunchTemplate": {"Version": LATEST, **(named or {"LaunchTemplateId": ID})},
    }
    return {
        "Type": "AWS::Batch::ComputeEnvironment",
        "Properties": {"Type": "MANAGED", "ComputeResources": computing},
    }


def pcs(types: Any, named: Body | None = None, subnets: Any = (SUBNET,)) -> Body:
    return {
        "Type": "AWS::PCS::ComputeNodeGroup",
        "Properties": {
            "SubnetIds": list(subnets),
            "CustomLaunchTemplate": {"Version": LATEST, **(named or {"TemplateId": ID})},
            "InstanceConfigs": [{"InstanceType": t} for t in types],
        },
    }


STARTERS = {"ASG": scaling, "EKS": node_group, "Batch": batch, "PCS": pcs}
BARE = [{"DeviceIndex": 0}]


def started(
    make: Any,
    types: Any,
    interfaces: Any = None,
    zone: Any = "use2-az3",
    own: str | None = None,
    **data: Any,
) -> Body:
    return template(
        Nodes=nodes(own, interfaces, **data),
        Fleet=make(types),
        Subnet=subnet(AvailabilityZoneId=zone),
    )


@pytest.mark.parametrize("make", STARTERS.values(), ids=STARTERS)
@pytest.mark.parametrize(
    ("rule_id", "types", "more", "expected"),
    [
        ("TRN251", [TRN2], {"interfaces": older(8)}, W),
        ("TRN251", [TRN2], {"interfaces": older(16)}, []),
        ("TRN251", [TRN2, "m5.large"], {"interfaces": older(17)}, E),
        ("TRN251", [TRN2, TRN1], {"interfaces": older(16)}, E),
        ("TRN251", ["m5.large"], {"interfaces": older(8)}, []),
        ("TRN251", [SOMETIMES], {"interfaces": older(8)}, []),
        ("TRN252", [TRN1], {"interfaces": [interface(0, 0, "efa"), interface(9, 1, "efa")]}, E),
        ("TRN252", [TRN2], {"interfaces": [interface(0, 0, "efa"), interface(9, 1, "efa")]}, []),
        ("TRN253", [TRN2], {"interfaces": BARE}, W),
        ("TRN253", ["m5.large"], {"interfaces": BARE}, []),
        ("TRN153", [TRN1], {"zone": "usw2-az2"}, E),
        ("TRN153", [TRN1], {"zone": "usw2-az4"}, []),
        ("TRN153", [TRN1, "m5.large"], {"zone": "usw2-az2"}, []),
        ("TRN153", [TRN1, SOMETIMES], {"zone": "usw2-az2"}, []),
        ("TRN153", [TRN1, TRN2], {"zone": "use2-az1"}, []),
        ("TRN153", [TRN2, TRN2U], {"zone": "usw2-az4"}, E),
        ("TRN153", [], {"zone": "usw2-az2", "own": TRN1}, E),
        ("TRN254", [TRN2], {}, W),
    ],
)  # fmt: skip
def test_a_template_without_a_type_is_judged_as_what_it_is_started(
    make: Any, rule_id: str, types: Any, more: Body, expected: list[str]
):
    assert severities(rule_id, judge_template(started(make, types, **more))) == expected


def by_name(name: Any, called: Any, **more: Body) -> Body:
    body = nodes(None, older(8))
    body["Properties"]["LaunchTemplateName"] = called
    return template(Nodes=body, Fleet=batch([TRN2], {"LaunchTemplateName": name}), **more)


LIKE = {"Fn::Sub": "${AWS::StackName}-nodes"}
TWIN = {**nodes(None), "Condition": "Other"}
TWIN["Properties"]["LaunchTemplateName"] = "nodes"
NAMES: list[Row] = [
    ("the same", by_name("nodes", "nodes"), W),
    ("another", by_name("nodes", "other"), []),
    ("the same, by Sub", by_name(LIKE, LIKE), W),
    ("another, by Sub", by_name(LIKE, {"Fn::Sub": "${AWS::StackName}-more"}), []),
    ("two of it", by_name("nodes", "nodes", Twin=TWIN), []),
    ("not known", by_name("nodes", SOMETIMES), []),
]


@pytest.mark.parametrize(
    ("body", "expected"), [(b, e) for _, b, e in NAMES], ids=[n for n, *_ in NAMES]
)
def test_a_template_is_found_by_its_name(body: Body, expected: list[str]):
    assert severities("TRN251", judge_template(body)) == expected


@pytest.mark.parametrize("make", [scaling, node_group, batch], ids=["ASG", "EKS", "Batch"])
def test_every_kind_finds_a_template_by_its_name(make: Any):
    key = "Name" if make is node_group else "LaunchTemplateName"
    body = by_name("nodes", "nodes")
    body["Resources"]["Fleet"] = make([TRN2], {key: "nodes"})
    assert severities("TRN251", judge_template(body)) == W


OF_ITS_OWN = {
    "InstanceType": TRN1,
    "LaunchTemplateSpecification": {"LaunchTemplateId": {"Ref": "More"}},
}


def test_an_override_may_have_a_template_of_its_own():
    fleet = scaling([TRN2])
    fleet["Properties"]["MixedInstancesPolicy"]["LaunchTemplate"]["Overrides"].append(OF_ITS_OWN)
    body = template(Nodes=nodes(None, older(16)), More=nodes(None, older(8)), Fleet=fleet)
    assert severities("TRN251", judge_template(body)) == []


def test_batch_may_have_a_template_for_some_types():
    special = {"LaunchTemplateId": {"Ref": "More"}, "TargetInstanceTypes": [TRN1]}
    fleet = batch([TRN1, TRN2], {"LaunchTemplateId": ID, "Overrides": [special]})
    body = template(Nodes=nodes(None, older(16)), More=nodes(None, older(8)), Fleet=fleet)
    assert severities("TRN251", judge_template(body)) == []


def versioned(make: Any, version: Any) -> Body:
    named = {"LaunchTemplateId": ID, "Id": ID, "TemplateId": ID, "Version": version}
    return template(Nodes=nodes(None), Fleet=make([TRN2], named))


NOTHING = {"Ref": "AWS::NoValue"}
VERSIONS = [
    *[
        (make, version, W)
        for make in STARTERS.values()
        for version in ("$Latest", "$Default", DEFAULT)
    ],
    *[(make, version, []) for make in STARTERS.values() for version in (LATEST, "3", SOMETIMES)],
    *[(scaling, NOTHING, []), (node_group, NOTHING, W), (batch, NOTHING, W), (pcs, NOTHING, [])],
]


@pytest.mark.parametrize(("make", "version", "expected"), VERSIONS)
def test_a_version_that_does_not_follow_the_template(make: Any, version: Any, expected: list[str]):
    assert severities("TRN257", judge_template(versioned(make, version))) == expected


def in_zones(strategy: str = "cluster", **properties: Any) -> Body:
    fleet = group([], **properties)
    del fleet["Properties"]["VPCZoneIdentifier"]
    placement = {"GroupName": {"Ref": "Together"}}
    return template(
        Together=("AWS::EC2::PlacementGroup", {"Strategy": strategy}),
        Nodes=nodes(TRN2, Placement=placement),
        Fleet=fleet,
    )


def chosen(index: Any) -> Body:
    return {"Fn::Select": [index, {"Fn::GetAZs": ""}]}


LISTED_ZONES: list[Row] = [
    ("two names", in_zones(AvailabilityZones=["us-east-2a", "us-east-2b"]), E),
    ("two ids", in_zones(AvailabilityZoneIds=["use2-az1", "use2-az2"]), E),
    ("two by number", in_zones(AvailabilityZones=[chosen(0), chosen(1)]), E),
    ("all", in_zones(AvailabilityZones={"Fn::GetAZs": ""}), W),
    ("all, spread", in_zones("spread", AvailabilityZones={"Fn::GetAZs": ""}), []),
    ("one", in_zones(AvailabilityZones=["us-east-2a"]), []),
    ("one by number", in_zones(AvailabilityZones=[chosen(0)]), []),
    ("one, twice", in_zones(AvailabilityZones=["us-east-2a", "us-east-2a"]), []),
    ("one by name, one by number", in_zones(AvailabilityZones=["us-east-2a", chosen(0)]), []),
    ("not known", in_zones(AvailabilityZones=SOMETIMES), []),
    ("none", in_zones(), []),
]


@pytest.mark.parametrize(
    ("body", "expected"), [(b, e) for _, b, e in LISTED_ZONES], ids=[n for n, *_ in LISTED_ZONES]
)
def test_net_08_zones_that_are_listed(body: Body, expected: list[str]):
    assert severities("TRN154", judge_template(body)) == expected


def anywhere(kind: str, *, fleet: bool = True, **more: Any) -> Body:
    parts: Body = {"Nodes": nodes(kind), "Subnet": subnet(**more)}
    return template(**parts, **({"Fleet": group([SUBNET])} if fleet else {}))


BLOCK = {"InstanceMarketOptions": {"MarketType": "capacity-block"}}
REGIONS: list[tuple[str, Body, str | None, list[str]]] = [
    ("NET-06 trn2 in Oregon", anywhere(TRN2), "us-west-2", E),
    ("NET-06 trn2 in Ohio", anywhere(TRN2), "us-east-2", []),
    ("NET-06 trn2 somewhere", anywhere(TRN2), None, []),
    ("NET-06 not in the catalogue", anywhere(TRN2), "eu-central-2", []),
    ("NET-06 no fleet", anywhere(TRN2, fleet=False), "us-west-2", E),
    ("NET-06 zone name", anywhere(TRN2, AvailabilityZone="us-west-2a"), None, E),
    ("NET-06 zone name, right region", anywhere(TRN1, AvailabilityZone="us-west-2b"), None, []),
    ("NET-06 zone name of a Local Zone", anywhere(TRN2, AvailabilityZone="us-west-2-lax-1a"), None, []),
    ("NET-06 zone name not known", anywhere(TRN2, AvailabilityZone=SOMETIMES), "us-west-2", E),
    ("CAP-06 sold in blocks only", anywhere(TRN1), "eu-north-1", []),
    ("CAP-06 sold as an UltraServer only", anywhere(TRN2U), "us-east-2", []),
    ("CAP-06 a block sold nowhere near", template(Nodes=nodes(TRN2, **BLOCK), Fleet=group([SUBNET]), Subnet=subnet()), "us-west-2", E),
    ("NET-06 one of two types", started(node_group, [TRN2, TRN1], zone=SOMETIMES), "us-west-2", []),
    ("NET-06 none of two types", started(node_group, [TRN2, TRN2U], zone=SOMETIMES), "us-west-2", E),
    ("NET-06 subnets not known", template(Nodes=nodes(TRN2), Fleet=group({"Ref": "Subnets"})), "us-west-2", E),
    ("NET-06 two subnets", template(Nodes=nodes(TRN2), Fleet=group([SUBNET, SUBNET, "subnet-1"]), Subnet=subnet()), "us-west-2", E),
    ("NET-06 ordinary nodes", anywhere("m5.large"), "us-west-2", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "region", "expected"), [row[1:] for row in REGIONS], ids=[row[0] for row in REGIONS]
)
def test_a_region_that_does_not_offer_the_type(body: Body, region: str | None, expected: list[str]):
    assert severities("TRN153", judge_template(body, region=region)) == expected


def efa_only(**more: Any) -> Body:
    interfaces = recommended(16)
    interfaces[1] |= more
    return template(Nodes=nodes(TRN2, interfaces))


KINDS: list[Row] = [
    ("right", efa_only(), []),
    ("no public address", efa_only(AssociatePublicIpAddress=False), []),
    ("a public address", efa_only(AssociatePublicIpAddress=True), E),
    ("a public address, as text", efa_only(AssociatePublicIpAddress="true"), E),
    ("perhaps a public address", efa_only(AssociatePublicIpAddress=SOMETIMES), []),
    ("an address", efa_only(PrivateIpAddress="10.0.0.4"), E),
    ("addresses", efa_only(PrivateIpAddresses=[{"PrivateIpAddress": "10.0.0.4", "Primary": True}]), E),
    ("no addresses", efa_only(PrivateIpAddresses=[], Ipv6AddressCount=0), []),
    ("two faults", efa_only(Ipv6AddressCount=1, Ipv4PrefixCount=1), E + E),
    ("IPv6", efa_only(Ipv6Addresses=[{"Ipv6Address": "2001:db8::1"}]), E),
    ("prefixes", efa_only(Ipv4Prefixes=[{"Ipv4Prefix": "10.0.0.0/28"}]), E),
    ("an address on efa", template(Nodes=nodes(TRN2, [interface(0, 0, "efa", PrivateIpAddress="10.0.0.4")])), []),
    ("no such kind", template(Nodes=nodes(TRN2, [interface(0, 0, "ena")])), E),
    ("no such kind, fifteen times", template(Nodes=nodes(TRN2, [interface(n, 0, "efaonly") for n in range(15)])), E),
    ("not known", template(Nodes=nodes(TRN2, [{**interface(0, 0, "efa"), "InterfaceType": SOMETIMES}])), []),
    ("not written", template(Nodes=nodes(TRN2, [interface(0, 0, None)])), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [(b, e) for _, b, e in KINDS], ids=[n for n, *_ in KINDS]
)
def test_the_kind_of_an_interface(body: Body, expected: list[str]):
    assert severities("TRN259", judge_template(body)) == expected


TYPES: list[Row] = [
    ("known", template(Nodes=nodes(TRN2)), []),
    ("ordinary", template(Nodes=nodes("m5.large")), []),
    ("none", template(Nodes=nodes(None)), []),
    ("a later one", template(Nodes=nodes("trn3.48xlarge")), I),
    ("an older one", template(Nodes=nodes("inf1.xlarge")), I),
    ("mistyped", template(Nodes=nodes("trn2.48xlrge")), I),
    ("of SageMaker", template(Nodes=nodes("ml.trn2.48xlarge")), I),
    ("a fleet's", started(node_group, ["trn3.48xlarge"]), I),
    ("a family", started(batch, ["trn2"]), I),
    ("optimal", started(batch, ["optimal"]), []),
    ("reserved", template(R=("AWS::EC2::CapacityReservation", {"InstanceType": "trn3.48xlarge"})), I),
    ("not known", template(Nodes=nodes(SOMETIMES)), []),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "expected"), [(b, e) for _, b, e in TYPES], ids=[n for n, *_ in TYPES]
)
def test_a_type_outside_the_catalogue_is_said_not_to_be_judged(body: Body, expected: list[str]):
    assert severities("TRN268", judge_template(body)) == expected


def test_efa_01_equal_faults_are_one_finding():
    counted_up = [interface(number, number, "efa") for number in range(16)]
    (finding,) = of_rule("TRN252", judge_template(template(Nodes=nodes(TRN2, counted_up))))
    assert finding.message == (
        "Nodes: these cards of trn2.48xlarge have devices 0 to 1, and no card 2 device 2, "
        "card 3 device 3 and card 4 device 4 (3 of 14)"
    )


def test_ami_12_one_finding_a_launch_template():
    (finding,) = of_rule("TRN254", judge_template(template(Nodes=nodes(TRN2))))
    assert "HttpTokens" in finding.message
    assert "HttpPutResponseHopLimit" in finding.message


def test_efa_13_the_hint_is_for_hand_written_templates_too():
    body = template(Nodes=("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": {}}))
    (finding,) = of_rule("TRN256", judge_template(body))
    assert (finding.hint or "").startswith("write the properties under LaunchTemplateData")


MONITOR = {
    "Type": "AWS::CE::AnomalyMonitor",
    "Properties": {"MonitorName": "m", "MonitorType": "DIMENSIONAL", "MonitorDimension": "SERVICE"},
}
CONDITIONS = [
    ((None, None), [*E, *I]),
    (("A", "A"), [*E, *I]),
    (("A", "B"), I + I),
    (("A", None), I + I),
]


@pytest.mark.parametrize(("conditions", "expected"), CONDITIONS)
def test_resources_under_different_conditions_are_no_duplicates(
    conditions: tuple[str | None, str | None], expected: list[str]
):
    one, two = ({**MONITOR, **({"Condition": c} if c else {})} for c in conditions)
    assert severities("TRN461", judge_template(template(One=one, Two=two))) == expected
