"""ExistingLustreFileSystem: a name that follows from the id, and rules on groups of others."""

from __future__ import annotations

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_ec2 as ec2

from constructs_lib.storage import ExistingLustreFileSystem
from trnkit.errors import ConstructError

CLIENTS, SERVERS = "sg-0123456789abcdef0", "sg-0fedcba9876543210"


@pytest.fixture
def files(stack):
    return ExistingLustreFileSystem(
        stack, "Old", file_system_id="fs-0123456789abcdef0", mount_name="abcdefgh"
    )


@pytest.fixture
def servers(stack):
    return ec2.SecurityGroup.from_security_group_id(stack, "Servers", SERVERS)


def rules(resources):
    found = set()
    for resource in resources().values():
        rule = resource["Properties"]
        peer = rule.get("SourceSecurityGroupId") or rule.get("DestinationSecurityGroupId")
        way = resource["Type"].removeprefix("AWS::EC2::SecurityGroup")
        found.add((way, rule["GroupId"], peer, rule["FromPort"], rule["ToPort"]))
    return found


def both(way, owner, peer):
    return {(way, owner, peer, 988, 988), (way, owner, peer, 1018, 1023)}


def test_the_name_follows_from_the_id(files):
    assert files.dns_name == "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"


def test_fsx_09_rules_on_both_groups_both_ways(files, security_group, servers, resources):
    files.allow_clients("Nodes", security_group, servers=servers)
    assert rules(resources) == (
        both("Egress", CLIENTS, SERVERS)
        | both("Ingress", SERVERS, CLIENTS)
        | both("Egress", SERVERS, CLIENTS)
        | both("Ingress", CLIENTS, SERVERS)
    )


def test_a_group_that_somebody_else_keeps_is_left_alone(files, security_group, servers, resources):
    files.allow_clients("Nodes", security_group, servers=servers, change_servers=False)
    assert rules(resources) == both("Egress", CLIENTS, SERVERS) | both("Ingress", CLIENTS, SERVERS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"file_system_id": "fs-xyz"}, "fs- and 8 or 17 hex digits"),
        ({"file_system_id": "fs-0123456789abcdef0'"}, "fs- and 8 or 17 hex digits"),
        ({"mount_name": ""}, "mount_name must not be empty"),
        ({"mount_name": "abcdefghi"}, "1 to 8 letters"),
        ({"mount_name": "a b"}, "1 to 8 letters"),
    ],
)
def test_ids_of_another_shape_are_refused(stack, words, message):
    right = {"file_system_id": "fs-0123456789abcdef0", "mount_name": "abcdefgh"}
    with pytest.raises(ConstructError, match=message):
        ExistingLustreFileSystem(stack, "Old", **(right | words))


def test_a_stack_without_a_region_cannot_name_it():
    with pytest.raises(ConstructError, match="the stack needs a region"):
        ExistingLustreFileSystem(
            Stack(App(), "Nowhere"), "Old", file_system_id="fs-01234567", mount_name="fsx"
        )
