"""TRN321: S3 links are for file systems that have them, and not for too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, evidence_of, kind_of
from trnkit.layout.storage import MOST_ASSOCIATIONS, links_of, tier_of
from trnkit.rules.judging.cluster_parts import file_systems
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, (path, config) in enumerate(file_systems(cluster)):
        tier, links = tier_of(config), links_of(cluster, index)
        place = links[0].path if len(links) == 1 else (*path, "data_repository_associations")
        if links and tier is not None and not tier.supports_data_repository_associations:
            text = f"links to S3, but {kind_of(tier)} has no associations"
            hint = "take SSD storage, and not SCRATCH_1"
            yield at_path(place, Objection(text, hint, evidence_of(tier)))
        if len(links) > MOST_ASSOCIATIONS:
            text = f"makes {len(links)} links with that of the checkpoint bucket; FSx has 8 at most"
            yield at_path(place, Objection(text, "link the bucket to another file system"))


RULE = ConfigRule(
    id="TRN321",
    title="S3 links are for file systems that have them, at most 8",
    severity=Severity.ERROR,
    why="FSx refuses associations of SCRATCH_1 and Intelligent-Tiering file systems, and the ninth "
    "of any other.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good="storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_2, "
    "storage_capacity_gib: 4800, data_repository_associations: [{file_system_path: "
    "/a, data_repository_path: 's3://example-bucket'}]}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, deployment_type: SCRATCH_1, "
    "storage_capacity_gib: 3600, data_repository_associations: [{file_system_path: "
    "/a, data_repository_path: 's3://example-bucket'}]}]}\n",
    check=_check,
)
