"""TRN382: what a Lustre file system is linked to is not written through a mount as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.s3_mountpoints import linked_places, s3_uri
from trnkit.rules.judging.cluster_parts import s3_mountpoints
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, mount in s3_mountpoints(cluster):
        if mount.read_only:
            continue
        here = s3_uri(mount.bucket_name, mount.prefix)
        for place, there in linked_places(cluster):
            if here.startswith(there) or there.startswith(here):
                yield Violation(
                    message=f"{format_path(path)} adds files to {here}, which "
                    f"{format_path(place)} links to Lustre ({there})",
                    hint="write on one side only: mount it read-only, or another prefix",
                    path=(*path, "read_only"),
                )


_STORAGE = (
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "data_repository_associations: ["
    "{file_system_path: /runs, data_repository_path: 's3://our-results/runs'}]}], "
    "s3_mountpoints: [{bucket_name: our-results, prefix: %s, mount_path: /results, "
    "read_only: false}]}\n"
)

RULE = ConfigRule(
    id="TRN382",
    title="a bucket is written from Lustre or through a mount, not both",
    severity=Severity.WARNING,
    why="FSx keeps no order between its own exports and what others write: a file changed on both "
    "sides can end up as either, and a mount never replaces what Lustre has exported.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/overview-dra-data-repo.html",
    good=_STORAGE % "reports/",
    bad=_STORAGE % "runs/2027/",
    check=_check,
)
