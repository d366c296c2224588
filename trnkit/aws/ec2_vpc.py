"""EC2: settings of an existing VPC as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from trnkit.aws.gateway import Gateway
from trnkit.aws.owned_resources import OwnedResource, owned_resource
from trnkit.aws.read_operation import ReadOperation

DESCRIBE_VPCS = ReadOperation(
    service="ec2",
    name="DescribeVpcs",
    permission="ec2:DescribeVpcs",
    purpose="blocks and DHCP options of an existing VPC; VPCs that count against the quota",
)
DESCRIBE_VPC_ATTRIBUTE = ReadOperation(
    service="ec2",
    name="DescribeVpcAttribute",
    permission="ec2:DescribeVpcAttribute",
    purpose="whether an existing VPC resolves names, and names its hosts",
)
DESCRIBE_DHCP_OPTIONS = ReadOperation(
    service="ec2",
    name="DescribeDhcpOptions",
    permission="ec2:DescribeDhcpOptions",
    purpose="the DNS servers of an existing VPC",
)
_DNS_SERVERS = "domain-name-servers"
_PAGE_SIZE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class VpcDescription:
    """A VPC as it is.

    Attributes:
        vpc_id: `vpc-...`.
        cidrs: Its IPv4 blocks that are in use, the primary one first.
        ipv6_cidrs: Its IPv6 blocks that are in use.
        dhcp_options_id: `dopt-...`; `default` when it has none.
        owner_id: The account that owns it; not for messages.
    """

    vpc_id: str
    cidrs: tuple[str, ...]
    ipv6_cidrs: tuple[str, ...]
    dhcp_options_id: str | None
    owner_id: str | None


class Ec2VpcGateway(Gateway):
    """Describes existing VPCs of one Region."""

    service = "ec2"
    operations = (DESCRIBE_VPCS, DESCRIBE_VPC_ATTRIBUTE, DESCRIBE_DHCP_OPTIONS)

    def vpc(self, vpc_id: str) -> VpcDescription | None:
        """Describe a VPC, of the account or shared with it.

        Args:
            vpc_id: `vpc-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such VPC.

        Returns:
            None when AWS answers with none.
        """
        told = self._ask(DESCRIBE_VPCS, about=vpc_id, VpcIds=[vpc_id])["Vpcs"]
        if not told:
            return None
        (vpc,) = told
        blocks = [
            block["CidrBlock"]
            for block in vpc.get("CidrBlockAssociationSet", ())
            if block.get("CidrBlockState", {}).get("State") == "associated"
        ]
        first = [vpc["CidrBlock"]] if vpc.get("CidrBlock") else []
        return VpcDescription(
            vpc_id=vpc["VpcId"],
            cidrs=tuple(dict.fromkeys([*first, *blocks])),
            ipv6_cidrs=tuple(
                block["Ipv6CidrBlock"]
                for block in vpc.get("Ipv6CidrBlockAssociationSet", ())
                if block.get("Ipv6CidrBlockState", {}).get("State") == "associated"
            ),
            dhcp_options_id=vpc.get("DhcpOptionsId"),
            owner_id=vpc.get("OwnerId"),
        )

    def vpcs(self) -> tuple[OwnedResource, ...]:
        """VPCs of the account, and those that others share with it.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask_all(DESCRIBE_VPCS, "Vpcs", PaginationConfig={"PageSize": _PAGE_SIZE})
        return tuple(owned_resource(each, "VpcId") for each in told)

    def resolves_names(self, vpc_id: str) -> bool | None:
        """Whether Amazon's DNS server answers in the VPC (`enableDnsSupport`).

        Args:
            vpc_id: `vpc-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such VPC.

        Returns:
            None when the answer does not say.
        """
        return self._attribute(vpc_id, "enableDnsSupport")

    def names_hosts(self, vpc_id: str) -> bool | None:
        """Whether hosts of the VPC get DNS names (`enableDnsHostnames`), as `resolves_names`.

        Args:
            vpc_id: `vpc-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such VPC.

        Returns:
            None when the answer does not say.
        """
        return self._attribute(vpc_id, "enableDnsHostnames")

    def _attribute(self, vpc_id: str, name: str) -> bool | None:
        told = self._ask(DESCRIBE_VPC_ATTRIBUTE, about=vpc_id, VpcId=vpc_id, Attribute=name)
        return told.get(f"{name[0].upper()}{name[1:]}", {}).get("Value")

    def dns_servers(self, dhcp_options_id: str) -> tuple[str, ...] | None:
        """The DNS servers that DHCP tells hosts.

        Args:
            dhcp_options_id: `dopt-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such options.

        Returns:
            None when AWS answers with no options; () when these name no server.
        """
        found = self._ask(
            DESCRIBE_DHCP_OPTIONS, about=dhcp_options_id, DhcpOptionsIds=[dhcp_options_id]
        ).get("DhcpOptions", ())
        if not found:
            return None
        return tuple(
            value["Value"].strip()
            for option in found[0].get("DhcpConfigurations", ())
            if option.get("Key") == _DNS_SERVERS
            for value in option.get("Values", ())
        )
