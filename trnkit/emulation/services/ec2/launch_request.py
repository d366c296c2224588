"""What a launch asks for, once template and request are put together."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trnkit.emulation.services.ec2 import images
from trnkit.emulation.services.ec2.refusing import refuse, zone_of

_OF_REQUEST_ONLY = frozenset({"MinCount", "MaxCount", "DryRun", "ClientToken", "LaunchTemplate"})
# What a request says of these replaces single members, not the whole.
_MERGED = frozenset({"Placement", "MetadataOptions", "Monitoring"})


@dataclass(frozen=True)
class Interface:
    """One network interface of a launch.

    Attributes:
        asked: What the launch says of it.
        subnet_id: The subnet it will be in.
        groups: Ids of its security groups; empty: the VPC's default group.
    """

    asked: Mapping[str, Any]
    subnet_id: str
    groups: tuple[str, ...] = ()

    @property
    def card(self) -> int:
        """Index of the network card."""
        return int(self.asked.get("NetworkCardIndex") or 0)

    @property
    def device(self) -> int:
        """Device index on the card."""
        return int(self.asked.get("DeviceIndex") or 0)

    @property
    def kind(self) -> str:
        """``interface``, ``efa`` or ``efa-only``."""
        return str(self.asked.get("InterfaceType") or "interface")

    @property
    def is_primary(self) -> bool:
        """Whether it is the instance's first."""
        return self.card == 0 and self.device == 0

    @property
    def is_new(self) -> bool:
        """Whether it is made by the launch."""
        return not self.asked.get("NetworkInterfaceId")


@dataclass(frozen=True)
class Launch:
    """A launch, complete.

    Attributes:
        backend: moto's EC2 of the region.
        asked: Parameters of RunInstances, with those of the launch template where the request
            says nothing.
        version: moto's version of the launch template, None without one.
        given_subnet: Subnet for interfaces that name none.
    """

    backend: Any
    asked: Mapping[str, Any]
    version: Any = None
    given_subnet: str | None = None
    cache: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def type_name(self) -> str:
        """The instance type's name."""
        return str(self.asked.get("InstanceType") or "")

    @property
    def image(self) -> Any:
        """Moto's image.

        Raises:
            EC2ClientError: There is none.
        """
        if "image" not in self.cache:
            self.cache["image"] = images.resolved(self.backend, self.asked.get("ImageId"))
        return self.cache["image"]

    @property
    def placement(self) -> Mapping[str, Any]:
        """Group, tenancy and zone."""
        return self.asked.get("Placement") or {}

    @property
    def market(self) -> str:
        """``on-demand``, ``spot`` or ``capacity-block``."""
        return str((self.asked.get("InstanceMarketOptions") or {}).get("MarketType") or "on-demand")

    @property
    def reservation_wish(self) -> Mapping[str, Any]:
        """The specification of Capacity Reservations."""
        return self.asked.get("CapacityReservationSpecification") or {}

    @property
    def interfaces(self) -> tuple[Interface, ...]:
        """Its network interfaces; one when it names none."""
        if "interfaces" not in self.cache:
            self.cache["interfaces"] = self._interfaces()
        return self.cache["interfaces"]

    @property
    def subnet(self) -> Any:
        """Moto's subnet of the primary interface."""
        first = next((i for i in self.interfaces if i.is_primary), self.interfaces[0])
        return self.backend.get_subnet(first.subnet_id)

    @property
    def zone(self) -> Any:
        """Moto's zone in which the instances come."""
        return zone_of(self.backend, self.subnet.availability_zone)

    def _interfaces(self) -> tuple[Interface, ...]:
        asked = self.asked.get("NetworkInterfaces") or []
        if not asked:
            groups = (*(self.asked.get("SecurityGroupIds") or ()), *self._groups_by_name())
            single = {"DeviceIndex": 0, "DeleteOnTermination": True}
            for name in ("PrivateIpAddress", "Ipv6AddressCount", "Ipv6Addresses"):
                if self.asked.get(name):
                    single[name] = self.asked[name]
            return (Interface(single, self._subnet_id(None), groups),)
        return tuple(
            Interface(
                spec, self._subnet_id(spec), tuple(str(group) for group in spec.get("Groups") or ())
            )
            for spec in asked
        )

    def _subnet_id(self, spec: Mapping[str, Any] | None) -> str:
        if spec and spec.get("NetworkInterfaceId"):
            return self.backend.get_network_interface(spec["NetworkInterfaceId"]).subnet.id
        named = (spec or {}).get("SubnetId") or self.asked.get("SubnetId") or self.given_subnet
        if named:
            return str(named)
        zone = self.placement.get("AvailabilityZone")
        for subnet in self.backend.describe_subnets():
            if str(subnet.default_for_az).lower() == "true" and (
                not zone or subnet.availability_zone == zone
            ):
                return subnet.id
        refuse("MissingInput", "No subnets found for the default VPC. Please specify a subnet.")

    def _groups_by_name(self) -> tuple[str, ...]:
        names = self.asked.get("SecurityGroups") or ()
        return tuple(self.backend.get_security_group_by_name_or_id(name).id for name in names)


def launch_of(
    backend: Any,
    request: Mapping[str, Any],
    *,
    version: Any = None,
    given_subnet: str | None = None,
) -> Launch:
    """Put a launch template's version and a request together.

    Args:
        backend: moto's EC2 of the region.
        request: Parameters of RunInstances.
        version: moto's version of the launch template, None without one.
        given_subnet: Subnet for interfaces that name none.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html
    """
    asked = copy.deepcopy(dict(version.data)) if version else {}
    for name, value in request.items():
        if name in _OF_REQUEST_ONLY or value is None:
            continue
        if name == "TagSpecifications":
            asked[name] = [*(asked.get(name) or ()), *value]
        elif name in _MERGED and isinstance(asked.get(name), dict):
            asked[name] = {**asked[name], **value}
        else:
            asked[name] = copy.deepcopy(value)
    return Launch(backend, asked, version, given_subnet)
