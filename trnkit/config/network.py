"""`network`: the VPC a cluster lives in, its own or an existing one."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import (
    Bool,
    Cidr,
    ExistingCidr,
    IpAddressType,
    RouteTableId,
    SecondaryCidr,
    Section,
    SecurityGroupId,
    SubnetId,
    Text,
    VpcId,
    setting,
)


class ExistingNetworkConfig(Section):
    """A VPC that is there already, named by ids; nothing about it is looked up at synthesis."""

    vpc_id: VpcId = setting(
        change="replaces", example="vpc-0123456789abcdef0", description="The VPC."
    )
    compute_subnet_id: SubnetId = setting(
        change="replaces nodes",
        example="subnet-0123456789abcdef0",
        description="The one private subnet of the accelerated nodes, in the zone below.",
    )
    availability_zone_id: Text = setting(
        change="replaces nodes",
        example="use2-az3",
        description="Zone id (not name) of the compute subnet. It cannot be told from a subnet's "
        "id without asking the account.",
    )
    storage_subnet_id: SubnetId | None = setting(
        None,
        change="destroys data",
        example="subnet-0fedcba9876543210",
        description="Subnet of the file systems. Left out: the compute subnet.",
    )
    storage_availability_zone_id: Text | None = setting(
        None,
        example="use2-az3",
        description="Zone id of the storage subnet, for the checks. Left out: that of the compute "
        "subnet.",
    )
    control_plane_subnet_ids: tuple[SubnetId, ...] = setting(
        (),
        max_length=16,
        example=["subnet-0123456789abcdef1", "subnet-0123456789abcdef2"],
        description="Private subnets in two or more zones, for orchestrators whose control plane "
        "needs them. Nodes never go there.",
    )
    vpc_cidr: ExistingCidr | None = setting(
        None,
        example="10.0.0.0/16",
        description="IPv4 block of the VPC; interface endpoints made here admit it. Left out: they "
        "admit the nodes alone.",
    )
    compute_subnet_cidr: ExistingCidr | None = setting(
        None,
        example="10.0.64.0/20",
        description="IPv4 block of the compute subnet, so that the addresses of the nodes can be "
        "counted. Left out: they are not.",
    )
    route_table_ids: tuple[RouteTableId, ...] = setting(
        (),
        max_length=20,
        example=["rtb-0123456789abcdef0"],
        description="Route tables of the subnets above, for the S3 gateway endpoint.",
    )
    create_s3_gateway_endpoint: Bool = setting(
        False,
        description="Make a gateway endpoint for S3 on `route_table_ids`. Leave it off where the "
        "VPC has one: a route table takes only one.",
    )
    security_group_id: SecurityGroupId | None = setting(
        None,
        change="new nodes only",
        example="sg-0123456789abcdef0",
        description="A security group for the nodes that admits all traffic from and to itself. "
        "Left out: the cluster makes one in the VPC.",
    )
    shared: Bool = setting(
        False,
        description="Whether the subnets are another account's, shared through AWS RAM. Then what "
        "only the owner may make (endpoints) is refused here.",
    )


class FlowLogsConfig(Section):
    """Records of the VPC's traffic. EFA traffic does not appear in them."""

    destination: Literal["cloud-watch-logs"] = setting(
        "cloud-watch-logs",
        change="replaces",
        description="`cloud-watch-logs`: a log group of the cluster, kept when the stack goes.",
    )
    retention_days: Literal[1, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653] = setting(
        90, description="Days that a record is kept."
    )
    traffic_type: Literal["ALL", "ACCEPT", "REJECT"] = setting(
        "ALL",
        change="replaces",
        description="Which traffic: all, or only what was accepted or rejected.",
    )


class NetworkConfig(Section):
    """The VPC: one compute zone, private nodes behind NAT, S3 through a gateway endpoint."""

    vpc_cidr: Cidr = setting(
        "10.0.0.0/16",
        change="replaces",
        description="IPv4 block of the VPC, /16 to /22. The compute subnet takes a quarter of it, "
        "or half when nodes x addresses need that.",
    )
    availability_zone_id: Text | None = setting(
        None,
        change="replaces",
        example="use2-az3",
        description="Zone id (not name: names differ from account to account) of the accelerated "
        "nodes and of their file systems. Left out: the first zone of the region that offers every "
        "instance type of the file; `trnkit check` says which.",
    )
    existing: ExistingNetworkConfig | None = setting(
        None,
        change="replaces",
        description="A VPC that is there already. Left out: the cluster gets one of its own.",
    )
    nat_gateway: Bool = setting(
        True,
        description="Whether nodes reach the internet through a NAT gateway. `false`: no gateway "
        "and no public subnet; AWS's services are reached through interface endpoints, which are "
        "then made for all that the cluster uses.",
    )
    ip_address_type: IpAddressType = setting(
        "ipv4",
        change="new nodes only",
        description="`dualstack`: private subnets have IPv6 blocks and nodes IPv6 addresses beside "
        "their IPv4 ones, one on each primary interface, with a way out (where there is NAT) and "
        "none in. Subnets of an `existing` VPC must have IPv6 already. Going back to `ipv4` wants "
        "all nodes stopped first: EC2 keeps a block with addresses in use.",
    )
    interface_endpoints: tuple[Text, ...] = setting(
        (),
        max_length=20,
        example=["ecr.api", "ecr.dkr"],
        description="Services to reach through interface endpoints, by the last part of their "
        "endpoint name, beside those that `nat_gateway: false` brings. Each is billed by the hour.",
    )
    control_plane_zone_ids: tuple[Text, ...] = setting(
        (),
        max_length=6,
        example=["use2-az1", "use2-az2"],
        description="Two or more zones of the region that get a small private subnet each, for "
        "orchestrators whose control plane needs them. Nodes never go there.",
    )
    secondary_cidr: SecondaryCidr | None = setting(
        None,
        change="replaces",
        example="100.64.0.0/16",
        description="A second IPv4 block of the VPC, /16 to /24; the compute subnet takes the "
        "whole of it. For nodes that `vpc_cidr` has no room for.",
    )
    flow_logs: FlowLogsConfig | None = setting(
        None, description="Flow logs of the VPC. Left out: none."
    )
