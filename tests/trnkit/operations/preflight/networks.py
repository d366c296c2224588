"""Parts of existing networks, as EC2 and FSx answer them, for the tests of the checks on them."""

from __future__ import annotations

import json
from typing import Any

from tests.trnkit.operations.preflight.clusters import IMPORTED
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, SUBNET, TABLE, VPC, Refusal

STORAGE, STORAGE_BLOCK = "subnet-0fedcba9876543210", "10.0.4.0/24"
COMPUTE_BLOCK = "10.0.64.0/20"
NODES, SERVERS, MORE = "sg-0123456789abcdef0", "sg-0fedcba9876543210", "sg-00000000000000001"
FILES, INTERFACES = "fs-0123456789abcdef0", ["eni-0123456789abcdef0", "eni-0fedcba9876543210"]
EVERYTHING = {"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "*", "Resource": "*"}]}


def network(**changes: Any) -> dict[str, Any]:
    """`network` of a cluster file with an existing VPC."""
    return {"existing": IMPORTED["existing"] | changes}


def existing_lustre(**changes: Any) -> dict[str, Any]:
    """`storage` of a cluster file with a Lustre file system that exists already."""
    entry = {
        "name": "corpus",
        "file_system_id": FILES,
        "mount_name": "abcdefgh",
        "mount_path": "/corpus",
        "security_group_id": SERVERS,
    }
    return {"existing_lustre_file_systems": [entry | changes]}


def subnets(told: dict[str, Any], region: str) -> Any:
    """The nodes' subnet and that of the file systems."""
    known = {SUBNET: COMPUTE_BLOCK, STORAGE: STORAGE_BLOCK}
    (wanted,) = told["SubnetIds"]
    if wanted not in known:
        return Refusal("InvalidSubnetID.NotFound")
    return {
        "Subnets": [
            {
                "SubnetId": wanted,
                "VpcId": VPC,
                "AvailabilityZoneId": "use2-az3",
                "AvailableIpAddressCount": 1000,
                "CidrBlock": known[wanted],
                "MapPublicIpOnLaunch": False,
                "AssignIpv6AddressOnCreation": False,
            }
        ]
    }


def entry(
    number: int,
    action: str,
    ports: tuple[int, int] | None = None,
    cidr: str = "0.0.0.0/0",
    *,
    egress: bool | None = None,
) -> list[dict[str, Any]]:
    """An entry of a network ACL over TCP, or over everything; in both directions without one."""
    what = {"Protocol": "-1"} if ports is None else {"Protocol": "6"}
    if ports is not None:
        what |= {"PortRange": {"From": ports[0], "To": ports[1]}}
    return [
        {"RuleNumber": number, "Egress": way, "RuleAction": action, "CidrBlock": cidr} | what
        for way in ((True, False) if egress is None else (egress,))
    ]


LAST = entry(32767, "deny")
OPEN = [*entry(100, "allow"), *LAST]


def acls(*of_compute: list[dict[str, Any]], storage: list[dict[str, Any]] | None = None) -> Any:
    """Network ACLs of both subnets; open ones unless told."""
    mine = [*(e for entries in of_compute for e in entries), *LAST] if of_compute else OPEN
    others = OPEN if storage is None else [*storage, *LAST]

    def answer(told: dict[str, Any], region: str) -> Any:
        (wanted,) = told["Filters"][0]["Values"]
        entries, acl = {
            SUBNET: (mine, "acl-0123456789abcdef0"),
            STORAGE: (others, "acl-0fedcba9876543210"),
        }[wanted]
        return {"NetworkAcls": [{"NetworkAclId": acl, "VpcId": VPC, "Entries": entries}]}

    return answer


def permission(
    *groups: str,
    ports: tuple[int, int] | None = None,
    cidrs: tuple[str, ...] = (),
    prefix_lists: tuple[str, ...] = (),
    description: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A permission of a security group, as EC2 tells it: all peers of equal ports together."""
    what: dict[str, Any] = {"IpProtocol": "-1"}
    if ports is not None:
        what = {"IpProtocol": "tcp", "FromPort": ports[0], "ToPort": ports[1]}
    words = {} if description is None else {"Description": description}
    return (
        what
        | {
            "UserIdGroupPairs": [{"GroupId": g, "UserId": ACCOUNT} | words for g in groups],
            "IpRanges": [{"CidrIp": cidr} | words for cidr in cidrs],
            "Ipv6Ranges": [],
            "PrefixListIds": [{"PrefixListId": name} for name in prefix_lists],
        }
        | more
    )


def group(
    group_id: str,
    ingress: list[dict[str, Any]],
    egress: list[dict[str, Any]],
    *,
    vpc_id: str = VPC,
    tags: dict[str, str] | None = None,
) -> dict[str, Any]:
    """A security group."""
    return {
        "GroupId": group_id,
        "VpcId": vpc_id,
        "IpPermissions": ingress,
        "IpPermissionsEgress": egress,
        "Tags": [{"Key": key, "Value": value} for key, value in (tags or {}).items()],
    }


WEB = permission(ports=(443, 443), cidrs=("0.0.0.0/0",))
GOOD_NODES = group(NODES, [permission(NODES)], [permission(NODES), WEB])


def groups(*there: dict[str, Any]) -> Any:
    """Security groups, found by id or by tag; all of them where nothing is said."""

    def answer(told: dict[str, Any], region: str) -> Any:
        if not told.get("Filters"):
            return {"SecurityGroups": list(there)}
        (asked,) = told["Filters"]
        wanted = set(asked["Values"])
        if asked["Name"] == "group-id":
            return {"SecurityGroups": [g for g in there if g["GroupId"] in wanted]}
        key = asked["Name"].removeprefix("tag:")
        tagged = [
            g for g in there if any(t["Key"] == key and t["Value"] in wanted for t in g["Tags"])
        ]
        return {"SecurityGroups": tagged}

    return answer


def associations(**vpcs: str) -> Any:
    """Further VPCs of security groups: `sg_1="vpc-2"`."""
    entries = [
        {"GroupId": name.replace("_", "-"), "VpcId": vpc, "State": "associated"}
        for name, vpc in vpcs.items()
    ]

    def answer(told: dict[str, Any], region: str) -> Any:
        (wanted,) = told["Filters"][0]["Values"]
        return {"SecurityGroupVpcAssociations": [e for e in entries if e["GroupId"] == wanted]}

    return answer


def file_systems(told: dict[str, Any], region: str) -> Any:
    """FSx where nobody has a file system."""
    if told.get("FileSystemIds"):
        return Refusal("FileSystemNotFound")
    return {"FileSystems": []}


LUSTRE_THERE = {
    "FileSystems": [
        {
            "FileSystemId": FILES,
            "FileSystemType": "LUSTRE",
            "VpcId": VPC,
            "SubnetIds": [STORAGE],
            "NetworkInterfaceIds": INTERFACES,
        }
    ]
}


def interfaces(*group_ids: str) -> dict[str, Any]:
    """The network interfaces of the file system, all in these groups."""
    return {
        "NetworkInterfaces": [
            {"NetworkInterfaceId": name, "Groups": [{"GroupId": g} for g in group_ids]}
            for name in INTERFACES
        ]
    }


def endpoint(service: str, *, policy: Any = EVERYTHING, **changes: Any) -> dict[str, Any]:
    """An endpoint that works; of S3 a gateway."""
    is_gateway = service == "s3"
    told = {} if policy is None else {"PolicyDocument": json.dumps(policy)}
    return (
        {
            "VpcEndpointId": f"vpce-{service}",
            "ServiceName": f"com.amazonaws.us-east-2.{service}",
            "VpcEndpointType": "Gateway" if is_gateway else "Interface",
            "State": "available",
            "PrivateDnsEnabled": not is_gateway,
            "RouteTableIds": [TABLE] if is_gateway else [],
            "Groups": [] if is_gateway else [{"GroupId": MORE, "GroupName": "endpoints"}],
        }
        | told
        | changes
    )


def endpoints(*there: dict[str, Any]) -> dict[str, Any]:
    """What DescribeVpcEndpoints answers."""
    return {"VpcEndpoints": list(there)}


VPC_THERE = {
    "Vpcs": [
        {
            "VpcId": VPC,
            "CidrBlock": "10.0.0.0/16",
            "DhcpOptionsId": "dopt-0123456789abcdef0",
            "OwnerId": ACCOUNT,
            "CidrBlockAssociationSet": [
                {"CidrBlock": "10.0.0.0/16", "CidrBlockState": {"State": "associated"}},
                {"CidrBlock": "100.64.0.0/16", "CidrBlockState": {"State": "disassociated"}},
            ],
        }
    ]
}


def attributes(*, support: bool | None = True, hostnames: bool | None = True) -> Any:
    """Attributes of the VPC."""
    values = {
        "enableDnsSupport": ("EnableDnsSupport", support),
        "enableDnsHostnames": ("EnableDnsHostnames", hostnames),
    }

    def answer(told: dict[str, Any], region: str) -> Any:
        key, value = values[told["Attribute"]]
        return {"VpcId": VPC} if value is None else {"VpcId": VPC, key: {"Value": value}}

    return answer


def dhcp(*servers: str) -> dict[str, Any]:
    """DHCP options with DNS servers."""
    told = [{"Key": "domain-name", "Values": [{"Value": "example.com"}]}]
    if servers:
        told.append({"Key": "domain-name-servers", "Values": [{"Value": s} for s in servers]})
    return {
        "DhcpOptions": [{"DhcpOptionsId": "dopt-0123456789abcdef0", "DhcpConfigurations": told}]
    }


def prefix_list(*blocks: str) -> dict[str, Any]:
    """The blocks of a prefix list."""
    return {"Entries": [{"Cidr": block} for block in blocks]}
