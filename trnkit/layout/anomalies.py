"""What AWS Cost Anomaly Detection watches and when it alerts, as the JSON text that it takes.

Sources:
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalyMonitor.html
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_AnomalySubscription.html
"""

from __future__ import annotations

import json
from typing import Any


def monitor_specification(key: str, value: str) -> str:
    """What a monitor over one value of a cost allocation tag watches.

    The key stands without the `user:` that budgets want, as in the API's own text.
    """
    return json.dumps({"Tags": {"Key": key, "Values": [value]}}, sort_keys=True)


def threshold_expression(threshold_usd: float | None, threshold_percent: float | None) -> str:
    """When an anomaly alerts: from an impact in dollars on, in per cent on, or from both on.

    Raises:
        ValueError: Neither threshold is given.
    """
    parts = [
        _at_least(key, number)
        for key, number in (
            ("ANOMALY_TOTAL_IMPACT_ABSOLUTE", threshold_usd),
            ("ANOMALY_TOTAL_IMPACT_PERCENTAGE", threshold_percent),
        )
        if number is not None
    ]
    if not parts:
        raise ValueError("give a threshold in dollars or in per cent")
    return json.dumps(parts[0] if len(parts) == 1 else {"And": parts}, sort_keys=True)


def _at_least(key: str, number: float) -> dict[str, Any]:
    text = str(int(number)) if float(number).is_integer() else f"{number:f}".rstrip("0")
    dimension = {"Key": key, "MatchOptions": ["GREATER_THAN_OR_EQUAL"], "Values": [text]}
    return {"Dimensions": dimension}
