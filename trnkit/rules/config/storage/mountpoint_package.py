"""TRN383: the nodes can install Mountpoint where they mount buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import mountpoint_download, mountpoint_repository
from trnkit.findings import Severity
from trnkit.layout.endpoints import is_isolated
from trnkit.layout.nodes import image_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    if not cluster.storage.s3_mountpoints:
        return
    repository, download = mountpoint_repository(), mountpoint_download()
    for path, group in node_groups(cluster):
        image = image_of(group)
        # An image of one's own may have it already.
        if image.ami_id is not None or image.operating_system in repository.operating_systems:
            continue
        with_it = repository.operating_systems[0]
        hint = f"take an image of {with_it}, or one of your own with Mountpoint, as image.ami_id"
        place = f"node group {group.name} starts a public {image.operating_system} image"
        if image.operating_system not in download.operating_systems:
            yield Violation(
                message=f"{place}, for which no signed package of Mountpoint is known",
                hint=hint,
                path=(*path, "image"),
                evidence=f"catalogue, Mountpoint for Amazon S3 ({download.date})",
            )
        elif is_isolated(cluster):
            yield Violation(
                message=f"{place} without a way to the internet: neither Mountpoint's package nor "
                "Ubuntu's mirrors can be reached, so no bucket is mounted",
                hint=hint,
                path=(*path, "image"),
                evidence=f"catalogue, Mountpoint {download.version}: {download.url} "
                f"({download.date})",
            )


_ISOLATED = (
    "network: {nat_gateway: false}\n"
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/neuron/dlami/base/%s/latest/image_id}}]}\n"
    "storage: {s3_mountpoints: [{bucket_name: our-corpus, mount_path: /data/corpus}]}\n"
)

RULE = ConfigRule(
    id="TRN383",
    title="nodes that mount buckets can install Mountpoint",
    severity=Severity.ERROR,
    why="Amazon Linux 2023 has Mountpoint in its own repository, which is in S3 in the Region. "
    "Ubuntu has not: its package is downloaded, and needs libraries from Ubuntu's mirrors.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint-installation.html",
    good=_ISOLATED % "amazon-linux-2023",
    bad=_ISOLATED % "ubuntu-24.04",
    check=_check,
)
