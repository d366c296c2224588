"""TRN381: each part of a bucket is mounted once."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.s3_mountpoints import mounted_places
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for (first, one), (second, other) in combinations(enumerate(mounted_places(cluster)), 2):
        if one != other:
            continue
        place = ("storage", "s3_mountpoints", second)
        there = format_path(("storage", "s3_mountpoints", first))
        yield Violation(
            message=f"{format_path(place)} mounts {other}, like {there}",
            hint="mount it once, or separate prefixes",
            path=place,
        )


_MOUNTS = (
    "storage: {s3_mountpoints: ["
    "{bucket_name: our-corpus, prefix: raw/, mount_path: /data/raw}, "
    "{bucket_name: our-corpus, prefix: %s, mount_path: /data/tokenized}]}\n"
)

RULE = ConfigRule(
    id="TRN381",
    title="each part of a bucket is mounted once",
    severity=Severity.WARNING,
    why="Two mounts of the same objects are two clients with their own connections and their own "
    "view of new files; as a rule one of the prefixes was meant to be another.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint-usage.html",
    good=_MOUNTS % "tokenized/",
    bad=_MOUNTS % "raw",
    check=_check,
)
