"""EC2: what exists of things that quotas count, in one Region."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_VPCS = ReadOperation(
    service="ec2",
    name="DescribeVpcs",
    permission="ec2:DescribeVpcs",
    purpose="VPCs that count against the account's quota",
)
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
DESCRIBE_NETWORK_INTERFACES = ReadOperation(
    service="ec2",
    name="DescribeNetworkInterfaces",
    permission="ec2:DescribeNetworkInterfaces",
    purpose="network interfaces that count against a zone's quota",
)
DESCRIBE_SECURITY_GROUPS = ReadOperation(
    service="ec2",
    name="DescribeSecurityGroups",
    permission="ec2:DescribeSecurityGroups",
    purpose="security groups that count against the account's quota",
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
class OwnedResource:
    """Something that one account owns.

    Attributes:
        resource_id: Its id.
        owner: The account; None when EC2 does not say.
        vpc_id: The VPC that it is in, or is.
        kind: Which kind, where there are several, for example an interface's `efa-only`.
        tags: Its tags.
    """

    resource_id: str
    owner: str | None
    vpc_id: str | None
    kind: str | None
    tags: Mapping[str, str]


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
        DESCRIBE_VPCS,
        DESCRIBE_ADDRESSES,
        DESCRIBE_NAT_GATEWAYS,
        DESCRIBE_NETWORK_INTERFACES,
        DESCRIBE_SECURITY_GROUPS,
        DESCRIBE_VOLUMES,
        DESCRIBE_PLACEMENT_GROUPS,
    )

    def vpcs(self) -> tuple[OwnedResource, ...]:
        """VPCs of the account, and those that others share with it.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(DESCRIBE_VPCS, "Vpcs", PaginationConfig={"PageSize": _PAGE_SIZE})
        return tuple(_owned(each, "VpcId") for each in told)

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
                tags=_tags(address),
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
                tags=_tags(gateway),
            )
            for gateway in told
        )

    def network_interfaces(self, zone_name: str) -> tuple[OwnedResource, ...]:
        """Network interfaces of a zone, with those of accounts that a VPC is shared with.

        Args:
            zone_name: The zone's name in this account.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_NETWORK_INTERFACES,
            "NetworkInterfaces",
            about=zone_name,
            Filters=[{"Name": "availability-zone", "Values": [zone_name]}],
            PaginationConfig={"PageSize": _PAGE_SIZE},
        )
        return tuple(_owned(each, "NetworkInterfaceId", kind="InterfaceType") for each in told)

    def security_groups(self) -> tuple[OwnedResource, ...]:
        """Security groups, with those of accounts that a VPC is shared with.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_SECURITY_GROUPS, "SecurityGroups", PaginationConfig={"PageSize": _PAGE_SIZE}
        )
        return tuple(_owned(each, "GroupId") for each in told)

    def placement_groups(self) -> tuple[OwnedResource, ...]:
        """Placement groups of the account.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_PLACEMENT_GROUPS).get("PlacementGroups", ())
        return tuple(_owned(each, "GroupId", kind="Strategy") for each in told)

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
        return tuple(VolumeDescription(size_gib=each["Size"], tags=_tags(each)) for each in told)


def _owned(told: dict[str, Any], key: str, *, kind: str | None = None) -> OwnedResource:
    return OwnedResource(
        resource_id=told[key],
        owner=told.get("OwnerId"),
        vpc_id=told.get("VpcId"),
        kind=told.get(kind) if kind else None,
        tags=_tags(told),
    )


def _tags(told: dict[str, Any]) -> dict[str, str]:
    # Network interfaces alone have a `TagSet`.
    return {tag["Key"]: tag["Value"] for tag in told.get("Tags", told.get("TagSet", ()))}
