"""The security group of nodes that talk through EFA."""

from __future__ import annotations

from typing import get_args

from aws_cdk import CfnTag
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import one_of, same_region
from trnkit.config.values import IpAddressType

ALL_TRAFFIC = "-1"
_WEB_PORTS = {"Https": 443, "Http": 80}
_ANYWHERE, _ANYWHERE_IPV6 = "0.0.0.0/0", "::/0"


class EfaSecurityGroup(Construct):
    """A security group that lets its members talk to each other through EFA.

    Creates `AWS::EC2::SecurityGroup`, and a separate `AWS::EC2::SecurityGroupIngress` and
    `AWS::EC2::SecurityGroupEgress`, each for all traffic each naming the group itself. EFA needs
    both; a rule for 0.0.0.0/0 replaces neither. CDK's own `SecurityGroup` drops the second one
    silently when all outbound traffic is allowed.

    Outbound it also allows TCP 443 (AWS's APIs, package and image registries) and TCP 80 (Ubuntu's
    package mirrors) to anywhere, and nothing else; inbound nothing else. The rules that name the
    group cover IPv4 and IPv6 alike; those to anywhere are made for each.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
        https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html

    Example:
        >>> from aws_cdk import App, Stack, aws_ec2 as ec2
        >>> from constructs_lib.network import EfaSecurityGroup
        >>> stack = Stack(App(), "Network")
        >>> vpc = ec2.Vpc.from_vpc_attributes(
        ...     stack, "Vpc", vpc_id="vpc-0123456789abcdef0", availability_zones=["us-east-2c"])
        >>> fabric = EfaSecurityGroup(stack, "Efa", vpc=vpc)
    """

    security_group: ec2.ISecurityGroup
    """The group, for launch templates and for further rules."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        ip_address_type: IpAddressType = "ipv4",
    ) -> None:
        """Create the group.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            vpc: Where it belongs.
            ip_address_type: `ipv4`, or `dualstack`, which lets members call anywhere through IPv6
                too, on the same ports.

        Raises:
            ConstructError: A VPC of another region, or an address type that there is not.
        """
        super().__init__(scope, construct_id)
        one_of("ip_address_type", ip_address_type, get_args(IpAddressType))
        same_region(self, vpc=vpc)
        dualstack = ip_address_type == "dualstack"
        group = ec2.CfnSecurityGroup(
            self,
            "Resource",
            group_description="EFA nodes: all traffic among themselves, HTTPS and HTTP out",
            vpc_id=vpc.vpc_id,
            security_group_egress=[
                *(_web(name, cidr_ip=_ANYWHERE) for name in _WEB_PORTS),
                *(_web(name, cidr_ipv6=_ANYWHERE_IPV6) for name in _WEB_PORTS if dualstack),
            ],
            tags=[CfnTag(key="Name", value=self.node.path)],
        )
        group_id = group.attr_group_id
        ec2.CfnSecurityGroupIngress(
            self,
            "FromItself",
            group_id=group_id,
            source_security_group_id=group_id,
            ip_protocol=ALL_TRAFFIC,
            description="EFA from the group itself",
        )
        ec2.CfnSecurityGroupEgress(
            self,
            "ToItself",
            group_id=group_id,
            destination_security_group_id=group_id,
            ip_protocol=ALL_TRAFFIC,
            description="EFA to the group itself",
        )
        self.security_group = ec2.SecurityGroup.from_security_group_id(
            self, "Reference", group_id, allow_all_outbound=False
        )


def _web(name: str, **anywhere: str) -> ec2.CfnSecurityGroup.EgressProperty:
    return ec2.CfnSecurityGroup.EgressProperty(
        ip_protocol="tcp",
        from_port=_WEB_PORTS[name],
        to_port=_WEB_PORTS[name],
        description=f"{name.upper()} to AWS and package mirrors",
        **anywhere,
    )
