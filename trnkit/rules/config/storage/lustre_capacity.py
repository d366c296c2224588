"""TRN301: Lustre comes in steps of capacity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_capacity_given
from trnkit.layout.storage import throughput_of, tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.lustre_judgement import judge_capacity
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import LustreTier
    from trnkit.config import ClusterConfig, LustreConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, file_system in file_systems(cluster):
        tier, place = tier_of(file_system), (*path, "storage_capacity_gib")
        if tier is None:
            continue
        found = _objection(tier, file_system)
        if found is not None:
            yield at_path(place, found)


def _objection(tier: LustreTier, config: LustreConfig) -> Objection | None:
    gib, throughput = config.storage_capacity_gib, throughput_of(config)
    missing = judge_capacity_given(tier, gib is not None)
    if gib is None or missing is not None:
        return missing
    # A throughput that the tier has not is another finding.
    known = throughput if throughput in (tier.allowed_throughputs or ()) else None
    enabled = config.efa_enabled and bool(tier.efa_capacity_multiple_gib)
    return judge_capacity(tier, gib, known, efa_enabled=enabled)


RULE = ConfigRule(
    id="TRN301",
    title="Lustre comes in that capacity",
    severity=Severity.ERROR,
    why="FSx refuses other sizes, and neither CloudFormation nor the CDK's L1 looks at the number.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 3600}]}\n",
    check=_check,
)
