"""TRN384: checkpoints are not written through Mountpoint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import mountpoint_use
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import s3_mountpoints
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_CHECKPOINTS = re.compile(r"(^|[^a-z])(checkpoints?|ckpts?)([^a-z]|$)", re.IGNORECASE)


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    known = mountpoint_use()
    for path, mount in s3_mountpoints(cluster):
        if mount.read_only or _CHECKPOINTS.search(mount.mount_path) is None:
            continue
        place = (*path, "mount_path")
        yield Violation(
            message=f"{format_path(place)} is {mount.mount_path}, and a mounted bucket takes new "
            "files only: saving that renames a finished file, appends or overwrites fails",
            hint="write checkpoints to Lustre with an S3 link, or through the framework's own S3 "
            "client",
            path=place,
            evidence=f"catalogue, Mountpoint: {known.note} ({known.date})",
        )


_MOUNT = (
    "storage: {s3_mountpoints: [{bucket_name: our-results, mount_path: %s, read_only: false}]}\n"
)

RULE = ConfigRule(
    id="TRN384",
    title="checkpoints are not written through Mountpoint",
    severity=Severity.WARNING,
    why="Training frameworks write a checkpoint beside the old one and rename it, so that an "
    "interrupted save spoils nothing; Mountpoint cannot rename in general purpose buckets.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint.html",
    good=_MOUNT % "/results",
    bad=_MOUNT % "/results/checkpoints",
    check=_check,
)
