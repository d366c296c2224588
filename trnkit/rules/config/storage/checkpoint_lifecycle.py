"""TRN323: what becomes of old checkpoints is something that S3 can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.storage import CheckpointLifecycleConfig
    from trnkit.config.yaml_reader import Path

_LEAST_DAYS_TO_IA = 30
"""S3's own limit; the rule's source has it."""


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    bucket = cluster.storage.checkpoint_bucket
    seen: dict[str, int] = {}
    for index, entry in enumerate(bucket.lifecycle if bucket else ()):
        place = ("storage", "checkpoint_bucket", "lifecycle", index)
        yield from _judge(place, entry)
        if entry.prefix in seen:
            text = f"is {entry.prefix}, as in entry {seen[entry.prefix]}"
            yield at_path((*place, "prefix"), Objection(text, "put both into one entry"))
        seen.setdefault(entry.prefix, index)


def _judge(place: Path, entry: CheckpointLifecycleConfig) -> Iterator[Violation]:
    moves, ends, target = (
        entry.transition_days,
        entry.expiration_days,
        entry.transition_storage_class,
    )
    if moves is None and ends is None:
        text = "has neither expiration_days nor transition_days, so nothing happens"
        yield at_path(place, Objection(text, "add one of them"), Severity.WARNING)
    if moves is None:
        return
    if target == "STANDARD_IA" and moves < _LEAST_DAYS_TO_IA:
        text = f"is {moves}; S3 moves objects to STANDARD_IA after 30 days at the earliest"
        yield at_path((*place, "transition_days"), Objection(text, "take at least 30"))
    if ends is not None and ends <= moves:
        text = f"is {ends}, not after the move at {moves} days"
        hint = f"take more than {moves}, or remove transition_days"
        yield at_path((*place, "expiration_days"), Objection(text, hint))


_STORAGE = (
    "storage: {checkpoint_bucket: {lifecycle: [{prefix: runs/, transition_days: 30, "
    "expiration_days: %s}]}}\n"
)

RULE = ConfigRule(
    id="TRN323",
    title="the lifecycle of checkpoints is possible",
    severity=Severity.ERROR,
    why="S3 refuses the whole lifecycle when one rule expires objects before it moves them, or "
    "two name the same prefix.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/"
    "lifecycle-transition-general-considerations.html",
    good=_STORAGE % "90",
    bad=_STORAGE % "30",
    check=_check,
)
