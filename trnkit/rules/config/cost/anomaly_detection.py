"""TRN420: anomaly detection has a threshold, a monitor and fitting recipients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import AnomalyDetectionConfig, ClusterConfig


_PATH = ("budget", "anomaly_detection")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    config = cluster.budget.anomaly_detection
    if config is None:
        return
    for key, message, hint in _problems(config):
        path = (*_PATH, key) if key else _PATH
        yield Violation(message=f"{format_path(path)} {message}", hint=hint, path=path)
    if config.frequency not in anomaly_limits().topic_frequencies:
        yield from _addresses(cluster, config)


def _problems(config: AnomalyDetectionConfig) -> Iterator[tuple[str, str, str]]:
    if config.threshold_usd is None and config.threshold_percent is None:
        yield "", "has no threshold", "write `threshold_usd:`, `threshold_percent:` or both"
    if config.monitor == "existing" and config.monitor_arn is None:
        yield "monitor", "is existing, and no monitor is named", "write `monitor_arn:`"
    if config.monitor != "existing" and config.monitor_arn is not None:
        message = f"is not used: monitor is {config.monitor}"
        yield "monitor_arn", message, "write `monitor: existing`, or remove the ARN"
    if config.frequency in anomaly_limits().topic_frequencies and config.emails:
        message = f"is not heard of: {config.frequency} goes to the alert topic alone"
        yield "emails", message, "remove them, or write `frequency: DAILY`"


def _addresses(cluster: ClusterConfig, config: AnomalyDetectionConfig) -> Iterator[Violation]:
    limits = anomaly_limits()
    own = bool(config.emails)
    path = (*_PATH, "emails") if own else ("budget", "emails")
    for index, email in enumerate(config.emails or cluster.budget.emails):
        if re.fullmatch(limits.email_pattern, email) is None:
            place = (*path, index)
            yield Violation(
                message=f"{format_path(place)} is {email}, which Cost Anomaly Detection does not "
                "take",
                hint="take an address of plain letters and digits"
                if own
                else "write another one in budget.anomaly_detection.emails",
                path=place,
                evidence=f"catalogue, pattern of a subscriber's address ({limits.date})",
            )


RULE = ConfigRule(
    id="TRN420",
    title="anomaly detection has a threshold, a monitor and fitting recipients",
    severity=Severity.ERROR,
    why="AWS takes a subscription with at least one threshold; immediate alerts go to topics only "
    "and summaries to addresses only.",
    source="https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalySubscription.html",
    good="budget: {anomaly_detection: {threshold_usd: 100}}\n",
    bad="budget: {anomaly_detection: {frequency: DAILY}}\n",
    check=_check,
)
