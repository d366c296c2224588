"""TRN417: a topic that exists lets AWS Budgets in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.findings import Severity
from trnkit.layout.alert_endpoints import arn_account
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.guard_plans import shares_alert_topic
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.policy_statements import EVENTS
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


_PATH = ("budget", "topic_arn")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    topic = cluster.budget.topic_arn
    if topic is None:
        return
    account = arn_account(topic)
    if cluster.account is not None and account != cluster.account:
        yield Violation(
            message=f"budget.topic_arn is in account {account}, the budget in {cluster.account}; "
            "AWS Budgets publishes to topics of its own account",
            hint="name a topic of that account, or remove the line",
            path=_PATH,
            severity=Severity.ERROR,
        )
        return
    services = _services(cluster)
    yield Violation(
        message=f"budget.topic_arn exists outside this file: alerts are lost unless its policy "
        f"lets {alternatives(services, 'and')} publish, and its key's policy lets them encrypt",
        hint="add what is below to the topic's policy; where the topic is encrypted, allow "
        "kms:GenerateDataKey* and kms:Decrypt to the same services in the policy of its key, which "
        "must not be alias/aws/sns",
        path=_PATH,
        evidence=" ".join(json.dumps(s) for s in _statements(topic, account, services)),
    )


def _services(cluster: ClusterConfig) -> list[str]:
    anomalies = cluster.budget.anomaly_detection
    immediate = anomalies and anomalies.frequency in anomaly_limits().topic_frequencies
    # Where the guard speaks through it: alarms, and what EC2 says of Capacity Blocks.
    shared = cluster.budget.watchdog is not None and shares_alert_topic(cluster)
    blocks = any(uses_capacity_block(group) for group in cluster.compute.node_groups)
    return [
        "budgets.amazonaws.com",
        *(["costalerts.amazonaws.com"] if immediate else []),
        *(["cloudwatch.amazonaws.com"] if shared else []),
        *([EVENTS] if shared and blocks else []),
    ]


def _statements(topic: str, account: str, services: list[str]) -> list[dict[str, object]]:
    """Of EventBridge no condition on the source holds where the topic is encrypted."""
    said = [service for service in services if service != EVENTS]
    base = {"Effect": "Allow", "Action": "sns:Publish", "Resource": topic}
    own = {"Condition": {"StringEquals": {"aws:SourceAccount": account}}}
    found: list[dict[str, object]] = [{**base, "Principal": {"Service": said}, **own}]
    if EVENTS in services:
        found.append({**base, "Principal": {"Service": [EVENTS]}})
    return found


RULE = ConfigRule(
    id="TRN417",
    title="a topic that exists lets AWS Budgets publish",
    severity=Severity.INFO,
    why="The policies of a topic made elsewhere cannot be seen offline; without them the budget is "
    "made and its alerts never arrive.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html",
    good="budget: {delivery: topic}\n",
    bad="budget: {topic_arn: 'arn:aws:sns:us-east-2:111122223333:cost-alerts'}\n",
    check=_check,
)
