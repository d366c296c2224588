"""TRN160: an endpoint in a VPC without a way out has the endpoints that it needs beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_endpoint_service
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.vpc_endpoints import VPC, vpc_endpoints
from trnkit.rules.reading.ways_out import has_way_out
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.vpc_endpoints import VpcEndpoint
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    endpoints = list(vpc_endpoints(stack_set))
    # One that is not known could be any of those that seem to be missing.
    if any(e.vpc is None or e.service is None for e in endpoints):
        return
    for vpc in stack_set.resources(VPC):
        if not has_way_out(vpc, stack_set):
            yield from _alone([e for e in endpoints if e.vpc is vpc])


def _alone(endpoints: list[VpcEndpoint]) -> Iterator[Violation]:
    present = {endpoint.stands_for for endpoint in endpoints}
    for endpoint in endpoints:
        known = find_endpoint_service(endpoint.stands_for or "")
        missing = [need for need in known.needs if need not in present] if known else []
        if missing and endpoint.kind == "Interface":
            yield Violation(
                message=f"{endpoint.name}: the endpoint for {endpoint.service} is no use without "
                f"{alternatives(missing, 'and')}, and the VPC has no other way there",
                hint=f"add endpoints for {alternatives(missing, 'and')}",
                resource=endpoint.resource,
                path=("Properties", "ServiceName"),
                evidence=f"catalogue, endpoint {endpoint.service} ({known.date})"
                if known
                else None,
            )


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Registry:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
      ServiceName: com.amazonaws.us-east-2.ecr.dkr
  Api:
    Type: AWS::EC2::VPCEndpoint
    Properties:
      VpcId: {Ref: Vpc}
      VpcEndpointType: Interface
      ServiceName: com.amazonaws.us-east-2.ecr.api
"""

RULE = TemplateRule(
    id="TRN160",
    title="endpoints that need each other are there together",
    severity=Severity.WARNING,
    why="Nodes without a way to the internet wait for minutes and then fail: an image registry "
    "without the API that authorizes, or without S3, where the layers are, gives no image.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    good=_HEAD
    + """\
  S3:
    Type: AWS::EC2::VPCEndpoint
    Properties: {VpcId: {Ref: Vpc}, ServiceName: com.amazonaws.us-east-2.s3}
""",
    bad=_HEAD,
    check=_check,
    judges_absence=True,
)
