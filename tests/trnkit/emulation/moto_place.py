"""moto's services in this process, for tests of resource types: a place to make them in."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Before any client of this process is made: those that are older than moto never ask it.
import moto.core  # noqa: F401
import pytest

from trnkit.emulation.clients import clients_of
from trnkit.emulation.resources.resource import Clients, Place
from trnkit.emulation.server import moto_bridge

ACCOUNT = "111122223333"


@functools.cache
def _clients(region: str) -> Clients:
    """Clients, which take long to make and hold nothing."""
    return clients_of(None, region)


@contextmanager
def moto_place(region: str = "us-east-2") -> Iterator[Place]:
    """A place in services that hold nothing, and that hold nothing afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        # Set here to be taken back afterwards: other tests use moto by themselves.
        patch.setenv("MOTO_ACCOUNT_ID", ACCOUNT)
        # A second for each test otherwise.
        patch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
        moto_bridge.start(ACCOUNT)
        from moto.core.base_backend import BackendDict
        from moto.core.models import botocore_stubber

        BackendDict.reset()
        try:
            yield Place(ACCOUNT, region, "stack", "Logical", _clients(region))
        finally:
            BackendDict.reset()
            botocore_stubber.enabled = False


def subnet_of(place: Place, block: str = "10.0.0.0/16") -> tuple[str, str]:
    """A new VPC with one subnet: their ids."""
    ec2 = place.clients("ec2")
    vpc = ec2.create_vpc(CidrBlock=block)["Vpc"]["VpcId"]
    return vpc, ec2.create_subnet(VpcId=vpc, CidrBlock=block)["Subnet"]["SubnetId"]


def group_of(place: Place, vpc: str, *rules: dict[str, Any], outwards: bool = False) -> str:
    """A new security group with rules from (and ``outwards`` to) itself, and no others.

    Args:
        place: Where.
        vpc: Its VPC.
        rules: ``IpPermissions`` without peers.
        outwards: The rules are for both ways.
    """
    ec2 = place.clients("ec2")
    count = len(ec2.describe_security_groups()["SecurityGroups"])
    group = ec2.create_security_group(GroupName=f"g{count}", Description="g", VpcId=vpc)["GroupId"]
    own = [{**rule, "UserIdGroupPairs": [{"GroupId": group}]} for rule in rules]
    if own:
        ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=own)
    if outwards:
        everything = [{"IpProtocol": "-1", "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
        ec2.revoke_security_group_egress(GroupId=group, IpPermissions=everything)
        ec2.authorize_security_group_egress(GroupId=group, IpPermissions=own)
    return group


LUSTRE = (
    {"IpProtocol": "tcp", "FromPort": 988, "ToPort": 988},
    {"IpProtocol": "tcp", "FromPort": 1018, "ToPort": 1023},
)
"""Rules by which Lustre's servers speak."""

ALL = ({"IpProtocol": "-1"},)
"""A rule for all traffic."""
