"""`network`: the VPC a cluster lives in."""

from __future__ import annotations

from trnkit.config.values import Cidr, Section, Text, setting


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
