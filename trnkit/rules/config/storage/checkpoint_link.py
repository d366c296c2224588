"""TRN316: the checkpoint bucket's link fits the file system it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity, nearest
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.repository_paths import judge_file_system_path
from trnkit.layout.storage import Link, links_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.lustre_judgement import overlapping
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACE = ("storage", "checkpoint_bucket", "data_repository_association")
_FOLDER = (*_PLACE, "file_system_path")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    bucket = cluster.storage.checkpoint_bucket
    link = bucket.data_repository_association if bucket else None
    if link is None:
        return
    wrong = _shape(link.file_system_path)
    if wrong is not None:
        yield at_path(_FOLDER, wrong)
    names = [config.name for _, config in file_systems(cluster)]
    if link.file_system not in names:
        text = f"is {link.file_system}, which is no Lustre file system of this file"
        hint = did_you_mean(nearest(link.file_system, names), "name one of lustre_file_systems")
        yield at_path((*_PLACE, "file_system"), Objection(text, hint))
        return
    yield from _overlaps(links_of(cluster, names.index(link.file_system)))


def _shape(folder: str) -> Objection | None:
    wrong = judge_file_system_path(folder)
    if wrong is None and folder != "/" and folder.endswith("/"):
        return Objection(f"is {folder}, which ends in a slash", f"write {folder.rstrip('/')}")
    return wrong


def _overlaps(links: tuple[Link, ...]) -> Iterator[Violation]:
    """Overlaps of the bucket's link, which is the last; those of the others are TRN305's."""
    folders = [link.file_system_path for link in links]
    for first, second in overlapping(folders):
        if second == len(links) - 1:
            where = format_path((*links[first].path, "file_system_path"))
            text = f"is {folders[second]}, which overlaps {folders[first]} of {where}"
            yield at_path(_FOLDER, Objection(text, "link separate folders"))


_STORAGE = (
    "storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800}], "
    "checkpoint_bucket: {data_repository_association: {file_system: %s}}}\n"
)

RULE = ConfigRule(
    id="TRN316",
    title="the checkpoint bucket's link fits its file system",
    severity=Severity.ERROR,
    why="FSx refuses a second association of the same folder, and a malformed path is refused or "
    "ends in an unexpected folder.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_STORAGE % "fsx",
    bad=_STORAGE % "fxs",
    check=_check,
)
