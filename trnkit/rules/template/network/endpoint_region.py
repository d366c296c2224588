"""TRN167: an endpoint is for a service of its own Region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.region_shape import is_region_shaped
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.reading.vpc_endpoints import vpc_endpoints
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for endpoint in vpc_endpoints(stack_set):
        value = endpoint.properties["ServiceName"]
        parts = (value.text() or "").split(".")
        named = next((part for part in parts if is_region_shaped(part)), None)
        here = region_of(endpoint.resource.template, stack_set)
        elsewhere = endpoint.properties["ServiceRegion"]
        if named is None or here is None or named == here or not elsewhere.is_absent:
            continue
        is_gateway = endpoint.kind == "Gateway"
        yield Violation(
            message=f"{endpoint.name}: {value.text()} is a service of {named}, and the VPC is in "
            f"{here}",
            hint=f"write {here}, or AWS::Region in Fn::Sub"
            + ("" if is_gateway else "; a service of another Region also needs ServiceRegion"),
            resource=endpoint.resource,
            path=value.path,
        )


_ENDPOINT = """\
# region: us-east-2
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  S3:
    Type: AWS::EC2::VPCEndpoint
    Properties: {VpcId: {Ref: Vpc}, ServiceName: com.amazonaws.%s.s3}
"""

RULE = TemplateRule(
    id="TRN167",
    title="an endpoint is for a service of its own Region",
    severity=Severity.ERROR,
    why="EC2 does not know the service of another Region by its name alone: InvalidServiceName.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVpcEndpoint.html",
    good=_ENDPOINT % "us-east-2",
    bad=_ENDPOINT % "us-west-2",
    check=_check,
)
