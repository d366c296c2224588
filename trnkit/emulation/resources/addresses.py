"""Elastic addresses, NAT gateways and flow logs."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.ec2_calls import described, retag, tagged, told
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    Refused,
    own_tags,
)


class ElasticAddress:
    """``AWS::EC2::EIP`` by AllocateAddress."""

    name = "AWS::EC2::EIP"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Allocate it."""
        ec2 = place.clients("ec2")
        made = ec2.allocate_address(Domain="vpc", **tagged("elastic-ip", properties))
        return self._made(made)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        ec2 = place.clients("ec2")
        address = ec2.describe_addresses(PublicIps=[made.physical_id])["Addresses"][0]
        retag(place, address["AllocationId"], old.get("Tags"), new.get("Tags"))
        return self._made(address)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Release it."""
        ec2 = place.clients("ec2")
        answer = unless_gone(lambda: ec2.describe_addresses(PublicIps=[physical_id]))
        for address in (answer or {}).get("Addresses", []):
            ec2.release_address(AllocationId=address["AllocationId"])

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeAddresses."""
        address = described(clients, "addresses", PublicIps=[physical_id])
        return None if address is None else told(address, "Domain")

    def _made(self, address: dict[str, Any]) -> Made:
        attributes = {k: address[k] for k in ("AllocationId", "PublicIp")}
        return Made(address["PublicIp"], attributes)


class NatGateway:
    """``AWS::EC2::NatGateway`` by CreateNatGateway."""

    name = "AWS::EC2::NatGateway"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it in a subnet."""
        given = {k: v for k, v in properties.items() if k != "Tags"}
        made = place.clients("ec2").create_nat_gateway(**given, **tagged("natgateway", properties))
        gateway = made["NatGateway"]["NatGatewayId"]
        return Made(gateway, {"NatGatewayId": gateway})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return Made(made.physical_id, {"NatGatewayId": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; its address is free again."""
        unless_gone(lambda: place.clients("ec2").delete_nat_gateway(NatGatewayId=physical_id))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeNatGateways."""
        gateway = described(clients, "nat_gateways", NatGatewayIds=[physical_id])
        if gateway is None:
            return None
        answer = told(gateway, "SubnetId", "ConnectivityType")
        addresses = gateway.get("NatGatewayAddresses", [])
        return answer | ({"AllocationId": addresses[0]["AllocationId"]} if addresses else {})


class FlowLog:
    """``AWS::EC2::FlowLog`` by CreateFlowLogs."""

    name = "AWS::EC2::FlowLog"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it for one resource."""
        given = {k: v for k, v in properties.items() if k not in {"Tags", "ResourceId"}}
        answer = place.clients("ec2").create_flow_logs(
            ResourceIds=[properties["ResourceId"]], **given, **tagged("vpc-flow-log", properties)
        )
        for failure in answer.get("Unsuccessful", []):
            error = failure["Error"]
            raise Refused(error["Message"], code=error["Code"], service="Ec2")
        return Made(answer["FlowLogIds"][0], {"Id": answer["FlowLogIds"][0]})

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change tags."""
        retag(place, made.physical_id, old.get("Tags"), new.get("Tags"))
        return Made(made.physical_id, {"Id": made.physical_id})

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it; what it wrote stays."""
        unless_gone(lambda: place.clients("ec2").delete_flow_logs(FlowLogIds=[physical_id]))

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By DescribeFlowLogs."""
        log = described(clients, "flow_logs", FlowLogIds=[physical_id])
        if log is None:
            return None
        names = [
            name
            for name in (
                "LogDestination",
                "LogDestinationType",
                "LogGroupName",
                "MaxAggregationInterval",
                "TrafficType",
                "LogFormat",
            )
            if name in properties
        ]
        answer: dict[str, Any] = {name: log[name] for name in names if name in log}
        if "DeliverLogsPermissionArn" in log:
            answer["DeliverLogsPermissionArn"] = log["DeliverLogsPermissionArn"]
        return answer | {"ResourceId": log["ResourceId"], "Tags": own_tags(log.get("Tags"))}


TYPES = (ElasticAddress(), NatGateway(), FlowLog())
