"""File systems that exist already, against what the file says of them; and whether FSx is there."""

from __future__ import annotations

import pytest

from tests.trnkit.operations.preflight.conftest import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import DENIED, IMAGE, Refusal, subnet
from tests.trnkit.operations.preflight.situations.file_systems import (
    EXISTING,
    ID,
    NEW,
    described,
)

HERE = make_cluster(network=IMPORTED, storage={"existing_lustre_file_systems": [EXISTING]})
NO_LUSTRE = {"LustreConfiguration": None}


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (described(), "ok", f"{ID} is AVAILABLE, and is mounted as it says"),
        (described(Lifecycle="UPDATING"), "ok", "is UPDATING"),
        (described(Lifecycle="CREATING"), "fail", "is CREATING: nothing can mount it"),
        (described(Lifecycle="DELETING"), "fail", "is DELETING"),
        (described(Lifecycle="FAILED"), "fail", "is FAILED"),
        (described(Lifecycle="MISCONFIGURED"), "warning", "is MISCONFIGURED: it has failed"),
        (described(Lifecycle=None), "unknown", "does not say in what state"),
        (Refusal("FileSystemNotFound"), "fail", f"this account has no file system {ID}"),
        ({"FileSystems": []}, "fail", f"this account has no file system {ID}"),
        (
            described(FileSystemType="ONTAP", **NO_LUSTRE),
            "fail",
            "of FSx for ONTAP, not for Lustre",
        ),
        (
            described({"MountName": "zzzzzzzz"}),
            "fail",
            f"the mount name of {ID} is zzzzzzzz, and the file says abcdefgh",
        ),
        (described(**NO_LUSTRE), "unknown", "what the mount name and DNS name"),
        (described(DNSName=f"{ID}.fsx.us-east-2.aws"), "fail", "and the nodes mount"),
        (described(VpcId="vpc-00000000000000001"), "unknown", "whether they reach it"),
        (described(VpcId=None), "unknown", "a VPC that FSx does not name"),
    ],
)
def test_an_existing_file_system(answer, status, words, ask):
    done = ask("file-systems", HERE, **{"fsx.DescribeFileSystems": answer})
    assert (done.status, len(done.results)) == (status, 1), done.results
    assert words in done.results[0].message


def test_the_remedy_of_a_wrong_mount_name_is_the_right_one(ask):
    told = {"fsx.DescribeFileSystems": described({"MountName": "zzzzzzzz"})}
    (result,) = ask("file-systems", HERE, **told).results
    assert result.remedy == "write `mount_name: zzzzzzzz`"
    assert result.path == ("storage", "existing_lustre_file_systems", 0, "mount_name")


AMAZON_LINUX = {"image": {"ami_id": IMAGE, "operating_system": "amazon-linux-2023"}}


@pytest.mark.parametrize(
    ("group", "version", "status"),
    [
        (AMAZON_LINUX, "2.10", "fail"),
        (AMAZON_LINUX, "2.12", "ok"),
        (AMAZON_LINUX, "2.18", "ok"),
        (AMAZON_LINUX, None, "ok"),
        # Of Ubuntu the client's version is not known before it is installed.
        ({}, "2.10", "ok"),
    ],
)
def test_a_file_system_that_the_client_does_not_mount(group, version, status, ask):
    cluster = make_cluster(
        group, network=IMPORTED, storage={"existing_lustre_file_systems": [EXISTING]}
    )
    told = {"fsx.DescribeFileSystems": described(FileSystemTypeVersion=version)}
    done = ask("file-systems", cluster, **told)
    assert done.status == status
    if status == "fail":
        assert "is of Lustre 2.10, which the client 2.15 of" in done.results[0].message


def test_a_file_system_in_another_zone_is_slower_and_dearer(ask):
    done = ask("file-systems", HERE, DescribeSubnets=subnet(AvailabilityZoneId="use2-az1"))
    assert done.status == "warning"
    assert "is in zone use2-az1, and the nodes are in use2-az3" in done.results[0].message


def test_a_subnet_that_nobody_sees_is_no_zone(ask):
    done = ask("file-systems", HERE, DescribeSubnets=Refusal("InvalidSubnetID.NotFound"))
    assert done.status == "unknown"


def test_several_things_are_told_at_once(ask):
    told = described({"MountName": "zzzzzzzz"}, Lifecycle="FAILED")
    done = ask("file-systems", HERE, **{"fsx.DescribeFileSystems": told})
    assert [result.status for result in done.results] == ["fail", "fail"]


def test_a_subnet_that_is_not_told_hides_no_wrong_name(ask):
    told = {"fsx.DescribeFileSystems": described({"MountName": "zzzzzzzz"})}
    done = ask("file-systems", HERE, DescribeSubnets=DENIED, **told)
    assert [result.status for result in done.results] == ["fail", "unknown"]


def test_before_a_vpc_of_the_cluster_s_own_nobody_knows_whether_it_is_reached(ask):
    cluster = make_cluster(storage={"existing_lustre_file_systems": [EXISTING]})
    done = ask("file-systems", cluster)
    assert done.status == "unknown"
    assert "the nodes in a new VPC" in done.results[0].message


@pytest.mark.parametrize(
    ("region", "zone", "asked"),
    [
        ("us-east-2", "use2-az3", "us-east-1"),
        ("us-gov-west-1", "usgw1-az1", "us-gov-west-1"),
        ("cn-north-1", "cnn1-az1", "cn-north-1"),
    ],
)
def test_where_fsx_is_a_region_is_asked_that_knows(region, zone, asked, ask):
    names = []

    def answer(told, at):
        names.append((told["Name"], at))
        return {"Parameter": {"Name": told["Name"], "Value": IMAGE}}

    cluster = make_cluster(
        region=region,
        network={"availability_zone_id": zone},
        storage={"lustre_file_systems": [NEW]},
    )
    assert ask("file-systems", cluster, GetParameter=answer).status == "ok"
    assert names == [(f"/aws/service/global-infrastructure/regions/{region}/services/fsx", asked)]


def test_a_region_without_fsx(ask):
    cluster = make_cluster(storage={"lustre_file_systems": [NEW]})
    done = ask("file-systems", cluster, GetParameter=Refusal("ParameterNotFound"))
    assert (done.status, done.results[0].path) == ("fail", ("storage", "lustre_file_systems"))


def test_a_cluster_without_file_systems_asks_nothing(ask):
    assert ask("file-systems").status == "ok"
    assert ask.sessions[0].asked == []
