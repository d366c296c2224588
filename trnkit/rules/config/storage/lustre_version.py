"""TRN304: the Lustre version fits the deployment type, the associations and the clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.storage import links_of, tier_of
from trnkit.rules.judging.cluster_parts import file_systems, node_groups
from trnkit.rules.judging.lustre_judgement import judge_version
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for index, (path, file_system) in enumerate(file_systems(cluster)):
        tier, version = (
            tier_of(file_system),
            file_system.file_system_type_version,
        )
        place = (*path, "file_system_type_version")
        if tier is None:
            continue
        found = judge_version(
            tier,
            version,
            has_associations=bool(links_of(cluster, index)),
            has_metadata=file_system.metadata_configuration is not None,
        )
        if found is not None:
            yield Violation(
                message=f"{format_path(place)} {found.text}",
                hint=found.hint,
                path=place,
                evidence=found.evidence,
            )
        elif version == "2.10" and (group := _group_on_amazon_linux(cluster)):
            yield Violation(
                message=f"{format_path(place)} is 2.10, which the 2.15 client of Amazon Linux 2023 "
                f"(node group {group}) does not mount",
                hint='write "2.15"',
                path=place,
                evidence="the Lustre client matrix of the FSx guide",
            )


def _group_on_amazon_linux(cluster: ClusterConfig) -> str | None:
    for _, group in node_groups(cluster):
        parameter = group.image.ssm_parameter if group.image else None
        if parameter and "/amazon-linux-2023/" in parameter:
            return group.name
    return None


RULE = ConfigRule(
    id="TRN304",
    title="the Lustre version fits type, associations and clients",
    severity=Severity.ERROR,
    why="PERSISTENT_2 and S3 links need 2.12 or later, and a new client does not mount 2.10. The "
    "version cannot be lowered later.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html",
    good="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "file_system_type_version: 2.15}]}\n",
    bad="storage: {lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "file_system_type_version: 2.10}]}\n",
    check=_check,
)
