"""Volumes, Lustre, homes and buckets against arithmetic that was done by hand."""

import pytest

from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, lines_of
from trnkit.layout.cost.lines import Money

EXISTING = {
    "vpc_id": "vpc-0123456789abcdef0",
    "compute_subnet_id": "subnet-0123456789abcdef0",
    "availability_zone_id": "usw2-az4",
}


def volumes(cluster, **assumptions):
    return {
        key.removeprefix("node volumes/train/"): line.monthly.low
        for key, line in lines_of(cluster, **assumptions).items()
        if line.component == "node volumes"
    }


def with_lustre(**keys):
    system = {"name": "fsx", "storage_capacity_gib": 1200, **keys}
    return a_cluster(storage={"lustre_file_systems": [system]})


def lustre(cluster, **assumptions):
    return {
        key.removeprefix("lustre/fsx/"): line.monthly.low
        for key, line in lines_of(cluster, **assumptions).items()
        if line.component == "lustre" and not line.not_told
    }


def test_the_gp3_volume_of_awss_own_example():
    # AWS prices 2,000 GB with 10,000 IOPS and 500 MB/s for 12 hours of a month of 30 days:
    # (2,000 x $0.08 + 7,000 x $0.005 + 375 x $0.04) x 12 / 720
    #   = ($160 + $35 + $15) / 60 = $2.6667 + $0.5833 + $0.25 = $3.50.
    root = {"iops": 10000, "throughput_mibps": 500}
    cluster = a_cluster(a_group(count=1, root_volume_size_gib=2000, root_volume=root))
    twelve_hours = volumes(cluster, hours_per_month=730 * 12 / 720)
    assert twelve_hours["root/storage"] == pytest.approx(160 / 60)
    assert twelve_hours["root/IOPS"] == pytest.approx(35 / 60)
    assert twelve_hours["root/throughput"] == pytest.approx(15 / 60)
    assert sum(twelve_hours.values()) == pytest.approx(3.50)


@pytest.mark.parametrize(
    ("iops", "throughput", "expected"),
    [
        (None, None, {}),
        (3000, 125, {}),
        (3001, 126, {"root/IOPS": 0.005, "root/throughput": 0.04}),
        (16000, 1000, {"root/IOPS": 65.0, "root/throughput": 35.0}),
    ],
)
def test_three_thousand_iops_and_125_mibs_are_included(iops, throughput, expected):
    root = {"iops": iops, "throughput_mibps": throughput}
    found = volumes(a_cluster(a_group(count=1, root_volume=root)))
    assert found.pop("root/storage") == pytest.approx(512 * 0.08)
    assert found == pytest.approx(expected)


def test_each_node_has_every_further_volume():
    # 3 nodes x 1,000 GB x $0.08 = $240.00; 3 x 1,000 IOPS x $0.005 = $15.00.
    more = [{"device_name": "/dev/sdf", "size_gib": 1000, "iops": 4000}]
    found = volumes(a_cluster(a_group(count=3, additional_volumes=more)))
    assert found["/dev/sdf/storage"] == pytest.approx(240.0)
    assert found["/dev/sdf/IOPS"] == pytest.approx(15.0)


@pytest.mark.parametrize(
    ("keys", "monthly"),
    [
        # AWS's example of a scratch file system: 1,200 GB x $0.14 = $168.00 a month.
        ({"deployment_type": "SCRATCH_2"}, 168.0),
        # 4,800 GB x $0.145 = $696.00.
        ({"storage_capacity_gib": 4800}, 696.0),
        ({"storage_capacity_gib": 4800, "per_unit_storage_throughput": 125}, 696.0),
        # 2,400 GB x $0.34 = $816.00.
        ({"storage_capacity_gib": 2400, "per_unit_storage_throughput": 500}, 816.0),
        # 1,200 GB x $0.13 = $156.00.
        ({"deployment_type": "PERSISTENT_1", "per_unit_storage_throughput": 50}, 156.0),
        # 6,000 GB x $0.025 = $150.00.
        (
            {
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "storage_capacity_gib": 6000,
                "per_unit_storage_throughput": 12,
            },
            150.0,
        ),
        # 1,800 GB x $0.10, cache included, = $180.00.
        (
            {
                "deployment_type": "PERSISTENT_1",
                "storage_type": "HDD",
                "storage_capacity_gib": 1800,
                "per_unit_storage_throughput": 40,
                "drive_cache_type": "READ",
            },
            180.0,
        ),
    ],
)
def test_storage_is_billed_by_deployment_type_and_tier(keys, monthly):
    assert lustre(with_lustre(**keys)) == pytest.approx({"storage": monthly})


@pytest.mark.parametrize(
    ("capacity", "metadata", "above"),
    [
        (1200, {"mode": "AUTOMATIC"}, None),
        (1200, {"mode": "USER_PROVISIONED", "iops": 1500}, None),
        (1200, {"mode": "USER_PROVISIONED", "iops": 3000}, 1500),
        (4800, {"mode": "USER_PROVISIONED", "iops": 6000}, None),
        (4800, {"mode": "USER_PROVISIONED", "iops": 12000}, 6000),
        (9600, {"mode": "USER_PROVISIONED", "iops": 12000}, 6000),
        (12000, {"mode": "USER_PROVISIONED", "iops": 12000}, None),
        (48000, {"mode": "USER_PROVISIONED", "iops": 24000}, None),
        (48000, {"mode": "USER_PROVISIONED", "iops": 36000}, 12000),
        (48000, {"mode": "USER_PROVISIONED", "iops": 12000}, None),
    ],
)
def test_metadata_iops_that_the_capacity_includes_are_not_billed(capacity, metadata, above):
    # 1,200 GiB include 1,500 IOPS, 4,800 to 9,600 GiB 6,000, 12,000 GiB 12,000; above, $0.055 each.
    found = lustre(with_lustre(storage_capacity_gib=capacity, metadata_configuration=metadata))
    assert found.get("metadata") == (None if above is None else pytest.approx(above * 0.055))


def tiering(**keys):
    system = {
        "name": "fsx",
        "storage_type": "INTELLIGENT_TIERING",
        "throughput_capacity_mbps": 4000,
        "metadata_configuration": {"mode": "USER_PROVISIONED", "iops": 6000},
        **keys,
    }
    return a_cluster(storage={"lustre_file_systems": [system]})


def test_intelligent_tiering_bills_throughput_metadata_cache_and_use():
    # 4,000 MB/s x $0.50 = $2,000.00; 6,000 IOPS x $0.05 = $300.00; 8,000 GB x $0.10 = $800.00;
    # 50,000 GB x $0.02 = $1,000.00, and x $0.001 = $50.00; a million writes x $0.000005 = $5.00, a
    # million reads x $0.0000004 = $0.40.
    cache = {"sizing_mode": "USER_PROVISIONED", "size_gib": 8000}
    found = lustre(
        tiering(data_read_cache=cache), tiering_gb=50_000, tiering_reads=1e6, tiering_writes=1e6
    )
    assert found == pytest.approx(
        {
            "throughput": 2000.0,
            "metadata": 300.0,
            "read cache": 800.0,
            "stored data": 1000.0,
            "moving between classes": 50.0,
            "reads": 0.4,
            "writes": 5.0,
        }
    )


def test_a_cache_that_fsx_sizes_costs_between_the_smallest_and_the_largest():
    # At 4,000 MB/s, 32 to 131,072 GB: x $0.10 = $3.20 to $13,107.20.
    line = lines_of(tiering())["lustre/fsx/read cache"]
    assert (line.monthly.low, line.monthly.high) == pytest.approx((3.2, 13_107.2))


def test_no_cache_is_no_line():
    cache = {"sizing_mode": "NO_CACHE"}
    assert "lustre/fsx/read cache" not in lines_of(tiering(data_read_cache=cache))


def test_backups_cost_by_what_is_told_to_be_in_them():
    backed_up = with_lustre(automatic_backup_retention_days=7)
    line = lines_of(backed_up)["lustre/fsx/backups"]
    assert (line.monthly, line.not_told) == (Money(0.0, 0.0), True)
    assert line.assumption == "nobody told how much: counted as none"
    # 500 GB x $0.05 = $25.00.
    assert lines_of(backed_up, lustre_backup_gb=500)["lustre/fsx/backups"].monthly.low == 25.0
    assert "lustre/fsx/backups" not in lines_of(with_lustre())


def test_a_file_system_that_exists_already_is_not_this_clusters_cost():
    theirs = {
        "name": "corpus",
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "mount_path": "/corpus",
        "security_group_id": "sg-0123456789abcdef0",
    }
    found = lines_of(a_cluster(storage={"existing_lustre_file_systems": [theirs]}))
    assert not [line for line in found.values() if line.component == "lustre"]


def test_homes_and_buckets_cost_by_use():
    # Homes: 100 x $0.30 + 50 x $0.03 + 20 x $0.06 + 40 x $0.05 = $30 + $1.50 + $1.20 + $2.
    # Bucket: 10,000 x $0.023 + 1,000,000 x $0.000005 + 2,000,000 x $0.0000004 = $230 + $5 + $0.80.
    cluster = a_cluster(storage={"home_file_system": {}, "checkpoint_bucket": {}})
    found = lines_of(
        cluster,
        home_gb=100,
        home_read_gb=50,
        home_write_gb=20,
        home_backup_gb=40,
        s3_gb=10_000,
        s3_writes=1e6,
        s3_reads=2e6,
    )
    by_component = {
        component: sum(line.monthly.low for line in found.values() if line.component == component)
        for component in ("home", "bucket")
    }
    assert by_component == pytest.approx({"home": 34.7, "bucket": 235.8})


def test_homes_without_backups_have_no_line_for_them():
    cluster = a_cluster(storage={"home_file_system": {"backup": False}})
    assert "home/backups" not in lines_of(cluster)
    assert "home/stored data" in lines_of(cluster)


def test_what_moves_to_a_cheaper_class_is_counted_in_the_dearer_one_and_said():
    cluster = a_cluster(storage={"home_file_system": {"transition_to_ia_days": 30}})
    assert "cheaper" in lines_of(cluster, home_gb=1)["home/stored data"].assumption
    stays = a_cluster(storage={"home_file_system": {"transition_to_ia_days": None}})
    assert lines_of(stays, home_gb=1)["home/stored data"].assumption is None


def test_data_between_zones_is_billed_on_both_sides():
    # 1,000 GB x 2 x $0.01 = $20.00.
    elsewhere = {
        "storage_subnet_id": "subnet-0fedcba9876543210",
        "storage_availability_zone_id": "usw2-az1",
    }
    storage = {"home_file_system": {}}
    apart = a_cluster(network={"existing": EXISTING | elsewhere}, storage=storage)
    assert lines_of(apart, cross_zone_gb=1000)["data transfer/zones"].monthly.low == 20.0
    together = a_cluster(network={"existing": EXISTING}, storage=storage)
    assert "data transfer/zones" not in lines_of(together)
