"""An FSx for Lustre file system with its security group, made in the order that works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aws_cdk import CfnResource, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_fsx as fsx
from constructs import Construct

from trnkit.catalog import lustre_port_ranges, lustre_tier
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_cdk import aws_kms as kms

    from trnkit.catalog import LustreTier

DeploymentType = Literal["SCRATCH_2", "PERSISTENT_2"]


class LustreFileSystem(Construct):
    """An FSx for Lustre file system that survives the stack.

    Creates `AWS::FSx::FileSystem`, `AWS::EC2::SecurityGroup`, and a separate
    `AWS::EC2::SecurityGroupIngress` and `AWS::EC2::SecurityGroupEgress` for each port range (988
    and 1018-1023). The file system depends on all of the rules: FSx checks them when it makes it.

    File system, group and the group's own rules are kept when the stack is deleted or the resource
    is replaced, together, because one is no use without the others. Rules for clients go with the
    stack. No final backup is made on delete: for Lustre the API's default is to skip it.

    Sources:
        https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html
        https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.network import ClusterVpc, EfaSecurityGroup
        >>> from constructs_lib.storage import LustreFileSystem
        >>> stack = Stack(App(), "Storage")
        >>> network = ClusterVpc(stack, "Vpc", availability_zone_id="use2-az3")
        >>> nodes = EfaSecurityGroup(stack, "Efa", vpc=network.vpc).security_group
        >>> files = LustreFileSystem(
        ...     stack, "Lustre", vpc=network.vpc, subnet=network.storage_subnet,
        ...     storage_capacity_gib=4800, per_unit_storage_throughput=250)
        >>> files.allow_clients("Nodes", nodes)
    """

    file_system_id: str
    """Id of the file system (`fs-...`)."""

    dns_name: str
    """Its `DNSName`, for mounting."""

    mount_name: str
    """Its `LustreMountName`, for mounting."""

    security_group: ec2.ISecurityGroup
    """The group of its interfaces."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        vpc: ec2.IVpc,
        subnet: ec2.ISubnet,
        storage_capacity_gib: int,
        deployment_type: DeploymentType = "PERSISTENT_2",
        per_unit_storage_throughput: int | None = None,
        file_system_type_version: str = "2.15",
        data_compression_type: Literal["NONE", "LZ4"] = "LZ4",
        automatic_backup_retention_days: int | None = None,
        kms_key: kms.IKey | None = None,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN,
    ) -> None:
        """Create the file system.

        Args:
            scope: Parent.
            construct_id: Id within the parent. Changing it makes another, empty file system.
            vpc: Where the security group belongs.
            subnet: The one subnet of the file system; take the zone of its clients.
            storage_capacity_gib: 1200, 2400, or a multiple of 2400.
            deployment_type: `PERSISTENT_2` or `SCRATCH_2`.
            per_unit_storage_throughput: MB/s per TiB. None takes the lowest of the tier
                (125 for PERSISTENT_2) and must stay None for SCRATCH_2.
            file_system_type_version: Lustre version of the servers.
            data_compression_type: `LZ4` or `NONE`.
            automatic_backup_retention_days: Days to keep daily backups. None leaves the key out of
                the template, which is required beside repository associations.
            kms_key: Key of the data. None takes the AWS managed key of FSx.
            removal_policy: What happens on delete and on replacement.

        Raises:
            ConstructError: A combination that FSx refuses.
        """
        super().__init__(scope, construct_id)
        throughput = _checked_throughput(
            deployment_type, storage_capacity_gib, per_unit_storage_throughput
        )
        _check_version(deployment_type, file_system_type_version)
        _check_backups(deployment_type, automatic_backup_retention_days)
        group = self._closed_group(vpc)
        self._group_id = group.attr_group_id
        self._file_system = fsx.CfnFileSystem(
            self,
            "Resource",
            file_system_type="LUSTRE",
            file_system_type_version=file_system_type_version,
            storage_type="SSD",
            storage_capacity=storage_capacity_gib,
            subnet_ids=[subnet.subnet_id],
            security_group_ids=[self._group_id],
            kms_key_id=kms_key.key_arn if kms_key else None,
            lustre_configuration=fsx.CfnFileSystem.LustreConfigurationProperty(
                deployment_type=deployment_type,
                per_unit_storage_throughput=throughput,
                data_compression_type=data_compression_type,
                automatic_backup_retention_days=automatic_backup_retention_days,
                copy_tags_to_backups=True if automatic_backup_retention_days else None,
            ),
        )
        own = list(self._rules("Self", self._group_id, self._group_id))
        for kept in (group, self._file_system, *own):
            kept.apply_removal_policy(removal_policy, apply_to_update_replace_policy=True)
        self._await(own)
        self.file_system_id = self._file_system.ref
        self.dns_name = self._file_system.attr_dns_name
        self.mount_name = self._file_system.attr_lustre_mount_name
        self.security_group = ec2.SecurityGroup.from_security_group_id(
            self, "SecurityGroupReference", self._group_id, allow_all_outbound=False
        )

    def _closed_group(self, vpc: ec2.IVpc) -> ec2.CfnSecurityGroup:
        return ec2.CfnSecurityGroup(
            self,
            "SecurityGroup",
            group_description="FSx for Lustre: Lustre ports among servers and clients",
            vpc_id=vpc.vpc_id,
            # An empty list would mean "allow all"; this rule matches nothing.
            security_group_egress=[
                ec2.CfnSecurityGroup.EgressProperty(
                    ip_protocol="icmp",
                    cidr_ip="255.255.255.255/32",
                    from_port=252,
                    to_port=86,
                    description="No traffic but the rules beside this group",
                )
            ],
        )

    def allow_clients(self, name: str, clients: ec2.ISecurityGroup) -> None:
        """Open the Lustre ports between the file system and a group of clients, both ways.

        Args:
            name: PascalCase noun for the construct ids, e.g. `Nodes`.
            clients: Their security group. The rules on both groups are made here, so the clients'
                stack does not depend on this one.
        """
        clients_id = clients.security_group_id
        rules = [
            *self._rules(f"{name}To", clients_id, self._group_id),
            *self._rules(f"{name}From", self._group_id, clients_id),
        ]
        self._await(rules)

    def _rules(self, name: str, source_id: str, target_id: str) -> Iterator[CfnResource]:
        """Egress on the source and ingress on the target, for every Lustre port range."""
        for first, last in lustre_port_ranges():
            ports = f"{first}" if first == last else f"{first}To{last}"
            yield ec2.CfnSecurityGroupEgress(
                self,
                f"{name}Egress{ports}",
                group_id=source_id,
                destination_security_group_id=target_id,
                ip_protocol="tcp",
                from_port=first,
                to_port=last,
                description="Lustre",
            )
            yield ec2.CfnSecurityGroupIngress(
                self,
                f"{name}Ingress{ports}",
                group_id=target_id,
                source_security_group_id=source_id,
                ip_protocol="tcp",
                from_port=first,
                to_port=last,
                description="Lustre",
            )

    def _await(self, rules: list[CfnResource]) -> None:
        for rule in rules:
            self._file_system.add_resource_dependency(rule)


def _tier(deployment_type: str) -> LustreTier:
    tier = lustre_tier(deployment_type)
    if tier is None or deployment_type not in ("SCRATCH_2", "PERSISTENT_2"):
        raise ConstructError(
            f"deployment_type must be PERSISTENT_2 or SCRATCH_2, got {deployment_type!r}"
        )
    return tier


def _checked_throughput(
    deployment_type: str, capacity_gib: int, throughput: int | None
) -> int | None:
    tier = _tier(deployment_type)
    allowed = tier.allowed_throughputs
    if throughput is None:
        throughput = min(allowed) if allowed else None
    elif not allowed:
        raise ConstructError(
            f"per_unit_storage_throughput must be left out for {deployment_type}, got {throughput}"
        )
    elif throughput not in allowed:
        raise ConstructError(
            f"per_unit_storage_throughput must be {_either(allowed)} for {deployment_type}, got "
            f"{throughput}"
        )
    if not tier.capacity_is_valid(capacity_gib, throughput):
        near = _either(tier.nearest_capacities(capacity_gib, throughput))
        raise ConstructError(
            f"storage_capacity_gib must be 1200, 2400 or a multiple of 2400 for {deployment_type}, "
            f"got {capacity_gib}; take {near}"
        )
    return throughput


def _check_version(deployment_type: str, version: str) -> None:
    supported = _tier(deployment_type).supported_versions
    if version not in supported:
        raise ConstructError(
            f"file_system_type_version must be {_either(supported)} for {deployment_type}, got "
            f"{version!r}"
        )


def _check_backups(deployment_type: str, days: int | None) -> None:
    if days is None:
        return
    if deployment_type.startswith("SCRATCH"):
        raise ConstructError(
            f"automatic_backup_retention_days must be left out for {deployment_type}: scratch file "
            "systems have no backups"
        )
    if not 1 <= days <= 90:
        raise ConstructError(f"automatic_backup_retention_days must be 1 to 90, got {days}")


def _either(values: tuple[object, ...]) -> str:
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
