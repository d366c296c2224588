"""Every alarm is put into its alarm state, and its topics must hear of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.topics import barred, listening
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

ALARM = "AWS::CloudWatch::Alarm"
_PUBLISHER = "cloudwatch.amazonaws.com"


def prove_alarms(stage: Stage) -> None:
    """Set off all alarms of each topic, and listen behind it."""
    for region in stage.regions:
        names = [
            resource["physical_id"]
            for stack in stage.inventory().values()
            if stack["region"] == region
            for resource in stack["resources"].values()
            if resource["type"] == ALARM
        ]
        if names:
            stage.progress.step("create", f"set off {count_of(len(names), 'alarm')}")
            _prove(stage, stage.aws.clients(region), names)


def _prove(stage: Stage, clients: Clients, names: list[str]) -> None:
    pages = clients("cloudwatch").get_paginator("describe_alarms").paginate(AlarmNames=names)
    alarms = [alarm for page in pages for alarm in page["MetricAlarms"]]
    topics: dict[str, list[str]] = {}
    for alarm in alarms:
        for action in alarm["AlarmActions"] if alarm["ActionsEnabled"] else ():
            if ":sns:" in action:
                topics.setdefault(action, []).append(alarm["AlarmName"])
    heard = {name for told in topics.values() for name in told}
    silent = [f"{name} tells nobody" for name in names if name not in heard]
    arns = {alarm["AlarmName"]: alarm["AlarmArn"] for alarm in alarms}
    for topic, told in topics.items():
        problems = barred(clients, topic, _PUBLISHER, arns[told[0]]) or _unheard(
            clients, topic, told
        )
        silent += problems
    stage.tell(
        not silent,
        f"{count_of(len(names), 'alarm')}: each that goes off is heard of at its topic "
        f"({count_of(len(topics), 'topic')}, which {_PUBLISHER} may publish to)"
        if not silent
        else "alarms that go off are not heard of",
        *silent,
    )


def _unheard(clients: Clients, topic: str, names: list[str]) -> list[str]:
    """Let each alarm pass from OK to ALARM, which alone makes it tell."""
    cloudwatch = clients("cloudwatch")
    for name in names:
        _set(cloudwatch, name, "OK")
    with listening(clients, topic) as hear:
        for name in names:
            _set(cloudwatch, name, "ALARM")
        messages = [json.loads(message["Message"]) for message in hear(len(names))]
    for name in names:
        _set(cloudwatch, name, "INSUFFICIENT_DATA")
    told = {one.get("AlarmName") for one in messages if one.get("NewStateValue") == "ALARM"}
    return [f"{name} is not heard of at {topic}" for name in names if name not in told]


def _set(cloudwatch: Any, name: str, state: str) -> None:
    reason = "rehearsal"
    cloudwatch.set_alarm_state(AlarmName=name, StateValue=state, StateReason=reason)
