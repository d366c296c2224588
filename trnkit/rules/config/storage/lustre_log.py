"""TRN320: Lustre logs go to a log group that FSx may write to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_log_group_name
from trnkit.layout.storage import links_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, (path, config) in enumerate(file_systems(cluster)):
        log, place = config.log_configuration, (*path, "log_configuration")
        if log is None:
            continue
        name = log.log_group_arn.rpartition(":")[2] if log.log_group_arn else None
        wrong = judge_log_group_name(name) if name is not None else None
        if wrong is not None:
            yield at_path((*place, "log_group_arn"), wrong)
        if not links_of(cluster, index):
            text = "is given, but the file system has no link to S3, about which FSx logs"
            yield at_path(place, Objection(text, "remove it, or add an association"), Severity.INFO)


RULE = ConfigRule(
    id="TRN320",
    title="Lustre logs go where FSx may write",
    severity=Severity.ERROR,
    why="FSx writes only to log groups whose names begin with /aws/fsx, and only about "
    "links to S3.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "log_configuration: {level: WARN_ERROR}, data_repository_associations: "
    "[{file_system_path: /a, data_repository_path: 's3://example-bucket'}]}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "log_configuration: {log_group_arn: "
    "'arn:aws:logs:us-east-2:111122223333:log-group:fsx'}}]}\n",
    check=_check,
)
