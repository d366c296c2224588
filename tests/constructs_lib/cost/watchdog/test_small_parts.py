"""Moments, observations and settings, alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from tests.constructs_lib.cost.watchdog.account import (
    NOON,
    SETTINGS,
    moments,
    observation,
    settings,
)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ("2026-11", "2026-11", ["2026-11"]),
        ("2026-11", "2027-02", ["2026-11", "2026-12", "2027-01", "2027-02"]),
        ("2026-12", "2026-11", []),
    ],
)
def test_months_from_one_to_another(first, last, expected):
    assert moments.months(first, last) == expected


def test_a_month_is_one_in_utc():
    tokyo = timezone(timedelta(hours=9))
    assert moments.month_of(datetime(2026, 12, 1, 8, 59, tzinfo=tokyo)) == "2026-11"
    assert moments.iso(datetime(2026, 12, 1, 8, 59, tzinfo=tokyo)) == "2026-11-30T23:59:00Z"
    assert moments.month_start("2026-12") == datetime(2026, 12, 1, tzinfo=UTC)


def test_a_time_without_an_offset_is_none():
    with pytest.raises(ValueError, match="offset"):
        moments.from_iso("2026-12-01T00:00:00")


def test_an_observation_is_read_as_it_was_written():
    group = observation.GroupObservation(4, NOON, True, 2)
    seen = observation.Observation(
        NOON, "2026-11", 1.2, 3.4, 1, {"train": group, "b": observation.GroupObservation()}, ("x",)
    )
    assert observation.Observation.from_json(seen.to_json()) == seen
    told = json.loads(seen.to_json())
    assert list(told) == [
        "at",
        "month",
        "month_to_date_usd",
        "spend_rate_usd_per_hour",
        "unpriced_instances",
        "groups",
        "faults",
    ]
    assert told["groups"]["train"] == {
        "running": 4,
        "idle_since": "2026-11-18T12:00:00Z",
        "idle_known": True,
        "unused_reserved": 2,
    }


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"at": 1}', '{"at": "2026-11-18"}'])
def test_what_is_no_observation_is_refused(text):
    with pytest.raises(ValueError, match=r"not an observation|Expecting value|offset"):
        observation.Observation.from_json(text)


def test_prices_stay_as_they_are_written():
    told = settings(fixed_usd_per_hour=0.1)
    assert told.fixed_usd_per_hour == Decimal("0.1")
    assert told.rates["trn1.32xlarge", "on-demand"] == Decimal("21.5")
    assert told.rates["trn2.48xlarge", "on-demand"] is None


def test_a_setting_that_is_missing_is_not_guessed():
    told = {name: value for name, value in SETTINGS.items() if name != "rates"}
    with pytest.raises(KeyError, match="rates"):
        type(settings()).from_json(json.dumps(told))
