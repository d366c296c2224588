"""How much of FSx's quotas Lustre file systems take: those of the file and those that exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.layout.lustre_judgement import OWN_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.aws.fsx import FileSystemDescription
    from trnkit.config import LustreConfig

HDD = "HDD"
_TIERING = "INTELLIGENT_TIERING"
_DEPLOYMENTS = {
    "SCRATCH_1": "scratch",
    "SCRATCH_2": "scratch",
    "PERSISTENT_1": "persistent-1",
    "PERSISTENT_2": "persistent-2",
}
_NAMES = {
    "scratch": "scratch types",
    "persistent-1": "PERSISTENT_1",
    "persistent-2": "PERSISTENT_2",
}
_GOING = ("FAILED", "DELETING")
"""Lifecycles in which AWS does not say whether a file system counts."""

_LEAVING = "of file systems that failed or are being deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What a file system takes of a quota.

    Attributes:
        certain: What surely counts.
        perhaps: What may count.
    """

    certain: int = 0
    perhaps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreMeasure:
    """One quota of FSx, and what counts against it.

    Attributes:
        quota_id: The catalogue's name of the quota.
        of: What it counts, after its unit.
        wanted: What a file system of the file takes.
        there: What one that exists takes.
        perhaps_why: What may not count, in a few words.
    """

    quota_id: str
    of: str
    wanted: Callable[[LustreConfig], Share]
    there: Callable[[FileSystemDescription], Share]
    perhaps_why: str


def lustre_measures() -> tuple[LustreMeasure, ...]:
    """Every quota that counts over all file systems of an account."""
    kinds = tuple(dict.fromkeys(_DEPLOYMENTS.values()))
    return (
        *(_numbers(kind) for kind in kinds),
        *(_storage(kind) for kind in kinds),
        LustreMeasure(
            quota_id="lustre-intelligent-tiering-throughput",
            of="of Intelligent-Tiering throughput",
            wanted=lambda config: Share(certain=config.throughput_capacity_mbps or 0),
            there=lambda system: _alive(system, system.throughput_capacity_mbps or 0),
            perhaps_why=_LEAVING,
        ),
        LustreMeasure(
            quota_id="lustre-intelligent-tiering-read-cache",
            of="of Intelligent-Tiering read cache",
            wanted=_wanted_cache,
            there=_cache_there,
            perhaps_why=f"whose size FSx chose, or {_LEAVING}",
        ),
    )


def _numbers(kind: str) -> LustreMeasure:
    return LustreMeasure(
        quota_id=f"lustre-{kind}-file-systems",
        of=f"of {_NAMES[kind]}",
        wanted=lambda config: Share(certain=int(_DEPLOYMENTS[config.deployment_type] == kind)),
        there=lambda system: _alive(system, int(_is(system, kind))),
        perhaps_why="failed or being deleted",
    )


def _storage(kind: str) -> LustreMeasure:
    def wanted(config: LustreConfig) -> Share:
        if _DEPLOYMENTS[config.deployment_type] != kind:
            return Share()
        return _of_disks(config.storage_type, config.storage_capacity_gib or 0)

    def there(system: FileSystemDescription) -> Share:
        if not _is(system, kind) or system.storage_type == _TIERING:
            return Share()
        share = _of_disks(system.storage_type, system.capacity_gib or 0)
        return share if share.perhaps else _alive(system, share.certain)

    return LustreMeasure(
        quota_id=f"lustre-{kind}-storage",
        of=f"on {_NAMES[kind]}",
        wanted=wanted,
        there=there,
        perhaps_why=f"on HDD, or {_LEAVING}",
    )


def _of_disks(storage_type: str | None, gib: int) -> Share:
    """AWS does not say whether HDD, which has a quota of its own, counts against the sum too."""
    return Share(perhaps=gib) if storage_type == HDD else Share(certain=gib)


def _wanted_cache(config: LustreConfig) -> Share:
    cache = config.data_read_cache
    if config.storage_type != _TIERING or cache is None or cache.sizing_mode != OWN_SIZE:
        return Share()
    return Share(certain=cache.size_gib or 0)


def _cache_there(system: FileSystemDescription) -> Share:
    gib = system.read_cache_gib or 0
    if system.kind != "LUSTRE":
        return Share()
    return _alive(system, gib) if system.read_cache_mode == OWN_SIZE else Share(perhaps=gib)


def _alive(system: FileSystemDescription, count: int) -> Share:
    return Share(perhaps=count) if system.lifecycle in _GOING else Share(certain=count)


def _is(system: FileSystemDescription, kind: str) -> bool:
    return system.kind == "LUSTRE" and _DEPLOYMENTS.get(system.deployment_type or "") == kind
