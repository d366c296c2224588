"""The watchdog of spending has run once: what it counted must be what the instances cost."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.rehearsal.stage import Stage

_SETTINGS, _TABLE = "TRNKIT_SETTINGS", "TRNKIT_TABLE"
_CENT = 0.01
_METRIC = "spend_rate_usd_per_hour"


def prove_spend_counted(stage: Stage, clients: Clients, variables: Mapping[str, str]) -> None:
    """Compare rate, ledger and metric of the watchdog with the instances that run.

    Args:
        stage: The rehearsal.
        clients: Gives boto3 clients of the region.
        variables: The environment of a function that was called; others than the watchdog's have
            no rates, and of them nothing is asked.
    """
    settings = json.loads(variables.get(_SETTINGS, "{}"))
    if "rates" not in settings:
        return
    running = _running(clients, settings["cluster"])
    rates = {one["instance_type"]: float(one["usd_per_hour"]) for one in settings["rates"]}
    kinds = Counter(one["InstanceType"] for one in running)
    wanted = float(settings["fixed_usd_per_hour"])
    wanted += sum(rates[kind] * number for kind, number in kinds.items())
    table = variables[_TABLE]
    observed = _observation(clients, table)
    found = float(observed.get(_METRIC, -1))
    open_intervals = _ledger(clients, table, str(observed.get("month", "")))
    ids = {one["InstanceId"] for one in running}
    named = {"Namespace": settings["namespace"], "MetricName": _METRIC}
    metrics = clients("cloudwatch").list_metrics(**named)["Metrics"]
    problems = [
        *(
            [f"it counts {found:.2f} USD an hour; what runs costs {wanted:.2f}"]
            if abs(found - wanted) >= _CENT
            else []
        ),
        *([f"the ledger has not {sorted(ids - open_intervals)}"] if ids - open_intervals else []),
        *([f"the ledger has {sorted(open_intervals - ids)} too"] if open_intervals - ids else []),
        *([] if metrics else [f"the metric {_METRIC} of {settings['namespace']} is not there"]),
    ]
    each = ", ".join(f"{number} x {kind}" for kind, number in sorted(kinds.items()))
    stage.tell(
        not problems,
        f"the watchdog counts {found:.2f} USD an hour for {each or 'no instance'}, has "
        f"{count_of(len(open_intervals), 'interval')} in its ledger and publishes the rate"
        if not problems
        else "the watchdog does not count what runs",
        *problems,
    )


def _running(clients: Clients, cluster: str) -> list[Mapping[str, Any]]:
    chosen = [
        {"Name": "tag:trnkit-cluster", "Values": [cluster]},
        {"Name": "instance-state-name", "Values": ["pending", "running"]},
    ]
    pages = clients("ec2").get_paginator("describe_instances").paginate(Filters=chosen)
    return [one for page in pages for held in page["Reservations"] for one in held["Instances"]]


def _observation(clients: Clients, table: str) -> Mapping[str, Any]:
    key = {"pk": {"S": "guard"}, "sk": {"S": "observation"}}
    item = clients("dynamodb").get_item(TableName=table, Key=key).get("Item")
    return json.loads(item["body"]["S"]) if item else {}


def _ledger(clients: Clients, table: str, month: str) -> set[str]:
    """The instances that run according to the ledger of a month."""
    pages = (
        clients("dynamodb")
        .get_paginator("query")
        .paginate(
            TableName=table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": f"ledger#{month}"}},
        )
    )
    items = [item for page in pages for item in page["Items"]]
    return {item["sk"]["S"].partition("#")[0] for item in items if "ended" not in item}
