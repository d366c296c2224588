"""TRN305: associations have well-formed paths that do not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.repository_paths import judge_file_system_path, judge_repository_path
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.lustre_judgement import overlapping
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, DataRepositoryAssociationConfig
    from trnkit.config.yaml_reader import Path

_FOLDER, _BUCKET = "file_system_path", "data_repository_path"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, file_system in file_systems(cluster):
        links, place = (
            file_system.data_repository_associations,
            (*path, "data_repository_associations"),
        )
        for index, link in enumerate(links):
            yield from _judge(link, (*place, index))
        for field in (_FOLDER, _BUCKET):
            values = [str(getattr(link, field)) for link in links]
            for first, second in overlapping(values):
                yield _overlap(place, field, values, first, second)


def _judge(link: DataRepositoryAssociationConfig, path: Path) -> Iterator[Violation]:
    folder, bucket = (*path, _FOLDER), (*path, _BUCKET)
    found = judge_file_system_path(link.file_system_path)
    if found is not None:
        yield Violation(message=f"{format_path(folder)} {found.text}", hint=found.hint, path=folder)
    elif link.file_system_path != "/" and link.file_system_path.endswith("/"):
        yield Violation(
            message=f"{format_path(folder)} is {link.file_system_path}, which ends in a slash",
            hint=f"write {link.file_system_path.rstrip('/')}",
            path=folder,
        )
    found = judge_repository_path(link.data_repository_path)
    if found is not None:
        yield Violation(message=f"{format_path(bucket)} {found.text}", hint=found.hint, path=bucket)


def _overlap(place: Path, field: str, values: list[str], first: int, second: int) -> Violation:
    here, there = (*place, second, field), (*place, first, field)
    return Violation(
        message=f"{format_path(here)} is {values[second]}, which overlaps {values[first]} of "
        f"{format_path(there)}",
        hint="link separate folders" if field == _FOLDER else "link separate prefixes",
        path=here,
    )


RULE = ConfigRule(
    id="TRN305",
    title="S3 associations have well-formed paths that do not overlap",
    severity=Severity.ERROR,
    why="FSx refuses a second association of the same folder or prefix, and `/` beside any other; "
    "a malformed path is refused or ends in an unexpected folder.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "data_repository_associations: ["
    "{file_system_path: /a, data_repository_path: s3://example-bucket/a}, "
    "{file_system_path: /b, data_repository_path: s3://example-bucket/b}]}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "data_repository_associations: ["
    "{file_system_path: /, data_repository_path: s3://example-bucket/a}, "
    "{file_system_path: /b, data_repository_path: s3://example-bucket/b}]}]}\n",
    check=_check,
)
