"""A stack to build in, and its template as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from aws_cdk import App, DefaultStackSynthesizer, Environment, Stack, assertions
from aws_cdk import aws_ec2 as ec2

from tests.synthesis import cdk_context

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def stack() -> Stack:
    """An empty stack in us-east-2, in an app with the flags of cdk.json."""
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    return Stack(
        app,
        "Test",
        env=Environment(region="us-east-2"),
        synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False),
    )


@pytest.fixture
def vpc(stack: Stack) -> ec2.IVpc:
    """Somebody else's VPC, by id."""
    return ec2.Vpc.from_vpc_attributes(
        stack, "TheirVpc", vpc_id="vpc-0123456789abcdef0", availability_zones=["us-east-2c"]
    )


@pytest.fixture
def subnet(stack: Stack) -> ec2.ISubnet:
    """Somebody else's subnet, by id."""
    return ec2.Subnet.from_subnet_attributes(
        stack,
        "TheirSubnet",
        subnet_id="subnet-0123456789abcdef0",
        availability_zone="us-east-2c",
        route_table_id="rtb-0123456789abcdef0",
    )


@pytest.fixture
def security_group(stack: Stack) -> ec2.ISecurityGroup:
    """Somebody else's security group, by id."""
    return ec2.SecurityGroup.from_security_group_id(stack, "TheirGroup", "sg-0123456789abcdef0")


@pytest.fixture
def resources(stack: Stack) -> Callable[..., dict[str, dict[str, Any]]]:
    """The synthesized resources of the stack, of one type or all; ends what can be added to it."""

    def of(kind: str | None = None) -> dict[str, dict[str, Any]]:
        everything = assertions.Template.from_stack(stack).to_json()["Resources"]
        return {k: v for k, v in everything.items() if kind is None or v["Type"] == kind}

    return of
