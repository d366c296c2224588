"""All that trnkit asks of AWS, and the smallest policy that allows it."""

from __future__ import annotations

import pkgutil
from collections import defaultdict
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import trnkit.aws
from trnkit.aws.cloudformation import LIST_STACK_RESOURCES
from trnkit.aws.gateway import Gateway
from trnkit.aws.ssm import GET_PARAMETER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.aws.change_operation import ChangeOperation
    from trnkit.aws.read_operation import ReadOperation


@cache
def gateways() -> tuple[type[Gateway], ...]:
    """Every gateway there is: the folder is scanned, and nothing else lists them."""
    for module in pkgutil.iter_modules(trnkit.aws.__path__):
        import_module(f"{trnkit.aws.__name__}.{module.name}")
    return tuple(sorted(Gateway.__subclasses__(), key=lambda gateway: gateway.__name__))


def read_operations() -> tuple[ReadOperation, ...]:
    """Everything that is ever asked and only reads, by service and name."""
    found = {operation for gateway in gateways() for operation in gateway.operations}
    return tuple(sorted(found, key=lambda operation: (operation.service, operation.name)))


def change_operations() -> tuple[ChangeOperation, ...]:
    """Everything that is ever asked and may change something, by service and name."""
    found = {operation for gateway in gateways() for operation in gateway.changes}
    return tuple(sorted(found, key=lambda operation: (operation.service, operation.name)))


def guard_policy(
    *,
    partition: str = "aws",
    region: str = "*",
    stack: str = "*-Guard",
    tag: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """The smallest IAM policy for `trnkit guard`: it finds the enforcer and runs it.

    Args:
        partition: As of `read_only_policy`.
        region: The Region of the cluster that it is for; else all.
        stack: The name of the stack in which the enforcer is found.
        tag: Key and value of a tag of the function. CloudFormation shortens names of functions,
            so that a name tells no cluster.
    """
    own = {"Condition": {"StringEquals": {f"aws:ResourceTag/{tag[0]}": tag[1]}}} if tag else {}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "TrnkitFindsTheGuard",
                "Effect": "Allow",
                "Action": [LIST_STACK_RESOURCES.permission],
                "Resource": [f"arn:{partition}:cloudformation:{region}:*:stack/{stack}/*"],
            },
            *(
                {
                    "Sid": f"TrnkitGuards{index or ''}",
                    "Effect": "Allow",
                    "Action": [operation.permission],
                    "Resource": [_placed(arn, partition, region) for arn in operation.resources],
                    **own,
                }
                for index, operation in enumerate(change_operations())
            ),
        ],
    }


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
        actions[("*",)].update(operation.also)
    # What every resource allows needs no second statement.
    narrow = {arns: names - actions[("*",)] for arns, names in actions.items() if arns != ("*",)}
    statements = [("*", actions[("*",)])]
    statements += [
        ([arn.replace("arn:aws:", f"arn:{partition}:", 1) for arn in arns], names)
        for arns, names in sorted(narrow.items())
        if names
    ]
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                # IAM wants them to differ, and to be letters and digits.
                "Sid": f"TrnkitReads{index or ''}",
                "Effect": "Allow",
                "Action": sorted(names),
                "Resource": arns,
            }
            for index, (arns, names) in enumerate(statements)
        ],
    }


def _placed(arn: str, partition: str, region: str) -> str:
    """An ARN of all Regions in a partition and a Region."""
    _, _, service, _, rest = arn.split(":", 4)
    return f"arn:{partition}:{service}:{region}:{rest}"


def _bare(name: str) -> str:
    """A parameter's name without its first slash, and without version or label."""
    return name.removeprefix("/").partition(":")[0]
