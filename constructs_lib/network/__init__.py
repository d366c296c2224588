"""Network: the VPC of a cluster and the security group of its fabric."""

from constructs_lib.network.cluster_vpc import ClusterVpc
from constructs_lib.network.efa_security_group import EfaSecurityGroup

__all__ = ["ClusterVpc", "EfaSecurityGroup"]
