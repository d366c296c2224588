"""Subnets that are default subnets, and assign public addresses, only in the default VPC.

moto takes the first subnet of a zone for the zone's default one, and every subnet that names its
zone by id for the first.
Source: https://docs.aws.amazon.com/vpc/latest/userguide/default-vpc-components.html
"""

from __future__ import annotations

from typing import Any


def install() -> None:
    """Put moto's subnets right."""
    from moto.ec2.models import EC2Backend

    backend_class: Any = EC2Backend
    if getattr(backend_class, "subnets_by_zone_id", False):
        return
    backend_class.subnets_by_zone_id = True
    make = backend_class.create_subnet

    def create_subnet(
        self: Any,
        vpc_id: str,
        cidr_block: str,
        ipv6_cidr_block: str | None = None,
        availability_zone: str | None = None,
        availability_zone_id: str | None = None,
        **others: Any,
    ) -> Any:
        if availability_zone_id and not availability_zone:
            for zone in self.describe_availability_zones():
                if zone.zone_id == availability_zone_id:
                    availability_zone = zone.name
        subnet = make(
            self,
            vpc_id,
            cidr_block,
            ipv6_cidr_block,
            availability_zone,
            availability_zone_id,
            **others,
        )
        if not self.get_vpc(vpc_id).is_default:
            subnet.default_for_az = False
            subnet.map_public_ip_on_launch = False
        return subnet

    backend_class.create_subnet = create_subnet
