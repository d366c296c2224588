"""What nodes ask of S3, so what the policy of an endpoint on the way must let through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import bootstrap_facts, find_package_bucket
from trnkit.layout.nodes import image_of
from trnkit.layout.storage import mounts_of
from trnkit.rules.judging.region_shape import partition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_CERTAIN_LETTERS = 12
"""Letters of a cluster's name that begin its bucket's in any case; CloudFormation may cut it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRequest:
    """One request of nodes to S3.

    Attributes:
        action: As IAM action.
        bucket: Name of the bucket; `*` in it is not known.
        key: Key of the object, `*` in it is not known; None for a request to the bucket itself.
        lacks: What does not work without it.
        is_needed: Whether nodes cannot work without it.
    """

    action: str
    bucket: str
    key: str | None
    lacks: str
    is_needed: bool = True

    def resource(self, region: str) -> str:
        """The ARN that it is about.

        Args:
            region: The Region, which tells the partition.
        """
        arn = f"arn:{partition_of(region) or 'aws'}:s3:::{self.bucket}"
        return arn if self.key is None else f"{arn}/{self.key}"


def bucket_requests(cluster: ClusterConfig, account_id: str) -> Iterator[BucketRequest]:
    """All that nodes of a cluster ask of S3 by themselves, of the cluster's Region.

    Args:
        cluster: The cluster.
        account_id: The account that it is deployed into.
    """
    if cluster.compute.boot.delivery == "s3-asset":
        bucket = bootstrap_facts().assets_bucket
        yield BucketRequest(
            action="s3:GetObject",
            bucket=bucket.format(account=account_id, region=cluster.region),
            key="*.zip",
            lacks="nodes cannot fetch their boot scripts, and are replaced forever",
        )
    for mounted in cluster.storage.s3_mountpoints:
        lacks = f"nodes cannot mount {mounted.mount_path}"
        keys = f"{mounted.prefix or ''}*"
        yield BucketRequest(
            action="s3:ListBucket", bucket=mounted.bucket_name, key=None, lacks=lacks
        )
        for action in ("s3:GetObject", *(() if mounted.read_only else ("s3:PutObject",))):
            yield BucketRequest(action=action, bucket=mounted.bucket_name, key=keys, lacks=lacks)
    if cluster.storage.checkpoint_bucket:
        start = cluster.name.lower()[:_CERTAIN_LETTERS]
        for action in ("s3:GetObject", "s3:PutObject"):
            yield BucketRequest(
                action=action,
                bucket=f"{start}*",
                key="*",
                lacks="jobs cannot keep checkpoints in the cluster's bucket",
            )
    yield from _packages(cluster)


def _packages(cluster: ClusterConfig) -> Iterator[BucketRequest]:
    """Packages that images may lack, of systems whose packages are in S3 in the Region."""
    if not any(mounts_of(cluster)):
        return
    systems = {image_of(group).operating_system for group in cluster.compute.node_groups}
    for system in sorted(systems):
        known = find_package_bucket(system)
        if known is not None:
            yield BucketRequest(
                action="s3:GetObject",
                bucket=known.bucket.format(region=cluster.region),
                key="*",
                lacks=f"nodes cannot install what the image of {system} lacks",
                is_needed=False,
            )
