"""LustreFileSystem: what only some file systems have, and what each of it needs."""

from __future__ import annotations

import pytest
from aws_cdk import aws_kms as kms

from constructs_lib.storage import LustreFileSystem, LustreOptions
from trnkit.errors import ConstructError

KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
ELASTIC = {
    "storage_type": "INTELLIGENT_TIERING",
    "throughput_capacity_mbps": 4000,
    "metadata_mode": "USER_PROVISIONED",
    "metadata_iops": 6000,
}


@pytest.fixture
def make(stack, vpc, subnet):
    def file_system(options=None, **arguments):
        chosen = LustreOptions(**(options or {}))
        return LustreFileSystem(
            stack, "Lustre", vpc=vpc, subnet=subnet, options=chosen, **arguments
        )

    return file_system


@pytest.fixture
def properties(resources):
    def of_the_only_one():
        (file_system,) = resources("AWS::FSx::FileSystem").values()
        return file_system["Properties"]

    return of_the_only_one


def test_no_options_is_the_same_as_none(stack, vpc, subnet, resources):
    for name, options in (("One", None), ("Two", LustreOptions())):
        LustreFileSystem(
            stack, name, vpc=vpc, subnet=subnet, storage_capacity_gib=1200, options=options
        )
    one, two = resources("AWS::FSx::FileSystem").values()
    same = ("LustreConfiguration", "StorageType", "StorageCapacity")
    assert [one["Properties"][key] for key in same] == [two["Properties"][key] for key in same]


def test_6_2_intelligent_tiering_has_no_capacity_and_a_cache_in_proportion(make, properties):
    make(ELASTIC)
    found = properties()
    assert found["StorageType"] == "INTELLIGENT_TIERING"
    assert "StorageCapacity" not in found
    assert found["LustreConfiguration"] == {
        "DeploymentType": "PERSISTENT_2",
        "ThroughputCapacity": 4000,
        "DataReadCacheConfiguration": {"SizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"},
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
        "DataCompressionType": "LZ4",
    }


def test_6_2_a_cache_of_a_chosen_size(make, properties):
    make(
        {
            **ELASTIC,
            "data_read_cache_sizing_mode": "USER_PROVISIONED",
            "data_read_cache_size_gib": 16000,
        }
    )
    cache = properties()["LustreConfiguration"]["DataReadCacheConfiguration"]
    assert cache == {"SizingMode": "USER_PROVISIONED", "SizeGiB": 16000}


@pytest.mark.parametrize(
    ("chosen", "written"), [(None, "NONE"), ("NONE", "NONE"), ("READ", "READ")]
)
def test_6_1_disks_always_say_whether_they_have_a_drive_cache(make, properties, chosen, written):
    make(
        {"storage_type": "HDD", "drive_cache_type": chosen},
        deployment_type="PERSISTENT_1",
        storage_capacity_gib=6000,
    )
    configuration = properties()["LustreConfiguration"]
    assert configuration["DriveCacheType"] == written
    assert configuration["PerUnitStorageThroughput"] == 12


@pytest.mark.parametrize(
    ("kind", "capacity", "throughput"),
    [("SCRATCH_1", 3600, None), ("SCRATCH_2", 4800, None), ("PERSISTENT_1", 4800, 50)],
)
def test_fsx_03_other_types_on_ssd(make, properties, kind, capacity, throughput):
    make(deployment_type=kind, storage_capacity_gib=capacity)
    configuration = properties()["LustreConfiguration"]
    assert configuration.get("PerUnitStorageThroughput") == throughput
    assert "DriveCacheType" not in configuration
    assert "MetadataConfiguration" not in configuration


def efa(**more):
    return {"efa_enabled": True, "metadata_mode": "AUTOMATIC", **more}


@pytest.mark.parametrize(
    ("throughput", "capacity", "valid"),
    [
        *[(125, 38400, True), (250, 19200, True), (500, 9600, True), (1000, 4800, True)],
        *[(None, 38400, True), (1000, 9600, True)],
        *[(125, 19200, False), (250, 4800, False), (500, 4800, False), (1000, 2400, False)],
    ],
)
def test_fsx_12_capacity_by_throughput(make, properties, throughput, capacity, valid):
    arguments = {"storage_capacity_gib": capacity, "per_unit_storage_throughput": throughput}
    if not valid:
        with pytest.raises(ConstructError, match=f"with EFA comes in, got {capacity}; take"):
            make(efa(), **arguments)
        return
    make(efa(), **arguments)
    configuration = properties()["LustreConfiguration"]
    assert configuration["EfaEnabled"] is True
    assert configuration["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}


def test_fsx_12_all_traffic_both_ways_by_reference_before_the_file_system(
    make, security_group, resources
):
    made = make(efa(), storage_capacity_gib=4800, per_unit_storage_throughput=1000)
    made.allow_clients("Nodes", security_group)
    everything = resources()
    (own,) = (k for k, r in everything.items() if r["Type"] == "AWS::EC2::SecurityGroup")
    servers, clients = {"Fn::GetAtt": [own, "GroupId"]}, "sg-0123456789abcdef0"
    pairs = {"AWS::EC2::SecurityGroupIngress": [], "AWS::EC2::SecurityGroupEgress": []}
    rules = {k: r for k, r in everything.items() if r["Type"] in pairs}
    for resource in rules.values():
        rule = resource["Properties"]
        assert rule["IpProtocol"] == "-1"
        assert not {"CidrIp", "FromPort", "ToPort"} & set(rule)
        peer = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
        pairs[resource["Type"]].append((rule["GroupId"], peer))
    for found in pairs.values():
        assert len(found) == 3
        for pair in ((servers, servers), (servers, clients), (clients, servers)):
            assert pair in found
    (file_system,) = (r for r in everything.values() if r["Type"] == "AWS::FSx::FileSystem")
    assert set(file_system["DependsOn"]) == set(rules)


def test_fsx_10_a_key_and_the_times(make, stack, properties):
    make(
        {
            "weekly_maintenance_start_time": "7:03:00",
            "daily_automatic_backup_start_time": "05:00",
        },
        storage_capacity_gib=1200,
        automatic_backup_retention_days=90,
        kms_key=kms.Key.from_key_arn(stack, "Key", KEY),
    )
    found = properties()
    assert found["KmsKeyId"] == KEY
    configuration = found["LustreConfiguration"]
    assert configuration["WeeklyMaintenanceStartTime"] == "7:03:00"
    assert configuration["DailyAutomaticBackupStartTime"] == "05:00"
    assert configuration["AutomaticBackupRetentionDays"] == 90
    assert configuration["CopyTagsToBackups"] is True


def test_logs_go_to_a_group_of_its_own_that_is_kept(make, resources):
    make({"log_level": "WARN_ERROR"}, storage_capacity_gib=1200)
    everything = resources()
    ((name, group),) = ((k, r) for k, r in everything.items() if r["Type"] == "AWS::Logs::LogGroup")
    assert group["DeletionPolicy"] == "RetainExceptOnCreate"
    assert group["UpdateReplacePolicy"] == "Retain"
    assert group["Properties"]["RetentionInDays"] == 365
    first, unique = group["Properties"]["LogGroupName"]["Fn::Join"][1]
    assert first.startswith("/aws/fsx/lustre/")
    assert "AWS::StackId" in str(unique)
    (file_system,) = (r for r in everything.values() if r["Type"] == "AWS::FSx::FileSystem")
    log = file_system["Properties"]["LustreConfiguration"]["LogConfiguration"]
    assert log["Level"] == "WARN_ERROR"
    parts = log["Destination"]["Fn::Join"][1]
    assert parts[0] == "arn:aws:logs:us-east-2:"
    assert parts[-2:] == [":log-group:", {"Ref": name}], "FSx takes no `:*` at the end"


def test_logs_go_to_a_group_that_exists(make, resources):
    arn = "arn:aws:logs:us-east-2:111122223333:log-group:/aws/fsx/shared"
    make({"log_level": "ERROR_ONLY", "log_group_arn": arn}, storage_capacity_gib=1200)
    everything = resources()
    assert not [r for r in everything.values() if r["Type"] == "AWS::Logs::LogGroup"]
    (file_system,) = (r for r in everything.values() if r["Type"] == "AWS::FSx::FileSystem")
    log = file_system["Properties"]["LustreConfiguration"]["LogConfiguration"]
    assert log == {"Level": "ERROR_ONLY", "Destination": arn}


@pytest.mark.parametrize(
    ("copied", "days", "written"),
    [
        *[(None, None, None), (None, 7, True), (True, None, True), (True, 7, True)],
        *[(False, None, None), (False, 7, None)],
    ],
)
def test_fsx_17_tags_on_backups(make, properties, copied, days, written):
    make(
        {"copy_tags_to_backups": copied},
        storage_capacity_gib=1200,
        automatic_backup_retention_days=days,
    )
    assert properties()["LustreConfiguration"].get("CopyTagsToBackups") is written


P1 = {"deployment_type": "PERSISTENT_1", "storage_capacity_gib": 4800}
P2 = {"storage_capacity_gib": 4800}
S2 = {"deployment_type": "SCRATCH_2", "storage_capacity_gib": 4800}
IT = {"storage_type": "INTELLIGENT_TIERING"}


@pytest.mark.parametrize(
    ("options", "arguments", "message"),
    [
        pytest.param(
            {"storage_type": "HDD"}, P2, "storage_type must be SSD or INTELLIGENT", id="HDD"
        ),
        pytest.param(IT, S2, "storage_type must be SSD for SCRATCH_2", id="elastic scratch"),
        pytest.param({}, {}, "storage_capacity_gib is missing", id="FSX-01 no size"),
        pytest.param(ELASTIC, P2, "storage_capacity_gib is given, but PERSISTENT_2", id="6.2 size"),
        pytest.param(
            {**ELASTIC, "throughput_capacity_mbps": 5000}, {}, "take 4000 or 8000", id="6.2 5000"
        ),
        pytest.param(
            {**ELASTIC, "throughput_capacity_mbps": None},
            {},
            "throughput_capacity_mbps is missing",
            id="6.2 no throughput",
        ),
        pytest.param(
            {**ELASTIC, "metadata_mode": None, "metadata_iops": None},
            {},
            "metadata_mode is missing; PERSISTENT_2 INTELLIGENT_TIERING needs one",
            id="6.2 no metadata",
        ),
        pytest.param(
            {**ELASTIC, "data_read_cache_size_gib": 32},
            {},
            "data_read_cache_size_gib is 32, but the sizing mode",
            id="6.2 cache size without mode",
        ),
        pytest.param(
            {"data_read_cache_sizing_mode": "NO_CACHE"}, P2, "has no read cache", id="6.2 SSD cache"
        ),
        pytest.param(
            {"throughput_capacity_mbps": 4000}, P2, "is 4000, but PERSISTENT_2 SSD", id="6.2 SSD"
        ),
        pytest.param({"drive_cache_type": "READ"}, P2, "has no drive cache", id="6.1 drive cache"),
        pytest.param(
            {"metadata_mode": "AUTOMATIC"}, S2, "SCRATCH_2 SSD has none", id="FSX-13 scratch"
        ),
        pytest.param(
            {"metadata_mode": "AUTOMATIC"},
            {**P2, "file_system_type_version": "2.12"},
            "must be 2.15 with a metadata configuration",
            id="FSX-16 version",
        ),
        pytest.param(
            {"metadata_mode": "USER_PROVISIONED", "metadata_iops": 7000},
            P2,
            "take 6000 or 12000",
            id="FSX-13 IOPS",
        ),
        pytest.param(
            {"metadata_iops": 6000}, P2, "metadata_iops needs USER_PROVISIONED", id="FSX-13 no mode"
        ),
        pytest.param(efa(), P1, "PERSISTENT_1 SSD has none", id="FSX-12 P1"),
        pytest.param({"efa_enabled": True}, P1, "has no EFA", id="FSX-12 P1 without metadata"),
        pytest.param({"efa_enabled": True}, S2, "has no EFA", id="FSX-12 scratch"),
        pytest.param(
            {"efa_enabled": True},
            {"storage_capacity_gib": 38400},
            "efa_enabled needs it; take AUTOMATIC",
            id="FSX-12 no metadata",
        ),
        pytest.param(
            {"log_group_arn": "arn:aws:logs:us-east-2:111122223333:log-group:/aws/fsx/x"},
            P2,
            "log_group_arn needs it",
            id="log without level",
        ),
    ],
)
def test_fails_before_anything_is_made(stack, make, options, arguments, message):
    with pytest.raises(ConstructError, match=message):
        make(options, **arguments)
    assert not stack.node.find_child("Lustre").node.children


def test_a_key_is_refused_for_scratch(stack, make):
    with pytest.raises(ConstructError, match="kms_key must be left out for SCRATCH_2"):
        make(kms_key=kms.Key.from_key_arn(stack, "Key", KEY), **S2)


@pytest.mark.parametrize(
    "time", ["", "0:03:00", "8:03:00", "7:24:00", "7:3:00", "7:03:60", "07:03:00"]
)
def test_a_week_has_seven_days(time):
    with pytest.raises(
        ConstructError,
        match=r"weekly_maintenance_start_time must (be a time as d:HH:MM|not be empty)",
    ):
        LustreOptions(weekly_maintenance_start_time=time)


@pytest.mark.parametrize("time", ["", "24:00", "5:00", "05:60", "0500", "05:00:00"])
def test_a_day_has_24_hours(time):
    with pytest.raises(
        ConstructError,
        match=r"daily_automatic_backup_start_time must (be a time as HH:MM|not be empty)",
    ):
        LustreOptions(daily_automatic_backup_start_time=time)
