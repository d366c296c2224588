"""TRN319: keys and log groups are of the cluster's own region, and log groups of its account."""

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
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, arn in _arns(cluster):
        _, _, _, region, account = arn.split(":")[:5]
        if region != cluster.region:
            text = f"is of {region}; the cluster is in {cluster.region}"
            yield at_path(path, Objection(text, f"take one of {cluster.region}"))
        log_group = path[-1] == "log_group_arn"
        if log_group and cluster.account is not None and account != cluster.account:
            text = f"is of account {account}; the cluster is in {cluster.account}"
            yield at_path(path, Objection(text, "take a log group of the cluster's account"))


def _arns(cluster: ClusterConfig) -> Iterator[tuple[Path, str]]:
    storage = cluster.storage
    for path, config in file_systems(cluster):
        if config.kms_key_arn is not None:
            yield (*path, "kms_key_arn"), config.kms_key_arn
        if config.log_configuration and config.log_configuration.log_group_arn:
            place = (*path, "log_configuration", "log_group_arn")
            yield place, config.log_configuration.log_group_arn
    if storage.checkpoint_bucket and storage.checkpoint_bucket.kms_key_arn:
        yield ("storage", "checkpoint_bucket", "kms_key_arn"), storage.checkpoint_bucket.kms_key_arn
    if storage.home_file_system and storage.home_file_system.kms_key_arn:
        yield ("storage", "home_file_system", "kms_key_arn"), storage.home_file_system.kms_key_arn
    for index, mount in enumerate(storage.s3_mountpoints):
        if mount.kms_key_arn is not None:
            yield ("storage", "s3_mountpoints", index, "kms_key_arn"), mount.kms_key_arn


_STORAGE = (
    "storage: {home_file_system: {kms_key_arn: "
    "'arn:aws:kms:%s:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'}}\n"
)

RULE = ConfigRule(
    id="TRN319",
    title="keys and log groups are of the cluster's region",
    severity=Severity.ERROR,
    why="File systems and buckets take keys of their own region only, and FSx writes only to log "
    "groups of its own region and account.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/services-s3.html",
    good=_STORAGE % "us-east-2",
    bad=_STORAGE % "us-west-2",
    check=_check,
)
