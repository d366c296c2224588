"""The functions of the spend guard: one asset, and how each of them is made."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from aws_cdk import Duration, IgnoreMode, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from trnkit.errors import ConstructError
from trnkit.layout.guard_settings import SETTINGS_BYTES_MAXIMUM, settings_text

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from aws_cdk import aws_sqs as sqs

FOLDER = Path(__file__).parent / "assets" / "spend-guard"
_NOT_SHIPPED = ("__pycache__", "*.pyc", ".*")


def settings_json(plan: DataclassInstance | Mapping[str, Any]) -> str:
    """A plan, or a part of one, as a function reads it: JSON, without what is None.

    Raises:
        ConstructError: It is longer than a function's environment takes.
    """
    values = dict(plan) if isinstance(plan, Mapping) else asdict(plan)
    text = settings_text(values)
    size = len(text.encode())
    if size > SETTINGS_BYTES_MAXIMUM:
        raise ConstructError(
            f"plan must have at most {SETTINGS_BYTES_MAXIMUM} bytes as JSON (a function's "
            f"environment holds 4 KB), got {size}"
        )
    return text


def create_guard_function(
    scope: Construct,
    *,
    handler: str,
    description: str,
    environment: Mapping[str, str],
    statements: Sequence[iam.PolicyStatement],
    timeout: Duration,
    memory_mib: int,
    log_retention_days: int,
    dead_letters: sqs.Queue | None = None,
) -> lambda_.Function:
    """Create a function with a role and a log group of its own, which hold nothing else.

    It reserves no concurrency: a small account has ten executions at once, of which nine cannot be
    reserved, and what runs twice at once does no harm.

    Args:
        scope: Parent.
        handler: `spend_guard.<module>.<function>`.
        description: What it does.
        environment: Its variables.
        statements: What it may do besides writing its log.
        timeout: How long it may take.
        memory_mib: Memory.
        log_retention_days: Days that its log is kept; one of the numbers CloudWatch Logs takes.
        dead_letters: Where what failed three times goes. None: it is given up.
    """
    log_group = logs.LogGroup(scope, "Logs", removal_policy=RemovalPolicy.DESTROY)
    cast("logs.CfnLogGroup", log_group.node.default_child).retention_in_days = log_retention_days
    role = iam.Role(
        scope,
        "Role",
        # The casts are for type checkers: CDK's classes name parameters unlike its interfaces.
        assumed_by=cast("iam.IPrincipal", iam.ServicePrincipal("lambda.amazonaws.com")),
        description=f"{description} ({Stack.of(scope).stack_name})"[:1000],
    )
    log_group.grant_write(role)
    for statement in statements:
        role.add_to_policy(statement)
    function = lambda_.Function(
        scope,
        "Function",
        description=description,
        runtime=lambda_.Runtime.PYTHON_3_13,
        architecture=lambda_.Architecture.ARM_64,
        handler=handler,
        code=lambda_.Code.from_asset(
            str(FOLDER),
            exclude=list(_NOT_SHIPPED),
            ignore_mode=IgnoreMode.GLOB,
            asset_hash=_digest(),
        ),
        environment=dict(environment),
        timeout=timeout,
        memory_size=memory_mib,
        role=cast("iam.IRole", role),
        log_group=log_group,
        dead_letter_queue=cast("sqs.IQueue | None", dead_letters),
    )
    _wait_for_policy_alone(function, role)
    return function


def _wait_for_policy_alone(function: lambda_.Function, role: iam.Role) -> None:
    """The CDK writes down that it waits for the role too, which its `Role` says already (W3005)."""
    policy = cast("iam.Policy", role.node.find_child("DefaultPolicy"))
    written = cast("lambda_.CfnFunction", function.node.default_child)
    first = cast("iam.CfnPolicy", policy.node.default_child)
    written.add_override("DependsOn", [Stack.of(function).get_logical_id(first)])


@cache
def _digest() -> str:
    """Of names and contents alone: the CDK's own takes in more."""
    found = hashlib.sha256()
    for path in _files(FOLDER):
        name = path.relative_to(FOLDER).as_posix()
        found.update(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n".encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if any(path.match(pattern) for pattern in _NOT_SHIPPED):
            continue
        if path.is_dir():
            yield from _files(path)
        else:
            yield path
