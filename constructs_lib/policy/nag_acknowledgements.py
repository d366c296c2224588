"""What cdk-nag's AwsSolutions pack says of our constructs and does not apply, each with its reason.

The only place for such acknowledgements. They do nothing in an app that does not use cdk-nag.
"""

from __future__ import annotations

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct

_NO_FLOW_LOGS = "AwsSolutions-VPC7"
_SSM_CORE = "arn:<AWS::Partition>:iam::aws:policy/AmazonSSMManagedInstanceCore"

REASONS = {
    _NO_FLOW_LOGS: "Flow logs are the account owner's decision: the nodes of a cluster move "
    "terabytes a day, and EFA traffic does not appear in them. Ask for them with "
    "`network.flow_logs` where your policy wants them.",
    f"AwsSolutions-IAM4[Policy::{_SSM_CORE}]": "The policy is AWS's own minimum for Session "
    "Manager and is kept current by AWS; a copy would age.",
    "AwsSolutions-AS3": "Scaling events of a node group are for whoever runs the cluster to "
    "subscribe to; the group has a fixed size and its activity is in its own history.",
}
"""Rule of the pack -> why it is acknowledged."""


def acknowledge_nag_rules(scope: IConstruct, *, flow_logs: bool = False) -> None:
    """Acknowledge the rules of `REASONS` below a construct.

    Args:
        scope: A stage, stack or construct.
        flow_logs: Whether its VPC has flow logs, so that their lack needs no acknowledgement.
    """
    validations = Validations.of(scope)
    for rule, reason in REASONS.items():
        if rule == _NO_FLOW_LOGS and flow_logs:
            continue
        validations.acknowledge(Acknowledgment(id=f"AwsSolutions::{rule}", reason=reason))
