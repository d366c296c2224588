"""TRN421: where a monitor can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import anomaly_limits
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    config, limits = cluster.budget.anomaly_detection, anomaly_limits()
    if config is None or config.monitor == "existing":
        return
    messages = {
        "cluster": "is cluster: AWS lets only the organization's management account make a monitor "
        "over a tag, and the tag must be activated for billing",
        "services": "is services: an account has "
        f"{limits.service_monitors_per_account} such monitor, and many have it already",
    }
    yield Violation(
        message=f"budget.anomaly_detection.monitor {messages[config.monitor]}",
        hint="elsewhere write `monitor: existing` and the `monitor_arn:` that `aws ce "
        "get-anomaly-monitors` prints",
        path=("budget", "anomaly_detection", "monitor"),
        evidence=f"a service needs {limits.history_days} days of history before an anomaly is seen "
        f"in it ({limits.date})",
    )


RULE = ConfigRule(
    id="TRN421",
    title="a new anomaly monitor can be made in this account",
    severity=Severity.INFO,
    why="The deployment fails in a member account, and where the account's one monitor over its "
    "services exists.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/getting-started-ad.html",
    good="budget: {anomaly_detection: {threshold_usd: 100, monitor: existing, monitor_arn: "
    "'arn:aws:ce::111122223333:anomalymonitor/0123abcd-0000-4000-8000-000000000000'}}\n",
    bad="budget: {anomaly_detection: {threshold_usd: 100}}\n",
    check=_check,
)
