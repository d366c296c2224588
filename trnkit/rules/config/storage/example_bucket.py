"""TRN327: the buckets are not those of the examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_PLACEHOLDER = "example-"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, bucket in _buckets(cluster):
        if bucket.removeprefix("s3://").startswith(_PLACEHOLDER):
            yield Violation(
                message=f"{format_path(path)} is {bucket}, a bucket of the examples",
                hint="write the name of your own bucket",
                path=path,
            )


def _buckets(cluster: ClusterConfig) -> Iterator[tuple[Path, str]]:
    for path, file_system in file_systems(cluster):
        for index, link in enumerate(file_system.data_repository_associations):
            place = (*path, "data_repository_associations", index, "data_repository_path")
            yield place, link.data_repository_path
    for index, mount in enumerate(cluster.storage.s3_mountpoints):
        yield ("storage", "s3_mountpoints", index, "bucket_name"), mount.bucket_name


_LINK = (
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "data_repository_associations: ["
    "{file_system_path: /data, data_repository_path: 's3://%s/corpus'}]}]}\n"
)

RULE = ConfigRule(
    id="TRN327",
    title="the buckets are your own",
    severity=Severity.INFO,
    why="Buckets whose names begin with example- are placeholders of the examples: the bucket is "
    "not there, or it is somebody else's, and the deployment fails when the link is made, or "
    "the nodes do not mount it.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_LINK % "our-corpus",
    bad=_LINK % "example-bucket",
    check=_check,
)
