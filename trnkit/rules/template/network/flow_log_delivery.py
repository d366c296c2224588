"""TRN170: a flow log has what its destination asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_CLOUDWATCH = "cloud-watch-logs"
_BY_ARN = ("s3", "kinesis-data-firehose")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::EC2::FlowLog"):
        log = properties_of(resource)
        kind, role = log["LogDestinationType"], log["DeliverLogsPermissionArn"]
        destination, group = log["LogDestination"], log["LogGroupName"]
        goes_to = _CLOUDWATCH if kind.is_absent else kind.text()
        if goes_to == _CLOUDWATCH and role.is_absent:
            text = "is missing; flow logs come to CloudWatch Logs through a role"
            hint = "add a role that vpc-flow-logs.amazonaws.com may assume"
            yield at_value(role, Objection(text, hint))
        if goes_to == _CLOUDWATCH and destination.is_absent and group.is_absent:
            text = "is missing, and so is LogDestination; nothing says where the flow log goes"
            yield at_value(group, Objection(text, "name a log group"))
        if goes_to in _BY_ARN and destination.is_absent:
            text = f"is missing; a flow log of type {goes_to} goes to an ARN"
            yield at_value(destination, Objection(text, "write the ARN of its destination"))


_HEAD = """\
Resources:
  FlowLog:
    Type: AWS::EC2::FlowLog
    Properties:
      ResourceId: vpc-1
      ResourceType: VPC
      TrafficType: REJECT
      LogGroupName: flows
"""

RULE = TemplateRule(
    id="TRN170",
    title="a flow log has what its destination asks for",
    severity=Severity.ERROR,
    why="EC2 refuses the flow log when the stack is deployed. Without a type it goes to CloudWatch "
    "Logs, which needs a role.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateFlowLogs.html",
    good=_HEAD + "      DeliverLogsPermissionArn: arn:aws:iam::111122223333:role/flows\n",
    bad=_HEAD,
    check=_check,
)
