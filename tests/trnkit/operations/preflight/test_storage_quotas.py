"""Quotas of FSx and EFS: by deployment type, to the GiB, and what is there already."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import OWN, Refusal
from tests.trnkit.operations.preflight.situations import answers
from tests.trnkit.operations.preflight.situations.fsx_quotas import no_file_system

AMPLE = 10_000_000.0
PERSISTENT_2, PERSISTENT_1, SCRATCH = "L-8F1B9C74", "L-C8640C82", "L-AD2FC696"
NUMBER_2, NUMBER_1, NUMBER_SCRATCH = "L-FD6F2F22", "L-9AFA1F09", "L-C48231E5"
HDD, THROUGHPUT, CACHE = "L-736F3D6F", "L-0CD18A5D", "L-B7391FCE"
PLACE = {
    "FileSystemId": "fs-0123456789abcdef0",
    "FileSystemType": "LUSTRE",
    "Lifecycle": "AVAILABLE",
}
NOBODY = [{"Key": "team", "Value": "research"}]
TIERED = {
    "storage_type": "INTELLIGENT_TIERING",
    "storage_capacity_gib": None,
    "throughput_capacity_mbps": 4000,
    "metadata_configuration": {"mode": "USER_PROVISIONED", "iops": 6000},
    "data_read_cache": {"sizing_mode": "USER_PROVISIONED", "size_gib": 16_000},
}


@pytest.fixture
def ask(ask):
    """Ask an account that has no file system."""
    told = answers() | {"fsx.DescribeFileSystems": no_file_system}

    def run(name, cluster, **changes):
        return ask(name, cluster, told, **changes)

    run.sessions = ask.sessions
    return run


def limited(code, value):
    """Ample quotas, but for this one."""

    def answer(told, region):
        return {"Quota": {"Value": float(value) if told["QuotaCode"] == code else AMPLE}}

    return {"GetServiceQuota": answer}


def wanting(*systems):
    each = {"storage_capacity_gib": 4800}
    listed = [
        {"name": f"data-{i}", "mount_path": f"/fsx{i}"} | each | system
        for i, system in enumerate(systems or [{}])
    ]
    return make_cluster(storage={"lustre_file_systems": listed})


def there(*systems):
    return {"fsx.DescribeFileSystems": {"FileSystems": [PLACE | system for system in systems]}}


def lustre(deployment="PERSISTENT_2", gib=2400, storage="SSD", tags=NOBODY, **more):
    return {
        "StorageCapacity": gib,
        "StorageType": storage,
        "Tags": list(tags),
        "LustreConfiguration": {"DeploymentType": deployment},
    } | more


def tiered(mbps=4000, mode="USER_PROVISIONED", gib=1000, tags=NOBODY, **more):
    return {
        "StorageType": "INTELLIGENT_TIERING",
        "Tags": list(tags),
        "LustreConfiguration": {
            "DeploymentType": "PERSISTENT_2",
            "ThroughputCapacity": mbps,
            "DataReadCacheConfiguration": {"SizingMode": mode, "SizeGiB": gib},
        },
    } | more


ONE = [{}]
# What the file asks for, what there is, the quota, and how much of it is needed then.
SITUATIONS = {
    "the first": (ONE, [], PERSISTENT_2, 4800),
    "two add up": ([{}, {"storage_capacity_gib": 2400}], [], PERSISTENT_2, 7200),
    "beside another": (ONE, [lustre()], PERSISTENT_2, 7200),
    "other types apart": (ONE, [lustre("PERSISTENT_1"), lustre("SCRATCH_2")], PERSISTENT_2, 4800),
    "its own": ([{"storage_capacity_gib": 7200}], [lustre(tags=OWN)], PERSISTENT_2, 7200),
    "its own and another": (
        [{"storage_capacity_gib": 4800}],
        [lustre(tags=OWN), lustre()],
        PERSISTENT_2,
        7200,
    ),
    "tiering has no capacity": (ONE, [tiered()], PERSISTENT_2, 4800),
    "kinds of FSx apart": (
        ONE,
        [{"FileSystemType": "OPENZFS", "StorageCapacity": 9000}],
        PERSISTENT_2,
        4800,
    ),
    "one that grows": (ONE, [lustre(Lifecycle="UPDATING")], PERSISTENT_2, 7200),
    "one that is made": (ONE, [lustre(Lifecycle="CREATING")], PERSISTENT_2, 7200),
    "the older kind": (
        [{"deployment_type": "PERSISTENT_1"}],
        [lustre("PERSISTENT_1")],
        PERSISTENT_1,
        7200,
    ),
    "scratch of both kinds": (
        [{"deployment_type": "SCRATCH_2"}],
        [lustre("SCRATCH_1", 3600), lustre("SCRATCH_2")],
        SCRATCH,
        4800 + 3600 + 2400,
    ),
    "number": (ONE, [lustre(), tiered()], NUMBER_2, 3),
    "number with its own": ([{}, {}], [lustre(tags=OWN), lustre()], NUMBER_2, 3),
    "number of the older kind": (
        [{"deployment_type": "PERSISTENT_1"}],
        [lustre(), lustre("PERSISTENT_1", 6000, "HDD")],
        NUMBER_1,
        2,
    ),
    "number of scratch": (
        [{"deployment_type": "SCRATCH_2"}],
        [lustre("SCRATCH_1"), lustre("SCRATCH_2")],
        NUMBER_SCRATCH,
        3,
    ),
    "throughput": ([TIERED], [tiered(8000), lustre()], THROUGHPUT, 12_000),
    "throughput of its own": (
        [TIERED | {"throughput_capacity_mbps": 8000}],
        [tiered(tags=OWN)],
        THROUGHPUT,
        8000,
    ),
    "read cache": ([TIERED], [tiered()], CACHE, 17_000),
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_exactly_met_passes_and_one_less_fails(name, ask):
    systems, exist, code, needed = SITUATIONS[name]
    cluster, told = wanting(*systems), there(*exist)
    enough = ask("fsx-quotas", cluster, **told, **limited(code, needed))
    assert enough.status == "ok", enough.results
    assert any(f"{needed} of {needed} with all else" in r.message for r in enough.results)
    short = ask("fsx-quotas", cluster, **told, **limited(code, needed - 1))
    (failed,) = [result for result in short.results if result.status != "ok"]
    assert failed.status == "fail"
    assert failed.message.endswith(": 1 too few")
    assert failed.path[:2] == ("storage", "lustre_file_systems")
    assert failed.command == (
        "aws service-quotas request-service-quota-increase --region us-east-2 --service-code fsx "
        f"--quota-code {code} --desired-value {needed}"
    )


DISKS = {
    "deployment_type": "PERSISTENT_1",
    "storage_type": "HDD",
    "storage_capacity_gib": 6000,
    "per_unit_storage_throughput": 12,
}


@pytest.mark.parametrize(
    ("system", "exist", "code", "certain", "perhaps", "why"),
    [
        (DISKS, [], PERSISTENT_1, 0, 6000, "6000 GiB (on HDD"),
        (
            DISKS,
            [lustre("PERSISTENT_1"), lustre("PERSISTENT_1", 12_000, "HDD")],
            PERSISTENT_1,
            2400,
            18_000,
            "on HDD",
        ),
        ({}, [lustre(Lifecycle="FAILED")], PERSISTENT_2, 4800, 2400, "failed or are being deleted"),
        ({}, [lustre(Lifecycle="DELETING")], NUMBER_2, 1, 1, "1 file system (failed or being del"),
        (
            TIERED,
            [tiered(mode="PROPORTIONAL_TO_THROUGHPUT_CAPACITY", gib=20_000)],
            CACHE,
            16_000,
            20_000,
            "20000 GiB (whose size FSx chose",
        ),
    ],
)
def test_what_may_not_count_is_a_warning_when_it_decides(
    system, exist, code, certain, perhaps, why, ask
):
    cluster, told = wanting(system), there(*exist)
    whole = certain + perhaps
    assert ask("fsx-quotas", cluster, **told, **limited(code, whole)).status == "ok"
    short = ask("fsx-quotas", cluster, **told, **limited(code, whole - 1))
    assert short.status == "warning"
    (warned,) = [result for result in short.results if result.status == "warning"]
    assert why in warned.message
    assert warned.command.endswith(f"--desired-value {whole}")
    assert ask("fsx-quotas", cluster, **told, **limited(code, certain)).status == "warning"
    if certain:
        assert ask("fsx-quotas", cluster, **told, **limited(code, certain - 1)).status == "fail"


@pytest.mark.parametrize(
    ("limit", "exist", "status"),
    [
        (6000, [], "ok"),
        (5999, [], "fail"),
        (5999, [lustre("PERSISTENT_1", 6000, "HDD", OWN)], "ok"),
        (5999, [lustre("PERSISTENT_1", 4200, "HDD", OWN)], "fail"),
        (5999, [lustre("PERSISTENT_1", 6000, "HDD")], "fail"),
        # It is of each file system, so that others take nothing of it.
        (6000, [lustre("PERSISTENT_1", 60_000, "HDD")], "ok"),
    ],
)
def test_one_file_system_on_disks_has_a_quota_of_its_own(limit, exist, status, ask):
    cluster, told = wanting({}, DISKS), there(*exist)
    done = ask("fsx-quotas", cluster, **told, **limited(HDD, limit))
    assert done.status == status
    result = done.results[-1]
    assert "file system data-1 has 6000 GiB on HDD" in result.message
    assert result.path == ("storage", "lustre_file_systems", 1, "storage_capacity_gib")


def test_an_update_without_changes_asks_for_no_quota(ask):
    told = there(lustre(gib=4800, tags=OWN))
    done = ask("fsx-quotas", wanting(), **told, GetServiceQuota=Refusal("InternalError"))
    assert [result.message for result in done.results] == [
        "the cluster has its 1 file system of PERSISTENT_2 already",
        "the cluster has its 4800 GiB on PERSISTENT_2 already",
    ]


def test_a_file_without_file_systems_asks_nothing(ask):
    assert ask("fsx-quotas", make_cluster()).status == "ok"
    assert ask.sessions[0].asked == []


def test_all_pages_of_file_systems_count(ask):
    pages = {
        None: {"FileSystems": [PLACE | lustre()], "NextToken": "second"},
        "second": {"FileSystems": [PLACE | lustre()]},
    }

    def answer(told, region):
        return pages[told.get("NextToken")]

    told = {"fsx.DescribeFileSystems": answer}
    done = ask("fsx-quotas", wanting(), **told, **limited(PERSISTENT_2, 4800 + 4799))
    assert done.status == "fail"


def test_half_of_the_pages_is_no_answer(ask):
    def answer(told, region):
        if "NextToken" in told:
            return Refusal("ThrottlingException", "Rate exceeded")
        return {"FileSystems": [PLACE | lustre()], "NextToken": "second"}

    done = ask("fsx-quotas", wanting(), **{"fsx.DescribeFileSystems": answer})
    assert [result.status for result in done.results] == ["unknown"]
    assert "was throttled" in done.results[0].message


def test_a_code_that_the_region_does_not_know_leaves_the_other_quotas_answered(ask):
    missing = Refusal("NoSuchResourceException")

    def answer(told, region):
        return missing if told["QuotaCode"] == CACHE else {"Quota": {"Value": AMPLE}}

    quotas = {"GetServiceQuota": answer, "GetAWSDefaultServiceQuota": missing}
    done = ask("fsx-quotas", wanting(TIERED), **quotas)
    assert [result.status for result in done.results] == ["ok", "ok", "unknown"]
    assert CACHE in done.results[-1].message


def test_a_file_system_on_hdd_that_is_there_is_not_compared_with_the_quota(ask):
    there = lustre("PERSISTENT_1", 6000, "HDD", OWN)
    told = {"fsx.DescribeFileSystems": {"FileSystems": [PLACE | there]}}
    done = ask("fsx-quotas", wanting(DISKS), **told, GetServiceQuota=Refusal("InternalError"))
    assert "file system data-0 has 6000 GiB on HDD already" in [r.message for r in done.results]


HOME = {"home_file_system": {}}


@pytest.mark.parametrize(
    ("exist", "needed"), [([], 1), ([{}], 2), ([{}, {"Tags": OWN}], None), ([{"Tags": OWN}], None)]
)
def test_home_folders(exist, needed, ask):
    each = {
        "OwnerId": "111122223333",
        "CreationToken": "x",
        "FileSystemId": "fs-0123456789abcdef0",
        "CreationTime": 0,
        "LifeCycleState": "available",
        "NumberOfMountTargets": 1,
        "SizeInBytes": {"Value": 6144},
        "PerformanceMode": "generalPurpose",
        "Tags": [],
    }
    cluster = make_cluster(storage=HOME)
    told = {"efs.DescribeFileSystems": {"FileSystems": [each | system for system in exist]}}
    if needed is None:
        done = ask("efs-quota", cluster, **told, GetServiceQuota=Refusal("InternalError"))
        assert done.results[0].message == "the cluster has its 1 file system of EFS already"
        return
    code = "L-848C634D"
    assert ask("efs-quota", cluster, **told, **limited(code, needed)).status == "ok"
    (short,) = ask("efs-quota", cluster, **told, **limited(code, needed - 1)).results
    assert (short.status, short.path) == ("fail", ("storage", "home_file_system"))
    assert "--service-code elasticfilesystem --quota-code L-848C634D" in short.command


def test_a_file_without_home_folders_asks_nothing(ask):
    assert ask("efs-quota", make_cluster()).status == "ok"
    assert ask.sessions[0].asked == []
