"""What exists in the emulated AWS before anything is deployed: things that templates name by id."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import itertools
from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import datetime
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.clients import clients_of
from trnkit.emulation.services.cost.cost_explorer_extension import seed_monitor
from trnkit.emulation.services.ec2.capacity_reservations import (
    seed_capacity_reservation,
    seed_reservation_group,
)
from trnkit.emulation.services.ec2.images import seed_image
from trnkit.emulation.services.ec2.instance_types import add_instance_types

Seed = Mapping[str, Any]
"""One thing: ``kind``, ``region`` and what the kind asks for, see `_KINDS`."""


def plant(seeds: Sequence[Seed]) -> None:
    """Make what exists from the start, in the order given.

    Raises:
        ValueError: A kind that does not exist.
    """
    for seed in seeds:
        kind = seed["kind"]
        if kind not in _KINDS:
            raise ValueError(f"no such kind of seed: {kind}")
        _KINDS[kind](seed)


def _vpc(seed: Seed) -> None:
    """``id``, ``cidr``, ``ipv6``: a VPC with DNS host names."""
    with _next_id("vpcs", "random_vpc_id", seed["id"]):
        _ec2(seed).create_vpc(
            CidrBlock=seed["cidr"], AmazonProvidedIpv6CidrBlock=bool(seed.get("ipv6"))
        )
    _ec2(seed).modify_vpc_attribute(VpcId=seed["id"], EnableDnsHostnames={"Value": True})


def _subnet(seed: Seed) -> None:
    """``id``, ``vpc_id``, ``zone_id``, ``cidr``, ``ipv6``; without a block the next free one."""
    block = seed.get("cidr") or _free_block(seed)
    six = {"Ipv6CidrBlock": _free_ipv6_block(seed)} if seed.get("ipv6") else {}
    with _next_id("subnets", "random_subnet_id", seed["id"]):
        _ec2(seed).create_subnet(
            VpcId=seed["vpc_id"], CidrBlock=block, AvailabilityZoneId=seed["zone_id"], **six
        )


def _route_table(seed: Seed) -> None:
    """``id``, ``vpc_id``, ``subnet_ids``: a table of its own for the subnets."""
    with _next_id("route_tables", "random_route_table_id", seed["id"]):
        _ec2(seed).create_route_table(VpcId=seed["vpc_id"])
    for subnet in seed.get("subnet_ids", ()):
        _ec2(seed).associate_route_table(RouteTableId=seed["id"], SubnetId=subnet)


def _security_group(seed: Seed) -> None:
    """``id``, ``vpc_id``: a group that lets all of its own traffic in and out, as EFA needs.

    Without a VPC it is in the region's default one.
    """
    with _next_id("security_groups", "random_security_group_id", seed["id"]):
        _ec2(seed).create_security_group(
            GroupName=f"seeded-{seed['id']}",
            Description="existed before",
            VpcId=seed.get("vpc_id") or _default_vpc(seed),
        )
    own = [{"IpProtocol": "-1", "UserIdGroupPairs": [{"GroupId": seed["id"]}]}]
    _ec2(seed).authorize_security_group_ingress(GroupId=seed["id"], IpPermissions=own)
    _ec2(seed).authorize_security_group_egress(GroupId=seed["id"], IpPermissions=own)


def _image(seed: Seed) -> None:
    """``id``, ``root_device``, ``snapshot_gib``: an image."""
    seed_image(seed["id"], seed["region"], seed["root_device"], seed["snapshot_gib"])


def _public_parameter(seed: Seed) -> None:
    """``name``, ``value``: a parameter of AWS's own, such as that of an image."""
    module("ministack.services.ssm")._PUBLIC_AMI_PARAMETERS[seed["name"]] = seed["value"]


def _instance_types(seed: Seed) -> None:
    """``answer``, a DescribeInstanceTypes answer: types that moto does not know."""
    add_instance_types(seed["answer"])


def _capacity_reservation(seed: Seed) -> None:
    """``id``, ``instance_type``, ``count``, ``zone_id``, ``block``, ``end``: a reservation."""
    end = seed.get("end")
    seed_capacity_reservation(
        seed["id"],
        seed["region"],
        seed["instance_type"],
        seed["count"],
        seed["zone_id"],
        capacity_block=bool(seed.get("block")),
        end_date=datetime.fromisoformat(end) if end else None,
    )


def _reservation_group(seed: Seed) -> None:
    """``arn`` and what a reservation asks for: a resource group with one reservation in it."""
    inside = "cr-" + hashlib.sha256(seed["arn"].encode()).hexdigest()[:17]
    _capacity_reservation({**seed, "id": inside})
    seed_reservation_group(seed["arn"], [inside], seed["region"])


def _anomaly_monitor(seed: Seed) -> None:
    """``arn``: a monitor over the services of the account."""
    seed_monitor(seed["arn"])


def _placement_group(seed: Seed) -> None:
    """``name``: a cluster placement group."""
    _ec2(seed).create_placement_group(GroupName=seed["name"], Strategy="cluster")


_KINDS: dict[str, Callable[[Seed], None]] = {
    "vpc": _vpc,
    "subnet": _subnet,
    "route-table": _route_table,
    "security-group": _security_group,
    "image": _image,
    "public-parameter": _public_parameter,
    "instance-types": _instance_types,
    "capacity-reservation": _capacity_reservation,
    "placement-group": _placement_group,
    "reservation-group": _reservation_group,
    "anomaly-monitor": _anomaly_monitor,
}


def _ec2(seed: Seed) -> Any:
    return clients_of(None, seed["region"])("ec2")


def _default_vpc(seed: Seed) -> str:
    default = [{"Name": "is-default", "Values": ["true"]}]
    return _ec2(seed).describe_vpcs(Filters=default)["Vpcs"][0]["VpcId"]


@contextlib.contextmanager
def _next_id(models: str, maker: str, wanted: str) -> Generator[None]:
    """Let the next thing of moto's have a given id."""
    place = module(f"moto.ec2.models.{models}")
    usual = getattr(place, maker)
    setattr(place, maker, lambda: wanted)
    try:
        yield
    finally:
        setattr(place, maker, usual)


def _free_block(seed: Seed) -> str:
    ec2 = _ec2(seed)
    (vpc,) = ec2.describe_vpcs(VpcIds=[seed["vpc_id"]])["Vpcs"]
    of_vpc = [{"Name": "vpc-id", "Values": [seed["vpc_id"]]}]
    taken = [
        ipaddress.ip_network(subnet["CidrBlock"])
        for subnet in ec2.describe_subnets(Filters=of_vpc)["Subnets"]
    ]
    whole = ipaddress.ip_network(vpc["CidrBlock"])
    size = min(max(20, whole.prefixlen + 2), 28)
    for block in whole.subnets(new_prefix=size):
        if not any(block.overlaps(other) for other in taken):
            return str(block)
    raise ValueError(f"{seed['vpc_id']} has no free block left")


def _free_ipv6_block(seed: Seed) -> str:
    """The /64 that comes next in the VPC's /56."""
    ec2 = _ec2(seed)
    (vpc,) = ec2.describe_vpcs(VpcIds=[seed["vpc_id"]])["Vpcs"]
    of_vpc = [{"Name": "vpc-id", "Values": [seed["vpc_id"]]}]
    number = len(ec2.describe_subnets(Filters=of_vpc)["Subnets"])
    whole = ipaddress.ip_network(vpc["Ipv6CidrBlockAssociationSet"][0]["Ipv6CidrBlock"])
    return str(next(itertools.islice(whole.subnets(new_prefix=64), number, None)))
