"""The log group that FSx for Lustre writes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aws_cdk import ArnFormat, Aws, Fn, Names, Stack
from aws_cdk import aws_logs as logs

from trnkit.layout.lustre_judgement import LOG_GROUP_PREFIX

if TYPE_CHECKING:
    from aws_cdk import RemovalPolicy
    from constructs import Construct

_KEPT_DAYS = 365


def log_group_arn(scope: Construct, removal_policy: RemovalPolicy) -> str:
    """Make a log group and return its ARN as FSx takes it, without `:*` at its end.

    FSx demands a name that begins with /aws/fsx, so CloudFormation cannot choose one. The stack's
    own id is part of it: a kept log group does not stand in the way of the next deployment.

    Args:
        scope: The file system.
        removal_policy: What happens on delete and on replacement.
    """
    unique = Fn.select(2, Fn.split("/", Aws.STACK_ID))
    name = Names.unique_resource_name(scope, max_length=60, separator="-")
    group = logs.CfnLogGroup(
        scope,
        "LogGroup",
        log_group_name=f"{LOG_GROUP_PREFIX}/lustre/{name}-{unique}",
        retention_in_days=_KEPT_DAYS,
    )
    group.apply_removal_policy(removal_policy, apply_to_update_replace_policy=True)
    return Stack.of(scope).format_arn(
        service="logs",
        resource="log-group",
        resource_name=group.ref,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
