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
import re
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trnkit.toolchain import use_bundled_node  # noqa: E402

use_bundled_node(os.environ)

from benchmarks.runaway.alarms import LATE, goes_off  # noqa: E402
from benchmarks.runaway.evening import Played, Scene, play  # noqa: E402
from benchmarks.runaway.picture import Mark, draw  # noqa: E402
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


LATE_MINUTES = LATE // timedelta(minutes=1)

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
        if alarm["Namespace"].startswith("AWS/"):
            continue  # Of Lambda and SQS, which publish nothing here.
        at = goes_off(alarm, played.points, BEGAN, UNTIL)
        if at is not None and at > BEGAN + HOUR / 4:
            yield Notice(f"Watchdog: {_words(alarm)}", at, at, "alarm of the template")


def _words(alarm: dict[str, Any]) -> str:
    """What the alarm says after the cluster's name, to the end of its first sentence or clause."""
    says = re.sub(r"^The cluster \S+ ", "", str(alarm["AlarmDescription"]))
    return re.split(r"\. |, as ", says)[0]


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
        *enforcer_notices(stopped),
        anomaly_notice(usd_per_hour),
        *budget_notices(cluster, left),
    ]
    notices.sort(key=lambda notice: (notice.first or UNTIL, notice.last or UNTIL))
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(notices, left, stopped))
    PAGE.write_text(page(cluster, notices, left, stopped, usd_per_hour))
    print(PAGE.read_text())


def enforcer_notices(played: Played) -> Iterator[Notice]:
    """What it says, in the mode in which it waits for nobody."""
    for at, subject in played.messages:
        says = re.sub(r"^\[\S+\] idle node group \S+: ", "", subject)
        if says == "held":
            continue  # That is how it stays.
        says = re.sub(r",? (not before|by) 20\S+Z$", "", says)
        yield Notice(f"Enforcer: {says}", at, at, "`mode: automatic`", at == played.stopped)


def spent_by(played: Played, moment: datetime) -> float:
    """What the evening has cost by a moment."""
    counted = [usd for at, usd in played.spent if at <= moment]
    return (counted or [played.spent[0][1]])[-1] - played.spent[0][1]


def picture(notices: list[Notice], left: Played, stopped: Played) -> str:
    """Both curves, and a row for each that notices before people are back."""

    def hour(moment: datetime) -> float:
        return round((moment - BEGAN) / HOUR, 2)

    def curve(played: Played) -> list[tuple[float, float]]:
        points = [(hour(at), usd - played.spent[0][1]) for at, usd in played.spent]
        return [*points[::6], points[-1]]

    marks = [
        Mark(n.who, hour(n.first), None if n.last is None else hour(n.last), n.stops)
        for n in notices
        if n.first is not None
    ]
    curves = [("left running", curve(left)), ("stopped by the enforcer", curve(stopped))]
    title = "What a forgotten evening costs, and who notices when"
    return draw(title, curves, marks, hour(UNTIL))


def page(
    cluster: ClusterConfig,
    notices: list[Notice],
    left: Played,
    stopped: Played,
    usd_per_hour: float,
) -> str:
    """The page of docs."""
    assert stopped.stopped is not None
    rows = "\n".join(_row(notice, left) for notice in notices)
    group = cluster.compute.node_groups[0]
    whole, saved = spent_by(left, UNTIL), spent_by(stopped, UNTIL)
    return f"""<!-- Made by `python -m benchmarks.runaway_evening`. Edit that, not this file. -->

# A forgotten evening

{group.count} {group.instance_type} On-Demand run on after work, from Friday {BEGAN:%H:%M} UTC
to Monday {UNTIL:%H:%M}, and do nothing: ${usd_per_hour:,.2f} an hour. In the month,
${BEFORE_USD:,.0f} of the budget's ${cluster.budget.limit_usd:,.0f} are spent before. The
cluster is [guarded-spend.yaml](../examples/guarded-spend.yaml).

![Cost over the hours after work, and when each of the below notices](pictures/runaway-evening.svg)

| Who notices | At the earliest | At the latest | Spent since by then | How it is known |
| --- | --- | --- | --- | --- |
{rows}

Left running, the evening costs **${whole:,.0f}**. With `mode: automatic` the nodes are scaled
in {after(stopped.stopped)[1:]} after it began, and it costs **${saved:,.0f}**. With `mode:
approval`, as in the example, it costs what it costs until somebody runs `trnkit guard approve`.

## How this was found

The templates of the example are synthesized. The functions of the spend guard run as they are,
with the settings of the templates, poll by poll against [moto](https://docs.getmoto.org), which
keeps EC2, Auto Scaling, DynamoDB, SNS and SQS: its nodes really end. Alarms are those of the
templates, judged by the metrics that the watchdog published, {LATE_MINUTES} minutes late.
Nothing ran on AWS.

AWS Budgets and Cost Anomaly Detection are models of what AWS says about them: use takes up to a
day until it stands in the billing data, a budget is compared with them at least once a day,
anomaly detection runs about three times a day. The earliest moments assume that billing data
are there at once, and are not to be expected. An alert of a budget goes off once in its period:
what was passed before the evening is silent.

([Budgets](https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html),
[anomaly detection](https://docs.aws.amazon.com/cost-management/latest/userguide/manage-ad.html).)
"""


def _row(notice: Notice, left: Played) -> str:
    if notice.first is None:
        return f"| {notice.who} | - | - | - | {notice.note} |"
    first, last = after(notice.first), "not before people are back"
    if notice.last is not None and notice.last <= UNTIL:
        last = "the same" if notice.last == notice.first else after(notice.last)
    spent = f"${spent_by(left, notice.first):,.0f}"
    if last != "the same":
        spent += f" to ${spent_by(left, min(notice.last or UNTIL, UNTIL)):,.0f}"
    return f"| {notice.who} | {first} | {last} | {spent} | {notice.note} |"


if __name__ == "__main__":
    main()
