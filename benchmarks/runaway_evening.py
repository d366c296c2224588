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
from tests.synthesis import synthesize_cluster  # noqa: E402
from trnkit.config import read_cluster  # noqa: E402
from trnkit.layout.budgets import budget_plans  # noqa: E402
from trnkit.layout.price_book import price_book  # noqa: E402

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


IMPACT_USD = 500
"""Smallest impact that anomaly detection tells of here."""


@dataclass(frozen=True)
class Notice:
    """Who notices, and when: at one moment, or between two.

    Attributes:
        who: Who or what.
        first: At the earliest; None: not before people are back.
        last: At the latest; None: perhaps not before people are back.
        note: What the moment rests on.
        stops: Whether the nodes are scaled in then.
    """

    who: str
    first: datetime | None
    last: datetime | None
    note: str
    stops: bool = False


def budget_notices(cluster: ClusterConfig, played: Played) -> Iterator[Notice]:
    """AWS Budgets hears of a threshold with a refresh after the use stands in the billing data."""
    (plan, *_) = budget_plans(cluster)
    for alert in plan.alerts:
        if alert.notification_type != "ACTUAL" or alert.percent is None:
            continue
        limit = plan.limit * alert.percent / 100
        who = f"AWS Budgets, {alert.percent:g} % of ${plan.limit:,.0f}"
        passed = next((moment for moment, usd in played.spent if usd >= limit), None)
        if passed == BEGAN:
            continue  # It has gone off before the evening, and does once a month.
        if passed is None:
            yield Notice(who, None, None, "not passed before people are back")
            continue
        last = passed + BILLED[1] + REFRESHED[1]
        yield Notice(who, passed + BILLED[0], last, f"passed {after(passed)}")


def anomaly_notice(usd_per_hour: float) -> Notice:
    """Anomaly detection sees at its next run what stands in the billing data by then."""
    reached = BEGAN + HOUR * (IMPACT_USD / usd_per_hour)
    return Notice(
        f"Cost Anomaly Detection, ${IMPACT_USD} above what it expects",
        reached + BILLED[0],
        reached + BILLED[1] + LOOKED,
        "if it takes nodes at night for an anomaly at all: it learns from ten days of history",
    )


def guard_notices(template: dict[str, Any], played: Played) -> Iterator[Notice]:
    """The alarms of the template that go off, and what the enforcer says."""
    for resource in template["Resources"].values():
        if resource["Type"] != "AWS::CloudWatch::Alarm":
            continue
        alarm = resource["Properties"]
        at = goes_off(alarm, played.points, BEGAN, UNTIL)
        if at is not None and at > BEGAN + HOUR / 4:
            yield Notice(f"Watchdog: {_words(alarm)}", at, at, "alarm of the template")


def _words(alarm: dict[str, Any]) -> str:
    says = str(alarm["AlarmDescription"])
    return says if len(says) <= 90 else says[:87] + "..."


def after(moment: datetime) -> str:
    """How long after the evening began."""
    minutes = round((moment - BEGAN).total_seconds() / 60)
    return f"+{minutes // 60} h {minutes % 60:02} min"


def guarded(mode: str) -> ClusterConfig:
    """The example, with a mode of enforcement and of idle shutdown."""
    text = EXAMPLE.read_text().replace("mode: approval", f"mode: {mode}")
    assert text.count(f"mode: {mode}") == 2
    return read_cluster(text, str(EXAMPLE)).config


def settings_of(template: dict[str, Any]) -> dict[str, str]:
    """What the functions of a template are told."""
    found: dict[str, str] = {}
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::Lambda::Function":
            properties = resource["Properties"]
            name = "watchdog" if "watch." in properties["Handler"] else "enforcer"
            found[name] = properties["Environment"]["Variables"]["TRNKIT_SETTINGS"]
    assert set(found) == {"watchdog", "enforcer"}
    return found


def run(mode: str) -> tuple[ClusterConfig, dict[str, Any], Played, float]:
    """Play the evening in a mode."""
    cluster = guarded(mode)
    template = synthesize_cluster(cluster).templates["Guard"]
    group = cluster.compute.node_groups[0]
    price = price_book(cluster).instance(group.instance_type, cluster.region, "on-demand")
    assert price is not None
    scene = Scene(
        cluster=cluster.name,
        region=cluster.region,
        group=group.name,
        instance_type=group.instance_type,
        count=group.count,
        usd_per_hour=price.low,
        began=BEGAN,
        until=UNTIL,
        before_usd=BEFORE_USD,
        settings=settings_of(template),
    )
    return cluster, template, play(scene), price.low * group.count


def main() -> None:
    """Play it twice, and write what was seen."""
    cluster, template, left, usd_per_hour = run("approval")
    *_, stopped, _ = run("automatic")
    assert left.stopped is None
    assert stopped.stopped is not None
    notices = [
        *guard_notices(template, left),
        *(Notice(f"Enforcer: {subject}", at, at, "message") for at, subject in stopped.messages),
        anomaly_notice(usd_per_hour),
        *budget_notices(cluster, left),
    ]
    for notice in notices:
        print(notice)
    print(stopped.stopped, stopped.spent[-1], left.spent[-1], len(left.points))


if __name__ == "__main__":
    main()
