"""The address budget, at exactly the numbers where the answer changes."""

import ipaddress

import pytest

from trnkit.layout.address_budget import compute_budget, endpoint_budget
from trnkit.layout.addresses import (
    MOST_CONTROL_PLANE_ZONES,
    control_plane_block,
    plan_subnets,
    usable_addresses,
)

EXISTING = {
    "vpc_id": "vpc-0123456789abcdef0",
    "compute_subnet_id": "subnet-0123456789abcdef0",
    "availability_zone_id": "use2-az3",
    "compute_subnet_cidr": "10.0.0.0/26",
}
FSX = {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]}


def blocks_of(vpc):
    plan = plan_subnets(vpc, 10**6)
    planes = [control_plane_block(vpc, n) for n in range(1, MOST_CONTROL_PLANE_ZONES + 1)]
    quarter = plan_subnets(vpc, 0).compute
    every = [plan.public, plan.storage, plan.endpoints, *planes]
    return [[ipaddress.IPv4Network(b) for b in (*every, last)] for last in (quarter, plan.compute)]


@pytest.mark.parametrize("prefix", range(16, 23))
def test_all_subnets_that_can_be_switched_on_are_apart(prefix):
    vpc = ipaddress.IPv4Network(f"10.0.0.0/{prefix}")
    for blocks in blocks_of(str(vpc)):
        assert all(block.subnet_of(vpc) and block.prefixlen <= 28 for block in blocks)
        assert not any(a.overlaps(b) for a in blocks for b in blocks if a is not b)


@pytest.mark.parametrize(
    ("vpc", "endpoints", "plane"),
    [
        ("10.0.0.0/16", "10.0.8.0/26", "10.0.40.0/26"),
        ("10.0.0.0/21", "10.0.0.64/26", "10.0.1.64/27"),
        ("10.0.0.0/22", "10.0.0.32/27", "10.0.0.160/28"),
    ],
)
def test_small_subnets_have_a_fixed_place(vpc, endpoints, plane):
    assert plan_subnets(vpc, 0).endpoints == plan_subnets(vpc, 10**6).endpoints == endpoints
    assert control_plane_block(vpc, 3) == plane


def test_the_second_block_is_the_compute_subnet_and_moves_nothing_else():
    first = plan_subnets("10.0.0.0/22", 5)
    both = plan_subnets("10.0.0.0/22", 5, secondary_cidr="100.64.0.0/16")
    assert both.compute == "100.64.0.0/16"
    assert both.compute_capacity == 65531
    assert (both.public, both.storage, both.endpoints) == (
        first.public,
        first.storage,
        first.endpoints,
    )


def test_an_own_compute_subnet_holds_nodes_alone(cluster):
    made = cluster(network={"nat_gateway": False, "vpc_cidr": "10.0.0.0/22"}, storage=FSX)
    budget = compute_budget(made)
    assert (budget.cidr, budget.nodes, budget.endpoints, budget.file_systems) == (
        "10.0.1.0/24",
        1,
        0,
        0,
    )
    endpoints = endpoint_budget(made)
    assert (endpoints.cidr, endpoints.needed, endpoints.capacity) == ("10.0.0.32/27", 11, 27)


def test_without_endpoints_there_is_no_such_subnet(cluster):
    assert endpoint_budget(cluster()) is None


@pytest.mark.parametrize(
    ("keys", "file_systems"),
    [
        pytest.param({}, 1, id="FSX-14 same subnet"),
        pytest.param({"storage_subnet_id": "subnet-0123456789abcdef0"}, 1, id="named again"),
        pytest.param({"storage_subnet_id": "subnet-0fedcba9876543210"}, 0, id="apart"),
    ],
)
def test_an_existing_subnet_holds_all_that_goes_there(cluster, keys, file_systems):
    network = {"existing": {**EXISTING, **keys}, "interface_endpoints": ["ssm", "ecr.api", "ssm"]}
    budget = compute_budget(cluster("trn2.48xlarge", network=network, storage=FSX))
    assert (budget.nodes, budget.endpoints, budget.file_systems) == (1, 2, file_systems)
    assert budget.needed == 3 + file_systems
    assert budget.capacity == usable_addresses("10.0.0.0/26") == 59


def test_an_existing_subnet_of_unknown_size_is_not_judged(cluster):
    made = cluster(network={"existing": {**EXISTING, "compute_subnet_cidr": None}})
    assert compute_budget(made) is None
    assert endpoint_budget(made) is None
