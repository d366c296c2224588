"""What a check says: one of five verdicts, with what was expected, found and is to be done."""

from __future__ import annotations

from typing import Literal, NamedTuple

Verdict = Literal["ok", "failed", "warning", "skipped", "unknown"]

WORST_FIRST: tuple[Verdict, ...] = ("failed", "unknown", "warning", "ok", "skipped")


class Outcome(NamedTuple):
    """The verdict of a check on one thing.

    Attributes:
        verdict: `ok`; `failed`, jobs would break or crawl; `warning`, worth a look; `skipped`, not
            asked for or without a meaning here; `unknown`, could not be found out.
        found: What the machine shows.
        expected: What the expected file or the documentation asks for; empty when nothing does.
        remedy: What to do, as an imperative; empty when nothing is to be done.
        subject: Which of several things this is about, for example a mount path.
    """

    verdict: Verdict
    found: str
    expected: str = ""
    remedy: str = ""
    subject: str = ""


def passed(found: str, expected: str = "", subject: str = "") -> Outcome:
    """It is as it should be."""
    return Outcome("ok", found, expected, "", subject)


def failed(found: str, expected: str, remedy: str, subject: str = "") -> Outcome:
    """Jobs would break, or run far slower than they should."""
    return Outcome("failed", found, expected, remedy, subject)


def warned(found: str, expected: str, remedy: str, subject: str = "") -> Outcome:
    """It works, and something about it is worth a look."""
    return Outcome("warning", found, expected, remedy, subject)


def skipped(found: str, subject: str = "") -> Outcome:
    """Not asked for, or without a meaning on this node."""
    return Outcome("skipped", found, "", "", subject)


def unknown(found: str, expected: str, remedy: str, subject: str = "") -> Outcome:
    """It could not be found out."""
    return Outcome("unknown", found, expected, remedy, subject)


def worst(verdicts: list[Verdict]) -> Verdict:
    """The verdict of several together; `ok` when all were skipped or there is none."""
    for verdict in WORST_FIRST[:3]:
        if verdict in verdicts:
            return verdict
    return "ok"
