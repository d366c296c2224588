"""An account that answers as told: real clients of boto3, and answers of the right shape only.

Parameters are checked by botocore itself, and each answer against the output shape of its
operation, so that no test rests on an answer that AWS could not give.
"""

from __future__ import annotations

import threading
from functools import cache
from types import SimpleNamespace
from typing import Any

import boto3
import botocore.session
from botocore.loaders import Loader
from botocore.validate import validate_parameters

from trnkit.aws.session import AwsSession

ACCOUNT = "111122223333"
IMAGE = "ami-0123456789abcdef0"
VPC, SUBNET, TABLE = "vpc-0123456789abcdef0", "subnet-0123456789abcdef0", "rtb-0123456789abcdef0"
ROLE = f"arn:aws:sts::{ACCOUNT}:assumed-role/deployer/session"


class Refusal(Exception):
    """AWS says no."""

    def __init__(
        self, code: str, message: str = "as AWS says it", status: int = 400, **headers: str
    ) -> None:
        super().__init__(code)
        self.code, self.message, self.status = code, message, status
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


DENIED = Refusal("AccessDeniedException", "not authorized, because no policy allows it", 403)
THROTTLED = Refusal("ThrottlingException", "Rate exceeded")


@cache
def _models() -> Loader:
    """Models of services, read once: that takes most of the time."""
    return botocore.session.get_session().get_component("data_loader")


class FakeAccount(AwsSession):
    """A session whose clients get their answers from `answers`, by operation.

    `fsx.DescribeFileSystems` is of one service, and goes before `DescribeFileSystems`. An answer
    is a value, a `Refusal`, or a function of the parameters and the Region.
    """

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__()
        own = botocore.session.Session()
        own.register_component("data_loader", _models())
        self._session = boto3.Session(botocore_session=own)
        self.answers = answers
        self.asked: list[tuple[str, str, str]] = []
        self._faking = threading.Lock()

    def client(self, service: str, region: str) -> Any:
        client = super().client(service, region)
        with self._faking:
            if not getattr(client, "_is_fake", False):
                events = client.meta.events
                events.register("before-parameter-build", self._remember)
                events.register("before-call", lambda **told: self._answer(service, region, **told))
                client._is_fake = True
        return client

    def _remember(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        context["told"] = dict(params)

    def _answer(
        self, service: str, region: str, *, model: Any, context: dict[str, Any], **_: Any
    ) -> Any:
        self.asked.append((service, model.name, region))
        named = f"{service}.{model.name}"
        answer = self.answers[named if named in self.answers else model.name]
        if callable(answer):
            answer = answer(context["told"], region)
        if isinstance(answer, Refusal):
            error = {"Code": answer.code, "Message": answer.message}
            return SimpleNamespace(status_code=answer.status), {
                "Error": error,
                "ResponseMetadata": {
                    "HTTPStatusCode": answer.status,
                    "HTTPHeaders": answer.headers,
                },
            }
        validate_parameters(answer, model.output_shape)
        return SimpleNamespace(status_code=200), answer | {"ResponseMetadata": {}}


def parameter(told: dict[str, Any], region: str) -> Any:
    value = "33" if told["Name"].startswith("/cdk-bootstrap") else IMAGE
    return {"Parameter": {"Name": told["Name"], "Value": value, "Version": 1}}


def no_stack(told: dict[str, Any], region: str) -> Refusal:
    return Refusal("ValidationError", f"Stack with id {told['StackName']} does not exist")


def no_reservation(told: dict[str, Any], region: str) -> Any:
    named = told.get("CapacityReservationIds")
    none = {"CapacityReservations": []}
    return Refusal("InvalidCapacityReservationId.NotFound") if named else none


def quota(value: float) -> dict[str, Any]:
    return {"Quota": {"QuotaName": "Running On-Demand Trn instances", "Value": value}}


def subnet(**changes: Any) -> dict[str, Any]:
    entry = {
        "SubnetId": SUBNET,
        "VpcId": VPC,
        "AvailabilityZoneId": "use2-az3",
        "AvailableIpAddressCount": 1000,
        "CidrBlock": "10.0.64.0/20",
        "MapPublicIpOnLaunch": False,
        "AssignIpv6AddressOnCreation": False,
        "State": "available",
    }
    return {"Subnets": [entry | changes]}


def table(*routes: dict[str, Any]) -> dict[str, Any]:
    local = {"DestinationCidrBlock": "10.0.0.0/16", "GatewayId": "local", "State": "active"}
    return {"RouteTables": [{"RouteTableId": TABLE, "VpcId": VPC, "Routes": [local, *routes]}]}


NAT_ROUTE = {
    "DestinationCidrBlock": "0.0.0.0/0",
    "NatGatewayId": "nat-0123456789abcdef0",
    "State": "active",
}


def instance(**changes: Any) -> dict[str, Any]:
    return {
        "InstanceId": "i-0123456789abcdef0",
        "InstanceType": "trn2.48xlarge",
        "SubnetId": SUBNET,
        "State": {"Code": 16, "Name": "running"},
    } | changes


def running(*instances: dict[str, Any]) -> dict[str, Any]:
    return {"Reservations": [{"Instances": list(instances)}]}


OWN = [{"Key": "trnkit-cluster", "Value": "pretrain"}]


def offered_in(*zone_ids: str) -> Any:
    """Offerings of whatever type is asked for, in these zones."""

    def answer(told: dict[str, Any], region: str) -> Any:
        kind = told["LocationType"]
        (wanted,) = (f["Values"] for f in told["Filters"] if f["Name"] == "instance-type")
        entries = [
            {"InstanceType": name, "LocationType": kind, "Location": zone_id}
            for name in wanted
            for zone_id in zone_ids
        ]
        return {"InstanceTypeOfferings": entries}

    return answer


def known_answers() -> dict[str, Any]:
    """What an account says in which everything is well, of the operations of several checks."""
    zones = [
        {"ZoneId": f"use2-az{n}", "ZoneName": f"us-east-2{letter}", "State": "available"}
        for n, letter in ((1, "c"), (2, "a"), (3, "b"))
    ]
    image = {
        "ImageId": IMAGE,
        "Name": "Base (Ubuntu 24.04) 20260818",
        "Architecture": "x86_64",
        "RootDeviceName": "/dev/sda1",
        "State": "available",
        "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 105}}],
    }
    return {
        "GetCallerIdentity": {"Account": ACCOUNT, "Arn": ROLE, "UserId": "AROA:session"},
        "GetParameter": parameter,
        "DescribeAvailabilityZones": {"AvailabilityZones": zones},
        "DescribeInstanceTypeOfferings": offered_in("use2-az3"),
        "GetServiceQuota": quota(1536.0),
        "GetAWSDefaultServiceQuota": quota(0.0),
        "DescribeInstances": {"Reservations": []},
        "DescribeSpotInstanceRequests": {"SpotInstanceRequests": []},
        "DescribeCapacityReservations": {"CapacityReservations": []},
        "DescribeInstanceTypes": {"InstanceTypes": []},
        "DescribeImages": {"Images": [image]},
        "DescribeSubnets": subnet(),
        "DescribeRouteTables": table(NAT_ROUTE),
        "DescribeVpcEndpoints": {"VpcEndpoints": []},
        "DescribeStacks": no_stack,
        "ListExports": {"Exports": []},
    }


def missing_answers() -> dict[str, Any]:
    """What an account says that has nothing, not even quotas, where it says something else."""
    missing = Refusal("NoSuchResourceException")
    return {
        "GetParameter": Refusal("ParameterNotFound"),
        "DescribeInstanceTypeOfferings": {"InstanceTypeOfferings": []},
        "DescribeAvailabilityZones": {"AvailabilityZones": []},
        "GetServiceQuota": missing,
        "GetAWSDefaultServiceQuota": missing,
        "DescribeCapacityReservations": no_reservation,
        "DescribeImages": Refusal("InvalidAMIID.NotFound"),
        "DescribeSubnets": Refusal("InvalidSubnetID.NotFound"),
        "DescribeRouteTables": {"RouteTables": []},
    }
