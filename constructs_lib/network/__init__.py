"""Network: the VPC of a cluster, its endpoints, and the security group of its fabric."""

from constructs_lib.network.cluster_vpc import ClusterVpc
from constructs_lib.network.efa_security_group import EfaSecurityGroup
from constructs_lib.network.imported_network import ImportedNetwork
from constructs_lib.network.interface_endpoints import InterfaceEndpoints
from constructs_lib.network.vpc_flow_log import VpcFlowLog

__all__ = [
    "ClusterVpc",
    "EfaSecurityGroup",
    "ImportedNetwork",
    "InterfaceEndpoints",
    "VpcFlowLog",
]
