"""Functions are called as their rules call them: what they need must be there, and they must run.

The emulated Lambda runs them in a process of its own, with this Python and boto3, against the
emulated AWS. Permissions are not enforced there; they are judged by the policies of the role.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trnkit.emulation.borrowed import errors
from trnkit.operations.rehearsal.permissions import Role, role_named, trusts
from trnkit.operations.rehearsal.spend_counted import prove_spend_counted
from trnkit.operations.rehearsal.topics import allows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

FUNCTION = "AWS::Lambda::Function"
RULE = "AWS::Events::Rule"
_ASSUMED_BY, _CALLER = "lambda.amazonaws.com", "events.amazonaws.com"
_TICK = {
    "version": "0",
    "source": "aws.events",
    "detail-type": "Scheduled Event",
    "time": "2026-01-01T00:00:00Z",
    "detail": {},
}


@dataclass(kw_only=True)
class _Found:
    """What was found of one function."""

    name: str
    words: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])

    def note(self, holds: bool, word: str, problem: str) -> bool:
        (self.words if holds else self.problems).append(word if holds else problem)
        return holds


def prove_functions(stage: Stage) -> None:
    """Look at every function, and let those that a schedule calls run once."""
    for stack in stage.inventory().values():
        clients = stage.aws.clients(stack["region"])
        resources = stack["resources"].values()
        rules = [one["physical_id"] for one in resources if one["type"] == RULE]
        functions = [one for one in resources if one["type"] == FUNCTION]
        # Those that another one waits for in the template come first.
        for resource in sorted(functions, key=_is_told_of):
            name = resource["physical_id"]
            stage.progress.step("create", f"call {name}")
            found = _Found(name=name)
            held = clients("lambda").get_function(FunctionName=name)["Configuration"]
            _looks(stage, clients, found, held, resource["properties"])
            scheduled = _callers(clients, found, held["FunctionArn"], rules)
            if scheduled and not found.problems:
                _runs(clients, found, scheduled)
            stage.tell(
                not found.problems,
                f"the function {name} has what it needs"
                + (", and runs when its schedule calls it" if scheduled else "")
                if not found.problems
                else f"the function {name} does not work",
                *(found.problems or found.words),
            )
            if scheduled and not found.problems:
                prove_spend_counted(
                    stage, clients, held.get("Environment", {}).get("Variables", {})
                )


def _is_told_of(resource: Mapping[str, Any]) -> bool:
    """Whether it hears from others: it has somebody to tell, too, so it comes after them."""
    variables = resource["properties"].get("Environment", {}).get("Variables", {})
    return "TRNKIT_TOPIC" in variables


def _looks(
    stage: Stage,
    clients: Clients,
    found: _Found,
    held: Mapping[str, Any],
    properties: Mapping[str, Any],
) -> None:
    role = role_named(clients, held["Role"])
    found.note(
        trusts(clients, held["Role"], _ASSUMED_BY),
        f"Lambda may assume {role.name}",
        f"Lambda may not assume {role.name}",
    )
    _code(clients, found, held["Handler"], properties["Code"])
    _logs(stage, clients, found, held, role)
    _environment(clients, found, held.get("Environment", {}).get("Variables", {}), role)
    _failures(clients, found, held, role)


def _code(clients: Clients, found: _Found, handler: str, code: Mapping[str, Any]) -> None:
    """The object that the template names is a zip file with the handler's module."""
    bucket, key = code.get("S3Bucket"), code.get("S3Key")
    if not bucket or not key:
        return
    place = f"s3://{bucket}/{key}"
    wanted = handler.rpartition(".")[0].replace(".", "/") + ".py"
    try:
        body = clients("s3").get_object(Bucket=bucket, Key=key)["Body"].read()
        with zipfile.ZipFile(io.BytesIO(body)) as bundle:
            names = bundle.namelist()
    except (*errors(), zipfile.BadZipFile) as error:
        found.problems.append(f"{place} cannot be read: {error}")
        return
    found.note(
        wanted in names,
        f"{place} is there, with {wanted} among its {len(names)} files",
        f"{place} has no {wanted}",
    )


def _logs(
    stage: Stage, clients: Clients, found: _Found, held: Mapping[str, Any], role: Role
) -> None:
    name = held.get("LoggingConfig", {}).get("LogGroup", f"/aws/lambda/{held['FunctionName']}")
    pages = clients("logs").get_paginator("describe_log_groups").paginate(logGroupNamePrefix=name)
    groups = {group["logGroupName"]: group for page in pages for group in page["logGroups"]}
    days = groups.get(name, {}).get("retentionInDays")
    found.note(
        days is not None,
        f"it logs to {name}, kept for {days} days",
        f"its log group {name} is not there"
        if name not in groups
        else f"its log group {name} keeps everything for ever",
    )
    region = str(held["FunctionArn"]).split(":")[3]
    stream = f"arn:aws:logs:{region}:{stage.aws.account}:log-group:{name}:log-stream:one"
    for action in ("logs:CreateLogStream", "logs:PutLogEvents"):
        if not role.may(action, stream):
            found.problems.append(f"{role.name} may not {action} in {name}")


def _environment(clients: Clients, found: _Found, variables: Mapping[str, str], role: Role) -> None:
    """Settings that can be read, a table that is there, a topic that it may publish to."""
    if "TRNKIT_SETTINGS" in variables:
        try:
            json.loads(variables["TRNKIT_SETTINGS"])
        except ValueError as error:
            found.problems.append(f"TRNKIT_SETTINGS cannot be read: {error}")
    table, topic = variables.get("TRNKIT_TABLE"), variables.get("TRNKIT_TOPIC")
    if table is not None:
        try:
            told = clients("dynamodb").describe_table(TableName=table)["Table"]
        except errors() as error:
            found.problems.append(f"the table {table} is not there: {error}")
        else:
            for action in ("GetItem", "PutItem", "Query", "UpdateItem"):
                if not role.may(f"dynamodb:{action}", told["TableArn"]):
                    found.problems.append(f"{role.name} may not dynamodb:{action} in {table}")
    if topic is not None:
        _publishes(clients, found, topic, role)


def _publishes(clients: Clients, found: _Found, topic: str, role: Role) -> None:
    attributes = clients("sns").get_topic_attributes(TopicArn=topic)["Attributes"]
    lacks = [] if role.may("sns:Publish", topic) else ["sns:Publish"]
    if attributes.get("KmsMasterKeyId"):
        key = clients("kms").describe_key(KeyId=attributes["KmsMasterKeyId"])["KeyMetadata"]
        actions = ("kms:Decrypt", "kms:GenerateDataKey")
        lacks += [action for action in actions if not role.may(action, key["Arn"])]
    told = f"{role.name} may not {' and '.join(lacks)}, to publish to {topic}"
    found.note(not lacks, f"it may publish to {topic}", told)


def _failures(clients: Clients, found: _Found, held: Mapping[str, Any], role: Role) -> None:
    """Where calls go that fail, which the function's own role brings there.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
    """
    targets = [held.get("DeadLetterConfig", {}).get("TargetArn")]
    pages = clients("lambda").get_paginator("list_function_event_invoke_configs")
    for page in pages.paginate(FunctionName=found.name):
        for config in page["FunctionEventInvokeConfigs"]:
            failed = config.get("DestinationConfig", {}).get("OnFailure", {})
            targets.append(failed.get("Destination"))
    for queue in filter(None, targets):
        found.note(
            role.may("sqs:SendMessage", queue) or ":sqs:" not in queue,
            f"calls that fail go to {queue.rpartition(':')[2]}",
            f"{role.name} may not sqs:SendMessage to {queue}",
        )


def _callers(clients: Clients, found: _Found, arn: str, rules: list[str]) -> list[str]:
    """The schedules that call it, each of which the function's own policy must let in."""
    events = clients("events")
    scheduled: list[str] = []
    for name in rules:
        rule = events.describe_rule(Name=name)
        targets = events.list_targets_by_rule(Rule=name)["Targets"]
        for target in targets:
            if target["Arn"] != arn:
                continue
            if not _lets_in(clients, arn, rule["Arn"]):
                found.problems.append(f"its policy does not let {_CALLER} call it for {name}")
            queue = target.get("DeadLetterConfig", {}).get("Arn")
            if queue and not _takes(clients, queue, rule["Arn"]):
                found.problems.append(f"the policy of {queue} does not let {name} send to it")
            if rule["State"] == "ENABLED" and rule.get("ScheduleExpression"):
                scheduled.append(f"{name}, {rule['ScheduleExpression']}")
    return scheduled


def _lets_in(clients: Clients, arn: str, rule: str) -> bool:
    try:
        policy = json.loads(clients("lambda").get_policy(FunctionName=arn)["Policy"])
    except errors():
        return False  # it has no policy at all
    return allows(policy, _CALLER, "lambda:InvokeFunction", arn, rule)


def _takes(clients: Clients, queue: str, rule: str) -> bool:
    url = clients("sqs").get_queue_url(QueueName=queue.rpartition(":")[2])["QueueUrl"]
    told = clients("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["Policy"])
    policy = json.loads(told.get("Attributes", {}).get("Policy") or "{}")
    return allows(policy, _CALLER, "sqs:SendMessage", queue, rule)


def _runs(clients: Clients, found: _Found, scheduled: list[str]) -> None:
    answer = clients("lambda").invoke(FunctionName=found.name, Payload=json.dumps(_TICK).encode())
    said = answer["Payload"].read().decode()
    found.note(
        "FunctionError" not in answer,
        f"called as by {scheduled[0]}: {said}",
        f"called as by {scheduled[0]} it fails: {said[:600]}",
    )
