"""Schedules of an image pipeline: what Image Builder takes, and what it certainly does not."""

from __future__ import annotations

import pytest

from trnkit.config.schedule_expressions import schedule_fault


@pytest.mark.parametrize(
    "text",
    [
        "cron(0 6 ? * MON *)",
        "cron(0 0 * * ? *)",
        # Of AWS's own page on pipelines, though the page on cron wants a ? here.
        "cron(0 0 * * SUN *)",
        "cron(0 0 * * * *)",
        "cron(0 0 ? * fri#2 *)",
        "cron(0 0 ? * 6#5 *)",
        "cron(0 0 ? * 6L *)",
        "cron(0 0 L * ? *)",
        "cron(0 0 LW * ? *)",
        "cron(0 0 31W * ? *)",
        "cron(0 0 */2 * ? *)",
        "cron(0/15 8-18 1,15 JAN-MAR,7 ? 2026-2199)",
        "cron(59 23 31 12 ? 1970)",
        "cron(0 9 ? * MON-FRI *)",
        "cron(0 9 ? 1/3 2 *)",
        "rate(1 day)",
        "rate(7 days)",
        "rate(1 hour)",
        "rate(12 hours)",
    ],
)
def test_what_image_builder_takes_is_taken(text):
    assert schedule_fault(text) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cron(99 99 * * * *)", "must have 0 to 59 as minute, not 99"),
        ("cron(60 6 ? * MON *)", "0 to 59 as minute"),
        ("cron(0 24 ? * MON *)", "0 to 23 as hour"),
        ("cron(0 6 0 * ? *)", "1 to 31 as day of the month"),
        ("cron(0 6 32 * ? *)", "1 to 31 as day of the month"),
        ("cron(0 6 32W * ? *)", "1 to 31 as day of the month"),
        ("cron(0 6 MON * ? *)", "1 to 31 as day of the month"),
        ("cron(0 6 ? 13 MON *)", "1 to 12 or JAN to DEC as month"),
        ("cron(0 6 ? 0 MON *)", "as month"),
        ("cron(0 6 ? ? MON *)", "as month"),
        ("cron(0 6 ? * 0 *)", "1 to 7 or SUN to SAT as day of the week"),
        ("cron(0 6 ? * 8 *)", "as day of the week"),
        ("cron(0 6 ? * MOND *)", "as day of the week"),
        ("cron(0 6 ? * MON#6 *)", "as day of the week"),
        ("cron(0 6 ? * MON/2 *)", "as day of the week"),
        ("cron(0 6 ? * MON 1969)", "1970 to 2199 as year"),
        ("cron(0 6 ? * MON 2200)", "as year"),
        ("cron(0 6 ? * MON ?)", "as year"),
        ("cron(0/0 6 ? * MON *)", "as minute"),
        ("cron(0/ 6 ? * MON *)", "as minute"),
        ("cron(1-2-3 6 ? * MON *)", "as minute"),
        ("cron(1, 6 ? * MON *)", "as minute"),
        ("cron(- 6 ? * MON *)", "as minute"),
        ("cron(\u0663 6 ? * MON *)", "as minute"),
        ("cron(0 6 ? * ? *)", "not ? as both"),
        ("cron(0 6 7 * MON *)", "not a value as both"),
        ("cron(0 6 * * *)", "six fields"),
        ("cron(0 6 ? * MON * *)", "six fields"),
        ("cron(0  6 ? * MON *)", "six fields"),
        ("cron( 0 6 ? * MON *)", "six fields"),
        ("cron(0 6 ? * MON *) ", "six fields"),
        ("0 6 ? * MON *", "six fields"),
        ("rate(1 days)", "must be rate(1 day)"),
        ("rate(7 day)", "must be rate(7 days)"),
        ("rate(0 days)", "rate(...)"),
        ("rate(5 minutes)", "rate(...)"),
        ("every monday", "six fields"),
    ],
)
def test_what_it_refuses_is_told_with_what_is_allowed(text, words):
    fault = schedule_fault(text)
    assert fault is not None
    assert fault.startswith("must ")
    assert words in fault


def test_a_long_field_is_judged_at_once_and_shown_short():
    fault = schedule_fault(f"cron({'1,' * 200_000}99 6 ? * MON *)")
    assert fault is not None
    assert len(fault) < 120
