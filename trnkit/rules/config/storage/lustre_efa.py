"""TRN313: an EFA-enabled file system meets its conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_efa
from trnkit.layout.storage import tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, config in file_systems(cluster):
        tier = tier_of(config)
        if not config.efa_enabled or tier is None:
            continue
        wrong = judge_efa(tier)
        if wrong is not None:
            yield at_path((*path, "efa_enabled"), wrong)
        elif config.metadata_configuration is None:
            text = "is missing; efa_enabled needs one"
            hint = "add `metadata_configuration: {mode: AUTOMATIC}`"
            yield at_path((*path, "metadata_configuration"), Objection(text, hint))


RULE = ConfigRule(
    id="TRN313",
    title="an EFA-enabled file system meets its conditions",
    severity=Severity.ERROR,
    why="EFA is for PERSISTENT_2 with a metadata configuration (and large capacities, "
    "TRN301). It cannot be switched on later.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "per_unit_storage_throughput: 1000, efa_enabled: true, metadata_configuration: "
    "{mode: AUTOMATIC}}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "per_unit_storage_throughput: 1000, efa_enabled: true}]}\n",
    check=_check,
)
