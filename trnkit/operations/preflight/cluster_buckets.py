"""The S3 buckets that a cluster file names, and what the cluster does with each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.rules.judging.cluster_parts import file_systems, s3_mountpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_SCHEME = "s3://"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketUse:
    """A bucket, or a part of it, that exists already.

    Attributes:
        name: The bucket's name.
        prefix: Beginning of the keys that are meant, with a slash at its end; empty for all.
        kind: A link of a Lustre file system, or a mount of the nodes.
        writes: Whether objects are written.
        imports: Whether changes in the bucket show by themselves: FSx has itself notified.
        kms_key: The key that the file names for its objects.
        path: What in the file it is about.
    """

    name: str
    prefix: str
    kind: Literal["link", "mount"]
    writes: bool
    imports: bool
    kms_key: str | None
    path: Path

    @property
    def who(self) -> str:
        """Who uses it, for messages."""
        return "FSx" if self.kind == "link" else "the nodes"


def buckets_of(cluster: ClusterConfig) -> Iterator[BucketUse]:
    """Every bucket that the file names; that of checkpoints is the stack's own, of any name."""
    for path, system in file_systems(cluster):
        for index, link in enumerate(system.data_repository_associations):
            name, _, prefix = link.data_repository_path.removeprefix(_SCHEME).partition("/")
            place = (*path, "data_repository_associations", index, "data_repository_path")
            yield BucketUse(
                name=name,
                prefix=_with_slash(prefix),
                kind="link",
                writes=bool(link.auto_export_events),
                imports=bool(link.auto_import_events),
                kms_key=None,
                path=place,
            )
    for path, mount in s3_mountpoints(cluster):
        yield BucketUse(
            name=mount.bucket_name,
            prefix=_with_slash(mount.prefix or ""),
            kind="mount",
            writes=not mount.read_only,
            imports=False,
            kms_key=mount.kms_key_arn,
            path=(*path, "bucket_name"),
        )


def _with_slash(prefix: str) -> str:
    return f"{prefix.rstrip('/')}/" if prefix.rstrip("/") else ""
