from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.golden_resources import resolved, resources_of
from tests.trnkit.emulation.moto_place import ALL, LUSTRE, group_of, moto_place, subnet_of
from trnkit.emulation.resources.fsx import DataRepositoryAssociation, FileSystem
from trnkit.emulation.resources.resource import Place, Refused
from trnkit.emulation.services.fsx import fsx_extension

SYSTEM = FileSystem()
LINK = DataRepositoryAssociation()


@pytest.fixture
def place() -> Iterator[Place]:
    fsx_extension.install()
    with moto_place() as found:
        yield found


@pytest.fixture
def network(place: Place) -> dict[str, list[str]]:
    vpc, subnet = subnet_of(place)
    return {"SubnetIds": [subnet], "SecurityGroupIds": [group_of(place, vpc, *LUSTRE)]}


def persistent(network: dict[str, list[str]], **lustre: Any) -> dict[str, Any]:
    """Properties of an ordinary file system; members that are None are left out."""
    given = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250, **lustre}
    kept = {name: value for name, value in given.items() if value is not None}
    common = {"FileSystemType": "LUSTRE", "StorageCapacity": 2400, "StorageType": "SSD"}
    return {**common, **network, "LustreConfiguration": kept}


def with_metadata(network: dict[str, list[str]], iops: int, **lustre: Any) -> dict[str, Any]:
    metadata = {"Mode": "USER_PROVISIONED", "Iops": iops}
    return persistent(network, MetadataConfiguration=metadata, **lustre)


def tiered(network: dict[str, list[str]], **lustre: Any) -> dict[str, Any]:
    given = {
        "PerUnitStorageThroughput": None,
        "ThroughputCapacity": 4000,
        "DataReadCacheConfiguration": {"SizingMode": "NO_CACHE"},
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        **lustre,
    }
    properties = persistent(network, **given) | {"StorageType": "INTELLIGENT_TIERING"}
    del properties["StorageCapacity"]
    return properties


def refusal(place: Place, properties: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(ClientError) as caught:
        SYSTEM.create(place, properties)
    assert place.clients("fsx").describe_file_systems()["FileSystems"] == []
    assert place.clients("ec2").describe_network_interfaces()["NetworkInterfaces"] == []
    return caught.value.response["Error"]["Code"], caught.value.response["Error"]["Message"]


@pytest.mark.parametrize("properties", resources_of("AWS::FSx::FileSystem"))
def test_every_file_system_of_the_examples_is_read_back_as_written(properties):
    fsx_extension.install()
    with moto_place(_region_of(properties)) as place:
        vpc, subnet = subnet_of(place)
        group = group_of(place, vpc, *ALL, outwards=True)
        names = {"SubnetIds": [subnet], "SecurityGroupIds": [group]}
        written = resolved(properties, lambda name: _reference(name, place)) | names
        made = SYSTEM.create(place, written)
        told = SYSTEM.read(place.clients, made.physical_id, written)
        assert told is not None
        assert {name: told[name] for name in written} == written


def _region_of(properties: dict[str, Any]) -> str:
    """The region that the log destination names, where there is one."""
    log = properties["LustreConfiguration"].get("LogConfiguration")
    return log["Destination"]["Fn::Join"][1][0].split(":")[3] if log else "us-east-2"


def _reference(name: Any, place: Place) -> str:
    return place.account if name == "AWS::AccountId" else "/aws/fsx/lustre-of-test"


def test_attributes_are_those_of_cloudformation(place, network):
    made = SYSTEM.create(place, persistent(network))
    (told,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert made.attributes == {
        "Id": made.physical_id,
        "DNSName": f"{made.physical_id}.fsx.us-east-2.amazonaws.com",
        "LustreMountName": told["LustreConfiguration"]["MountName"],
        "ResourceARN": f"arn:aws:fsx:us-east-2:{place.account}:file-system/{made.physical_id}",
    }


def test_numbers_and_booleans_may_be_text(place, network):
    written = persistent(network, PerUnitStorageThroughput="250", CopyTagsToBackups="true")
    written["StorageCapacity"] = "2400"
    made = SYSTEM.create(place, written)
    told = SYSTEM.read(place.clients, made.physical_id, written)
    assert told is not None
    assert {name: told[name] for name in written} == written
    (system,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert system["StorageCapacity"] == 2400
    assert system["LustreConfiguration"]["CopyTagsToBackups"] is True


def test_what_aws_fills_in_is_told(place, network):
    SYSTEM.create(place, persistent(network, MetadataConfiguration={"Mode": "AUTOMATIC"}))
    (system,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert system["FileSystemTypeVersion"] == "2.15"
    assert system["Lifecycle"] == "AVAILABLE"
    assert system["LustreConfiguration"]["MetadataConfiguration"] == {
        "Mode": "AUTOMATIC",
        "Iops": 3000,
    }
    assert system["LustreConfiguration"]["LogConfiguration"] == {"Level": "DISABLED"}


def test_a_log_without_a_destination_goes_to_the_group_of_fsx(place, network):
    made = SYSTEM.create(place, persistent(network, LogConfiguration={"Level": "WARN_ONLY"}))
    (told,) = place.clients("fsx").describe_file_systems(FileSystemIds=[made.physical_id])[
        "FileSystems"
    ]
    destination = told["LustreConfiguration"]["LogConfiguration"]["Destination"]
    assert destination.endswith(":log-group:/aws/fsx/lustre")


@pytest.mark.parametrize(
    ("capacity", "lustre", "servers"),
    [
        (2400, {}, 2),
        (9600, {}, 5),
        (9600, {"PerUnitStorageThroughput": 500, "EfaEnabled": True}, 2),
        (4800, {"MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 24000}}, 4),
    ],
)
def test_each_server_has_an_interface_in_the_subnet(place, capacity, lustre, servers):
    vpc, subnet = subnet_of(place)
    group = group_of(place, vpc, *ALL, outwards=True)
    if lustre.get("EfaEnabled"):
        lustre = {**lustre, "MetadataConfiguration": {"Mode": "AUTOMATIC"}}
    network = {"SubnetIds": [subnet], "SecurityGroupIds": [group]}
    SYSTEM.create(place, persistent(network, **lustre) | {"StorageCapacity": capacity})
    ec2 = place.clients("ec2")
    interfaces = ec2.describe_network_interfaces()["NetworkInterfaces"]
    assert len(interfaces) == servers
    assert {eni["SubnetId"] for eni in interfaces} == {subnet}
    assert len({eni["PrivateIpAddress"] for eni in interfaces}) == servers


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"StorageCapacity": 3600}, "BadRequest", "Must be 1200, 2400 or a multiple of 2400"),
        ({"StorageCapacity": 0}, "BadRequest", "capacity: 0"),
        ({"StorageType": "HDD"}, "BadRequest", "Storage type HDD"),
        ({"FileSystemTypeVersion": "2.10"}, "BadRequest", "2.10"),
        ({"FileSystemTypeVersion": "2.13"}, "BadRequest", "2.10, 2.12, 2.15"),
        ({"NetworkType": "DUAL"}, "BadRequest", "NetworkType DUAL"),
        ({"LustreConfiguration": None}, "MissingFileSystemConfiguration", "required"),
    ],
)
def test_refuses_values_of_the_file_system(place, network, change, code, words):
    properties = {k: v for k, v in (persistent(network) | change).items() if v is not None}
    assert refusal(place, properties)[0] == code
    assert words in refusal(place, properties)[1]


@pytest.mark.parametrize(
    ("lustre", "code", "words"),
    [
        ({"DeploymentType": "PERSISTENT_3"}, "ValidationException", "enum value set"),
        ({"PerUnitStorageThroughput": 300}, "InvalidPerUnitStorageThroughput", "125, 250, 500"),
        ({"PerUnitStorageThroughput": None}, "BadRequest", "is required"),
        ({"DeploymentType": "SCRATCH_2"}, "BadRequest", "not supported"),
        ({"DriveCacheType": "READ"}, "BadRequest", "DriveCacheType"),
        ({"MetadataConfiguration": {"Mode": "AUTOMATIC", "Iops": 1500}}, "BadRequest", "AUTOMATIC"),
        (
            {"MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 13000}},
            "BadRequest",
            "13000",
        ),
        ({"EfaEnabled": True}, "BadRequest", "metadata configuration"),
        ({"ThroughputCapacity": 4000}, "BadRequest", "INTELLIGENT_TIERING"),
        ({"ImportPath": "s3://bucket"}, "BadRequest", "data repository association"),
        ({"DailyAutomaticBackupStartTime": "05:00"}, "BadRequest", "RetentionDays"),
        ({"WeeklyMaintenanceStartTime": "9:03:00"}, "ValidationException", "regular expression"),
        ({"AutomaticBackupRetentionDays": 91}, "ValidationException", "less than or equal to 90"),
    ],
)
def test_refuses_values_of_lustre(place, network, lustre, code, words):
    told = refusal(place, persistent(network, **lustre))
    assert told[0] == code
    assert words in told[1]


@pytest.mark.parametrize(
    ("lustre", "words"),
    [
        ({"ThroughputCapacity": 6000}, "multiple of 4000"),
        ({"DataReadCacheConfiguration": None}, "DataReadCacheConfiguration is required"),
        (
            {
                "DataReadCacheConfiguration": {
                    "SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY",
                    "SizeGiB": 64,
                }
            },
            "SizeGiB",
        ),
        ({"DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED"}}, "between 32"),
        (
            {"DataReadCacheConfiguration": {"SizingMode": "USER_PROVISIONED", "SizeGiB": 16}},
            "between 32 and 131072",
        ),
        ({"MetadataConfiguration": None}, "MetadataConfiguration is required"),
        ({"MetadataConfiguration": {"Mode": "AUTOMATIC"}}, "AUTOMATIC"),
        ({"MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 1500}}, "6000, 12000"),
        ({"PerUnitStorageThroughput": 125}, "PerUnitStorageThroughput"),
    ],
)
def test_refuses_values_of_intelligent_tiering(place, network, lustre, words):
    assert words in refusal(place, tiered(network, **lustre))[1]


def test_intelligent_tiering_has_no_capacity(place, network):
    properties = tiered(network) | {"StorageCapacity": 2400}
    assert "StorageCapacity is not supported" in refusal(place, properties)[1]


@pytest.mark.parametrize(
    ("kind", "capacity", "accepted"),
    [
        ("SCRATCH_1", 3600, True),
        ("SCRATCH_1", 4800, False),
        ("SCRATCH_2", 1200, True),
        ("SCRATCH_2", 4800, True),
        ("SCRATCH_2", 1300, False),
    ],
)
def test_capacity_of_scratch_file_systems(place, network, kind, capacity, accepted):
    lustre = {"DeploymentType": kind, "PerUnitStorageThroughput": None}
    properties = persistent(network, **lustre) | {"StorageCapacity": capacity}
    if accepted:
        SYSTEM.create(place, properties)
    else:
        assert "storage capacity" in refusal(place, properties)[1]


@pytest.mark.parametrize(
    ("throughput", "capacity", "accepted"),
    [(12, 6000, True), (12, 1800, False), (40, 1800, True), (40, 2400, False)],
)
def test_capacity_of_disks(place, network, throughput, capacity, accepted):
    lustre = {
        "DeploymentType": "PERSISTENT_1",
        "PerUnitStorageThroughput": throughput,
        "DriveCacheType": "NONE",
    }
    properties = persistent(network, **lustre) | {"StorageType": "HDD", "StorageCapacity": capacity}
    if accepted:
        SYSTEM.create(place, properties)
    else:
        assert "storage capacity" in refusal(place, properties)[1]


def test_scratch_has_neither_a_key_nor_backups(place, network):
    lustre = {"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": None}
    properties = persistent(network, **lustre)
    assert "KmsKeyId" in refusal(place, properties | {"KmsKeyId": "1234abcd"})[1]
    properties = persistent(network, **lustre, AutomaticBackupRetentionDays=7)
    assert "Backups" in refusal(place, properties)[1]


def test_a_key_is_told_as_an_arn_and_read_back_as_written(place, network):
    written = persistent(network) | {"KmsKeyId": "1234abcd-12ab-34cd-56ef-1234567890ab"}
    made = SYSTEM.create(place, written)
    (told,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert told["KmsKeyId"].startswith("arn:aws:kms:us-east-2:")
    read = SYSTEM.read(place.clients, made.physical_id, written)
    assert read is not None
    assert read["KmsKeyId"] == written["KmsKeyId"]


def test_persistent_2_is_not_offered_everywhere():
    fsx_extension.install()
    with moto_place("sa-east-1") as place:
        vpc, subnet = subnet_of(place)
        network = {"SubnetIds": [subnet], "SecurityGroupIds": [group_of(place, vpc, *LUSTRE)]}
        assert "sa-east-1" in refusal(place, persistent(network))[1]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"ImportPath": "bucket/prefix"}, "InvalidImportPath"),
        ({"ImportPath": "s3://B"}, "InvalidImportPath"),
        ({"ImportPath": "s3://one/a", "ExportPath": "s3://two/a"}, "InvalidExportPath"),
        ({"ExportPath": "s3://one/a"}, "BadRequest"),
        ({"AutoImportPolicy": "NEW"}, "BadRequest"),
    ],
)
def test_refuses_import_paths(place, network, given, code):
    lustre = {"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": None, **given}
    assert refusal(place, persistent(network, **lustre))[0] == code


def test_an_import_path_is_read_back(place, network):
    given = {"ImportPath": "s3://example-corpus/a", "AutoImportPolicy": "NEW"}
    lustre = {"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": None, **given}
    written = persistent(network, **lustre)
    made = SYSTEM.create(place, written)
    told = SYSTEM.read(place.clients, made.physical_id, written)
    assert told is not None
    assert told["LustreConfiguration"] == written["LustreConfiguration"]


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ({"Level": "DISABLED", "Destination": "{group}/aws/fsx/a"}, "DISABLED"),
        ({"Level": "WARN_ONLY", "Destination": "{group}/other/a"}, "/aws/fsx prefix"),
        (
            {
                "Level": "WARN_ONLY",
                "Destination": "arn:aws:logs:us-west-2:111122223333:log-group:/aws/fsx/a",
            },
            "same partition, Region and account",
        ),
    ],
)
def test_refuses_log_destinations(place, network, log, words):
    group = f"arn:aws:logs:us-east-2:{place.account}:log-group:"
    log = {name: value.format(group=group) for name, value in log.items()}
    assert words in refusal(place, persistent(network, LogConfiguration=log))[1]


def test_refuses_a_log_group_that_is_missing(place, network):
    asked: list[tuple[str, str, str]] = []

    def exists(account: str, region: str, name: str) -> bool:
        asked.append((account, region, name))
        return name.endswith("present")

    group = f"arn:aws:logs:us-east-2:{place.account}:log-group:/aws/fsx/"
    fsx_extension.install(log_group_exists=exists)
    try:
        missing = {"Level": "WARN_ONLY", "Destination": f"{group}missing"}
        assert "does not exist" in refusal(place, persistent(network, LogConfiguration=missing))[1]
        present = {"Level": "WARN_ONLY", "Destination": f"{group}present:*"}
        SYSTEM.create(place, persistent(network, LogConfiguration=present))
    finally:
        fsx_extension.install()
    assert asked[-1] == (place.account, "us-east-2", "/aws/fsx/present")


def test_refuses_subnets_and_groups_that_are_missing(place, network):
    other = {"SubnetIds": ["subnet-0123456789abcdef0"]}
    assert refusal(place, persistent(network) | other)[0] == "InvalidNetworkSettings"
    other = {"SecurityGroupIds": ["sg-0123456789abcdef0"]}
    assert refusal(place, persistent(network) | other)[0] == "InvalidNetworkSettings"
    two = {"SubnetIds": network["SubnetIds"] * 2}
    assert "Exactly one subnet" in refusal(place, persistent(network) | two)[1]
    foreign = group_of(place, subnet_of(place, "10.9.0.0/16")[0], *LUSTRE)
    told = refusal(place, persistent(network) | {"SecurityGroupIds": [foreign]})
    assert told[0] == "InvalidNetworkSettings"


@pytest.mark.parametrize(
    ("rules", "port"), [((), 988), (LUSTRE[1:], 988), (LUSTRE[:1], 1018), (ALL, None)]
)
@pytest.mark.parametrize("outwards", [False, True], ids=["in", "both ways"])
def test_refuses_groups_that_do_not_open_lustres_ports(place, rules, port, outwards):
    vpc, subnet = subnet_of(place)
    group = group_of(place, vpc, *rules, outwards=outwards and bool(rules))
    properties = persistent({"SubnetIds": [subnet], "SecurityGroupIds": [group]})
    if port is None:
        SYSTEM.create(place, properties)
    else:
        code, words = refusal(place, properties)
        assert code == "InvalidNetworkSettings"
        assert words.endswith(f"Lustre LNET network traffic on port {port}")


def test_refuses_a_group_that_lets_nothing_out(place, network):
    (group,) = network["SecurityGroupIds"]
    everything = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
    place.clients("ec2").revoke_security_group_egress(GroupId=group, IpPermissions=everything)
    assert refusal(place, persistent(network))[0] == "InvalidNetworkSettings"


def test_rules_may_come_from_clients_or_from_the_subnets_block(place):
    vpc, subnet = subnet_of(place)
    clients = group_of(place, vpc)
    ec2 = place.clients("ec2")
    for peer in (
        {"UserIdGroupPairs": [{"GroupId": clients}]},
        {"IpRanges": [{"CidrIp": "10.0.0.0/16"}]},
    ):
        group = group_of(place, vpc)
        permissions = [{**rule, **peer} for rule in LUSTRE]
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=permissions)
        SYSTEM.create(place, persistent({"SubnetIds": [subnet], "SecurityGroupIds": [group]}))
    group = group_of(place, vpc)
    far = [{**rule, "IpRanges": [{"CidrIp": "172.16.0.0/16"}]} for rule in LUSTRE]
    ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=far)
    with pytest.raises(ClientError, match="port 988"):
        SYSTEM.create(place, persistent({"SubnetIds": [subnet], "SecurityGroupIds": [group]}))


@pytest.mark.parametrize("outwards", [False, True])
def test_efa_wants_all_traffic_with_itself_both_ways(place, outwards):
    vpc, subnet = subnet_of(place)
    group = group_of(place, vpc, *ALL, outwards=outwards)
    network = {"SubnetIds": [subnet], "SecurityGroupIds": [group]}
    properties = with_metadata(network, 3000, EfaEnabled=True)
    if outwards:
        SYSTEM.create(place, properties)
    else:
        assert "EFA" in refusal(place, properties)[1]


def test_refuses_a_subnet_without_enough_addresses(place):
    vpc, subnet = subnet_of(place, "10.0.0.0/28")
    network = {"SubnetIds": [subnet], "SecurityGroupIds": [group_of(place, vpc, *LUSTRE)]}
    properties = persistent(network) | {"StorageCapacity": 48_000}
    assert "free IP addresses" in refusal(place, properties)[1]


def test_capacity_and_throughput_change_in_place(place, network):
    old = persistent(network) | {"Tags": [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]}
    made = SYSTEM.create(place, old)
    new = persistent(network, PerUnitStorageThroughput=500, DataCompressionType="LZ4")
    new |= {"StorageCapacity": 7200, "Tags": [{"Key": "b", "Value": "3"}]}
    changed = SYSTEM.update(place, made, old, new)
    assert changed == made
    told = SYSTEM.read(place.clients, made.physical_id, new)
    assert told is not None
    assert {name: told[name] for name in new} == new
    (system,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert system["AdministrativeActions"][0]["Status"] == "COMPLETED"
    assert len(system["NetworkInterfaceIds"]) == 4


def test_everything_else_that_can_change_does(place, network):
    old = with_metadata(network, 3000)
    made = SYSTEM.create(place, old)
    new = with_metadata(
        network,
        6000,
        WeeklyMaintenanceStartTime="2:04:00",
        AutomaticBackupRetentionDays=7,
        DailyAutomaticBackupStartTime="05:00",
        LogConfiguration={"Level": "ERROR_ONLY"},
    )
    assert SYSTEM.update(place, made, old, new) == made
    told = SYSTEM.read(place.clients, made.physical_id, new)
    assert told is not None
    assert told["LustreConfiguration"] == new["LustreConfiguration"]


def test_intelligent_tiering_grows(place, network):
    old = tiered(network)
    made = SYSTEM.create(place, old)
    cache = {"SizingMode": "USER_PROVISIONED", "SizeGiB": 1000}
    new = tiered(network, ThroughputCapacity=8000, DataReadCacheConfiguration=cache)
    SYSTEM.update(place, made, old, new)
    told = SYSTEM.read(place.clients, made.physical_id, new)
    assert told is not None
    assert told["LustreConfiguration"] == new["LustreConfiguration"]
    with pytest.raises(ClientError, match="can only be increased"):
        SYSTEM.update(place, made, new, old)


def test_another_deployment_type_makes_another_file_system(place, network):
    old = persistent(network)
    made = SYSTEM.create(place, old)
    new = persistent(network, DeploymentType="PERSISTENT_1", PerUnitStorageThroughput=100)
    assert SYSTEM.update(place, made, old, new).physical_id != made.physical_id


def test_what_nothing_can_change_is_refused(place, network):
    old = persistent(network)
    made = SYSTEM.create(place, old)
    new = persistent(network, EfaEnabled=True)
    with pytest.raises(Refused, match="EfaEnabled"):
        SYSTEM.update(place, made, old, new)


@pytest.mark.parametrize(
    ("before", "change", "lustre", "words"),
    [
        ({}, {"StorageCapacity": 2400}, {}, "must be greater"),
        ({}, {"StorageCapacity": 1200}, {}, "must be greater"),
        ({}, {"StorageCapacity": 3600}, {}, "multiple of 2400"),
        ({}, {"StorageType": "HDD"}, {}, "storage type"),
        ({}, {"FileSystemTypeVersion": "2.10"}, {}, "newer"),
        ({}, {}, {"PerUnitStorageThroughput": 300}, "PerUnitStorageThroughput 300"),
        ({}, {}, {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}, "cannot be added"),
        ({}, {}, {"AutoImportPolicy": "NEW"}, "import path"),
        ({"iops": 6000}, {}, {"MetadataConfiguration": {"Iops": 3000}}, "decreased"),
        ({"iops": 6000}, {}, {"MetadataConfiguration": {"Mode": "AUTOMATIC"}}, "decreased"),
        (
            {"iops": 3000},
            {"StorageCapacity": 4800},
            {"MetadataConfiguration": {"Iops": 6000}},
            "concurrently",
        ),
        ({"iops": 3000}, {"StorageCapacity": 4800}, {}, "at least 6000"),
    ],
)
def test_refuses_changes(place, network, before, change, lustre, words):
    start = with_metadata(network, before["iops"]) if before else persistent(network)
    made = SYSTEM.create(place, start)
    fsx = place.clients("fsx")
    was = fsx.describe_file_systems()["FileSystems"]
    with pytest.raises(ClientError, match=words):
        fsx.update_file_system(
            FileSystemId=made.physical_id, **change, LustreConfiguration=lustre or {}
        )
    assert fsx.describe_file_systems()["FileSystems"] == was


def test_the_throughput_of_an_efa_file_system_stays(place):
    vpc, subnet = subnet_of(place)
    group = group_of(place, vpc, *ALL, outwards=True)
    network = {"SubnetIds": [subnet], "SecurityGroupIds": [group]}
    old = with_metadata(network, 3000, EfaEnabled=True)
    made = SYSTEM.create(place, old)
    new = with_metadata(network, 3000, EfaEnabled=True, PerUnitStorageThroughput=500)
    with pytest.raises(ClientError, match="EFA-enabled"):
        SYSTEM.update(place, made, old, new)


def test_metadata_switches_to_automatic_where_it_equals_it(place, network):
    old = with_metadata(network, 3000)
    made = SYSTEM.create(place, old)
    new = persistent(network, MetadataConfiguration={"Mode": "AUTOMATIC"})
    SYSTEM.update(place, made, old, new)
    grown = new | {"StorageCapacity": 9600}
    SYSTEM.update(place, made, new, grown)
    (system,) = place.clients("fsx").describe_file_systems()["FileSystems"]
    assert system["LustreConfiguration"]["MetadataConfiguration"]["Iops"] == 6000


def test_deletion_leaves_nothing_and_may_be_repeated(place, network):
    made = SYSTEM.create(place, persistent(network))
    link = LINK.create(place, _link(made.physical_id))
    SYSTEM.delete(place, made.physical_id, {})
    SYSTEM.delete(place, made.physical_id, {})
    assert SYSTEM.read(place.clients, made.physical_id, {}) is None
    assert LINK.read(place.clients, link.physical_id, {}) is None
    assert place.clients("ec2").describe_network_interfaces()["NetworkInterfaces"] == []


def test_a_repeated_request_makes_one_file_system(place, network):
    fsx = place.clients("fsx")
    request = persistent(network) | {"ClientRequestToken": "once"}
    first = fsx.create_file_system(**request)["FileSystem"]["FileSystemId"]
    assert fsx.create_file_system(**request)["FileSystem"]["FileSystemId"] == first
    with pytest.raises(ClientError, match="other parameters"):
        fsx.create_file_system(**{**request, "StorageCapacity": 4800})


def test_a_backup_cannot_be_restored_here(place, network):
    with pytest.raises(Refused, match="backup"):
        SYSTEM.create(place, persistent(network) | {"BackupId": "backup-12345678"})


def _link(file_system_id: str, **change: Any) -> dict[str, Any]:
    return {
        "FileSystemId": file_system_id,
        "FileSystemPath": "/data",
        "DataRepositoryPath": "s3://example-corpus/pretrain",
        **change,
    }


@pytest.mark.parametrize("properties", resources_of("AWS::FSx::DataRepositoryAssociation"))
def test_every_association_of_the_examples_is_read_back_as_written(place, network, properties):
    system = SYSTEM.create(place, persistent(network)).physical_id
    written = resolved(properties, lambda name: system if "fsx" in name else "example-bucket")
    made = LINK.create(place, written)
    assert made.attributes["ResourceARN"].endswith(f":association/{system}/{made.physical_id}")
    told = LINK.read(place.clients, made.physical_id, written)
    assert told is not None
    assert {name: told[name] for name in written} == written
    fsx = place.clients("fsx")
    of_system = [{"Name": "file-system-id", "Values": [system]}]
    answer = fsx.describe_data_repository_associations(Filters=of_system)
    assert [one["AssociationId"] for one in answer["Associations"]] == [made.physical_id]
    LINK.delete(place, made.physical_id, written)
    LINK.delete(place, made.physical_id, written)
    assert LINK.read(place.clients, made.physical_id, written) is None


def test_policies_of_an_association_change_in_place(place, network):
    system = SYSTEM.create(place, persistent(network)).physical_id
    policy = {"AutoImportPolicy": {"Events": ["NEW"]}}
    old = _link(system, S3=policy, Tags=[{"Key": "a", "Value": "1"}])
    made = LINK.create(place, old)
    new = _link(
        system,
        S3={"AutoExportPolicy": {"Events": ["CHANGED", "NEW"]}},
        ImportedFileChunkSize="2048",
        Tags=[{"Key": "b", "Value": "2"}],
    )
    assert LINK.update(place, made, old, new) == made
    told = LINK.read(place.clients, made.physical_id, new)
    assert told is not None
    assert {name: told[name] for name in new} == new
    answer = place.clients("fsx").describe_data_repository_associations()
    assert answer["Associations"][0]["S3"]["AutoImportPolicy"] == {"Events": []}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"FileSystemPath": "/data/deeper"}, "overlaps with /data"),
        ({"FileSystemPath": "/data/"}, "overlaps with /data"),
        ({"FileSystemPath": "/"}, "overlaps with /data"),
        ({"FileSystemPath": "other"}, "forward slash"),
        ({"FileSystemPath": "/b"}, "data repository path"),
        ({"FileSystemPath": "/b", "DataRepositoryPath": "s3://example-corpus"}, "overlaps"),
        ({"FileSystemPath": "/b", "DataRepositoryPath": "nfs://example"}, "Amazon S3"),
        ({"FileSystemId": "fs-0123456789abcdef0"}, "does not exist"),
    ],
)
def test_refuses_associations(place, network, change, words):
    system = SYSTEM.create(place, persistent(network)).physical_id
    LINK.create(place, _link(system))
    with pytest.raises(ClientError, match=words):
        LINK.create(place, _link(system, **change))
    # Neighbours with a common beginning do not overlap.
    beside = {"FileSystemPath": "/data2", "DataRepositoryPath": "s3://example-corpus/pretrain2"}
    LINK.create(place, _link(system, **beside))


def test_refuses_a_ninth_association(place, network):
    system = SYSTEM.create(place, persistent(network)).physical_id
    for number in range(8):
        paths = {"FileSystemPath": f"/{number}", "DataRepositoryPath": f"s3://example-{number}"}
        LINK.create(place, _link(system, **paths))
    with pytest.raises(ClientError, match="at most 8"):
        LINK.create(place, _link(system))


@pytest.mark.parametrize(
    ("lustre", "words"),
    [
        ({"DeploymentType": "SCRATCH_1", "PerUnitStorageThroughput": None}, "SCRATCH_1"),
        ({"DeploymentType": "SCRATCH_2", "PerUnitStorageThroughput": None}, "2.10"),
        ({"AutomaticBackupRetentionDays": 1}, "backups"),
    ],
)
def test_refuses_associations_of_some_file_systems(place, network, lustre, words):
    system = SYSTEM.create(place, persistent(network, **lustre)).physical_id
    with pytest.raises(ClientError, match=words):
        LINK.create(place, _link(system))


def test_a_linked_file_system_cannot_get_backups(place, network):
    old = persistent(network)
    made = SYSTEM.create(place, old)
    LINK.create(place, _link(made.physical_id))
    with pytest.raises(ClientError, match="Backups"):
        SYSTEM.update(place, made, old, persistent(network, AutomaticBackupRetentionDays=1))
