"""TRN115: nodes without a way to the internet cannot install from its mirrors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.endpoints import is_isolated
from trnkit.layout.nodes import image_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if not is_isolated(cluster):
        return
    mounts = bool(cluster.storage.lustre_file_systems)
    for path, group in node_groups(cluster):
        image = image_of(group)
        if image.ssm_parameter is None:  # A lock pins a public image, which is public still.
            continue
        yield Violation(
            message=f"node group {group.name} starts a public {image.operating_system} image "
            f"without a way to the internet: {_missing(image.operating_system, mounts)}",
            hint="build an image with everything in it, and give its id as image.ami_id",
            path=(*path, "image"),
        )


def _missing(system: str, mounts: bool) -> str:
    if not system.startswith("ubuntu"):
        return (
            "Neuron's package repository cannot be reached; Amazon Linux's own can, through the "
            "S3 endpoint"
        )
    text = "Ubuntu's and Neuron's package mirrors cannot be reached"
    return f"{text}, nor can a missing Lustre client be installed at boot" if mounts else text


RULE = ConfigRule(
    id="TRN115",
    title="nodes without internet boot an image that has its packages",
    severity=Severity.INFO,
    why="Endpoints reach AWS's services, not package mirrors. What the image lacks, apt and pip "
    "cannot add; Amazon Linux's packages are in S3 and can be had.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html",
    good="network: {nat_gateway: false}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ami_id: ami-0123456789abcdef0}}]}\n",
    bad="network: {nat_gateway: false}\n",
    check=_check,
)
