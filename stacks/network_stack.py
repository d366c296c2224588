"""The network of a cluster: stateful, because everything else lives in it."""

from __future__ import annotations

from aws_cdk import CfnOutput, CfnWaitConditionHandle, Environment, Stack, Token
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.network import (
    ClusterVpc,
    EfaSecurityGroup,
    ImportedNetwork,
    InterfaceEndpoints,
    VpcFlowLog,
)
from trnkit.config import ClusterConfig, ExistingNetworkConfig, NetworkConfig
from trnkit.errors import ConstructError
from trnkit.layout.addresses import addresses_needed
from trnkit.layout.endpoints import dualstack_endpoints_of, interface_endpoints_of
from trnkit.layout.zones import compute_zone_id


class NetworkStack(Stack):
    """VPC, subnets and the EFA security group. Protected against deletion.

    The VPC is the cluster's own or, with `network.existing`, somebody else's; the attributes are
    the same. It exports the same values whether or not another stack uses them, so that removing a
    file system or a node group never changes this stack. Ids that the file itself gives need no
    export: the other stacks write them out.
    """

    vpc: ec2.IVpc
    compute_subnet: ec2.ISubnet
    storage_subnet: ec2.ISubnet
    control_plane_subnets: tuple[ec2.ISubnet, ...]
    """Private subnets in two or more zones, for orchestrators; empty when not asked for."""
    node_security_group: ec2.ISecurityGroup

    def __init__(
        self, scope: Construct, construct_id: str, *, cluster: ClusterConfig, env: Environment
    ) -> None:
        """Create the stack.

        Args:
            scope: The cluster's stage.
            construct_id: `Network`.
            cluster: What to build.
            env: Account and region.

        Raises:
            ConstructError: The file names no zone and the catalogue knows none.
        """
        super().__init__(
            scope,
            construct_id,
            env=env,
            termination_protection=True,
            description=f"trnkit cluster {cluster.name}: network",
        )
        existing = cluster.network.existing
        network = self._imported(existing) if existing else self._own(cluster)
        self.vpc = network.vpc
        self.compute_subnet = network.compute_subnet
        self.storage_subnet = network.storage_subnet
        self.control_plane_subnets = network.control_plane_subnets
        self.node_security_group = self._node_security_group(cluster.network)
        self._add_endpoints(cluster, network)
        self._add_flow_log(cluster.network)
        self._export_and_print()
        if existing and existing.security_group_id and not existing.create_s3_gateway_endpoint:
            self._keep_deployable(cluster)

    def _own(self, cluster: ClusterConfig) -> ClusterVpc:
        zone_id, network = compute_zone_id(cluster), cluster.network
        if zone_id is None:
            raise ConstructError(
                f"network.availability_zone_id is needed: no zone of {cluster.region} is known to "
                "offer every instance type of the cluster"
            )
        return ClusterVpc(
            self,
            "ClusterVpc",
            availability_zone_id=zone_id,
            vpc_cidr=network.vpc_cidr,
            compute_addresses=addresses_needed(cluster.compute.node_groups),
            secondary_cidr=network.secondary_cidr,
            nat_gateway=network.nat_gateway,
            create_endpoint_subnet=bool(interface_endpoints_of(cluster)),
            control_plane_zone_ids=network.control_plane_zone_ids,
            ip_address_type=network.ip_address_type,
        )

    def _imported(self, existing: ExistingNetworkConfig) -> ImportedNetwork:
        tables = existing.route_table_ids if existing.create_s3_gateway_endpoint else ()
        return ImportedNetwork(
            self,
            "ImportedNetwork",
            vpc_id=existing.vpc_id,
            compute_subnet_id=existing.compute_subnet_id,
            storage_subnet_id=existing.storage_subnet_id,
            control_plane_subnet_ids=existing.control_plane_subnet_ids,
            s3_gateway_route_table_ids=tables,
        )

    def _node_security_group(self, network: NetworkConfig) -> ec2.ISecurityGroup:
        existing = network.existing
        if existing and existing.security_group_id:
            return ec2.SecurityGroup.from_security_group_id(
                self, "NodeSecurityGroup", existing.security_group_id, allow_all_outbound=False
            )
        return EfaSecurityGroup(
            self, "EfaSecurityGroup", vpc=self.vpc, ip_address_type=network.ip_address_type
        ).security_group

    def _add_endpoints(self, cluster: ClusterConfig, network: ClusterVpc | ImportedNetwork) -> None:
        services = interface_endpoints_of(cluster)
        if not services:
            return
        config = cluster.network
        if isinstance(network, ClusterVpc):
            subnet, blocks = network.endpoint_subnet, (config.vpc_cidr, config.secondary_cidr)
        else:
            subnet = network.compute_subnet
            blocks = (config.existing.vpc_cidr if config.existing else None,)
        InterfaceEndpoints(
            self,
            "InterfaceEndpoints",
            vpc=self.vpc,
            subnet=subnet or self.compute_subnet,
            services=services,
            clients=[self.node_security_group],
            client_cidrs=[block for block in blocks if block],
            dualstack_services=dualstack_endpoints_of(cluster),
        )

    def _add_flow_log(self, network: NetworkConfig) -> None:
        if network.flow_logs and network.existing is None:
            VpcFlowLog(
                self,
                "VpcFlowLog",
                vpc=self.vpc,
                retention_days=network.flow_logs.retention_days,
                traffic_type=network.flow_logs.traffic_type,
            )

    def _export_and_print(self) -> None:
        outputs = {
            "VpcId": self.vpc.vpc_id,
            "ComputeSubnetId": self.compute_subnet.subnet_id,
            "StorageSubnetId": self.storage_subnet.subnet_id,
            "NodeSecurityGroupId": self.node_security_group.security_group_id,
        }
        planes = [subnet.subnet_id for subnet in self.control_plane_subnets]
        for value in (*outputs.values(), *planes):
            if Token.is_unresolved(value):
                self.export_value(value)
        if planes:
            outputs["ControlPlaneSubnetIds"] = ",".join(planes)
        for name, value in outputs.items():
            CfnOutput(self, name, value=value)

    def _keep_deployable(self, cluster: ClusterConfig) -> None:
        """CloudFormation refuses a stack of nothing but outputs; this resource is nothing too."""
        if not interface_endpoints_of(cluster):
            CfnWaitConditionHandle(self, "Placeholder")
