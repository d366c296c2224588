"""All that trnkit asks of AWS, and the smallest policy that allows it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from trnkit.aws.cloudformation import CloudFormationGateway
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.ec2_capacity import Ec2CapacityGateway
from trnkit.aws.ec2_network import Ec2NetworkGateway
from trnkit.aws.instance_types import InstanceTypeGateway
from trnkit.aws.service_quotas import ServiceQuotasGateway
from trnkit.aws.ssm import GET_PARAMETER, SsmGateway
from trnkit.aws.sts import StsGateway

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.aws.gateway import Gateway
    from trnkit.aws.read_operation import ReadOperation

GATEWAYS: tuple[type[Gateway], ...] = (
    CloudFormationGateway,
    Ec2Gateway,
    Ec2CapacityGateway,
    Ec2NetworkGateway,
    InstanceTypeGateway,
    ServiceQuotasGateway,
    SsmGateway,
    StsGateway,
)
"""Every gateway there is; a test finds one that is missing."""


def read_operations() -> tuple[ReadOperation, ...]:
    """Everything that is ever asked, by service and name."""
    found = {operation for gateway in GATEWAYS for operation in gateway.operations}
    return tuple(sorted(found, key=lambda operation: (operation.service, operation.name)))


def read_only_policy(parameters: Iterable[str] = (), *, partition: str = "aws") -> dict[str, Any]:
    """The smallest IAM policy with which everything is answered.

    Args:
        parameters: Names of your own parameters that hold image ids.
        partition: `aws`, `aws-cn` or `aws-us-gov`; IAM takes no wildcard for it.
    """
    actions: dict[tuple[str, ...], set[str]] = defaultdict(set)
    own = tuple(f"arn:aws:ssm:*:*:parameter/{_bare(name)}" for name in parameters)
    for operation in read_operations():
        if operation.permission is not None:
            more = own if operation is GET_PARAMETER else ()
            resources = tuple(dict.fromkeys((*operation.resources, *more)))
            actions[resources].add(operation.permission)
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "TrnkitReads" if resources == ("*",) else "TrnkitReadsParameters",
                "Effect": "Allow",
                "Action": sorted(names),
                "Resource": "*"
                if resources == ("*",)
                else [arn.replace("arn:aws:", f"arn:{partition}:", 1) for arn in resources],
            }
            for resources, names in sorted(actions.items())
        ],
    }


def _bare(name: str) -> str:
    """A parameter's name without its first slash, and without version or label."""
    return name.removeprefix("/").partition(":")[0]
