"""VPCs, subnets and their address blocks."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.ec2_calls import described, retag, tagged, told
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties


class Vpc:
    """``AWS::EC2::VPC`` by CreateVpc and ModifyVpcAttribute."""

    name = "AWS::EC2::VPC"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it with its DNS attributes."""
        ec2 = place.clients("ec2")
        given = {k: properties[k] for k in ("CidrBlock", "InstanceTenancy") if k in properties}
        vpc_id = ec2.create_vpc(**given, **tagged("vpc", properties))["Vpc"]["VpcId"]
        self._set(place, vpc_id, properties)
        return self._made(place, vpc_id)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change DNS attributes and tags."""
        self._set(place, made.physical_id, new)
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return self._made(place, made.physical_id)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        unless_gone(lambda: place.clients("ec2").delete_vpc(VpcId=physical_id))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeVpcs and DescribeVpcAttribute."""
        vpc = described(clients, "vpcs", VpcIds=[physical_id])
        if vpc is None:
            return None
        answer = told(vpc, "CidrBlock", "InstanceTenancy")
        for name in _DNS:
            attribute = clients("ec2").describe_vpc_attribute(
                VpcId=physical_id, Attribute=name[0].lower() + name[1:]
            )
            answer[name] = attribute[name]["Value"]
        return answer

    def _set(self, place: Place, vpc_id: str, properties: Properties) -> None:
        for name in _DNS:
            # AWS's defaults: DNS support on, host names off.
            value = _is_true(properties.get(name, name == "EnableDnsSupport"))
            place.clients("ec2").modify_vpc_attribute(VpcId=vpc_id, **{name: {"Value": value}})

    def _made(self, place: Place, vpc_id: str) -> Made:
        ec2 = place.clients("ec2")
        of_vpc = [{"Name": "vpc-id", "Values": [vpc_id]}]
        default = [*of_vpc, {"Name": "group-name", "Values": ["default"]}]
        groups = ec2.describe_security_groups(Filters=default)["SecurityGroups"]
        acls = ec2.describe_network_acls(Filters=of_vpc)["NetworkAcls"]
        (vpc,) = ec2.describe_vpcs(VpcIds=[vpc_id])["Vpcs"]
        blocks = vpc.get("CidrBlockAssociationSet", [])
        sixes = vpc.get("Ipv6CidrBlockAssociationSet", [])
        return Made(
            vpc_id,
            {
                "VpcId": vpc_id,
                "CidrBlock": vpc["CidrBlock"],
                "CidrBlockAssociations": [block["AssociationId"] for block in blocks],
                "DefaultNetworkAcl": acls[0]["NetworkAclId"] if acls else "",
                "DefaultSecurityGroup": groups[0]["GroupId"] if groups else "",
                "Ipv6CidrBlocks": _six_blocks(vpc_id, [six["Ipv6CidrBlock"] for six in sixes]),
            },
        )


_LIVE_BLOCKS: dict[str, list[str]] = {}


def _six_blocks(vpc_id: str, blocks: list[str]) -> list[str]:
    """The IPv6 blocks of a VPC as one list that lives as long as the VPC.

    A block is associated after the VPC is made, and ``Fn::GetAtt`` must give it from then on.
    """
    live = _LIVE_BLOCKS.setdefault(vpc_id, [])
    live[:] = blocks
    return live


_DNS = ("EnableDnsSupport", "EnableDnsHostnames")


class VpcCidrBlock:
    """``AWS::EC2::VPCCidrBlock`` by AssociateVpcCidrBlock."""

    name = "AWS::EC2::VPCCidrBlock"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Associate an IPv4 block, or an IPv6 block of Amazon's."""
        given = dict(properties)
        if "AmazonProvidedIpv6CidrBlock" in given:
            six = _is_true(given["AmazonProvidedIpv6CidrBlock"])
            given["AmazonProvidedIpv6CidrBlock"] = six
        answer = place.clients("ec2").associate_vpc_cidr_block(**given)
        made = answer.get("Ipv6CidrBlockAssociation") or answer["CidrBlockAssociation"]
        _refresh(place, properties["VpcId"])
        attributes = {"Id": made["AssociationId"], "VpcId": properties["VpcId"]}
        return Made(made["AssociationId"], attributes)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Nothing can be changed."""
        return made

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Disassociate it."""
        unless_gone(
            lambda: place.clients("ec2").disassociate_vpc_cidr_block(AssociationId=physical_id)
        )
        _refresh(place, properties["VpcId"])

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeVpcs."""
        vpc = described(clients, "vpcs", VpcIds=[properties["VpcId"]])
        if vpc is None:
            return None
        for block in vpc.get("CidrBlockAssociationSet", []):
            if block["AssociationId"] == physical_id:
                return {"VpcId": vpc["VpcId"], "CidrBlock": block["CidrBlock"]}
        for block in vpc.get("Ipv6CidrBlockAssociationSet", []):
            if block["AssociationId"] == physical_id:
                if block["Ipv6CidrBlockState"]["State"] != "associated":
                    return None
                return {"VpcId": vpc["VpcId"], "AmazonProvidedIpv6CidrBlock": True}
        return None


def _refresh(place: Place, vpc_id: str) -> None:
    vpc = described(place.clients, "vpcs", VpcIds=[vpc_id]) or {}
    associated = [
        block["Ipv6CidrBlock"]
        for block in vpc.get("Ipv6CidrBlockAssociationSet", [])
        if block["Ipv6CidrBlockState"]["State"] == "associated"
    ]
    _six_blocks(vpc_id, associated)


class Subnet:
    """``AWS::EC2::Subnet`` by CreateSubnet and ModifySubnetAttribute."""

    name = "AWS::EC2::Subnet"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it in a zone that is given by name or by id."""
        ec2 = place.clients("ec2")
        given = {k: properties[k] for k in _AT_CREATION if k in properties}
        subnet = ec2.create_subnet(**given, **tagged("subnet", properties))["Subnet"]
        self._set(place, subnet["SubnetId"], properties)
        return self._made(subnet)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change what instances get in it, and tags."""
        self._set(place, made.physical_id, new)
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        ec2 = place.clients("ec2")
        return self._made(ec2.describe_subnets(SubnetIds=[made.physical_id])["Subnets"][0])

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        unless_gone(lambda: place.clients("ec2").delete_subnet(SubnetId=physical_id))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeSubnets."""
        subnet = described(clients, "subnets", SubnetIds=[physical_id])
        if subnet is None:
            return None
        answer = told(subnet, *_AT_CREATION, "MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation")
        sixes = subnet.get("Ipv6CidrBlockAssociationSet", [])
        return answer | ({"Ipv6CidrBlock": sixes[0]["Ipv6CidrBlock"]} if sixes else {})

    def _set(self, place: Place, subnet_id: str, properties: Properties) -> None:
        for name in ("MapPublicIpOnLaunch", "AssignIpv6AddressOnCreation"):
            if name in properties:
                place.clients("ec2").modify_subnet_attribute(
                    SubnetId=subnet_id, **{name: {"Value": _is_true(properties[name])}}
                )

    def _made(self, subnet: dict[str, Any]) -> Made:
        names = ("SubnetId", "AvailabilityZone", "AvailabilityZoneId", "CidrBlock", "VpcId")
        attributes = {name: subnet[name] for name in names if name in subnet}
        sixes = subnet.get("Ipv6CidrBlockAssociationSet", [])
        attributes["Ipv6CidrBlocks"] = [six["Ipv6CidrBlock"] for six in sixes]
        return Made(subnet["SubnetId"], attributes)


_AT_CREATION = ("AvailabilityZone", "AvailabilityZoneId", "CidrBlock", "Ipv6CidrBlock", "VpcId")


def _is_true(value: Any) -> bool:
    """A boolean of a template, which may be text."""
    return str(value).lower() == "true"


TYPES = (Vpc(), VpcCidrBlock(), Subnet())
