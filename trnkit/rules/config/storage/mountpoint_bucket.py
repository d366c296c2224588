"""TRN380: what the nodes mount is a general purpose bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.s3_mountpoints import judge_bucket_name
from trnkit.rules.judging.cluster_parts import s3_mountpoints
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, mount in s3_mountpoints(cluster):
        found = judge_bucket_name(mount.bucket_name)
        if found is not None:
            yield at_path((*path, "bucket_name"), found)


_MOUNT = "storage: {s3_mountpoints: [{bucket_name: '%s', mount_path: /data/corpus}]}\n"

RULE = ConfigRule(
    id="TRN380",
    title="mounted buckets have names that S3 takes",
    severity=Severity.ERROR,
    why="A name that no general purpose bucket can have is noticed only when the nodes fail to "
    "mount it; access points and directory buckets need other permissions than the nodes get.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    good=_MOUNT % "our-corpus",
    bad=_MOUNT % "s3://our-corpus",
    check=_check,
)
