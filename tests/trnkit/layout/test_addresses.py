"""How a VPC is divided, at exactly the numbers where the answer changes."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trnkit.layout.addresses import (
    addresses_needed,
    addresses_per_node,
    plan_subnets,
    usable_addresses,
)

PREFIXES = range(16, 23)


@pytest.mark.parametrize(
    ("cidr", "count"),
    [("10.0.0.0/28", 11), ("10.0.0.0/24", 251), ("10.0.0.0/18", 16379), ("10.0.0.0/17", 32763)],
)
def test_aws_keeps_five_addresses_of_every_subnet(cidr, count):
    assert usable_addresses(cidr) == count


@pytest.mark.parametrize(
    ("cidr", "public", "storage", "quarter", "half"),
    [
        ("10.0.0.0/16", "10.0.0.0/24", "10.0.4.0/22", "10.0.64.0/18", "10.0.128.0/17"),
        ("10.0.0.0/17", "10.0.0.0/25", "10.0.2.0/23", "10.0.32.0/19", "10.0.64.0/18"),
        ("10.0.0.0/18", "10.0.0.0/26", "10.0.1.0/24", "10.0.16.0/20", "10.0.32.0/19"),
        ("10.0.0.0/19", "10.0.0.0/27", "10.0.0.128/25", "10.0.8.0/21", "10.0.16.0/20"),
        ("10.20.0.0/20", "10.20.0.0/28", "10.20.0.64/26", "10.20.4.0/22", "10.20.8.0/21"),
        ("10.0.0.0/21", "10.0.0.0/28", "10.0.0.32/27", "10.0.2.0/23", "10.0.4.0/22"),
        ("10.0.0.0/22", "10.0.0.0/28", "10.0.0.16/28", "10.0.1.0/24", "10.0.2.0/23"),
    ],
)
def test_the_blocks_of_every_vpc_size(cidr, public, storage, quarter, half):
    room = usable_addresses(quarter)
    small, large = plan_subnets(cidr, room), plan_subnets(cidr, room + 1)
    assert (small.public, small.storage, small.compute) == (public, storage, quarter)
    assert (large.public, large.storage, large.compute) == (public, storage, half)
    assert small.compute_capacity == room
    assert large.compute_capacity == usable_addresses(half)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("addresses", [0, 300, 100_000])
def test_subnets_are_apart_inside_the_vpc_and_of_a_size_aws_takes(prefix, addresses):
    vpc = ipaddress.IPv4Network(f"10.0.0.0/{prefix}")
    plan = plan_subnets(str(vpc), addresses)
    blocks = [ipaddress.IPv4Network(b) for b in (plan.public, plan.storage, plan.compute)]
    assert all(block.subnet_of(vpc) for block in blocks)
    assert all(16 <= block.prefixlen <= 28 for block in blocks)
    assert not any(a.overlaps(b) for a in blocks for b in blocks if a is not b)


@settings(deadline=None, max_examples=200)
@given(
    prefix=st.sampled_from(PREFIXES),
    second=st.integers(min_value=0, max_value=255),
    addresses=st.integers(min_value=0, max_value=40_000),
)
def test_the_plan_changes_only_at_the_boundary(prefix, second, addresses):
    vpc = f"10.{second}.0.0/{prefix}"
    plan = plan_subnets(vpc, addresses)
    boundary = usable_addresses(plan_subnets(vpc, 0).compute)
    same = plan_subnets(vpc, 0 if addresses <= boundary else 10**9)
    assert plan == same
    assert plan_subnets(vpc, addresses) == plan


@pytest.mark.parametrize(
    ("name", "layout", "interfaces", "count"),
    [
        pytest.param("trn2.48xlarge", "ena-primary", None, 1, id="ena-primary: one"),
        pytest.param("trn2.48xlarge", "efa-primary", None, 1, id="efa-primary: one"),
        pytest.param("trn2.48xlarge", "all-efa", None, 16, id="all-efa: one a card"),
        pytest.param("trn2.48xlarge", "all-efa", 4, 4, id="all-efa, four asked for"),
        pytest.param("trn2.48xlarge", "all-efa", 0, 1, id="no EFA"),
        pytest.param("trn1.32xlarge", "all-efa", None, 8, id="trn1: eight"),
        pytest.param("trn1.2xlarge", "all-efa", None, 1, id="type without EFA"),
        pytest.param("trn9.96xlarge", "all-efa", None, None, id="unknown type"),
        pytest.param("trn2.3xlarge", "all-efa", 2, None, id="more than the type has"),
    ],
)
def test_addresses_of_a_node(group, name, layout, interfaces, count):
    made = group(instance_type=name, efa={"layout": layout, "interfaces": interfaces})
    assert addresses_per_node(made) == count


def test_addresses_of_all_groups(group):
    groups = [
        group(count=1000, efa={"layout": "all-efa"}),
        group(instance_type="trn1.32xlarge", count=3),
        group(instance_type="trn9.96xlarge", count=5),
        group(count=0),
    ]
    assert addresses_needed(groups) == 16_000 + 3 + 5
    assert addresses_needed([]) == 0


def test_the_largest_group_that_fits_a_quarter_of_the_default_vpc(group):
    for count, compute in ((1023, "10.0.64.0/18"), (1024, "10.0.128.0/17")):
        needed = addresses_needed([group(count=count, efa={"layout": "all-efa"})])
        assert plan_subnets("10.0.0.0/16", needed).compute == compute
