"""An FSx for Lustre file system with its security group, made in the order that works."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from aws_cdk import CfnResource, CfnTag, RemovalPolicy
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_fsx as fsx
from constructs import Construct

from constructs_lib.arguments import noun, same_region
from constructs_lib.network.closed_security_group import closed_security_group
from constructs_lib.storage.lustre_checks import (
    check_backups,
    check_choices,
    check_key,
    check_options,
    check_version,
    checked_throughput,
    checked_tier,
)
from constructs_lib.storage.lustre_configuration import lustre_configuration
from constructs_lib.storage.lustre_log_group import log_group_arn
from constructs_lib.storage.lustre_options import LustreOptions
from constructs_lib.storage.lustre_rules import lustre_rules, rule_ids
from trnkit.errors import ConstructError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import aws_kms as kms

DeploymentType = Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"]


class LustreFileSystem(Construct):
    """An FSx for Lustre file system that survives the stack.

    Creates `AWS::FSx::FileSystem`, `AWS::EC2::SecurityGroup`, and a separate
    `AWS::EC2::SecurityGroupIngress` and `AWS::EC2::SecurityGroupEgress` for each port range (988
    and 1018-1023). The file system depends on all of the rules: FSx checks them when it makes it.

    File system, group and the group's own rules are kept when the stack is deleted or the resource
    is replaced, together, because one is no use without the others; only a deployment that fails
    while it makes them removes them, before there is data. Rules for clients go with the stack. No
    final backup is made on delete: for Lustre the API's default is to skip it. A log
    group, `AWS::Logs::LogGroup`, is made and kept when `options` ask for logs without naming one.

    What makes CloudFormation replace it by an empty one: subnet, security group, key, the types,
    the version, the drive cache, EFA, adding or removing the metadata configuration, and
    `copy_tags_to_backups`, which follows the backups when it is not written. Root squash has no
    property in CloudFormation; set it with UpdateFileSystem.

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
        storage_capacity_gib: int | None = None,
        deployment_type: DeploymentType = "PERSISTENT_2",
        per_unit_storage_throughput: int | None = None,
        file_system_type_version: str = "2.15",
        data_compression_type: Literal["NONE", "LZ4"] = "LZ4",
        automatic_backup_retention_days: int | None = None,
        kms_key: kms.IKey | None = None,
        options: LustreOptions | None = None,
        removal_policy: RemovalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ) -> None:
        """Create the file system.

        Args:
            scope: Parent.
            construct_id: Id within the parent. Changing it makes another, empty file system.
            vpc: Where the security group belongs.
            subnet: The one subnet of the file system; take the zone of its clients.
            storage_capacity_gib: Size; for SSD 1200, 2400, or a multiple of 2400. None for
                Intelligent-Tiering only, which is elastic.
            deployment_type: `PERSISTENT_2`, `PERSISTENT_1`, `SCRATCH_2` or `SCRATCH_1`.
            per_unit_storage_throughput: MB/s per TiB. None takes the lowest of the tier
                (125 for PERSISTENT_2 SSD) and must stay None where there is none.
            file_system_type_version: Lustre version of the servers.
            data_compression_type: `LZ4` or `NONE`.
            automatic_backup_retention_days: Days to keep daily backups. None leaves the key out of
                the template, which is required beside repository associations.
            kms_key: Key of the data, with PERSISTENT types. None takes the AWS managed key of FSx.
            options: What only some file systems have: storage type, Intelligent-Tiering, metadata
                configuration, EFA, logs, times. None takes SSD and nothing else.
            removal_policy: What happens on delete and on replacement. By default both keep it, but
                a deployment that fails while it makes it leaves nothing behind, and nothing billed.

        Raises:
            ConstructError: A combination that FSx refuses, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        options = LustreOptions() if options is None else options
        check_choices(options, data_compression_type, removal_policy)
        same_region(self, vpc=vpc, subnet=subnet, kms_key=kms_key)
        tier, efa = checked_tier(deployment_type, options.storage_type), options.efa_enabled
        throughput = checked_throughput(
            tier, storage_capacity_gib, per_unit_storage_throughput, efa_enabled=efa
        )
        check_version(tier, file_system_type_version, options)
        check_backups(deployment_type, automatic_backup_retention_days)
        check_key(deployment_type, kms_key is not None)
        check_options(tier, storage_capacity_gib, options)
        self._clients: set[str] = set()
        self._efa, self._removal_policy = efa, removal_policy
        group = closed_security_group(
            self,
            group_description="FSx for Lustre: Lustre ports among servers and clients",
            vpc_id=vpc.vpc_id,
        )
        self._group_id = group.attr_group_id
        self._file_system = fsx.CfnFileSystem(
            self,
            "Resource",
            file_system_type="LUSTRE",
            file_system_type_version=file_system_type_version,
            storage_type=options.storage_type,
            storage_capacity=storage_capacity_gib,
            subnet_ids=[subnet.subnet_id],
            security_group_ids=[self._group_id],
            kms_key_id=kms_key.key_arn if kms_key else None,
            lustre_configuration=lustre_configuration(
                options,
                deployment_type=deployment_type,
                per_unit_storage_throughput=throughput,
                data_compression_type=data_compression_type,
                automatic_backup_retention_days=automatic_backup_retention_days,
                log=self._log(options),
            ),
            tags=[CfnTag(key="Name", value=self.node.path)],
        )
        self._keep(group, self._file_system)
        self._publish()

    def _publish(self) -> None:
        """Set the attributes that others use."""
        self.file_system_id = self._file_system.ref
        self.dns_name = self._file_system.attr_dns_name
        self.mount_name = self._file_system.attr_lustre_mount_name
        self.security_group = ec2.SecurityGroup.from_security_group_id(
            self, "SecurityGroupReference", self._group_id, allow_all_outbound=False
        )

    def _keep(self, group: ec2.CfnSecurityGroup, file_system: fsx.CfnFileSystem) -> None:
        """Make the group's own rules first, and keep all three together."""
        own = list(lustre_rules(self, "Self", self._group_id, self._group_id, efa=self._efa))
        for kept in (group, file_system, *own):
            kept.apply_removal_policy(self._removal_policy, apply_to_update_replace_policy=True)
        self._await(own)

    def allow_clients(self, name: str, clients: ec2.ISecurityGroup) -> None:
        """Open the Lustre ports between the file system and a group of clients, both ways.

        With EFA, all traffic is admitted between the two groups, which EFA needs.

        Args:
            name: PascalCase noun for the construct ids, e.g. `Nodes`.
            clients: Their security group. The rules on both groups are made here, so the clients'
                stack does not depend on this one.

        Raises:
            ConstructError: A name that was used before or is no noun, a group that was admitted
                before, or one of another region.
        """
        noun(self, name, rule_ids(name, efa=self._efa))
        same_region(self, clients=clients)
        clients_id = clients.security_group_id
        if clients_id in self._clients:
            raise ConstructError("clients must be admitted once; EC2 refuses a rule twice")
        self._clients.add(clients_id)
        rules = [
            *lustre_rules(self, f"{name}To", clients_id, self._group_id, efa=self._efa),
            *lustre_rules(self, f"{name}From", self._group_id, clients_id, efa=self._efa),
        ]
        self._await(rules)

    def _log(self, options: LustreOptions) -> fsx.CfnFileSystem.LogConfigurationProperty | None:
        if options.log_level is None:
            return None
        return fsx.CfnFileSystem.LogConfigurationProperty(
            level=options.log_level,
            destination=options.log_group_arn or log_group_arn(self, self._removal_policy),
        )

    def _await(self, rules: Sequence[CfnResource]) -> None:
        for rule in rules:
            self._file_system.add_resource_dependency(rule)
