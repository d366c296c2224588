"""Single instances and EC2 Fleets: what they cannot have, lose, or start where it is not."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, interface, nodes, older, subnet, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
Row = tuple[str, Body, list[str]]
TRN1, TRN2 = "trn1.32xlarge", "trn2.48xlarge"
OPEN = {"Ref": "Open"}
LATEST = {"Fn::GetAtt": ["Nodes", "LatestVersionNumber"]}
SCRIPT = {"Fn::Base64": "#!/bin/sh\n"}


def box(kind: Any = TRN1, **properties: Any) -> Body:
    named = {} if kind is None else {"InstanceType": kind}
    return {"Type": "AWS::EC2::Instance", "Properties": {**named, **properties}}


def one(kind: Any = TRN1, **properties: Any) -> Body:
    return template(Box=box(kind, **properties))


def from_template(
    version: Any = LATEST, own: Any = TRN1, interfaces: Any = None, **properties: Any
) -> Body:
    named = {"LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": version}}
    return template(Nodes=nodes(own, interfaces), Box=box(None, **named, **properties))


CHANGES: list[Row] = [
    ("a script on Trainium", one(UserData=SCRIPT), I),
    ("a script on Trainium without disks of its own", one("inf2.48xlarge", UserData=SCRIPT), I),
    ("a script on something else", one("m5.large", UserData=SCRIPT), []),
    ("no script", one(), []),
    ("a type that is not known", one(OPEN, UserData=SCRIPT), []),
    ("a launch template that is followed", from_template(), I),
    ("a launch template that stays", from_template("3"), []),
    ("a followed launch template of something else", from_template(own="m5.large"), []),
]
TOGETHER = ("AWS::EC2::PlacementGroup", {"Strategy": "cluster"})


def attached(kind: str | None, type_: str = "trn2.3xlarge") -> Body:
    properties = {"SubnetId": "subnet-1", **({} if kind is None else {"InterfaceType": kind})}
    interfaces = [{"DeviceIndex": "0", "NetworkInterfaceId": {"Ref": "Card"}}]
    return template(
        Card=("AWS::EC2::NetworkInterface", properties),
        Box=box(type_, NetworkInterfaces=interfaces),
    )


INTERFACES: list[Row] = [
    ("a type with EFA, by itself", one(), I),
    ("two of a type with EFA", template(One=box(), Two=box()), [*W, *W]),
    ("two of different types with EFA", template(One=box(), Two=box(TRN2)), [*I, *I]),
    (
        "one in a cluster placement group",
        template(Together=TOGETHER, Box=box(PlacementGroupName={"Ref": "Together"})),
        W,
    ),
    (
        "one in another placement group",
        template(
            Together=("AWS::EC2::PlacementGroup", {"Strategy": "spread"}),
            Box=box(PlacementGroupName={"Ref": "Together"}),
        ),
        I,
    ),
    ("a type without EFA", one("trn1.2xlarge"), []),
    ("something else", one("m5.large"), []),
    ("interfaces of a launch template", from_template(interfaces=older(8)), []),
    (
        "somebody's launch template",
        one(LaunchTemplate={"LaunchTemplateId": "lt-1", "Version": "1"}),
        [],
    ),
    ("a plain interface", one(NetworkInterfaces=[{"DeviceIndex": "0", "SubnetId": "subnet-1"}]), I),
    ("an EFA interface that is attached", attached("efa"), []),
    ("a plain interface that is attached", attached(None), I),
    ("one EFA interface of eight", attached("efa", TRN1), I),
    (
        "somebody's interface",
        one(NetworkInterfaces=[{"DeviceIndex": "0", "NetworkInterfaceId": OPEN}]),
        [],
    ),
    ("interfaces that are not known", one(NetworkInterfaces=OPEN), []),
]


def in_zone(zone: Any, kind: Any = TRN1, **properties: Any) -> Body:
    placed = properties or {"SubnetId": {"Ref": "Subnet"}}
    return template(Box=box(kind, **placed), Subnet=subnet(AvailabilityZoneId=zone))


def fleet(kind: Any, zone: Any, spot: bool = False, own: Any = TRN1) -> Body:
    override = {"SubnetId": {"Ref": "Subnet"}, **({} if kind is None else {"InstanceType": kind})}
    named = {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}
    configs = {
        "LaunchTemplateConfigs": [{"LaunchTemplateSpecification": named, "Overrides": [override]}]
    }
    properties = {"SpotFleetRequestConfigData": configs} if spot else configs
    kind_of_fleet = f"AWS::EC2::{'SpotFleet' if spot else 'EC2Fleet'}"
    return template(
        Nodes=nodes(own), Fleet=(kind_of_fleet, properties), Subnet=subnet(AvailabilityZoneId=zone)
    )


OFFERED: list[Row] = [
    ("a zone that has the type", in_zone("usw2-az4"), []),
    ("a zone that has it not", in_zone("usw2-az2"), E),
    (
        "a zone that has it not, by an interface",
        in_zone(
            "usw2-az2", NetworkInterfaces=[{"DeviceIndex": "0", "SubnetId": {"Ref": "Subnet"}}]
        ),
        E,
    ),
    ("something else anywhere", in_zone("usw2-az2", "m5.large"), []),
    ("a zone that is not known", in_zone(OPEN), []),
    (
        "a launch template's type",
        template(
            **from_template(SubnetId={"Ref": "Subnet"})["Resources"],
            Subnet=subnet(AvailabilityZoneId="usw2-az2"),
        ),
        E,
    ),
    ("an EC2 Fleet where the type is", fleet(None, "usw2-az4"), []),
    ("an EC2 Fleet where it is not", fleet(None, "usw2-az2"), E),
    ("an EC2 Fleet of a type of its own", fleet(TRN2, "use2-az3"), []),
    ("an EC2 Fleet of a type that is not there", fleet(TRN2, "usw2-az4"), E),
    ("an EC2 Fleet of something else", fleet("m5.large", "usw2-az2"), []),
    ("a Spot Fleet where the type is not", fleet(None, "usw2-az2", spot=True), E),
]
BLOCK = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {
        "CapacityReservationTarget": {"CapacityReservationId": "cr-1"}
    },
}
PLACED: list[Row] = [
    (
        "a single instance of a block, placed",
        template(
            Nodes=nodes(TRN2, **BLOCK),
            Box=box(
                None,
                PlacementGroupName="together",
                LaunchTemplate={"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"},
            ),
        ),
        E,
    ),
    (
        "a single instance of a block",
        template(
            Nodes=nodes(TRN2, **BLOCK),
            Box=box(None, LaunchTemplate={"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}),
        ),
        [],
    ),
]
INTERFACE_COUNT: list[Row] = [
    (
        "a template that leaves the type to its instance",
        template(
            Nodes=nodes(None, older(8)),
            Box=box(TRN2, LaunchTemplate={"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}),
        ),
        W,
    ),
    (
        "all interfaces of the type",
        template(
            Nodes=nodes(None, older(16)),
            Box=box(TRN2, LaunchTemplate={"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}),
        ),
        [],
    ),
]
VERSIONS: list[Row] = [
    ("the newest version, whatever it is", from_template("$Latest"), W),
    ("a version that follows", from_template(), []),
]
TABLES = {
    "TRN290": CHANGES,
    "TRN291": INTERFACES,
    "TRN153": OFFERED,
    "TRN261": PLACED,
    "TRN251": INTERFACE_COUNT,
    "TRN257": VERSIONS,
}
ROWS = [(rule_id, *row) for rule_id, rows in TABLES.items() for row in rows]


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"),
    [(rule_id, body, expected) for rule_id, _, body, expected in ROWS],
    ids=[f"{rule_id} {name}" for rule_id, name, _, _ in ROWS],
)
def test_a_rule_fires_on_what_is_wrong_and_on_nothing_else(
    rule_id: str, body: Body, expected: list[str]
):
    assert severities(rule_id, judge_template(body)) == expected


@pytest.mark.parametrize(
    ("rule_id", "body", "said"),
    [
        ("TRN290", one(UserData=SCRIPT), "Box: every change of its UserData stops the instance and empties its local disks; the changed script does not run, and trn1.32xlarge may not be there to start again"),
        ("TRN290", from_template(), "Box: every change of Nodes replaces the instance and empties its local disks, and trn1.32xlarge may not be there for a new one"),
        ("TRN291", one(), "Box: has none of the 8 EFA interfaces of trn1.32xlarge, so jobs over several nodes talk by TCP; AWS::EC2::Instance cannot ask for them itself"),
        ("TRN291", template(Together=TOGETHER, Box=box(PlacementGroupName={"Ref": "Together"})), "Box: has none of the 8 EFA interfaces of trn1.32xlarge, so it talks to its neighbours by TCP; AWS::EC2::Instance cannot ask for them itself"),
    ],
)  # fmt: skip
def test_a_finding_says_what_happens(rule_id: str, body: Body, said: str):
    (finding,) = of_rule(rule_id, judge_template(body))
    assert finding.message == said


def test_a_fleet_is_judged_by_the_types_it_names_and_not_by_its_templates():
    body = fleet(TRN2, "use2-az3", own=None)
    body["Resources"]["Nodes"] = nodes(None, [interface(0, 0, "efa"), interface(9, 1, "efa")])
    (finding,) = of_rule("TRN251", judge_template(body))
    assert "16" in finding.message
    assert finding.logical_id == "Nodes"


def test_a_fleet_of_which_some_overrides_name_a_type_is_not_guessed():
    body = fleet(TRN2, "usw2-az2")
    config = body["Resources"]["Fleet"]["Properties"]["LaunchTemplateConfigs"][0]
    config["Overrides"].append({"SubnetId": {"Ref": "Subnet"}})
    assert severities("TRN153", judge_template(body)) == []
