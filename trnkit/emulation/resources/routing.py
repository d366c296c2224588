"""Route tables, gateways and endpoints."""

from __future__ import annotations

import json
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.ec2_calls import described, retag, tagged, told
from trnkit.emulation.resources.resource import Clients, Made, Place, Proof, Properties, Refused


class RouteTable:
    """``AWS::EC2::RouteTable`` by CreateRouteTable."""

    name = "AWS::EC2::RouteTable"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it with the local route alone."""
        ec2 = place.clients("ec2")
        made = ec2.create_route_table(
            VpcId=properties["VpcId"], **tagged("route-table", properties)
        )
        table_id = made["RouteTable"]["RouteTableId"]
        return Made(table_id, {"RouteTableId": table_id})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return Made(made.physical_id, {"RouteTableId": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        unless_gone(lambda: place.clients("ec2").delete_route_table(RouteTableId=physical_id))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeRouteTables."""
        table = described(clients, "route_tables", RouteTableIds=[physical_id])
        return None if table is None else told(table, "VpcId")


class SubnetRouteTableAssociation:
    """``AWS::EC2::SubnetRouteTableAssociation`` by AssociateRouteTable."""

    name = "AWS::EC2::SubnetRouteTableAssociation"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Associate them."""
        made = place.clients("ec2").associate_route_table(
            RouteTableId=properties["RouteTableId"], SubnetId=properties["SubnetId"]
        )
        return Made(made["AssociationId"], {"Id": made["AssociationId"]})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Take another table."""
        answer = place.clients("ec2").replace_route_table_association(
            AssociationId=made.physical_id, RouteTableId=new["RouteTableId"]
        )
        return Made(answer["NewAssociationId"], {"Id": answer["NewAssociationId"]})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Disassociate them."""
        unless_gone(
            lambda: place.clients("ec2").disassociate_route_table(AssociationId=physical_id)
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeRouteTables."""
        table = described(clients, "route_tables", RouteTableIds=[properties["RouteTableId"]])
        for association in (table or {}).get("Associations", []):
            if association.get("RouteTableAssociationId") == physical_id:
                return {k: association[k] for k in ("RouteTableId", "SubnetId")}
        return None


class Route:
    """``AWS::EC2::Route`` by CreateRoute."""

    name = "AWS::EC2::Route"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Add it to its table."""
        place.clients("ec2").create_route(**properties)
        key, destination = _destination(properties)
        physical_id = f"{properties['RouteTableId']}|{destination}"
        return Made(physical_id, {"CidrBlock": destination} if "Cidr" in key else {})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Send it elsewhere."""
        place.clients("ec2").replace_route(**new)
        return made

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Take it from its table."""
        key, destination = _destination(properties)
        table = properties["RouteTableId"]
        unless_gone(
            lambda: place.clients("ec2").delete_route(RouteTableId=table, **{key: destination})
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeRouteTables."""
        table = described(clients, "route_tables", RouteTableIds=[properties["RouteTableId"]])
        key, destination = _destination(properties)
        for route in (table or {}).get("Routes", []):
            if route.get(key) == destination:
                names = [name for name in properties if name in route]
                return {name: route[name] for name in names} | {
                    "RouteTableId": properties["RouteTableId"]
                }
        return None


def _destination(properties: Properties) -> tuple[str, str]:
    keys = ("DestinationCidrBlock", "DestinationIpv6CidrBlock", "DestinationPrefixListId")
    for key in keys:
        if key in properties:
            return key, str(properties[key])
    raise Refused("Exactly one of the destinations must be specified for a route", service="Ec2")


class InternetGateway:
    """``AWS::EC2::InternetGateway`` by CreateInternetGateway."""

    name = "AWS::EC2::InternetGateway"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it, attached to nothing."""
        made = place.clients("ec2").create_internet_gateway(
            **tagged("internet-gateway", properties)
        )
        gateway = made["InternetGateway"]["InternetGatewayId"]
        return Made(gateway, {"InternetGatewayId": gateway})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return Made(made.physical_id, {"InternetGatewayId": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        unless_gone(
            lambda: place.clients("ec2").delete_internet_gateway(InternetGatewayId=physical_id)
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeInternetGateways."""
        gateway = described(clients, "internet_gateways", InternetGatewayIds=[physical_id])
        return None if gateway is None else told(gateway)


class VpcGatewayAttachment:
    """``AWS::EC2::VPCGatewayAttachment`` by AttachInternetGateway."""

    name = "AWS::EC2::VPCGatewayAttachment"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Attach the gateway."""
        if "InternetGatewayId" not in properties:
            raise Refused("only internet gateways are emulated in VPC attachments", service="Ec2")
        place.clients("ec2").attach_internet_gateway(**_attached(properties))
        return Made(f"IGW|{properties['VpcId']}", {"AttachmentType": "IGW"})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Attach another gateway."""
        ec2 = place.clients("ec2")
        unless_gone(lambda: ec2.detach_internet_gateway(**_attached(old)))
        ec2.attach_internet_gateway(**_attached(new))
        return Made(made.physical_id, {"AttachmentType": "IGW"})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Detach it."""
        unless_gone(lambda: place.clients("ec2").detach_internet_gateway(**_attached(properties)))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeInternetGateways."""
        ids = [properties["InternetGatewayId"]]
        gateway = described(clients, "internet_gateways", InternetGatewayIds=ids)
        for attachment in (gateway or {}).get("Attachments", []):
            if attachment["VpcId"] == properties["VpcId"]:
                return _attached(properties)
        return None


def _attached(properties: Properties) -> dict[str, Any]:
    return {k: properties[k] for k in ("InternetGatewayId", "VpcId")}


class EgressOnlyInternetGateway:
    """``AWS::EC2::EgressOnlyInternetGateway`` by CreateEgressOnlyInternetGateway."""

    name = "AWS::EC2::EgressOnlyInternetGateway"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it for a VPC."""
        made = place.clients("ec2").create_egress_only_internet_gateway(
            VpcId=properties["VpcId"], **tagged("egress-only-internet-gateway", properties)
        )
        gateway = made["EgressOnlyInternetGateway"]["EgressOnlyInternetGatewayId"]
        return Made(gateway, {"Id": gateway})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return Made(made.physical_id, {"Id": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        ec2 = place.clients("ec2")
        unless_gone(
            lambda: ec2.delete_egress_only_internet_gateway(EgressOnlyInternetGatewayId=physical_id)
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeEgressOnlyInternetGateways."""
        ids = [physical_id]
        gateway = described(
            clients, "egress_only_internet_gateways", EgressOnlyInternetGatewayIds=ids
        )
        if gateway is None:
            return None
        return told(gateway) | {"VpcId": gateway["Attachments"][0]["VpcId"]}


class VpcEndpoint:
    """``AWS::EC2::VPCEndpoint`` by CreateVpcEndpoint."""

    name = "AWS::EC2::VPCEndpoint"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make a gateway or interface endpoint."""
        given = {k: v for k, v in properties.items() if k != "Tags"}
        if isinstance(given.get("PolicyDocument"), dict):
            given["PolicyDocument"] = json.dumps(given["PolicyDocument"])
        ec2 = place.clients("ec2")
        made = ec2.create_vpc_endpoint(**given, **tagged("vpc-endpoint", properties))
        return self._made(made["VpcEndpoint"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change routes, subnets, groups, policy and tags."""
        ec2 = place.clients("ec2")
        change: dict[str, Any] = {"VpcEndpointId": made.physical_id}
        for name in ("RouteTableIds", "SubnetIds", "SecurityGroupIds"):
            short = name.removesuffix("Ids")
            added = [i for i in new.get(name, ()) if i not in old.get(name, ())]
            removed = [i for i in old.get(name, ()) if i not in new.get(name, ())]
            change |= {f"Add{short}Ids": added} if added else {}
            change |= {f"Remove{short}Ids": removed} if removed else {}
        if new.get("PolicyDocument") != old.get("PolicyDocument"):
            change["PolicyDocument"] = json.dumps(new.get("PolicyDocument"))
        if len(change) > 1:
            ec2.modify_vpc_endpoint(**change)
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        ids = [made.physical_id]
        return self._made(ec2.describe_vpc_endpoints(VpcEndpointIds=ids)["VpcEndpoints"][0])

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        unless_gone(lambda: place.clients("ec2").delete_vpc_endpoints(VpcEndpointIds=[physical_id]))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeVpcEndpoints."""
        endpoint = described(clients, "vpc_endpoints", VpcEndpointIds=[physical_id])
        if endpoint is None:
            return None
        answer = told(
            endpoint,
            "VpcId",
            "ServiceName",
            "VpcEndpointType",
            "RouteTableIds",
            "SubnetIds",
            "PrivateDnsEnabled",
            "IpAddressType",
        )
        if "Groups" in endpoint:
            answer["SecurityGroupIds"] = [group["GroupId"] for group in endpoint["Groups"]]
        if "PolicyDocument" in properties and endpoint.get("PolicyDocument"):
            answer["PolicyDocument"] = json.loads(endpoint["PolicyDocument"])
        return answer

    def _made(self, endpoint: dict[str, Any]) -> Made:
        return Made(
            endpoint["VpcEndpointId"],
            {
                "Id": endpoint["VpcEndpointId"],
                "CreationTimestamp": str(endpoint.get("CreationTimestamp", "")),
                "NetworkInterfaceIds": endpoint.get("NetworkInterfaceIds", []),
                "DnsEntries": [
                    f"{entry.get('HostedZoneId', '')}:{entry.get('DnsName', '')}"
                    for entry in endpoint.get("DnsEntries", [])
                ],
            },
        )


TYPES = (
    RouteTable(),
    SubnetRouteTableAssociation(),
    Route(),
    InternetGateway(),
    VpcGatewayAttachment(),
    EgressOnlyInternetGateway(),
    VpcEndpoint(),
)
