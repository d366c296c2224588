"""The home file system on EFS, and the bucket of checkpoints: both cost by use alone.

Sources:
    https://docs.aws.amazon.com/efs/latest/ug/lifecycle-management-efs.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/storage-class-intro.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.billing import Billed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.layout.cost.billing import Billing, Use
    from trnkit.layout.cost.lines import Component, CostLine

_HOME: tuple[tuple[str, str, str, Use], ...] = (
    ("stored data", "efs-standard-storage", "GB-month", "home_gb"),
    ("reads", "efs-elastic-read", "GB", "home_read_gb"),
    ("writes", "efs-elastic-write", "GB", "home_write_gb"),
    ("backups", "efs-backup-storage", "GB-month", "home_backup_gb"),
)
_BUCKET: tuple[tuple[str, str, str, Use], ...] = (
    ("stored data", "s3-standard-storage", "GB-month", "s3_gb"),
    ("writes", "s3-put-requests", "request", "s3_writes"),
    ("reads", "s3-get-requests", "request", "s3_reads"),
)


def home_lines(billing: Billing) -> Iterator[CostLine]:
    """The home file system."""
    home = billing.cluster.storage.home_file_system
    if home is None:
        return
    moves = home.transition_to_ia_days is not None
    for line in _lines(billing, "home", ("storage", "home_file_system"), _HOME, moves=moves):
        if home.backup or line.use != "home_backup_gb":
            yield line


def bucket_lines(billing: Billing) -> Iterator[CostLine]:
    """The bucket of checkpoints; buckets that are only mounted belong to somebody already."""
    bucket = billing.cluster.storage.checkpoint_bucket
    if bucket is not None:
        moves = any(rule.transition_days is not None for rule in bucket.lifecycle)
        yield from _lines(billing, "bucket", ("storage", "checkpoint_bucket"), _BUCKET, moves=moves)


def _lines(
    billing: Billing,
    component: Component,
    path: tuple[str | int, ...],
    parts: tuple[tuple[str, str, str, Use], ...],
    *,
    moves: bool,
) -> Iterator[CostLine]:
    note = "all of it in the Standard class; what moves to a cheaper one costs less"
    for what, item, unit, use in parts:
        billed = Billed(
            key=f"{component}/{what}",
            component=component,
            name=f"{'home file system' if component == 'home' else 'checkpoint bucket'}: {what}",
            path=path,
            item=item,
            unit=unit,
        )
        yield billing.by_use(billed, use, note=note if moves and what == "stored data" else None)
