"""TRN318: a key of one's own is for persistent file systems."""

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
        if config.kms_key_arn is not None and config.deployment_type.startswith("SCRATCH"):
            text = f"is given, but {config.deployment_type} is always encrypted with a key of FSx's"
            hint = "leave it out, or take a PERSISTENT type"
            yield at_path((*path, "kms_key_arn"), Objection(text, hint))


RULE = ConfigRule(
    id="TRN318",
    title="a key of one's own is for persistent file systems",
    severity=Severity.ERROR,
    why="Scratch file systems are encrypted with a key of FSx's own whatever you ask "
    "for, so a policy that demands your key would not be met.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "kms_key_arn: "
    "'arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_2, "
    "storage_capacity_gib: 4800, kms_key_arn: "
    "'arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'}]}\n",
    check=_check,
)
