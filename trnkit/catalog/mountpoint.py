"""Mountpoint for Amazon S3: where it is installed from, what it can write, names of buckets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointRepository:
    """Mountpoint as a package of the operating system's own repository.

    Attributes:
        package_name: Name of the package.
        operating_systems: Systems whose repository has it, e.g. `amazon-linux-2023`.
        first_operating_system_release: The first release of the system with the package.
        note: What else to know.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    package_name: str
    operating_systems: tuple[str, ...]
    first_operating_system_release: str
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointDownload:
    """Mountpoint as a signed package to download.

    Attributes:
        version: Version of the package.
        operating_systems: Systems that it is for, e.g. `ubuntu-24.04`.
        url: Where it is; its signature is at the same place with `.asc` at its end.
        signing_keys_url: Where the keys are that sign it.
        fingerprints: Fingerprints of those keys, as AWS's documentation prints them, without
            spaces.
        note: What else to know.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    version: str
    operating_systems: tuple[str, ...]
    url: str
    signing_keys_url: str
    fingerprints: tuple[str, ...]
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MountpointUse:
    """What holds for a mount.

    Attributes:
        first_version_with_fstab: The first version that /etc/fstab can name.
        required_mount_options: Options without which it does not start from /etc/fstab.
        note: What can be written, and what cannot.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    first_version_with_fstab: str
    required_mount_options: tuple[str, ...]
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class S3BucketNames:
    """Names that no general purpose bucket has.

    Attributes:
        refused_prefixes: Beginnings that S3 refuses.
        other_kinds: Endings that S3 keeps for something else -> what that is.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    refused_prefixes: tuple[str, ...]
    other_kinds: dict[str, str]
    source: tuple[str, ...]
    date: str


@cache
def mountpoint_repository() -> MountpointRepository:
    """Return how Mountpoint comes from a system's own repository."""
    return MountpointRepository(**table("mountpoint")["repository"])


@cache
def mountpoint_download() -> MountpointDownload:
    """Return how Mountpoint comes to systems whose repository has it not."""
    return MountpointDownload(**table("mountpoint")["download"])


@cache
def mountpoint_use() -> MountpointUse:
    """Return what holds for a mount."""
    return MountpointUse(**table("mountpoint")["use"])


@cache
def s3_bucket_names() -> S3BucketNames:
    """Return which names no general purpose bucket has."""
    entry = dict(table("mountpoint")["bucket_names"])
    kinds = {item["suffix"]: item["kind"] for item in entry.pop("other_kinds")}
    return S3BucketNames(other_kinds=kinds, **entry)
