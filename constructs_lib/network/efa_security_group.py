"""The security group of nodes that talk through EFA."""

from __future__ import annotations

from aws_cdk import CfnTag
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import same_region

ALL_TRAFFIC = "-1"
_WEB_PORTS = {"Https": 443, "Http": 80}


class EfaSecurityGroup(Construct):
    """A security group that lets its members talk to each other through EFA.

    Creates `AWS::EC2::SecurityGroup`, and a separate `AWS::EC2::SecurityGroupIngress` and
    `AWS::EC2::SecurityGroupEgress`, each for all traffic each naming the group itself. EFA needs
    both; a rule for 0.0.0.0/0 replaces neither. CDK's own `SecurityGroup` drops the second one
    silently when all outbound traffic is allowed.

    Outbound it also allows TCP 443 (AWS's APIs, package and image registries) and TCP 80 (Ubuntu's
    package mirrors) to anywhere, and nothing else; inbound nothing else.

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

    def __init__(self, scope: Construct, construct_id: str, *, vpc: ec2.IVpc) -> None:
        """Create the group.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            vpc: Where it belongs.

        Raises:
            ConstructError: A VPC of another region.
        """
        super().__init__(scope, construct_id)
        same_region(self, vpc=vpc)
        group = ec2.CfnSecurityGroup(
            self,
            "Resource",
            group_description="EFA nodes: all traffic among themselves, HTTPS and HTTP out",
            vpc_id=vpc.vpc_id,
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="tcp",
                    cidr_ip="0.0.0.0/0",
                    from_port=port,
                    to_port=port,
                    description=f"{name.upper()} to AWS and package mirrors",
                )
                for name, port in _WEB_PORTS.items()
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
