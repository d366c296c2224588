"""A Lustre file system that somebody else made, for nodes to mount."""

from __future__ import annotations

from aws_cdk import Stack, Token
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.arguments import flag, noun, same_region, text
from constructs_lib.storage.lustre_rules import egress_rules, ingress_rules, rule_ids
from trnkit.config.storage_values import FileSystemId, LustreMountName
from trnkit.errors import ConstructError
from trnkit.layout.storage import lustre_dns_name


class ExistingLustreFileSystem(Construct):
    """An FSx for Lustre file system by its id, in the stack's region.

    Creates nothing but the `AWS::EC2::SecurityGroupEgress` and `AWS::EC2::SecurityGroupIngress` of
    `allow_clients`. It never changes the file system, and its DNS name follows from its id, so
    nothing is looked up. Two file systems behind one security group need the rules only once.

    Sources:
        https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
        https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html

    Example:
        >>> from aws_cdk import App, Environment, Stack, aws_ec2 as ec2
        >>> from constructs_lib.storage import ExistingLustreFileSystem
        >>> stack = Stack(App(), "Storage", env=Environment(region="us-east-2"))
        >>> files = ExistingLustreFileSystem(
        ...     stack, "Corpus", file_system_id="fs-0123456789abcdef0", mount_name="abcdefgh")
        >>> files.dns_name
        'fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com'
        >>> nodes, servers = (
        ...     ec2.SecurityGroup.from_security_group_id(stack, f"Group-{id}", id)
        ...     for id in ("sg-0123456789abcdef0", "sg-0fedcba9876543210"))
        >>> files.allow_clients("Nodes", nodes, servers=servers)
    """

    file_system_id: str
    """Id of the file system (`fs-...`)."""

    dns_name: str
    """Its DNS name, for mounting."""

    mount_name: str
    """Its mount name, for mounting."""

    def __init__(
        self, scope: Construct, construct_id: str, *, file_system_id: str, mount_name: str
    ) -> None:
        """Describe the file system.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            file_system_id: Its id.
            mount_name: Its mount name, as DescribeFileSystems says it.

        Raises:
            ConstructError: An id or a mount name of another shape, or a stack without a region.
        """
        super().__init__(scope, construct_id)
        region = Stack.of(self).region
        text("file_system_id", file_system_id, FileSystemId)
        text("mount_name", mount_name, LustreMountName)
        if Token.is_unresolved(region):
            raise ConstructError("the stack needs a region: the DNS name holds it")
        self.file_system_id, self.mount_name = file_system_id, mount_name
        self.dns_name = lustre_dns_name(file_system_id, region)

    def allow_clients(
        self,
        name: str,
        clients: ec2.ISecurityGroup,
        *,
        servers: ec2.ISecurityGroup,
        change_servers: bool = True,
    ) -> None:
        """Open the Lustre ports between the file system and a group of clients, both ways.

        Args:
            name: PascalCase noun for the construct ids, e.g. `Nodes`.
            clients: The clients' security group.
            servers: The file system's.
            change_servers: Whether the file system's group gets its half of the rules, too. False
                when somebody else keeps that group; they must then admit the clients.

        Raises:
            ConstructError: A name that was used before or is no noun, or a group of another region.
        """
        flag("change_servers", change_servers)
        noun(self, name, rule_ids(name))
        same_region(self, clients=clients, servers=servers)
        ours, theirs = clients.security_group_id, servers.security_group_id
        list(egress_rules(self, f"{name}To", ours, theirs))
        list(ingress_rules(self, f"{name}From", theirs, ours))
        if change_servers:
            list(ingress_rules(self, f"{name}To", ours, theirs))
            list(egress_rules(self, f"{name}From", theirs, ours))
