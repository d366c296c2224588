"""TRN325: a file system linked to S3 copies no tags to backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.storage import links_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, (path, config) in enumerate(file_systems(cluster)):
        if config.copy_tags_to_backups and links_of(cluster, index):
            text = "is true, but a file system linked to S3 has no backups"
            hint = "leave it out, or remove the link"
            yield at_path((*path, "copy_tags_to_backups"), Objection(text, hint))


_FSX = (
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "copy_tags_to_backups: true%s}]}\n"
)

RULE = ConfigRule(
    id="TRN325",
    title="a file system linked to S3 copies no tags to backups",
    severity=Severity.ERROR,
    why="FSx refuses the setting on a file system that is linked to a data repository.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_FSX % "",
    bad=_FSX % ", data_repository_associations: [{file_system_path: /a, "
    "data_repository_path: 's3://example-bucket'}]",
    check=_check,
)
