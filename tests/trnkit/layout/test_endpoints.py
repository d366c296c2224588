"""Which endpoints a cluster gets."""

import pytest

from trnkit.layout.endpoints import dualstack_endpoints_of, interface_endpoints_of, is_isolated
from trnkit.layout.zones import compute_zone_id, zone_number

NODES = {
    *("ec2", "sts", "logs", "monitoring", "ecr.api", "ecr.dkr"),
    *("ssm", "ssmmessages", "ec2messages", "autoscaling"),
}
FSX = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}
EXISTING = {
    "vpc_id": "vpc-0123456789abcdef0",
    "compute_subnet_id": "subnet-0123456789abcdef0",
    "availability_zone_id": "use2-az1",
}


def test_behind_nat_there_are_those_of_the_file_alone(cluster):
    assert interface_endpoints_of(cluster()) == ()
    made = cluster(network={"interface_endpoints": ["ecr.dkr", "ecr.api", "ecr.dkr"]})
    assert interface_endpoints_of(made) == ("ecr.dkr", "ecr.api")
    assert not is_isolated(made)


def test_net_11_without_nat_there_are_all_that_the_cluster_uses(cluster):
    made = cluster(network={"nat_gateway": False})
    assert set(interface_endpoints_of(made)) == NODES
    made = cluster(network={"nat_gateway": False}, storage=FSX)
    assert set(interface_endpoints_of(made)) == {*NODES, "fsx"}
    more = cluster(network={"nat_gateway": False, "interface_endpoints": ["kms", "ssm"]})
    assert interface_endpoints_of(more)[-1] == "kms"
    assert len(interface_endpoints_of(more)) == len(NODES) + 1


def test_an_existing_vpc_gets_none_unasked(cluster):
    made = cluster(network={"existing": EXISTING, "nat_gateway": False})
    assert not is_isolated(made)
    assert interface_endpoints_of(made) == ()


def test_net_06_the_zone_of_an_existing_subnet_is_the_zone(cluster):
    assert compute_zone_id(cluster(network={"existing": EXISTING})) == "use2-az1"


@pytest.mark.parametrize(
    ("zone", "number"),
    [
        ("use2-az3", 3),
        ("apne1-az4", 4),
        ("us-east-2c", None),
        ("usw2-lax1-az1", None),
        ("use2-az", None),
        ("use2-azx", None),
        ("", None),
    ],
)
def test_the_number_of_a_zone(zone, number):
    assert zone_number(zone) == number


def test_endpoints_are_dual_stack_where_network_and_service_are_known_to_be(cluster):
    asked = {"interface_endpoints": ["kms", "sts", "ssm", "not-in-the-catalogue"]}
    assert dualstack_endpoints_of(cluster(network=asked)) == ()
    made = cluster(network=asked | {"ip_address_type": "dualstack"})
    assert dualstack_endpoints_of(made) == ("kms", "sts")
    assert interface_endpoints_of(made) == tuple(asked["interface_endpoints"])
