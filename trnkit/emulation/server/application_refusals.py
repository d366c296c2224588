"""What CloudWatch, EventBridge, IAM, Lambda and SQS refuse, and MiniStack's types take.

Functions, alarms, rules, queues and managed policies are judged before MiniStack's own functions
see them, in the words of the API by which CloudFormation would hand them on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from trnkit.emulation.borrowed import module
from trnkit.emulation.resources.resource import Properties, Refused
from trnkit.emulation.server import policy_documents
from trnkit.emulation.server.handler_changes import before
from trnkit.emulation.server.policy_documents import listed, parsed, statements

_LONGEST_MANAGED = 6_144
_LONGEST_ENVIRONMENT = 4_096
_LONGEST_RUN = 900
_SHORT_PERIODS = frozenset({10, 20, 30})
_MINUTE = 60
_ACTION = re.compile(r"arn:aws[a-z-]*:(?P<service>[a-z0-9-]+):(?P<region>[a-z0-9-]*):.+")
_RATE = re.compile(r"rate\((?P<number>[1-9]\d*) (?P<unit>minute|hour|day)(?P<more>s?)\)")
_CRON = re.compile(r"cron\((\S+ ){5}\S+\)")


def install() -> None:
    """Let these types refuse, too; once, before their first request."""
    handlers = module("ministack.services.cloudformation.provisioners")._RESOURCE_HANDLERS
    for name, check in _CHECKS.items():
        before(handlers[name], check)


def lets_assume(account: str, arn: str, service: str) -> bool:
    """Whether a role exists and its trust lets a service assume it.

    Conditions are taken to hold.

    Args:
        account: The account that the role is in.
        arn: The role's ARN.
        service: Such as ``lambda.amazonaws.com``.
    """
    name = arn.rpartition("/")[2]
    role = module("ministack.services.iam")._roles._data.get((account, name))
    if role is None or role["Arn"] != arn:
        return False
    for statement in statements(parsed(role["AssumeRolePolicyDocument"])):
        principal = statement.get("Principal")
        named = principal.get("Service", []) if isinstance(principal, dict) else []
        actions = [str(one).lower() for one in listed(statement.get("Action", []))]
        trusted = principal == "*" or service in listed(named)
        if (
            statement["Effect"] == "Allow"
            and trusted
            and {"sts:assumerole", "sts:*", "*"} & {*actions}
        ):
            return True
    return False


def _function(properties: Properties) -> None:
    """A role that Lambda can assume, code that is there, time and environment within limits.

    Sources: https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html,
    https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
    """
    if int(properties.get("Timeout", 3)) > _LONGEST_RUN:
        message = (
            f"1 validation error detected: Value '{properties['Timeout']}' at 'timeout' failed to "
            f"satisfy constraint: Member must have value less than or equal to {_LONGEST_RUN}"
        )
        raise Refused(message, code="ValidationException", service="Lambda")
    if not lets_assume(_account(), str(properties["Role"]), "lambda.amazonaws.com"):
        _invalid_function("The role defined for the function cannot be assumed by Lambda.")
    code = properties["Code"]
    bucket, key = code.get("S3Bucket"), code.get("S3Key")
    if bucket and key:
        held = module("ministack.services.s3")._buckets.get(bucket)
        missing = "NoSuchBucket" if held is None else "NoSuchKey"
        if held is None or key not in held["objects"]:
            thing = "bucket" if held is None else "key"
            _invalid_function(
                f"Error occurred while GetObject. S3 Error Code: {missing}. S3 Error Message: The "
                f"specified {thing} does not exist."
            )
    variables = properties.get("Environment", {}).get("Variables", {})
    text = json.dumps(variables, separators=(",", ":"), ensure_ascii=False)
    if len(text.encode()) > _LONGEST_ENVIRONMENT:
        _invalid_function(
            "Lambda was unable to configure your environment variables because the environment "
            f"variables you have provided exceeded the 4KB limit. String measured: {text}"
        )


def _invalid_function(message: str) -> None:
    raise Refused(message, code="InvalidParameterValueException", service="Lambda")


def _permission(properties: Properties) -> None:
    """A function that exists.

    Source: https://docs.aws.amazon.com/lambda/latest/api/API_AddPermission.html
    """
    provisioners = module("ministack.services.cloudformation.provisioners")
    given = str(properties["FunctionName"])
    if provisioners._lambda_function_for_cfn_ref(given)[0] is None:
        raise Refused(
            f"Function not found: {given}", code="ResourceNotFoundException", service="Lambda"
        )


def _alarm(properties: Properties) -> None:
    """A period that there is, and actions of this region.

    Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
    """
    if "Period" in properties:
        period = int(properties["Period"])
        if period not in _SHORT_PERIODS and (period < _MINUTE or period % _MINUTE):
            _invalid_alarm(
                "Period must be 10, 20, 30 or a multiple of 60", code="InvalidParameterValue"
            )
    for name in ("AlarmActions", "InsufficientDataActions", "OKActions"):
        for action in properties.get(name) or ():
            _alarm_action(str(action))


def _alarm_action(action: str) -> None:
    arn = _ACTION.fullmatch(action)
    if arn is None:
        _invalid_alarm(f"Invalid arn syntax: {action}")
    region = module("ministack.core.responses").get_region()
    if arn and arn["service"] == "sns" and arn["region"] != region:
        _invalid_alarm(f"Invalid region {arn['region']} specified. Only {region} is supported.")


def _invalid_alarm(message: str, *, code: str = "ValidationError") -> None:
    raise Refused(message, code=code, service="CloudWatch")


def _rule(properties: Properties) -> None:
    """Something to act on, in an expression that can be read.

    Sources: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutRule.html,
    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-scheduled-rule-pattern.html
    """
    expression = properties.get("ScheduleExpression")
    if not expression and not properties.get("EventPattern"):
        _invalid_rule("Parameter(s) EventPattern or ScheduleExpression must be specified.")
    if expression and not _is_schedule(str(expression)):
        _invalid_rule("Parameter ScheduleExpression is not valid.")


def _is_schedule(expression: str) -> bool:
    rate = _RATE.fullmatch(expression)
    if rate:
        return (rate["number"] == "1") == (not rate["more"])
    return _CRON.fullmatch(expression) is not None


def _invalid_rule(message: str) -> None:
    raise Refused(message, code="ValidationException", service="EventBridge")


def _managed_policy(properties: Properties) -> None:
    """A policy by IAM's grammar and quota.

    Sources: https://docs.aws.amazon.com/IAM/latest/APIReference/API_CreatePolicy.html,
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
    """
    document = properties["PolicyDocument"]
    problem = policy_documents.problem_of_identity(document)
    if problem:
        raise Refused(problem, code="MalformedPolicyDocument", service="Iam")
    if policy_documents.size(document) > _LONGEST_MANAGED:
        message = f"Cannot exceed quota for PolicySize: {_LONGEST_MANAGED}"
        raise Refused(message, code="LimitExceeded", service="Iam")


def _queue_policy(properties: Properties) -> None:
    """A policy by the grammar.

    Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
    """
    if policy_documents.problem_of_resource(properties["PolicyDocument"]):
        message = "Invalid value for the parameter Policy."
        raise Refused(message, code="InvalidAttributeValue", service="Sqs")


def _account() -> str:
    return str(module("ministack.core.responses").get_account_id())


_CHECKS: dict[str, Callable[[Properties], Any]] = {
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::Events::Rule": _rule,
    "AWS::IAM::ManagedPolicy": _managed_policy,
    "AWS::Lambda::Function": _function,
    "AWS::Lambda::Permission": _permission,
    "AWS::SQS::QueuePolicy": _queue_policy,
}
