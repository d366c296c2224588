"""EC2: what exists of things that quotas count, in one Region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.gateway import Gateway
from trnkit.aws.owned_resources import OwnedResource, owned_resource, tags_of
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_ADDRESSES = ReadOperation(
    service="ec2",
    name="DescribeAddresses",
    permission="ec2:DescribeAddresses",
    purpose="Elastic IP addresses that count against the account's quota",
)
DESCRIBE_NAT_GATEWAYS = ReadOperation(
    service="ec2",
    name="DescribeNatGateways",
    permission="ec2:DescribeNatGateways",
    purpose="NAT gateways that count against a zone's quota",
)
DESCRIBE_VOLUMES = ReadOperation(
    service="ec2",
    name="DescribeVolumes",
    permission="ec2:DescribeVolumes",
    purpose="storage of volumes that counts against the account's quota",
)
DESCRIBE_PLACEMENT_GROUPS = ReadOperation(
    service="ec2",
    name="DescribePlacementGroups",
    permission="ec2:DescribePlacementGroups",
    purpose="placement groups, of which a Region has a limited number",
)

_PAGE_SIZE = 1000
_VOLUMES_A_PAGE = 500
_COUNTING_STATES = ("pending", "available", "deleting")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressDescription:
    """An Elastic IP address.

    Attributes:
        allocation_id: `eipalloc-...`.
        is_ordinary: Of Amazon's own pool, and not kept by a service for itself.
        tags: Its tags.
    """

    allocation_id: str
    is_ordinary: bool
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NatGatewayDescription:
    """A NAT gateway that is there, or comes or goes.

    Attributes:
        nat_gateway_id: `nat-...`.
        subnet_id: Its subnet; None for one of all zones.
        tags: Its tags.
    """

    nat_gateway_id: str
    subnet_id: str | None
    tags: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeDescription:
    """A volume.

    Attributes:
        size_gib: Its size.
        tags: Its tags.
    """

    size_gib: int
    tags: Mapping[str, str]


class Ec2UsageGateway(Gateway):
    """Describes what there is of things that quotas count."""

    service = "ec2"
    operations = (
        DESCRIBE_ADDRESSES,
        DESCRIBE_NAT_GATEWAYS,
        DESCRIBE_VOLUMES,
        DESCRIBE_PLACEMENT_GROUPS,
    )

    def addresses(self) -> tuple[AddressDescription, ...]:
        """Elastic IP addresses for VPCs.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_ADDRESSES, Filters=[{"Name": "domain", "Values": ["vpc"]}]).get(
            "Addresses", ()
        )
        return tuple(
            AddressDescription(
                allocation_id=address.get("AllocationId", ""),
                is_ordinary=address.get("PublicIpv4Pool", "amazon") == "amazon"
                and not address.get("CustomerOwnedIp")
                and not address.get("CarrierIp")
                and not address.get("ServiceManaged"),
                tags=tags_of(address),
            )
            for address in told
        )

    def nat_gateways(self) -> tuple[NatGatewayDescription, ...]:
        """NAT gateways in the states in which they count.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_NAT_GATEWAYS,
            "NatGateways",
            Filter=[{"Name": "state", "Values": list(_COUNTING_STATES)}],
            PaginationConfig={"PageSize": _PAGE_SIZE},
        )
        return tuple(
            NatGatewayDescription(
                nat_gateway_id=gateway["NatGatewayId"],
                subnet_id=gateway.get("SubnetId"),
                tags=tags_of(gateway),
            )
            for gateway in told
        )

    def placement_groups(self) -> tuple[OwnedResource, ...]:
        """Placement groups of the account.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_PLACEMENT_GROUPS).get("PlacementGroups", ())
        return tuple(owned_resource(each, "GroupId", kind="Strategy") for each in told)

    def volumes(self, volume_type: str, *, most: int) -> tuple[VolumeDescription, ...] | None:
        """Volumes of a type.

        Args:
            volume_type: For example `gp3`.
            most: How many to read at the most.

        Returns:
            None when there are more: a part is no answer.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_VOLUMES,
            "Volumes",
            about=volume_type,
            Filters=[{"Name": "volume-type", "Values": [volume_type]}],
            PaginationConfig={"PageSize": _VOLUMES_A_PAGE, "MaxItems": most + 1},
        )
        if len(told) > most:
            return None
        return tuple(VolumeDescription(size_gib=each["Size"], tags=tags_of(each)) for each in told)
