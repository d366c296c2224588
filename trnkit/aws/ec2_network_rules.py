"""EC2: what lets traffic pass in existing networks: network ACLs and security groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.owned_resources import OwnedResource, owned_resource
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DESCRIBE_NETWORK_ACLS = ReadOperation(
    service="ec2",
    name="DescribeNetworkAcls",
    permission="ec2:DescribeNetworkAcls",
    purpose="what an existing subnet's network ACL lets pass",
)
DESCRIBE_SECURITY_GROUPS = ReadOperation(
    service="ec2",
    name="DescribeSecurityGroups",
    permission="ec2:DescribeSecurityGroups",
    purpose="what existing security groups let pass; how many count against the quota",
)
DESCRIBE_SECURITY_GROUP_VPC_ASSOCIATIONS = ReadOperation(
    service="ec2",
    name="DescribeSecurityGroupVpcAssociations",
    permission="ec2:DescribeSecurityGroupVpcAssociations",
    purpose="whether an existing security group of another VPC serves the nodes' one too",
)
DESCRIBE_NETWORK_INTERFACES = ReadOperation(
    service="ec2",
    name="DescribeNetworkInterfaces",
    permission="ec2:DescribeNetworkInterfaces",
    purpose="the groups that an existing file system is really in; how many interfaces a zone has",
)
GET_MANAGED_PREFIX_LIST_ENTRIES = ReadOperation(
    service="ec2",
    name="GetManagedPrefixListEntries",
    permission="ec2:GetManagedPrefixListEntries",
    purpose="the blocks of a prefix list, where a security group's rule rests on it",
)
_ALL = "-1"
_TCP = "6"
_NAMES = {"tcp": _TCP, "all": _ALL}
_LAST_PORT = 65535
_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class AclEntry:
    """One entry of a network ACL.

    Attributes:
        number: Its place; the lowest that fits decides.
        is_egress: Whether it is about traffic out of the subnet.
        allows: Whether it lets pass what fits.
        protocol: Its number; `-1` is all.
        cidr: The IPv4 block at the other end; None for an entry about IPv6.
        first: The first port; 0 when it is about all of them.
        last: The last one.
    """

    number: int
    is_egress: bool
    allows: bool
    protocol: str
    cidr: str | None
    first: int
    last: int

    @property
    def is_for_tcp(self) -> bool:
        """Whether it is about TCP."""
        return self.protocol in (_ALL, _TCP)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAcl:
    """The network ACL of a subnet.

    Attributes:
        acl_id: `acl-...`.
        entries: All of them, of both directions.
    """

    acl_id: str
    entries: tuple[AclEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPermission:
    """A permission of a security group: what may pass, from or to all of these peers.

    Attributes:
        is_egress: Whether it is about traffic out of the members.
        protocol: Its number; `-1` is all.
        first: The first port; 0 when it is about all of them.
        last: The last one.
        group_ids: Peers that are security groups, the group itself maybe among them.
        cidrs: Peers that are IPv4 blocks.
        ipv6_cidrs: Peers that are IPv6 blocks.
        prefix_list_ids: Peers that are prefix lists.
        descriptions: Peer -> what was written beside it.
    """

    is_egress: bool
    protocol: str
    first: int
    last: int
    group_ids: tuple[str, ...]
    cidrs: tuple[str, ...]
    ipv6_cidrs: tuple[str, ...]
    prefix_list_ids: tuple[str, ...]
    descriptions: Mapping[str, str]

    @property
    def is_all_traffic(self) -> bool:
        """Whether it is for every protocol."""
        return self.protocol == _ALL

    def admits_tcp(self, first: int, last: int) -> bool:
        """Whether it lets TCP to all of these ports pass."""
        return self.is_all_traffic or (
            self.protocol == _TCP and self.first <= first and last <= self.last
        )

    def is_about_tcp(self, first: int, last: int) -> bool:
        """Whether it lets TCP to some of these ports pass."""
        return self.is_all_traffic or (
            self.protocol == _TCP and self.first <= last and first <= self.last
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SecurityGroup:
    """A security group as it is.

    Attributes:
        group_id: `sg-...`.
        vpc_id: The VPC that it was made in.
        permissions: All of them, of both directions.
        tags: Its tags.
    """

    group_id: str
    vpc_id: str | None
    permissions: tuple[GroupPermission, ...]
    tags: Mapping[str, str]


class Ec2NetworkRulesGateway(Gateway):
    """Describes network ACLs and security groups of one Region."""

    service = "ec2"
    operations = (
        DESCRIBE_NETWORK_ACLS,
        DESCRIBE_SECURITY_GROUPS,
        DESCRIBE_SECURITY_GROUP_VPC_ASSOCIATIONS,
        DESCRIBE_NETWORK_INTERFACES,
        GET_MANAGED_PREFIX_LIST_ENTRIES,
    )

    def network_acl(self, subnet_id: str) -> NetworkAcl | None:
        """The network ACL of a subnet; every subnet has one.

        Args:
            subnet_id: `subnet-...`.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            None when the account does not see it.
        """
        told = self._ask_all(
            DESCRIBE_NETWORK_ACLS,
            "NetworkAcls",
            about=subnet_id,
            Filters=[{"Name": "association.subnet-id", "Values": [subnet_id]}],
        )
        if not told:
            return None
        return NetworkAcl(
            acl_id=told[0]["NetworkAclId"],
            entries=tuple(map(_entry, told[0].get("Entries", ()))),
        )

    def security_groups(self, group_ids: Sequence[str]) -> dict[str, SecurityGroup]:
        """Security groups by id; those that the account does not see are left out.

        Args:
            group_ids: `sg-...`; () asks nothing.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        return self._groups("group-id", sorted(set(group_ids)))

    def tagged_security_groups(self, key: str, value: str) -> dict[str, SecurityGroup]:
        """Security groups with a tag, by id.

        Args:
            key: The tag's key.
            value: Its value.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        return self._groups(f"tag:{key}", [value])

    def owned_security_groups(self) -> tuple[OwnedResource, ...]:
        """Every security group, with those of accounts that a VPC is shared with.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_SECURITY_GROUPS, "SecurityGroups", PaginationConfig={"PageSize": _PAGE_SIZE}
        )
        return tuple(owned_resource(each, "GroupId") for each in told)

    def owned_interfaces(self, zone_name: str) -> tuple[OwnedResource, ...]:
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
        return tuple(
            owned_resource(each, "NetworkInterfaceId", kind="InterfaceType") for each in told
        )

    def vpcs_of_security_group(self, group_id: str) -> tuple[str, ...]:
        """The further VPCs in which a security group may be used.

        Args:
            group_id: `sg-...`.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(
            DESCRIBE_SECURITY_GROUP_VPC_ASSOCIATIONS,
            "SecurityGroupVpcAssociations",
            about=group_id,
            Filters=[{"Name": "group-id", "Values": [group_id]}],
        )
        return tuple(entry["VpcId"] for entry in told if entry.get("State") == "associated")

    def groups_of_interfaces(self, interface_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The security groups of network interfaces; those not seen are left out.

        Args:
            interface_ids: `eni-...`; () asks nothing.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            Interface -> ids of its groups.
        """
        told = self._filtered(
            DESCRIBE_NETWORK_INTERFACES,
            "NetworkInterfaces",
            "network-interface-id",
            sorted(set(interface_ids)),
        )
        return {
            entry["NetworkInterfaceId"]: tuple(group["GroupId"] for group in entry["Groups"])
            for entry in told
            if "Groups" in entry
        }

    def prefix_list(self, prefix_list_id: str) -> tuple[str, ...]:
        """The IPv4 blocks of a prefix list.

        Args:
            prefix_list_id: `pl-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such list.
        """
        told = self._ask_all(
            GET_MANAGED_PREFIX_LIST_ENTRIES,
            "Entries",
            about=prefix_list_id,
            PrefixListId=prefix_list_id,
        )
        return tuple(entry["Cidr"] for entry in told if ":" not in entry.get("Cidr", ":"))

    def _groups(self, name: str, values: Sequence[str]) -> dict[str, SecurityGroup]:
        told = self._filtered(DESCRIBE_SECURITY_GROUPS, "SecurityGroups", name, values)
        return {entry["GroupId"]: _group(entry) for entry in told}

    def _filtered(
        self, operation: ReadOperation, member: str, name: str, values: Sequence[str]
    ) -> list[dict[str, Any]]:
        """By filter and not by id: one id that is not there would refuse the others too."""
        found: list[dict[str, Any]] = []
        for start in range(0, len(values), _VALUES_OF_A_FILTER):
            some = list(values[start : start + _VALUES_OF_A_FILTER])
            found += self._ask_all(operation, member, Filters=[{"Name": name, "Values": some}])
        return found


_VALUES_OF_A_FILTER = 200


def _entry(told: dict[str, Any]) -> AclEntry:
    ports = told.get("PortRange", {})
    return AclEntry(
        number=told["RuleNumber"],
        is_egress=told["Egress"],
        allows=told["RuleAction"] == "allow",
        protocol=_protocol(told["Protocol"]),
        cidr=told.get("CidrBlock"),
        first=ports.get("From", 0),
        last=ports.get("To", _LAST_PORT),
    )


def _group(told: dict[str, Any]) -> SecurityGroup:
    return SecurityGroup(
        group_id=told["GroupId"],
        vpc_id=told.get("VpcId"),
        permissions=(
            *(_permission(entry, is_egress=False) for entry in told.get("IpPermissions", ())),
            *(_permission(entry, is_egress=True) for entry in told.get("IpPermissionsEgress", ())),
        ),
        tags={tag["Key"]: tag["Value"] for tag in told.get("Tags", ())},
    )


def _permission(told: dict[str, Any], *, is_egress: bool) -> GroupPermission:
    protocol = _protocol(told["IpProtocol"])
    # With all protocols AWS may tell ports, which mean nothing.
    of_ports = protocol != _ALL and "FromPort" in told
    peers = {
        "UserIdGroupPairs": "GroupId",
        "IpRanges": "CidrIp",
        "Ipv6Ranges": "CidrIpv6",
        "PrefixListIds": "PrefixListId",
    }
    found = {
        member: [
            (entry[key], entry.get("Description", ""))
            for entry in told.get(member, ())
            if key in entry
        ]
        for member, key in peers.items()
    }
    return GroupPermission(
        is_egress=is_egress,
        protocol=protocol,
        first=told["FromPort"] if of_ports else 0,
        last=told.get("ToPort", _LAST_PORT) if of_ports else _LAST_PORT,
        group_ids=tuple(name for name, _ in found["UserIdGroupPairs"]),
        cidrs=tuple(name for name, _ in found["IpRanges"]),
        ipv6_cidrs=tuple(name for name, _ in found["Ipv6Ranges"]),
        prefix_list_ids=tuple(name for name, _ in found["PrefixListIds"]),
        descriptions={peer: text for entries in found.values() for peer, text in entries},
    )


def _protocol(told: str) -> str:
    return _NAMES.get(told.lower(), told)
