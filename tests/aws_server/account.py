"""What the AWS of the end-to-end tests says beyond what the emulated AWS has.

An account in which everything is well: quotas are large, its stacks are not deployed yet, what
each check of the preflight asks is answered as in the check's situation. Types, offerings, zones,
networks, images, parameters and reservations come from the emulated AWS, planted for each example.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tests.aws_server.market import TEN_REGIONS, market_answers
from tests.aws_server.server import AwsServer
from tests.synthesis import EXAMPLES
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, ROLE, Refusal, no_stack
from tests.trnkit.operations.preflight.situations import answers
from trnkit.aws.permissions import read_operations
from trnkit.catalog import service_quotas
from trnkit.config import load_cluster
from trnkit.emulation.process import emulated_aws
from trnkit.operations.rehearsal.assumptions import image_behind, seeds_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from trnkit.emulation.process import EmulatedAws

EMULATED = frozenset(
    {
        "ec2.DescribeAvailabilityZones",
        "ec2.DescribeCapacityReservations",
        "ec2.DescribeImages",
        "ec2.DescribeInstances",
        "ec2.DescribeInstanceTypeOfferings",
        "ec2.DescribeRegions",
        "ec2.DescribeRouteTables",
        "ec2.DescribeSpotInstanceRequests",
        "ec2.DescribeSubnets",
        "ec2.DescribeVpcEndpoints",
    }
)
"""What the emulated AWS has and answers as AWS does."""

LARGE_QUOTA = 200_000.0
"""Enough for every example, whatever is counted."""


@contextlib.contextmanager
def aws_for_examples() -> Generator[AwsServer]:
    """A server that has what the examples take to exist, for the time of a `with` block."""
    with emulated_aws(ACCOUNT, seeds=_seeds()) as emulated:
        _let_out(emulated)
        server = AwsServer(_answers() | market_answers(_zones(emulated)), emulated.endpoint)
        try:
            yield server
        finally:
            server.close()


def _seeds() -> list[dict[str, Any]]:
    """What each example takes to exist, once."""
    found: list[dict[str, Any]] = []
    for path in EXAMPLES:
        found += [seed for seed in seeds_of(load_cluster(path)) if seed not in found]
    return found


def _let_out(emulated: EmulatedAws) -> None:
    """Existing VPCs of the examples have a NAT gateway, as the files say."""
    for path in EXAMPLES:
        config = load_cluster(path).config
        existing = config.network.existing
        if existing is None:
            continue
        ec2 = emulated.clients(config.region)("ec2")
        address = ec2.allocate_address(Domain="vpc")["AllocationId"]
        made = ec2.create_nat_gateway(SubnetId=existing.compute_subnet_id, AllocationId=address)
        of_vpc = [{"Name": "vpc-id", "Values": [existing.vpc_id]}]
        main = [*of_vpc, {"Name": "association.main", "Values": ["true"]}]
        (table,) = ec2.describe_route_tables(Filters=main)["RouteTables"]
        ec2.create_route(
            RouteTableId=table["RouteTableId"],
            DestinationCidrBlock="0.0.0.0/0",
            NatGatewayId=made["NatGateway"]["NatGatewayId"],
        )


def _zones(emulated: EmulatedAws) -> dict[str, list[tuple[str, str]]]:
    """Name and id of the zones of each Region."""
    found: dict[str, list[tuple[str, str]]] = {}
    for region in TEN_REGIONS:
        told = emulated.clients(region)("ec2").describe_availability_zones()
        found[region] = [(one["ZoneName"], one["ZoneId"]) for one in told["AvailabilityZones"]]
    return found


def _answers() -> dict[str, Any]:
    """By `service.Operation`: our own, and of other operations what the situations tell."""
    told = answers()
    found: dict[str, Any] = {}
    for operation in read_operations():
        name = f"{operation.service}.{operation.name}"
        if name not in EMULATED:
            found[name] = told[name] if name in told else told.get(operation.name, _unanswered)
    return found | {
        "cloudformation.DescribeStacks": no_stack,
        "ec2.DescribeInstanceTypes": _types,
        "service-quotas.GetAWSDefaultServiceQuota": _quota,
        "service-quotas.GetServiceQuota": _quota,
        "service-quotas.ListServiceQuotas": _quotas,
        "ssm.GetParameter": _parameter,
        "sts.GetCallerIdentity": {"Account": ACCOUNT, "Arn": ROLE, "UserId": "AROA:session"},
    }


def _unanswered(asked: Mapping[str, Any], region: str) -> None:
    raise AssertionError(f"no situation says what AWS answers to {dict(asked)} in {region}")


_SERVICES = "/aws/service/global-infrastructure/regions/"
_NOT_EVERYWHERE = {("ap-southeast-4", "fsx")}


def _parameter(asked: Mapping[str, Any], region: str) -> dict[str, Any] | Refusal:
    name = asked["Name"]
    if name.startswith(_SERVICES):
        place, _, service = name.removeprefix(_SERVICES).partition("/services/")
        if (place, service) in _NOT_EVERYWHERE:
            return Refusal("ParameterNotFound")
        value = service
    else:
        value = "33" if name.startswith("/cdk-bootstrap/") else image_behind(name)
    return {"Parameter": {"Name": name, "Value": value, "Version": 1}}


def _types(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
    """Descriptions of EC2's own, from moto: of those asked for, or page by page.

    Every tenth of the types without Neuron chips will do: all of them take moto seconds.
    """
    from moto.ec2.models.instance_types import INSTANCE_TYPE_OFFERINGS, INSTANCE_TYPES

    offered = {o["InstanceType"] for o in INSTANCE_TYPE_OFFERINGS["region"].get(region, ())}
    if wanted := asked.get("InstanceTypes"):
        found = [INSTANCE_TYPES[name] for name in wanted if name in offered]
        unknown = Refusal("InvalidInstanceType", "The following supplied types do not exist")
        return {"InstanceTypes": found} if len(found) == len(wanted) else unknown
    with_chips = sorted(n for n in offered if "NeuronInfo" in INSTANCE_TYPES[n])
    names = [*sorted(offered - {*with_chips})[::10], *with_chips]
    start, size = int(asked.get("NextToken") or 0), min(25, asked.get("MaxResults", 25))
    more = {"NextToken": str(start + size)} if start + size < len(names) else {}
    return {"InstanceTypes": [INSTANCE_TYPES[n] for n in names[start : start + size]], **more}


def _quota(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
    """Large enough, whatever it counts."""
    code = asked["QuotaCode"]
    told = {"ServiceCode": asked["ServiceCode"], "QuotaCode": code, "QuotaName": f"quota {code}"}
    known = {quota["QuotaCode"]: quota for quota in _all_quotas()}
    return {"Quota": known.get(code, told | {"Value": LARGE_QUOTA})}


def _quotas(asked: Mapping[str, Any], region: str) -> dict[str, Any]:
    """Page by page, as Service Quotas gives them."""
    quotas, size = _all_quotas(), 2
    start = int(asked.get("NextToken") or 0)
    more = {"NextToken": str(start + size)} if start + size < len(quotas) else {}
    return {"Quotas": quotas[start : start + size], **more}


def _all_quotas() -> list[dict[str, Any]]:
    return [
        {
            "ServiceCode": quota.service_code,
            "QuotaCode": quota.quota_code,
            "QuotaName": quota.name,
            "Value": LARGE_QUOTA,
        }
        for quota in service_quotas()
    ]
