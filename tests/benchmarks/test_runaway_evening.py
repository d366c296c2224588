"""The forgotten evening: alarms are judged as CloudWatch does, and money and nodes are followed."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from benchmarks.runaway.alarms import LATE, Point, goes_off
from benchmarks.runaway.evening import Scene, play
from benchmarks.runaway.picture import Mark, draw

BEGAN = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ALARM = {
    "MetricName": "idle",
    "Dimensions": [{"Name": "ClusterName", "Value": "pretrain"}],
    "Statistic": "Minimum",
    "Period": 300,
    "EvaluationPeriods": 3,
    "ComparisonOperator": "GreaterThanOrEqualToThreshold",
    "Threshold": 1,
}


def points(*values: float | None, metric: str = "idle", cluster: str = "pretrain") -> list[Point]:
    """A value in each period of five minutes; None: no value."""
    names = frozenset({("ClusterName", cluster)})
    return [
        Point(metric, names, BEGAN + n * 5 * MINUTE, value)
        for n, value in enumerate(values)
        if value is not None
    ]


@pytest.mark.parametrize(
    ("changes", "published", "minutes"),
    [
        ({}, points(0, 1, 1, 1), 20),
        ({}, points(1, 1, 0, 1, 1, 1), 30),
        ({}, points(1, 1), None),
        ({}, points(1, None, 1, 1), None),
        ({"TreatMissingData": "breaching"}, points(1, None, 1), 15),
        ({"TreatMissingData": "notBreaching"}, points(1, None, 1), None),
        ({}, points(1, 1, 1, cluster="another"), None),
        ({}, points(1, 1, 1, metric="another"), None),
        ({"EvaluationPeriods": 1, "Threshold": 2}, points(1, 2), 10),
        ({"EvaluationPeriods": 1, "ComparisonOperator": "GreaterThanThreshold"}, points(1, 2), 10),
        ({"EvaluationPeriods": 1, "ComparisonOperator": "LessThanThreshold"}, points(1, 0), 10),
    ],
)
def test_an_alarm_goes_off_when_all_its_periods_breach(changes, published, minutes):
    until = BEGAN + len(published) * 5 * MINUTE + 5 * MINUTE
    told = goes_off({**ALARM, **changes}, published, BEGAN, until)
    assert told == (None if minutes is None else BEGAN + minutes * MINUTE + LATE)


def scene(**settings: object) -> Scene:
    watchdog = {
        "cluster": "pretrain",
        "poll_minutes": 5,
        "fixed_usd_per_hour": 1,
        "rates": [
            {"instance_type": "trn1.32xlarge", "purchase": "on-demand", "usd_per_hour": 21.5}
        ],
        "groups": [{"name": "train"}],
        "idle_below_percent": 1,
        "node_metrics_namespace": "trnkit",
        "namespace": "trnkit/spend",
    }
    told = {"watchdog": json.dumps(watchdog)}
    if settings:
        told["enforcer"] = json.dumps(settings)
    return Scene(
        cluster="pretrain",
        region="us-west-2",
        group="train",
        instance_type="trn1.32xlarge",
        count=2,
        usd_per_hour=21.5,
        began=BEGAN,
        until=BEGAN + 60 * MINUTE,
        before_usd=4300,
        settings=told,
    )


def test_nodes_that_are_left_running_cost_their_price():
    played = play(scene())
    assert (played.stopped, played.messages) == (None, [])
    # 100 hours of two nodes before, and the hour before the evening.
    assert played.spent[0] == (BEGAN, pytest.approx(4300 + 43, abs=0.01))
    at, usd = played.spent[-1]
    assert (at, usd) == (BEGAN + 60 * MINUTE, pytest.approx(4300 + 2 * 43 + 1, abs=0.01))


def test_idle_nodes_end_when_the_enforcer_says_so_and_cost_nothing_from_then_on():
    played = play(
        scene(
            cluster="pretrain",
            poll_minutes=5,
            groups=[{"name": "train", "purchase": "on-demand"}],
            grace_minutes=5,
            checkpoint_minutes=0,
            protected_node_groups=[],
            idle_mode="automatic",
            idle_minutes=10,
            idle_protected_node_groups=[],
        )
    )
    assert played.stopped is not None
    running = (played.stopped - BEGAN) / timedelta(hours=1)
    assert 0.25 <= running < 0.75
    assert any("scaled in" in subject for _, subject in played.messages)
    expected = 4300 + 43 * (1 + running) + 1
    assert played.spent[-1][1] == pytest.approx(expected, abs=0.5)


def test_the_picture_is_xml_with_every_name_as_text():
    from xml.etree import ElementTree

    drawn = draw("a < b", [("c & d", [(0, 0), (2, 10)])], [Mark("e > f", 1, None)], 2)
    texts = [element.text for element in ElementTree.fromstring(drawn).iter() if element.text]
    assert {"a < b", "e > f", "c & d: $10"} <= set(texts)
