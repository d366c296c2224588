"""TRN306: automatic backups only where Lustre has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.storage import links_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, (path, file_system) in enumerate(file_systems(cluster)):
        days, place = (
            file_system.automatic_backup_retention_days,
            (*path, "automatic_backup_retention_days"),
        )
        if days is None:
            continue
        if links_of(cluster, index):
            reason = "a file system linked to S3 has no automatic backups"
            hint = "leave it out, or remove the link"
        elif file_system.deployment_type.startswith("SCRATCH"):
            reason = f"{file_system.deployment_type} has no backups"
            hint = "leave it out, or take PERSISTENT_2"
        else:
            continue
        yield Violation(
            message=f"{format_path(place)} is {days}, but {reason}", hint=hint, path=place
        )


RULE = ConfigRule(
    id="TRN306",
    title="automatic backups only on persistent file systems without S3 links",
    severity=Severity.ERROR,
    why="FSx refuses the setting, sometimes only at the first later change of the stack.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "automatic_backup_retention_days: 7}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_2, "
    "storage_capacity_gib: 4800, automatic_backup_retention_days: 7}]}\n",
    check=_check,
)
