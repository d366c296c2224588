"""TRN317: a time of backups has backups to start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, config in file_systems(cluster):
        time = config.daily_automatic_backup_start_time
        if time is not None and config.automatic_backup_retention_days is None:
            text = f"is {time}, but there are no automatic backups"
            hint = "add automatic_backup_retention_days, or remove it"
            yield at_path((*path, "daily_automatic_backup_start_time"), Objection(text, hint))


RULE = ConfigRule(
    id="TRN317",
    title="a time of backups has backups to start",
    severity=Severity.WARNING,
    why="Without a retention nothing is backed up, whatever the time says.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "automatic_backup_retention_days: 7, daily_automatic_backup_start_time: "
    "'05:00'}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "daily_automatic_backup_start_time: '05:00'}]}\n",
    check=_check,
)
