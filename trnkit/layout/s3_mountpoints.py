"""S3 buckets as mounts: their places, and which names no mountable bucket has.

Sources:
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint.html
"""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING

from trnkit.catalog import s3_bucket_names
from trnkit.layout.lustre_judgement import Objection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_SHAPE = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_OWN_NAME = "write the name of a general purpose bucket alone"


def object_prefix(prefix: str | None) -> str:
    """The beginning of the keys that are mounted; Mountpoint wants a slash at its end."""
    return f"{prefix.rstrip('/')}/" if prefix else ""


def s3_uri(bucket_name: str, prefix: str | None) -> str:
    """What Mountpoint calls the place that is mounted."""
    return f"s3://{bucket_name}/{object_prefix(prefix)}"


def mounted_places(cluster: ClusterConfig) -> tuple[str, ...]:
    """The places that the nodes mount, in the order of the file."""
    return tuple(
        s3_uri(config.bucket_name, config.prefix) for config in cluster.storage.s3_mountpoints
    )


def linked_places(cluster: ClusterConfig) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """The places that Lustre file systems of the file are linked to, each with its path."""
    for index, system in enumerate(cluster.storage.lustre_file_systems):
        path = ("storage", "lustre_file_systems", index, "data_repository_associations")
        for number, link in enumerate(system.data_repository_associations):
            yield (*path, number), f"{link.data_repository_path.rstrip('/')}/"


def judge_bucket_name(name: str) -> Objection | None:
    """Judge whether a general purpose bucket can have this name."""
    if name.startswith(("s3://", "arn:")):
        text = f"is {name}; the bucket's name alone is wanted"
        return Objection(text, "write the name, and what follows it as prefix")
    if _SHAPE.fullmatch(name) is None:
        text = (
            f"is {name}; a bucket's name has 3 to 63 lower-case letters, digits, hyphens and full "
            "stops, and begins and ends with a letter or digit"
        )
        return Objection(text, _OWN_NAME)
    if ".." in name:
        return Objection(f"is {name}; no bucket's name has two full stops side by side", _OWN_NAME)
    if _is_address(name):
        return Objection(f"is {name}; no bucket's name looks like an IP address", _OWN_NAME)
    return _reserved(name)


def _reserved(name: str) -> Objection | None:
    known = s3_bucket_names()
    evidence = f"catalogue, names of S3 buckets ({known.date})"
    for prefix in known.refused_prefixes:
        if name.startswith(prefix):
            text = f"is {name}; S3 refuses names that begin with {prefix}"
            return Objection(text, _OWN_NAME, evidence)
    for suffix, kind in known.other_kinds.items():
        if name.endswith(suffix):
            text = f"is {name}, which by its end is {kind}, and the nodes' role would not fit it"
            return Objection(text, _OWN_NAME, evidence)
    return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.IPv4Address(name)
    except ValueError:
        return False
    return True
