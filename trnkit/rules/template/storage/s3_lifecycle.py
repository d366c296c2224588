"""TRN377: objects of a bucket move between storage classes in time and in order."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.catalog import storage_limits
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_INFREQUENT = ("STANDARD_IA", "ONEZONE_IA")
_ORDER = ("STANDARD_IA", "GLACIER", "DEEP_ARCHIVE")
"""Of these an object takes only later ones, each at a later day."""
_KINDS = (
    ("Transitions", "Transition", ("ExpirationInDays",)),
    (
        "NoncurrentVersionTransitions",
        "NoncurrentVersionTransition",
        ("NoncurrentVersionExpirationInDays", "NoncurrentVersionExpiration"),
    ),
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for bucket in stack_set.resources("AWS::S3::Bucket"):
        rules = properties_of(bucket)["LifecycleConfiguration"]["Rules"]
        for rule in rules.entries() or ():
            for several, single, ends in _KINDS:
                moves = [*(rule[several].entries() or ()), *(rule[single].entries() or ())]
                yield from _too_soon(moves)
                yield from _out_of_order(moves)
                for end in ends:
                    value = rule[end]
                    days = value["NoncurrentDays"] if value.mapping() is not None else value
                    yield from _after_the_end(moves, days)


def _too_soon(moves: list[TemplateValue]) -> Iterator[Violation]:
    limits = storage_limits()
    least = limits.days_before_infrequent_access
    for move in moves:
        kind, days = move["StorageClass"].text(), move["TransitionInDays"]
        number = days.integer()
        if kind in _INFREQUENT and number is not None and number < least:
            text = f"is {number}; objects move to {kind} after {least} days at the earliest"
            evidence = f"catalogue, limits of S3 ({limits.date})"
            yield at_value(days, Objection(text, f"write {least} or more", evidence))


def _out_of_order(moves: list[TemplateValue]) -> Iterator[Violation]:
    known = [m for m in moves if m["StorageClass"].text() in _ORDER]
    ordered = sorted(known, key=lambda move: _ORDER.index(move["StorageClass"].text() or ""))
    for earlier, later in combinations(ordered, 2):
        first, second = earlier["TransitionInDays"], later["TransitionInDays"]
        here, there = second.integer(), first.integer()
        kind, other = later["StorageClass"].text(), earlier["StorageClass"].text()
        if here is not None and there is not None and here <= there and kind != other:
            text = (
                f"is {here} for {kind}, and {other} comes at {there}; S3 moves objects to {other}"
            )
            yield at_value(second, Objection(f"{text} first", f"write more than {there}"))


def _after_the_end(moves: list[TemplateValue], end: TemplateValue) -> Iterator[Violation]:
    last = end.integer()
    for move in moves:
        days = move["TransitionInDays"]
        number = days.integer()
        if last is not None and number is not None and number >= last:
            text = f"is {number}, and the objects expire after {last} days"
            yield at_value(days, Objection(text, "let them move before they expire"))


_HEAD = """\
Resources:
  Checkpoints:
    Type: AWS::S3::Bucket
    Properties:
      LifecycleConfiguration:
        Rules:
          - Status: Enabled
            ExpirationInDays: 90
            Transitions:
"""

RULE = TemplateRule(
    id="TRN377",
    title="objects of a bucket move between storage classes in time and in order",
    severity=Severity.ERROR,
    why="S3 refuses the lifecycle configuration when the stack is deployed.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/"
    "lifecycle-transition-general-considerations.html",
    good=_HEAD + "              - {StorageClass: STANDARD_IA, TransitionInDays: 30}\n",
    bad=_HEAD + "              - {StorageClass: STANDARD_IA, TransitionInDays: 7}\n",
    check=_check,
)
