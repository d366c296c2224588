"""Mistakes in VPCs, security groups and endpoints."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.mutations.kind import (
    Kind,
    Properties,
    Template,
    drop,
    each,
    of_known_types,
    put,
    remove,
    resources,
    with_efa,
    with_nat,
)

_network = partial(Kind, stack="Network")
_GROUP = "AWS::EC2::SecurityGroup"
_IN, _OUT = f"{_GROUP}Ingress", f"{_GROUP}Egress"
_ENDPOINT, _SUBNET = "AWS::EC2::VPCEndpoint", "AWS::EC2::Subnet"
_EFA = "EfaSecurityGroup"


def _to_everywhere(properties: Properties) -> None:
    del properties["DestinationSecurityGroupId"]
    properties["CidrIp"] = "0.0.0.0/0"


def _from_the_vpc(properties: Properties) -> None:
    del properties["SourceSecurityGroupId"]
    properties["CidrIp"] = "10.0.0.0/8"


def _tcp_only(properties: Properties) -> None:
    properties |= {"IpProtocol": "tcp", "FromPort": 0, "ToPort": 65535}


def _is_s3(properties: Properties) -> bool:
    return properties.get("VpcEndpointType") == "Gateway"


def _s3(change: Any) -> Any:
    return each(_ENDPOINT, lambda found: change(found) if _is_s3(found) else False)


def _no_route_tables(properties: Properties) -> None:
    properties["RouteTableIds"] = []


def _without_endpoint(service: str) -> Any:
    def change(template: Template) -> bool:
        gone = [
            logical_id
            for logical_id, resource in template["Resources"].items()
            if resource["Type"] == _ENDPOINT
            and resource["Properties"]["ServiceName"].endswith(f".{service}")
        ]
        for logical_id in gone:
            del template["Resources"][logical_id]
        return bool(gone)

    return change


def _endpoints_closed(properties: Properties) -> None:
    properties["SecurityGroupIngress"] = []


def _closed(template: Template) -> bool:
    clients = remove(_IN, "InterfaceEndpoints")(template)
    inside = each(_GROUP, _endpoints_closed, "InterfaceEndpoints")
    return clients and inside(template)


def _nacl(template: Template) -> bool:
    """Return traffic is not let in: no rule for the ephemeral ports."""
    subnets = [
        logical_id
        for logical_id, resource in template["Resources"].items()
        if resource["Type"] == _SUBNET and "ComputeSubnet" in logical_id
    ]
    vpcs = [n for n, r in template["Resources"].items() if r["Type"] == "AWS::EC2::VPC"]
    for subnet in subnets:
        template["Resources"] |= {
            "Acl": {"Type": "AWS::EC2::NetworkAcl", "Properties": {"VpcId": {"Ref": vpcs[0]}}},
            "AclIn": _entry(egress=False, ports=(443, 443)),
            "AclOut": _entry(egress=True, ports=(0, 65535)),
            "AclOfSubnet": {
                "Type": "AWS::EC2::SubnetNetworkAclAssociation",
                "Properties": {"SubnetId": {"Ref": subnet}, "NetworkAclId": {"Ref": "Acl"}},
            },
        }
    return bool(subnets)


def _entry(*, egress: bool, ports: tuple[int, int]) -> dict[str, Any]:
    return {
        "Type": "AWS::EC2::NetworkAclEntry",
        "Properties": {
            "NetworkAclId": {"Ref": "Acl"},
            "RuleNumber": 100,
            "RuleAction": "allow",
            "Protocol": 6,
            "Egress": egress,
            "CidrBlock": "0.0.0.0/0",
            "PortRange": {"From": ports[0], "To": ports[1]},
        },
    }


def _again(kind: str, begins: str = "") -> Any:
    """A second resource that says the same as the first of a type."""

    def change(template: Template) -> bool:
        found = list(resources(template, kind, begins))
        for resource in found[:1]:
            template["Resources"]["Again"] = {**resource, "Properties": {**resource["Properties"]}}
        return bool(found)

    return change


def _two_default_routes(template: Template) -> bool:
    if not _again("AWS::EC2::Route", "ClusterVpcPrivateDefaultRoute")(template):
        return False
    second = template["Resources"]["Again"]["Properties"]
    gateway = next(
        name for name, r in template["Resources"].items() if r["Type"].endswith("::InternetGateway")
    )
    del second["NatGatewayId"]
    second["GatewayId"] = {"Ref": gateway}
    return True


def _second_gateway(template: Template) -> bool:
    if not _again("AWS::EC2::VPCGatewayAttachment")(template):
        return False
    template["Resources"]["Other"] = {"Type": "AWS::EC2::InternetGateway", "Properties": {}}
    template["Resources"]["Again"]["Properties"]["InternetGatewayId"] = {"Ref": "Other"}
    return True


def _many_rules(properties: Properties) -> None:
    properties["SecurityGroupEgress"] = [
        {"CidrIp": f"10.9.{n}.0/24", "IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}
        for n in range(70)
    ]


NETWORK = (
    _network(id="no rule in from itself", change=remove(_IN, _EFA), rule="TRN151", needs=with_efa),
    _network(id="no rule out to itself", change=remove(_OUT, _EFA), rule="TRN151", needs=with_efa),
    _network(
        id="out to everywhere in place of itself",
        change=each(_OUT, _to_everywhere, _EFA),
        rule="TRN151",
        needs=with_efa,
    ),
    _network(
        id="in from the VPC in place of itself",
        change=each(_IN, _from_the_vpc, _EFA),
        rule="TRN151",
        needs=with_efa,
    ),
    _network(
        id="TCP only among the nodes",
        change=each(_IN, _tcp_only, _EFA),
        rule="TRN151",
        needs=with_efa,
    ),
    _network(
        id="a subnet in a zone of another region",
        change=put(_SUBNET, "AvailabilityZoneId", "usw2-az2"),
        rule="TRN153",
        needs=of_known_types,
    ),
    _network(
        id="no S3 gateway endpoint", change=_without_endpoint("s3"), rule="TRN155", needs=with_nat
    ),
    _network(
        id="an S3 endpoint without route tables",
        change=_s3(_no_route_tables),
        rule="TRN175",
    ),
    _network(
        id="ECR's registry without its API",
        change=_without_endpoint("ecr.api"),
        rule="TRN160",
    ),
    _network(
        id="Session Manager without Systems Manager",
        change=_without_endpoint("ssm"),
        rule="TRN160",
    ),
    _network(
        id="registries without S3",
        change=_without_endpoint("s3"),
        rule="TRN160",
        needs=lambda templates: not with_nat(templates) and "ecr.dkr" in str(templates["Network"]),
    ),
    _network(id="endpoints that admit nobody", change=_closed, rule="TRN161"),
    _network(
        id="endpoints' names in a VPC without host names",
        change=lambda template: (
            any(r["Properties"].get("PrivateDnsEnabled") for r in resources(template, _ENDPOINT))
            and put("AWS::EC2::VPC", "EnableDnsHostnames", False)(template)
        ),
        rule="TRN162",
    ),
    _network(id="a network ACL without the answers", change=_nacl, rule="TRN164"),
    _network(
        id="IPv6 from the subnet to EFA-only",
        change=put(_SUBNET, "AssignIpv6AddressOnCreation", True),
        rule="TRN195",
        needs=with_efa,
    ),
    _network(
        id="a VPC larger than EC2 takes",
        change=put("AWS::EC2::VPC", "CidrBlock", "10.0.0.0/12"),
        rule="TRN165",
    ),
    _network(
        id="a subnet smaller than EC2 takes",
        change=put(_SUBNET, "CidrBlock", "10.0.0.0/29"),
        rule="TRN165",
    ),
    _network(id="two default routes of a table", change=_two_default_routes, rule="TRN166"),
    _network(
        id="an endpoint of another region",
        change=_s3(lambda found: found.update(ServiceName="com.amazonaws.eu-west-3.s3")),
        rule="TRN167",
    ),
    _network(id="a rule twice", change=_again(_IN, _EFA), rule="TRN168"),
    _network(id="seventy rules of a group", change=each(_GROUP, _many_rules, _EFA), rule="TRN169"),
    _network(
        id="a flow log without a role",
        change=drop("AWS::EC2::FlowLog", "DeliverLogsPermissionArn"),
        rule="TRN170",
    ),
    _network(id="a second internet gateway", change=_second_gateway, rule="TRN171"),
)
