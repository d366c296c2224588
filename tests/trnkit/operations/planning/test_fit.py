"""What of a file does not fit another Region."""

from __future__ import annotations

import pytest

from tests.synthesis import ROOT
from tests.trnkit.operations.planning.markets import failure, market
from trnkit.aws.ec2 import ZoneDescription
from trnkit.config import load_cluster, read_cluster
from trnkit.operations.planning.fit import misfits
from trnkit.rules import check_cluster

HEAD = (
    "version: 1\nname: pretrain\nregion: us-east-2\nnetwork: {availability_zone_id: use2-az3}\n"
    "budget: {limit_usd: 1, emails: [ml@example.com]}\n"
)
IMAGE = "compute.node_groups[0].image needs an ami_id: ap-south-2 has no"
LUSTRE = "storage.lustre_file_systems[0].deployment_type is PERSISTENT_2, which ap-south-2 does not"


def lines(group, rest="", *regions):
    """What stands against each Region."""
    compute = "compute: {node_groups: [{name: one, instance_type: trn2.48xlarge, count: 1"
    cluster = read_cluster(f"{HEAD}{compute}{group}}}]}}\n{rest}", "c.yaml")
    markets = [market(region) for region in regions or ("ap-south-2",)]
    return misfits(cluster, check_cluster(cluster), markets)


@pytest.mark.parametrize(
    ("group", "rest", "found"),
    [
        ("", "", [IMAGE]),
        ("", "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 1200}]}\n", 2),
        (", image: {ssm_parameter: /ours/image}", "", []),
        (
            ", image: {ami_id: ami-0123456789abcdef0}",
            "",
            ["compute.node_groups[0].image.ami_id is"],
        ),
        (
            ", image: {ssm_parameter: /ours/image}, capacity: {type: on-demand-reservation, "
            "capacity_reservation_id: cr-0123456789abcdef0}",
            "",
            [],
        ),
    ],
)
def test_what_a_file_must_change_for_a_region(group, rest, found):
    told = lines(group, rest).get("ap-south-2", ())
    wanted = [IMAGE, LUSTRE] if found == 2 else found
    assert len(told) == len(wanted)
    for line, text in zip(told, wanted, strict=True):
        assert line.startswith("the file cannot go there as it is: ")
        assert text in line


def test_the_hint_says_how():
    (line,) = lines("")["ap-south-2"]
    assert line.endswith("find the image with `aws ec2 describe-images`, and write `ami_id:`")


def test_a_region_that_has_all_and_the_files_own_fit():
    assert lines("", "", "us-west-2", "us-east-2") == {}


def test_where_the_catalogue_knows_no_offering_aws_decides():
    """TRN102 of `trnkit check` would be an error in a Region without the type."""
    assert lines("", "", "eu-west-1") == {}


def test_a_region_without_an_answer_is_judged_all_the_same():
    group = "{name: one, instance_type: trn2.48xlarge, count: 1}"
    cluster = read_cluster(f"{HEAD}compute: {{node_groups: [{group}]}}\n", "c.yaml")
    lost = market("ap-south-2", zones=failure("DescribeAvailabilityZones", "ap-south-2"))
    (line,) = misfits(cluster, check_cluster(cluster), [lost])["ap-south-2"]
    assert IMAGE in line


def test_the_subnet_of_an_existing_vpc_does_not_move():
    cluster = load_cluster(ROOT / "examples/imported-vpc.yaml")
    zones = tuple(
        ZoneDescription(zone_id=zone, zone_name=f"us-west-2{zone[-1]}", state="available")
        for zone in ("usw2-az1", "usw2-az4")
    )
    found = misfits(cluster, check_cluster(cluster), [market("us-west-2", zones=zones)])
    assert list(found) == ["usw2-az1"]
    assert "the compute subnet of the existing VPC is in usw2-az4; name" in found["usw2-az1"][0]
    lost = market("us-west-2", zones=failure("DescribeAvailabilityZones", "us-west-2"))
    assert misfits(cluster, check_cluster(cluster), [lost]) == {}


def test_the_ids_of_an_existing_vpc_do_not_move():
    cluster = load_cluster(ROOT / "examples/imported-vpc.yaml")
    (line,) = misfits(cluster, check_cluster(cluster), [market("us-east-2")])["us-east-2"]
    assert "network.existing.vpc_id is vpc-0123456789abcdef0, and 3 more, which does not" in line
