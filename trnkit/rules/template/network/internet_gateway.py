"""TRN171: a VPC has one internet gateway, and a gateway one VPC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.coexistence import exist_together
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_VPC, _GATEWAY = "AWS::EC2::VPC", "AWS::EC2::InternetGateway"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    seen: dict[Resource | str, list[Resource]] = {}
    for attachment in stack_set.resources("AWS::EC2::VPCGatewayAttachment"):
        properties = properties_of(attachment)
        gateway, vpc = properties["InternetGatewayId"], properties["VpcId"]
        if gateway.is_absent or gateway.is_unknown:
            continue
        for end, kind, text in (
            (vpc, _VPC, "has an internet gateway already"),
            (gateway, _GATEWAY, "is attached to a VPC already"),
        ):
            named = _named(end, kind)
            if named is None:
                continue
            others = seen.setdefault(named, [])
            first = next((o for o in others if exist_together(attachment, o)), None)
            others.append(attachment)
            if first is not None:
                name = named if isinstance(named, str) else named.logical_id
                yield Violation(
                    message=f"{attachment.logical_id}: {name} {text}, by {first.logical_id}",
                    hint="keep one attachment",
                    resource=attachment,
                    path=end.path,
                )


def _named(value: TemplateValue, kind: str) -> Resource | str | None:
    return value.referred(kind) or value.text()


_HEAD = """\
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.0.0.0/16}}
  Other: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.1.0.0/16}}
  Gateway: {Type: AWS::EC2::InternetGateway}
  Second: {Type: AWS::EC2::InternetGateway}
  Attachment:
    Type: AWS::EC2::VPCGatewayAttachment
    Properties: {VpcId: {Ref: Vpc}, InternetGatewayId: {Ref: Gateway}}
  SecondAttachment:
    Type: AWS::EC2::VPCGatewayAttachment
    Properties:
      InternetGatewayId: {Ref: Second}
"""

RULE = TemplateRule(
    id="TRN171",
    title="a VPC has one internet gateway, and a gateway one VPC",
    severity=Severity.ERROR,
    why="EC2 refuses the second attachment, and the stack is rolled back.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_AttachInternetGateway.html",
    good=_HEAD + "      VpcId: {Ref: Other}\n",
    bad=_HEAD + "      VpcId: {Ref: Vpc}\n",
    check=_check,
)
