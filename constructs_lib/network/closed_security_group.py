"""A security group that lets nothing out but what further rules allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import CfnTag
from aws_cdk import aws_ec2 as ec2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from constructs import Construct


def closed_security_group(
    scope: Construct,
    *,
    group_description: str,
    vpc_id: str,
    ingress: Sequence[ec2.CfnSecurityGroup.IngressProperty] = (),
    egress_description: str = "No traffic but the rules beside this group",
) -> ec2.CfnSecurityGroup:
    """Create `AWS::EC2::SecurityGroup` under the id `SecurityGroup`, named as its scope.

    EC2 takes a group without an outbound rule for one that allows everything, so it gets a rule
    that matches nothing.

    Args:
        scope: The construct whose group it is.
        group_description: What the group is for.
        vpc_id: Where it belongs.
        ingress: Inbound rules inside the group; others may stand beside it.
        egress_description: Description of the rule that matches nothing.
    """
    return ec2.CfnSecurityGroup(
        scope,
        "SecurityGroup",
        group_description=group_description,
        vpc_id=vpc_id,
        security_group_ingress=list(ingress) or None,
        security_group_egress=[
            ec2.CfnSecurityGroup.EgressProperty(
                ip_protocol="icmp",
                cidr_ip="255.255.255.255/32",
                from_port=252,
                to_port=86,
                description=egress_description,
            )
        ],
        tags=[CfnTag(key="Name", value=scope.node.path)],
    )
