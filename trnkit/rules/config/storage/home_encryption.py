"""TRN324: nodes that must mount the home file system with TLS have the mount helper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.nodes import image_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.objections import at_path
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    home = cluster.storage.home_file_system
    if home is None or home.encryption_in_transit != "required":
        return
    on_ubuntu = [
        group.name
        for _, group in node_groups(cluster)
        if image_of(group).operating_system.startswith("ubuntu")
    ]
    if on_ubuntu:
        text = (
            f"is required, and the nodes of {alternatives(on_ubuntu, 'and')} run Ubuntu, which has "
            "no package of the EFS mount helper"
        )
        hint = "check that the image has amazon-efs-utils, or write `preferred`"
        yield at_path(
            ("storage", "home_file_system", "encryption_in_transit"), Objection(text, hint)
        )


_GROUP = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ami_id: ami-0123456789abcdef0, operating_system: %s}}]}\n"
    "storage: {home_file_system: {encryption_in_transit: required}}\n"
)

RULE = ConfigRule(
    id="TRN324",
    title="nodes that must mount homes with TLS have the mount helper",
    severity=Severity.INFO,
    why="Only the EFS mount helper makes TLS connections. Amazon Linux installs it at the first "
    "boot; an Ubuntu image must bring it, or its nodes have no home folders.",
    source="https://docs.aws.amazon.com/efs/latest/ug/installing-amazon-efs-utils.html",
    good=_GROUP % "amazon-linux-2023",
    bad=_GROUP % "ubuntu-24.04",
    check=_check,
)
