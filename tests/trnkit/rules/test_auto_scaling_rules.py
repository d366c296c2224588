"""Auto Scaling groups, launch templates and volumes that EC2 refuses, beside the nearest right."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import Body, group, nodes, template

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
Row = tuple[str, Body, list[str]]
UNKNOWN = {"Fn::If": ["Sometimes", "a", {"Ref": "AWS::NoValue"}]}
OPEN = {"Ref": "Open"}


def sized(least: Any, most: Any, desired: Any = None, **more: Any) -> Body:
    sizes = {"MinSize": least, "MaxSize": most}
    if desired is not None:
        sizes["DesiredCapacity"] = desired
    body = template(Nodes=nodes("trn1.32xlarge"), Group=group(["subnet-1"], **{**sizes, **more}))
    return {**body, "Parameters": {"Open": {"Type": "Number"}}}


def rolling(kept: Any, most: Any) -> Body:
    body = sized("0", most)
    rolling = {"MinInstancesInService": kept}
    body["Resources"]["Group"]["UpdatePolicy"] = {"AutoScalingRollingUpdate": rolling}
    return body


def action(most: Any = "4", **properties: Any) -> Body:
    base = {"AutoScalingGroupName": {"Ref": "Group"}}
    body = sized("0", most)
    body["Resources"]["Action"] = {
        "Type": "AWS::AutoScaling::ScheduledAction",
        "Properties": {**base, **properties},
    }
    return body


def timed(**properties: Any) -> Body:
    return action(DesiredCapacity=0, **properties)


def recurring(text: Any) -> Body:
    return timed(Recurrence=text)


SIZES: list[Row] = [
    ("the desired size is the smallest", sized("1", "4", "1"), []),
    ("the desired size is the largest", sized("1", "4", "4"), []),
    ("nothing is wanted", sized("0", "0", "0"), []),
    ("the desired size is left to Auto Scaling", sized("1", "4"), []),
    ("more is wanted than there may be", sized("1", "4", "5"), E),
    ("less is wanted than there must be", sized("2", "4", "1"), E),
    ("numbers, not text", sized(1, 4, 9), E),
    ("none is wanted of a group that has at least one", sized("1", "4", "0"), E),
    ("a size is a parameter", sized("1", OPEN, "9"), []),
    ("a size is there or not", sized("1", "4", UNKNOWN), []),
    ("an update keeps all but one in service", rolling("3", "4"), []),
    ("an update keeps as many in service as there may be", rolling("4", "4"), E),
    ("an update keeps none in service of an empty group", rolling("0", "0"), []),
    ("an action to nothing", action(MinSize=0, MaxSize=0, DesiredCapacity=0), []),
    ("an action wants more than it allows", action(MinSize=0, MaxSize=2, DesiredCapacity=3), E),
    ("an action wants more at least than at most", action(MinSize=3, MaxSize=2), E),
    ("an action wants more than the group may have", action(DesiredCapacity=5), W),
    ("an action wants all that the group may have", action(DesiredCapacity=4), []),
    ("an action raises the group's size itself", action(DesiredCapacity=5, MaxSize=5), []),
    ("an action of a group whose size is open", action(OPEN, DesiredCapacity=5), []),
]
LIFETIMES: list[Row] = [
    ("a day", sized("0", "1", MaxInstanceLifetime=86400), []),
    ("a year", sized("0", "1", MaxInstanceLifetime=31536000), []),
    ("no limit", sized("0", "1", MaxInstanceLifetime=0), []),
    ("an hour", sized("0", "1", MaxInstanceLifetime=3600), E),
    ("text", sized("0", "1", MaxInstanceLifetime="86399"), E),
    ("two years", sized("0", "1", MaxInstanceLifetime=63072000), E),
    ("open", sized("0", "1", MaxInstanceLifetime=OPEN), []),
]
TIMES: list[Row] = [
    ("once", timed(StartTime="2027-03-01T11:30:00Z"), []),
    ("from Monday to Friday", recurring("30 11 * * MON-FRI"), []),
    ("every quarter of an hour", recurring("*/15 * * * *"), []),
    ("at some hours of some days", recurring("0 8,20 1-7/2 jan,jul *"), []),
    ("Sunday as 7", recurring("0 0 * * 7"), []),
    ("another dialect's signs", recurring("0 0 L * ?"), []),
    ("words", recurring("every day"), E),
    ("EventBridge's six fields", recurring("cron(30 11 * * ? *)"), E),
    ("a rate", recurring("rate(1 day)"), E),
    ("four fields", recurring("0 0 * *"), E),
    ("one field", recurring("30"), E),
    ("a name, which may be taken", recurring("@daily"), []),
    ("the 61st minute", recurring("61 0 * * *"), E),
    ("the 24th hour", recurring("0 24 * * *"), E),
    ("the 13th month", recurring("0 0 1 13 *"), E),
    ("a month of another language", recurring("0 0 1 mai *"), E),
    ("a recurrence that is not known", recurring(UNKNOWN), []),
    (
        "it ends after it starts",
        timed(StartTime="2027-03-01T11:30:00Z", EndTime="2027-03-02T11:30:00Z"),
        [],
    ),
    (
        "it ends when it starts",
        timed(StartTime="2027-03-01T11:30:00Z", EndTime="2027-03-01T11:30:00Z"),
        E,
    ),
    (
        "it ends before it starts",
        timed(StartTime="2027-03-01T11:30:00Z", EndTime="2027-02-01T11:30:00Z"),
        E,
    ),
    ("an end that is none", timed(StartTime="2027-03-01T11:30:00Z", EndTime="soon"), []),
    ("an end that is not known", timed(StartTime="2027-03-01T11:30:00Z", EndTime=OPEN), []),
    ("nothing to do", action(StartTime="2027-03-01T11:30:00Z"), E),
    ("something to do that is not known", action(MinSize=OPEN), []),
]


def volume(kind: str | None = "gp3", size: Any = 500, **more: Any) -> Body:
    ebs = {"VolumeSize": size, "Encrypted": True, **more}
    if kind is not None:
        ebs["VolumeType"] = kind
    return template(
        Nodes=nodes("trn1.2xlarge", BlockDeviceMappings=[{"DeviceName": "/dev/sda1", "Ebs": ebs}])
    )


def of_instance(**ebs: Any) -> Body:
    mapping = {"DeviceName": "/dev/sda1", "Ebs": ebs}
    return template(
        Box=("AWS::EC2::Instance", {"InstanceType": "m5.large", "BlockDeviceMappings": [mapping]})
    )


def disk(**properties: Any) -> Body:
    return template(Disk=("AWS::EC2::Volume", {"AvailabilityZone": "us-east-2a", **properties}))


VOLUMES: list[Row] = [
    ("gp3 as it comes", volume(), []),
    ("the throughput that is included", volume(Throughput=750), []),
    ("more throughput than the included IOPS carry", volume(Throughput=751), E),
    ("throughput and IOPS at the ratio", volume(Throughput=1000, Iops=4000), []),
    ("throughput above the ratio", volume(Throughput=1000, Iops=3000), E),
    ("all that gp3 has", volume(Throughput=2000, Iops=80000), []),
    ("more throughput than gp3 has", volume(Throughput=2001, Iops=80000), E),
    ("less throughput than gp3 has", volume(Throughput=100), E),
    ("as many IOPS as the size allows", volume(size=32, Iops=16000), []),
    ("more IOPS than the size allows", volume(size=31, Iops=16000), E),
    ("the included IOPS on a tiny volume", volume(size=1, Iops=3000), []),
    ("64 TiB of gp3", volume(size=65536), []),
    ("more than gp3 has", volume(size=65537), E),
    ("16 TiB of gp2", volume("gp2", 16384), []),
    ("20 TB of gp2", volume("gp2", 20000), E),
    ("throughput of gp2", volume("gp2", 500, Throughput=250), E),
    ("throughput of io2", volume("io2", 500, Iops=5000, Throughput=250), E),
    ("too little for st1", volume("st1", 100), E),
    ("a kind that is not known", volume("gp9", 10**6), []),
    ("no kind", volume(None, 10**6), []),
    ("IOPS that are not known", volume(Throughput=1000, Iops=UNKNOWN), []),
    (
        "a volume of a single instance",
        of_instance(VolumeType="gp3", VolumeSize=10, Throughput=1000, Iops=3000),
        E,
    ),
    ("a volume by itself", disk(VolumeType="gp3", Size=100, Throughput=1000, Iops=3000), E),
    ("a right volume by itself", disk(VolumeType="gp3", Size=100, Throughput=1000, Iops=4000), []),
]
KEY = {"Fn::GetAtt": ["Key", "Arn"]}
MAPPINGS: list[Row] = [
    ("a key and encrypted", volume(KmsKeyId="alias/nodes"), []),
    ("a key and not", volume(KmsKeyId="alias/nodes", Encrypted=False), E),
    ("a key, and nothing said", of_instance(KmsKeyId="alias/nodes"), E),
    (
        "a key of the template",
        template(Key=("AWS::KMS::Key", {}), **volume(KmsKeyId=KEY, Encrypted="false")["Resources"]),
        E,
    ),
    ("no key and not encrypted", volume(Encrypted=False), []),
    ("a key that may not be there", volume(KmsKeyId=UNKNOWN, Encrypted=False), []),
    ("encryption that is not known", volume(KmsKeyId="alias/nodes", Encrypted=OPEN), []),
    (
        "a snapshot says how it is encrypted",
        of_instance(KmsKeyId="alias/nodes", SnapshotId="snap-1"),
        [],
    ),
    ("a volume by itself with a key alone", disk(Size=100, KmsKeyId="alias/nodes"), E),
    (
        "two devices",
        template(
            Nodes=nodes(
                "trn1.2xlarge",
                BlockDeviceMappings=[{"DeviceName": d} for d in ("/dev/sda1", "/dev/sdb")],
            )
        ),
        [],
    ),
    (
        "one device twice",
        template(
            Nodes=nodes("trn1.2xlarge", BlockDeviceMappings=[{"DeviceName": "/dev/sda1"}] * 2)
        ),
        E,
    ),
    (
        "a device that may be another",
        template(Nodes=nodes("trn1.2xlarge", BlockDeviceMappings=[{"DeviceName": UNKNOWN}] * 2)),
        [],
    ),
]


def spot(market: Any = "spot", **options: Any) -> Body:
    kind = {} if market is None else {"MarketType": market}
    return template(
        Nodes=nodes("trn1.32xlarge", InstanceMarketOptions={**kind, "SpotOptions": options})
    )


def mixed(market: str | None = "spot", **options: Any) -> Body:
    body = (
        spot(market, **options)
        if options
        else template(Nodes=nodes("trn1.32xlarge", InstanceMarketOptions={"MarketType": market}))
    )
    named = {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"}
    policy = {"LaunchTemplate": {"LaunchTemplateSpecification": named}}
    body["Resources"]["Group"] = {
        "Type": "AWS::AutoScaling::AutoScalingGroup",
        "Properties": {"MinSize": "0", "MaxSize": "1", "MixedInstancesPolicy": policy},
    }
    return body


def started(**options: Any) -> Body:
    body = spot(**options)
    body["Resources"]["Group"] = group(["subnet-1"])
    return body


SPOT: list[Row] = [
    ("a price", spot(MaxPrice="8.5"), []),
    ("a price as a number", spot(MaxPrice=8.5), []),
    ("the least price", spot(MaxPrice="0.001"), []),
    ("less than the least price", spot(MaxPrice="0.0005"), E),
    ("no price at all", spot(MaxPrice="free"), E),
    ("a price in dollars", spot(MaxPrice="$8"), E),
    ("a price without end", spot(MaxPrice="inf"), E),
    ("a price that is not known", spot(MaxPrice=OPEN), []),
    ("no market type", spot(None, MaxPrice="8.5"), E),
    ("a Capacity Block", spot("capacity-block", MaxPrice="8.5"), E),
    ("a market that is not known", spot(UNKNOWN, MaxPrice="8.5"), []),
    (
        "no options of the block",
        template(
            Nodes=nodes("trn2.48xlarge", InstanceMarketOptions={"MarketType": "capacity-block"})
        ),
        [],
    ),
    ("empty options of the block", spot("capacity-block"), []),
    ("terminated when taken back", spot(InstanceInterruptionBehavior="terminate"), []),
    ("stopped when taken back, once", spot(InstanceInterruptionBehavior="stop"), E),
    (
        "stopped when taken back, for good",
        spot(InstanceInterruptionBehavior="stop", SpotInstanceType="persistent"),
        [],
    ),
    ("an end of a request that is made once", spot(ValidUntil="2027-03-01T00:00:00Z"), E),
    (
        "an end of a request that stays",
        spot(ValidUntil="2027-03-01T00:00:00Z", SpotInstanceType="persistent"),
        [],
    ),
    (
        "a group that starts what is stopped",
        started(InstanceInterruptionBehavior="stop", SpotInstanceType="persistent"),
        E,
    ),
    (
        "a group that starts what is terminated",
        started(InstanceInterruptionBehavior="terminate"),
        [],
    ),
    ("a mixed group of a template for Spot", mixed(), E),
    ("a mixed group of any other template", mixed("capacity-block"), []),
]


def hops(number: Any) -> Body:
    return template(Nodes=nodes("m5.large", MetadataOptions={"HttpPutResponseHopLimit": number}))


HOPS: list[Row] = [
    ("one", hops(1), []),
    ("64", hops(64), []),
    ("65", hops(65), E),
    ("none", hops("0"), E),
    ("open", hops(OPEN), []),
]


def placed(
    strategy: Any = "cluster", kind: Any = "trn1.32xlarge", placement: Any = None, **more: Any
) -> Body:
    together = {"Strategy": strategy, **more} if strategy is not None else more
    named = {"GroupName": {"Ref": "Together"}} if placement is None else placement
    return template(
        Together=("AWS::EC2::PlacementGroup", together), Nodes=nodes(kind, Placement=named)
    )


PLACEMENTS: list[Row] = [
    ("a cluster", placed(), []),
    ("partitions", placed("partition", PartitionCount=7), []),
    ("eight partitions", placed("partition", PartitionCount=8), E),
    ("partitions of a cluster", placed(PartitionCount=3), E),
    ("partitions of no strategy", placed(None, PartitionCount=3), E),
    ("partitions of what is not known", placed(OPEN, PartitionCount=30), []),
    (
        "a name and an id",
        placed(placement={"GroupName": "a", "GroupId": "pg-0123456789abcdef0"}),
        E,
    ),
    (
        "a name, and an id that may not be there",
        placed(placement={"GroupName": "a", "GroupId": UNKNOWN}),
        [],
    ),
    (
        "the number of a partition",
        placed("partition", placement={"GroupName": {"Ref": "Together"}, "PartitionNumber": 2}),
        [],
    ),
    (
        "the number of a partition of a cluster",
        placed(placement={"GroupName": {"Ref": "Together"}, "PartitionNumber": 2}),
        E,
    ),
    (
        "the number of a partition of another's group",
        placed(placement={"GroupName": "a", "PartitionNumber": 2}),
        [],
    ),
]


def in_fleet(types: list[Any], strategy: str = "cluster") -> Body:
    computing = {
        "InstanceTypes": types,
        "PlacementGroup": {"Ref": "Together"},
        "LaunchTemplate": {"LaunchTemplateId": {"Ref": "Nodes"}, "Version": "1"},
    }
    return template(
        Together=("AWS::EC2::PlacementGroup", {"Strategy": strategy}),
        Nodes=nodes(None),
        Fleet=("AWS::Batch::ComputeEnvironment", {"ComputeResources": computing}),
    )


def single(kind: Any) -> Body:
    together = ("AWS::EC2::PlacementGroup", {"Strategy": "cluster"})
    box = {"InstanceType": kind, "PlacementGroupName": {"Ref": "Together"}}
    return template(Together=together, Box=("AWS::EC2::Instance", box))


TYPES: list[Row] = [
    ("Trainium", placed(kind="trn2.48xlarge"), []),
    ("a type without its own entry", placed(kind="m7i.large"), []),
    ("a burstable login node", placed(kind="t3.large"), E),
    ("a flexible one", placed(kind="m7i-flex.large"), E),
    ("a burstable one in partitions", placed("partition", kind="t3.large"), []),
    ("a burstable one elsewhere", placed(kind="t3.large", placement={"GroupName": "a"}), []),
    ("a type that is not known", placed(kind=OPEN), []),
    ("AWS Batch with a burstable family", in_fleet(["t3", "trn1.32xlarge"]), E),
    ("AWS Batch with Trainium", in_fleet(["trn1.32xlarge"]), []),
    ("AWS Batch, spread", in_fleet(["t3"], "spread"), []),
    ("a single burstable instance", single("t4g.large"), E),
    ("a single Trainium instance", single("trn1.32xlarge"), []),
]


def data(value: Any, **more: Any) -> Body:
    return {**template(Nodes=nodes("trn1.2xlarge", UserData=value)), **more}


SCRIPT = "#!/bin/sh\necho hello\n"
ENCODED = "IyEvYmluL3NoCg=="
USER_DATA: list[Row] = [
    ("encoded by CloudFormation", data({"Fn::Base64": SCRIPT}), []),
    ("encoded by hand", data(ENCODED), []),
    ("encoded by hand, over several lines", data("IyEv\nYmlu\nL3NoCg=="), []),
    ("a script", data(SCRIPT), E),
    ("a part of MIME", data('Content-Type: multipart/mixed; boundary="//"\n'), E),
    ("a script with substitutions", data({"Fn::Sub": "#!/bin/sh\n${AWS::Region}"}), E),
    (
        "a script with substitutions and values",
        data({"Fn::Sub": ["#!/bin/sh\n${a}", {"a": "b"}]}),
        E,
    ),
    ("a script in parts", data({"Fn::Join": ["", ["#!/bin/sh\n", {"Ref": "AWS::Region"}]]}), E),
    ("an encoded part", data({"Fn::Join": ["", [{"Fn::Base64": SCRIPT}]]}), []),
    ("substitutions alone", data({"Fn::Sub": "${Script}"}), []),
    (
        "encoded with substitutions",
        data({"Fn::Base64": {"Fn::Sub": "#!/bin/sh\n${AWS::Region}"}}),
        [],
    ),
    ("a parameter", data({"Ref": "Open"}, Parameters={"Open": {"Type": "String"}}), []),
    (
        "a parameter with a script for its default",
        data({"Ref": "Open"}, Parameters={"Open": {"Type": "String", "Default": "#!/bin/sh"}}),
        W,
    ),
    (
        "a script from a mapping",
        data({"Fn::FindInMap": ["A", "b", "c"]}, Mappings={"A": {"b": {"c": SCRIPT}}}),
        E,
    ),
    ("imported", data({"Fn::ImportValue": "script"}), []),
    ("words that may be Base64", data("echo hello"), []),
    (
        "a script of a single instance",
        template(Box=("AWS::EC2::Instance", {"UserData": SCRIPT})),
        E,
    ),
    (
        "a script of a launch configuration",
        template(Old=("AWS::AutoScaling::LaunchConfiguration", {"UserData": SCRIPT})),
        E,
    ),
]


def measured(granularity: Any) -> Body:
    return sized("0", "1", MetricsCollection=[{"Granularity": granularity}])


METRICS: list[Row] = [
    ("every minute", measured("1Minute"), []),
    ("every second", measured("1Second"), E),
    ("open", measured(OPEN), []),
    ("none", sized("0", "1"), []),
]


def reserved(count: Any) -> Body:
    properties = {"InstanceType": "trn1.32xlarge", "InstanceCount": count}
    return template(Reservation=("AWS::EC2::CapacityReservation", properties))


RESERVED: list[Row] = [
    ("one", reserved(1), []),
    ("none", reserved(0), E),
    ("none, as text", reserved("0"), E),
    ("open", reserved(OPEN), []),
]
TABLES = {
    "TRN275": SIZES,
    "TRN276": LIFETIMES,
    "TRN277": TIMES,
    "TRN278": VOLUMES,
    "TRN279": MAPPINGS,
    "TRN285": SPOT,
    "TRN286": HOPS,
    "TRN287": PLACEMENTS,
    "TRN288": TYPES,
    "TRN289": USER_DATA,
    "TRN292": RESERVED,
    "TRN294": METRICS,
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
    ("rule_id", "body", "said", "path"),
    [
        ("TRN275", sized("1", "4", "5"), "Group: DesiredCapacity is 5, more than MaxSize allows: at most 4", "/Resources/Group/Properties/DesiredCapacity"),
        ("TRN276", LIFETIMES[3][1], "Group: MaxInstanceLifetime is 3600 seconds; it is 0 or 86400 to 31536000", "/Resources/Group/Properties/MaxInstanceLifetime"),
        ("TRN277", recurring("0 0 * *"), "Action: Recurrence is '0 0 * *', which has 4 fields and not 5", "/Resources/Action/Properties/Recurrence"),
        ("TRN277", recurring("61 0 * * *"), "Action: Recurrence is '61 0 * * *', whose minute '61' is none", "/Resources/Action/Properties/Recurrence"),
        ("TRN278", volume(Throughput=1000, Iops=3000), "Nodes: Throughput is 1000 MiB/s with 3000 IOPS; that throughput takes 4000 IOPS", "/Resources/Nodes/Properties/LaunchTemplateData/BlockDeviceMappings/0/Ebs/Throughput"),
        ("TRN278", disk(VolumeType="gp2", Size=20000), "Disk: Size is 20000 GiB; gp2 volumes have 1 to 16384", "/Resources/Disk/Properties/Size"),
        ("TRN285", spot(MaxPrice="free"), "Nodes: has the Spot price 'free'; EC2 takes US dollars an hour, at least 0.001", "/Resources/Nodes/Properties/LaunchTemplateData/InstanceMarketOptions/SpotOptions/MaxPrice"),
        ("TRN286", hops(65), "Nodes: HttpPutResponseHopLimit is 65; it is 1 to 64", "/Resources/Nodes/Properties/LaunchTemplateData/MetadataOptions/HttpPutResponseHopLimit"),
        ("TRN288", in_fleet(["t3", "trn1.32xlarge"]), "Fleet: starts t3 in Together, a cluster placement group, which that type cannot be in", "/Resources/Fleet/Properties/ComputeResources/InstanceTypes/0"),
    ],
)  # fmt: skip
def test_a_finding_says_what_it_got_what_is_allowed_and_where(
    rule_id: str, body: Body, said: str, path: str
):
    (finding,) = of_rule(rule_id, judge_template(body))
    assert finding.message == said
    assert finding.path == path
