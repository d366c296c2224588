"""What cdk-nag's AwsSolutions pack says of our constructs and does not apply, each with its reason.

The only place for such acknowledgements. They do nothing in an app that does not use cdk-nag.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from aws_cdk import Acknowledgment, Validations
from constructs import IConstruct

_NO_FLOW_LOGS = "AwsSolutions-VPC7"
_SSM_CORE = "arn:<AWS::Partition>:iam::aws:policy/AmazonSSMManagedInstanceCore"
_CLUSTER = "<cluster>"
_MOUNTED = "<mounted>"
_BUCKET = f"{_CLUSTER}-Storage:ExportsOutputFnGetAttCheckpointBucketDFE4871AArn263F8C5B"

REASONS = {
    _NO_FLOW_LOGS: "Flow logs are the account owner's decision: the nodes of a cluster move "
    "terabytes a day, and EFA traffic does not appear in them. Ask for them with "
    "`network.flow_logs` where your policy wants them.",
    f"AwsSolutions-IAM4[Policy::{_SSM_CORE}]": "The policy is AWS's own minimum for Session "
    "Manager and is kept current by AWS; a copy would age.",
    "AwsSolutions-AS3": "Scaling events of a node group are for whoever runs the cluster to "
    "subscribe to; the group has a fixed size and its activity is in its own history.",
    "AwsSolutions-S1": "Who reads checkpoints is logged by CloudTrail data events, which the "
    "account switches on for all its buckets; a log bucket per cluster would need one of its own.",
    f"AwsSolutions-IAM5[Resource::{_BUCKET}/*]": "Nodes read and write every object of their own "
    "checkpoint bucket and of no other; S3 has no other way to say so.",
    f"AwsSolutions-IAM5[Resource::{_MOUNTED}*]": "Nodes read (and where the mount is writable add) "
    "the objects below what they mount, and no others; S3 has no other way to say so.",
}
"""Rule of the pack -> why it is acknowledged."""


def acknowledge_nag_rules(
    scope: IConstruct, *, flow_logs: bool = False, mounted: Sequence[str] = ()
) -> None:
    """Acknowledge the rules of `REASONS` below a construct.

    Args:
        scope: A stage, named as its cluster, or anything else that has no checkpoint bucket.
        flow_logs: Whether its VPC has flow logs, so that their lack needs no acknowledgement.
        mounted: Places in S3 that its nodes mount, as `s3://bucket/prefix/`.
    """
    validations = Validations.of(scope)
    for rule, reason in REASONS.items():
        if rule == _NO_FLOW_LOGS and flow_logs:
            continue
        for named in _named(rule, scope.node.id, mounted):
            validations.acknowledge(Acknowledgment(id=f"AwsSolutions::{named}", reason=reason))


def _named(rule: str, cluster: str, mounted: Sequence[str]) -> Iterator[str]:
    if _MOUNTED not in rule:
        yield rule.replace(_CLUSTER, cluster)
        return
    # With the flags of cdk.json the partition of a known region is written out.
    for place, partition in product(mounted, ("aws", "<AWS::Partition>")):
        yield rule.replace(_MOUNTED, f"arn:{partition}:s3:::{place.removeprefix('s3://')}")
