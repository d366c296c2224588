"""Which images cluster files take from locks: parameter, Region, lock, and what stands there."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trnkit.config import load_cluster
from trnkit.config.image_lock import lock_path
from trnkit.errors import ConfigurationError, UnreadableInputError, UsageError
from trnkit.findings import Finding, sort_findings
from trnkit.layout.nodes import image_parameter, locked_image
from trnkit.operations.places import refuse_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.config import ClusterFile, ImageLock, LockedImage


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageUse:
    """One image that node groups of a cluster file take from a lock.

    Attributes:
        file: The cluster file.
        groups: Names of the node groups.
        ssm_parameter: The parameter.
        region: The cluster's Region.
        lock_file: The lock, as a path from here.
        locked: What stands there; None when nothing does.
    """

    file: str
    groups: tuple[str, ...]
    ssm_parameter: str
    region: str
    lock_file: str
    locked: LockedImage | None


@dataclass(frozen=True, slots=True)
class ImageUses:
    """What cluster files say about locks.

    Attributes:
        files: The files, each once.
        findings: Why some of them, or their locks, cannot be read.
        clusters: Those that can.
        uses: Images of locks.
        locks: Path of a lock from here -> what it says; None where there is no such file.
    """

    files: tuple[str, ...]
    findings: list[Finding] = field(default_factory=list[Finding])
    clusters: list[ClusterFile] = field(default_factory=list["ClusterFile"])
    uses: list[ImageUse] = field(default_factory=list["ImageUse"])
    locks: dict[str, ImageLock | None] = field(default_factory=dict[str, "ImageLock | None"])


def image_uses(files: Sequence[str]) -> ImageUses:
    """Read cluster files and the locks that they name.

    Args:
        files: Paths.

    Raises:
        UsageError: A name is empty, or no file names a lock.
    """
    refuse_empty(files, "cluster file")
    found = ImageUses(tuple(dict.fromkeys(files)))
    for file in found.files:
        try:
            cluster = load_cluster(file)
        except UnreadableInputError as error:
            found.findings.append(error.finding)
        except ConfigurationError as error:
            found.findings.extend(error.findings)
        else:
            found.clusters.append(cluster)
            found.uses.extend(_uses(cluster))
            for named, lock in cluster.image_locks.items():
                found.locks[lock_path(file, named)] = lock
    found.findings[:] = sort_findings(found.findings)
    if not found.findings and not found.uses:
        named = found.files[0] if len(found.files) == 1 else "these files"
        raise UsageError(
            f"no node group of {named} takes its image from a lock: write `image:` and below it "
            "`lock_file: images.lock`"
        )
    return found


def _uses(cluster: ClusterFile) -> list[ImageUse]:
    groups: dict[tuple[str, str], list[str]] = {}
    locked: dict[tuple[str, str], LockedImage | None] = {}
    for group in cluster.config.compute.node_groups:
        parameter = image_parameter(group)
        if group.image and group.image.lock_file and parameter:
            key = (lock_path(cluster.file, group.image.lock_file), parameter)
            groups.setdefault(key, []).append(group.name)
            locked[key] = locked_image(group)
    return [
        ImageUse(
            file=cluster.file,
            groups=tuple(names),
            ssm_parameter=key[1],
            region=cluster.config.region,
            lock_file=key[0],
            locked=locked[key],
        )
        for key, names in groups.items()
    ]


def same_place(path: str) -> str:
    """What two names of one lock have in common."""
    return os.path.realpath(path)
