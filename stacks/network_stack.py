"""The network of a cluster: stateful, because everything else lives in it."""

from __future__ import annotations

from aws_cdk import CfnOutput, Environment, Stack
from aws_cdk import aws_ec2 as ec2
from constructs import Construct

from constructs_lib.network import ClusterVpc, EfaSecurityGroup
from trnkit.config import ClusterConfig
from trnkit.errors import ConstructError
from trnkit.layout.addresses import addresses_needed
from trnkit.layout.zones import compute_zone_id


class NetworkStack(Stack):
    """VPC, subnets and the EFA security group. Protected against deletion.

    It exports the same values whether or not another stack uses them, so that removing a file
    system or a node group never changes this stack.
    """

    vpc: ec2.IVpc
    compute_subnet: ec2.ISubnet
    storage_subnet: ec2.ISubnet
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
        zone_id = compute_zone_id(cluster)
        if zone_id is None:
            raise ConstructError(
                f"network.availability_zone_id is needed: no zone of {cluster.region} is known to "
                "offer every instance type of the cluster"
            )
        network = ClusterVpc(
            self,
            "ClusterVpc",
            availability_zone_id=zone_id,
            vpc_cidr=cluster.network.vpc_cidr,
            compute_addresses=addresses_needed(cluster.compute.node_groups),
        )
        self.vpc = network.vpc
        self.compute_subnet = network.compute_subnet
        self.storage_subnet = network.storage_subnet
        fabric = EfaSecurityGroup(self, "EfaSecurityGroup", vpc=network.vpc)
        self.node_security_group = fabric.security_group
        for value in self._shared():
            self.export_value(value)
        CfnOutput(self, "VpcId", value=self.vpc.vpc_id)
        CfnOutput(self, "ComputeSubnetId", value=self.compute_subnet.subnet_id)
        CfnOutput(self, "StorageSubnetId", value=self.storage_subnet.subnet_id)
        CfnOutput(self, "NodeSecurityGroupId", value=self.node_security_group.security_group_id)

    def _shared(self) -> list[str]:
        return [
            self.vpc.vpc_id,
            self.compute_subnet.subnet_id,
            self.storage_subnet.subnet_id,
            self.node_security_group.security_group_id,
        ]
