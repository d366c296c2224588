"""Home folders on EFS, reachable from the nodes and from nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from aws_cdk import Aws, CfnResource, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_efs as efs
from aws_cdk import aws_iam as iam
from constructs import Construct

from constructs_lib.arguments import flag, noun, one_of, same_region
from constructs_lib.arguments import removal_policy as check_removal_policy
from constructs_lib.network.closed_security_group import closed_security_group
from trnkit.config.values import IpAddressType
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms

NFS_PORT = 2049
_IA_DAYS = (7, 14, 30, 60, 90)


class HomeFileSystem(Construct):
    """An EFS file system for home folders that survives the stack.

    Creates `AWS::EFS::FileSystem`, `AWS::EFS::MountTarget`, `AWS::EC2::SecurityGroup`, and for each
    group of clients a separate `AWS::EC2::SecurityGroupIngress` and
    `AWS::EC2::SecurityGroupEgress` for NFS. The data is encrypted and stored in several zones; the
    one mount target is in the given subnet, so that nodes of other zones do not reach it by name.
    Throughput is elastic: paid by use, without bursts to run out of.

    File system, mount target and group are kept when the stack is deleted or the resource is
    replaced, together, unless the very deployment that makes them fails. Access points, which need
    the EFS mount helper on every node, are not made.

    Sources:
        https://docs.aws.amazon.com/efs/latest/ug/network-access.html
        https://docs.aws.amazon.com/efs/latest/ug/encryption-in-transit.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup
        >>> from constructs_lib.storage import HomeFileSystem
        >>> stack = Stack(App(), "Storage")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")
        >>> homes = HomeFileSystem(
        ...     stack, "Home", vpc=network.vpc, subnet=network.storage_subnet)
        >>> homes.allow_clients(
        ...     "Nodes", EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group)
    """

    file_system_id: str
    """Id of the file system (`fs-...`)."""

    security_group: ec2.ISecurityGroup
    """The group of its mount target."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        subnet: ec2.ISubnet,
        kms_key: kms.IKey | None = None,
        encryption_in_transit: Literal["preferred", "required"] = "preferred",
        backup: bool = True,
        transition_to_ia_days: int | None = 30,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
        ip_address_type: IpAddressType = "ipv4",
    ) -> None:
        """Create the file system.

        Args:
            scope: Parent.
            construct_id: Id within the parent. Changing it makes another, empty file system.
            vpc: Where the security group belongs.
            subnet: Subnet of the mount target; take the zone of its clients.
            kms_key: Key of the data. None takes the AWS managed key of EFS.
            encryption_in_transit: `required` adds a policy that refuses connections without TLS.
            backup: Whether AWS Backup keeps daily copies.
            transition_to_ia_days: Days without access until a file moves to the cheaper class:
                7, 14, 30, 60 or 90. None never moves it.
            removal_policy: What happens on delete and on replacement. By default both keep it, but
                a deployment that fails while it makes it leaves nothing behind.
            ip_address_type: `ipv4`, or `dualstack`, which gives the mount target an IPv6 address
                too; the subnet must have an IPv6 block. Changing it later fails: EFS takes one
                mount target in a zone.

        Raises:
            ConstructError: Days that EFS does not have, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        one_of("encryption_in_transit", encryption_in_transit, ("preferred", "required"))
        flag("backup", backup)
        one_of("transition_to_ia_days", transition_to_ia_days, _IA_DAYS, optional=True)
        check_removal_policy("removal_policy", removal_policy)
        one_of("ip_address_type", ip_address_type, get_args(IpAddressType))
        same_region(self, vpc=vpc, subnet=subnet, kms_key=kms_key)
        self._clients: set[str] = set()
        group = closed_security_group(
            self, group_description="EFS: NFS from clients", vpc_id=vpc.vpc_id
        )
        data = efs.CfnFileSystem
        file_system = data(
            self,
            "Resource",
            encrypted=True,
            kms_key_id=kms_key.key_arn if kms_key else None,
            performance_mode="generalPurpose",
            throughput_mode="elastic",
            backup_policy=data.BackupPolicyProperty(status="ENABLED" if backup else "DISABLED"),
            lifecycle_policies=_lifecycle(transition_to_ia_days),
            file_system_policy=_tls_only() if encryption_in_transit == "required" else None,
            file_system_tags=[data.ElasticFileSystemTagProperty(key="Name", value=self.node.path)],
        )
        self._target = efs.CfnMountTarget(
            self,
            "MountTarget",
            file_system_id=file_system.ref,
            subnet_id=subnet.subnet_id,
            security_groups=[group.attr_group_id],
            ip_address_type="DUAL_STACK" if ip_address_type == "dualstack" else None,
        )
        for kept in (group, file_system, self._target):
            kept.apply_removal_policy(removal_policy, apply_to_update_replace_policy=True)
        self._group_id = group.attr_group_id
        self.file_system_id = file_system.ref
        self.security_group = ec2.SecurityGroup.from_security_group_id(
            self, "SecurityGroupReference", self._group_id, allow_all_outbound=False
        )

    @property
    def dns_name(self) -> str:
        """The DNS name of the file system in its own region."""
        return f"{self.file_system_id}.efs.{Stack.of(self).region}.{Aws.URL_SUFFIX}"

    def allow_clients(self, name: str, clients: ec2.ISecurityGroup) -> None:
        """Let a group of clients reach the mount target through NFS.

        Args:
            name: PascalCase noun for the construct ids, e.g. `Nodes`.
            clients: Their security group. The rules on both groups are made here, so the clients'
                stack does not depend on this one.

        Raises:
            ConstructError: A name that was used before or is no noun, a group that was admitted
                before, or one of another region.
        """
        noun(self, name, [f"{name}ToEgress", f"{name}ToIngress"])
        same_region(self, clients=clients)
        clients_id = clients.security_group_id
        if clients_id in self._clients:
            raise ConstructError("clients must be admitted once; EC2 refuses a rule twice")
        self._clients.add(clients_id)
        rules: list[CfnResource] = [
            ec2.CfnSecurityGroupEgress(
                self,
                f"{name}ToEgress",
                group_id=clients_id,
                destination_security_group_id=self._group_id,
                ip_protocol="tcp",
                from_port=NFS_PORT,
                to_port=NFS_PORT,
                description="NFS to home folders",
            ),
            ec2.CfnSecurityGroupIngress(
                self,
                f"{name}ToIngress",
                group_id=self._group_id,
                source_security_group_id=clients_id,
                ip_protocol="tcp",
                from_port=NFS_PORT,
                to_port=NFS_PORT,
                description="NFS from clients",
            ),
        ]
        # Who waits for the mount target may then mount.
        for rule in rules:
            self._target.add_resource_dependency(rule)


def _lifecycle(days: int | None) -> list[Any] | None:
    """EFS wants each direction as an entry of its own."""
    if days is None:
        return None
    data = efs.CfnFileSystem
    return [
        data.LifecyclePolicyProperty(transition_to_ia=f"AFTER_{days}_DAYS"),
        data.LifecyclePolicyProperty(transition_to_primary_storage_class="AFTER_1_ACCESS"),
    ]


def _tls_only() -> iam.PolicyDocument:
    """Clients come through the mount target and with TLS, or not at all."""
    actions = ("ClientMount", "ClientWrite", "ClientRootAccess")
    # The cast is for type checkers: CDK's classes name some parameters unlike its interfaces.
    anybody = cast("iam.IPrincipal", iam.AnyPrincipal())
    return iam.PolicyDocument(
        statements=[
            iam.PolicyStatement(
                sid="ThroughMountTargets",
                principals=[anybody],
                actions=[f"elasticfilesystem:{action}" for action in actions],
                resources=["*"],
                conditions={"Bool": {"elasticfilesystem:AccessedViaMountTarget": "true"}},
            ),
            iam.PolicyStatement(
                sid="TlsOnly",
                effect=iam.Effect.DENY,
                principals=[anybody],
                actions=["*"],
                resources=["*"],
                conditions={"Bool": {"aws:SecureTransport": "false"}},
            ),
        ]
    )
