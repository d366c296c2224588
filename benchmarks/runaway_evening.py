"""Sixteen trn1.32xlarge left running on a Friday evening: what notices, when, and at what cost.

    python -m benchmarks.runaway_evening

The cluster is `examples/guarded-spend.yaml`. Its templates are synthesized; the functions of the
spend guard run as they are, with the settings that stand in the templates, poll by poll against
moto until Monday morning, and the alarms that stand there are judged by what was published. AWS
Budgets and Cost Anomaly Detection are models, of what AWS says of their delays. Writes
`docs/runaway-evening.md` and its picture.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trnkit.toolchain import use_bundled_node  # noqa: E402

use_bundled_node(os.environ)

from benchmarks.runaway.alarms import goes_off  # noqa: E402
from benchmarks.runaway.evening import Played, Scene, play  # noqa: E402
from benchmarks.runaway.picture import Mark, draw  # noqa: E402
from tests.synthesis import synthesize_cluster  # noqa: E402
from trnkit.config import load_cluster, read_cluster  # noqa: E402
from trnkit.layout.budgets import budget_plans  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

EXAMPLE = ROOT / "examples" / "guarded-spend.yaml"
PAGE = ROOT / "docs" / "runaway-evening.md"
PICTURE = ROOT / "docs" / "pictures" / "runaway-evening.svg"

BEGAN = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
UNTIL = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
BEFORE_USD = 31_000.0
"""Spent in the month when people go home: half of the budget, whose first alert has gone off."""

HOUR = timedelta(hours=1)
REFRESHED = (8 * HOUR, 24 * HOUR)
"""Between two refreshes of what AWS Budgets sees: several times a day, at least once a day."""

BILLED = (0 * HOUR, 24 * HOUR)
"""Until use stands in the billing data that Budgets and anomaly detection look at."""

LOOKED = 8 * HOUR
"""Between two runs of anomaly detection: about three a day."""


@dataclass(frozen=True)
class Notice:
    """Who notices, and when: at one moment, or between two.

    Attributes:
        who: Who or what.
        first: At the earliest; None: not before people are back.
        last: At the latest; None: perhaps not before people are back.
        note: What the moment rests on.
    """

    who: str
    first: datetime | None
    last: datetime | None
    note: str


def budget_notices(
    cluster: ClusterConfig, spent: list[tuple[datetime, float]], fixed: float
) -> Iterator[Notice]:
    """AWS Budgets hears of a threshold with the next refresh after it stands in the billing data."""
    (plan, *_) = budget_plans(cluster)
    for alert in plan.alerts:
        if alert.notification_type != "ACTUAL" or alert.percent is None:
            continue
        limit = plan.limit * alert.percent / 100
        passed = next((moment for moment, usd in spent if usd >= limit), None)
        who = f"AWS Budgets, {alert.percent:g} % of ${plan.limit:,.0f}"
        if spent[0][1] >= limit:
            continue  # It went off before the evening, and goes off once a month.
        if passed is None:
            yield Notice(who, None, None, "never reached before people are back")
            continue
        first, last = passed + BILLED[0], passed + BILLED[1] + REFRESHED[1]
        yield Notice(who, first, last, f"passed {_after(passed)}; then billing data, then refresh")
    del fixed


def anomaly_notice() -> Notice:
    """Anomaly detection sees at its next run what stands in the billing data by then."""
    first = BEGAN + BILLED[0] + LOOKED
    last = BEGAN + BILLED[1] + LOOKED
    return Notice(
        "Cost Anomaly Detection",
        first,
        last,
        "where it takes nodes at night for an anomaly at all; it needs ten days of history",
    )
