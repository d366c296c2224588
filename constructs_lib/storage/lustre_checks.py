"""What a Lustre file system's arguments must be; says at once what FSx would say much later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constructs_lib.arguments import (
    instance,
    is_text,
    is_unresolved,
    one_of,
    removal_policy,
    text,
    whole_number,
)
from constructs_lib.storage.lustre_options import LustreOptions
from trnkit.catalog import lustre_tier, lustre_tiers
from trnkit.errors import ConstructError
from trnkit.layout.lustre_judgement import (
    DEFAULT_READ_CACHE,
    judge_capacity_given,
    judge_drive_cache,
    judge_efa,
    judge_metadata,
    judge_metadata_iops,
    judge_read_cache,
    judge_read_cache_size,
    judge_throughput_capacity,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_cdk import RemovalPolicy

    from trnkit.catalog import LustreTier
    from trnkit.layout.lustre_judgement import Objection


def check_choices(
    options: LustreOptions, data_compression_type: str, policy: RemovalPolicy
) -> None:
    """Check what goes with every file system.

    Raises:
        ConstructError: A value of another kind.
    """
    instance("options", options, LustreOptions)
    one_of("data_compression_type", data_compression_type, ("NONE", "LZ4"))
    removal_policy("removal_policy", policy)


def checked_tier(deployment_type: str, storage_type: str) -> LustreTier:
    """The tier of a deployment and a storage type.

    Raises:
        ConstructError: There is none.
    """
    for name, value in (("deployment_type", deployment_type), ("storage_type", storage_type)):
        if not is_text(value) or is_unresolved(value):
            raise ConstructError(f"{name} must be known before deploying, got {value!r}")
    tier = lustre_tier(deployment_type, storage_type)
    if tier is not None:
        return tier
    types = [t.storage_type for t in lustre_tiers() if t.deployment_type == deployment_type]
    if types:
        raise ConstructError(
            f"storage_type must be {_either(tuple(types))} for {deployment_type}, got "
            f"{storage_type!r}"
        )
    known = _either(tuple(dict.fromkeys(t.deployment_type for t in lustre_tiers())))
    raise ConstructError(f"deployment_type must be {known}, got {deployment_type!r}")


def checked_throughput(
    tier: LustreTier, capacity_gib: int | None, throughput: int | None, *, efa_enabled: bool
) -> int | None:
    """The throughput per unit of storage to write, once it and the capacity are right.

    Raises:
        ConstructError: One of them is not.
    """
    allowed = tier.allowed_throughputs
    whole_number("storage_capacity_gib", capacity_gib, optional=True)
    whole_number("per_unit_storage_throughput", throughput, optional=True)
    if throughput is None:
        throughput = min(allowed) if allowed else None
    elif not allowed:
        raise ConstructError(
            f"per_unit_storage_throughput must be left out for {_kind(tier)}, got {throughput}"
        )
    elif throughput not in allowed and not is_unresolved(throughput):
        raise ConstructError(
            f"per_unit_storage_throughput must be {_either(allowed)} for {_kind(tier)}, got "
            f"{throughput}"
        )
    _raise_any("storage_capacity_gib", judge_capacity_given(tier, capacity_gib is not None))
    enabled = efa_enabled and bool(tier.efa_capacity_multiple_gib)
    later = is_unresolved(capacity_gib) or is_unresolved(throughput)
    if (
        capacity_gib is not None
        and not later
        and not tier.capacity_is_valid(capacity_gib, throughput, efa_enabled=enabled)
    ):
        near = _either(tier.nearest_capacities(capacity_gib, throughput, efa_enabled=enabled))
        raise ConstructError(
            f"storage_capacity_gib must be a size that {_kind(tier)}{' with EFA' * enabled} comes "
            f"in, got {capacity_gib}; take {near}"
        )
    return throughput


def check_version(tier: LustreTier, version: str, options: LustreOptions) -> None:
    """Check the Lustre version.

    Raises:
        ConstructError: The tier does not run it, or a metadata configuration needs another.
    """
    text("file_system_type_version", version)
    if version not in tier.supported_versions:
        raise ConstructError(
            f"file_system_type_version must be {_either(tier.supported_versions)} for "
            f"{_kind(tier)}, got {version!r}"
        )
    needed = tier.metadata.requires_version if tier.metadata else None
    if options.metadata_mode is not None and needed is not None and version != needed:
        raise ConstructError(
            f"file_system_type_version must be {needed} with a metadata configuration, got "
            f"{version!r}"
        )


def check_backups(deployment_type: str, days: int | None) -> None:
    """Check the days to keep backups.

    Raises:
        ConstructError: The type has no backups, or not for so long.
    """
    if days is None:
        return
    whole_number("automatic_backup_retention_days", days)
    if deployment_type.startswith("SCRATCH"):
        raise ConstructError(
            f"automatic_backup_retention_days must be left out for {deployment_type}: scratch file "
            "systems have no backups"
        )
    whole_number("automatic_backup_retention_days", days, least=1, most=90)


def check_key(deployment_type: str, given: bool) -> None:
    """Check whether a key may be chosen.

    Raises:
        ConstructError: The type is always encrypted with FSx's own key.
    """
    if given and deployment_type.startswith("SCRATCH"):
        raise ConstructError(
            f"kms_key must be left out for {deployment_type}: scratch file systems are encrypted "
            "with a key of FSx's own"
        )


def check_options(tier: LustreTier, capacity_gib: int | None, options: LustreOptions) -> None:
    """Check what only some file systems have.

    Raises:
        ConstructError: It does not go with the tier, or not together.
    """
    for name, found in _objections(tier, capacity_gib, options):
        _raise_any(name, found)
    if options.efa_enabled and options.metadata_mode is None:
        raise ConstructError("metadata_mode is missing; efa_enabled needs it; take AUTOMATIC")
    if options.log_group_arn is not None and options.log_level is None:
        raise ConstructError("log_level is missing; log_group_arn needs it; take WARN_ERROR")


def _objections(
    tier: LustreTier, capacity_gib: int | None, options: LustreOptions
) -> Iterator[tuple[str, Objection | None]]:
    mbps, size = options.throughput_capacity_mbps, options.data_read_cache_size_gib
    cache, mode = options.data_read_cache_sizing_mode, options.metadata_mode
    yield "throughput_capacity_mbps", judge_throughput_capacity(tier, mbps)
    yield "data_read_cache_sizing_mode", judge_read_cache(tier, cache is not None)
    sizing = cache or DEFAULT_READ_CACHE
    yield "data_read_cache_size_gib", judge_read_cache_size(tier, sizing, size, mbps)
    yield "drive_cache_type", judge_drive_cache(tier, options.drive_cache_type)
    yield "metadata_mode", judge_metadata(tier, mode is not None)
    if mode is not None:
        iops = judge_metadata_iops(tier, mode, options.metadata_iops, capacity_gib)
        yield "metadata_iops", iops
    elif options.metadata_iops is not None:
        raise ConstructError("metadata_mode is missing; metadata_iops needs USER_PROVISIONED")
    yield "efa_enabled", judge_efa(tier) if options.efa_enabled else None


def _raise_any(name: str, found: Objection | None) -> None:
    if found is not None:
        raise ConstructError(f"{name} {found.text}; {found.hint}")


def _kind(tier: LustreTier) -> str:
    """`PERSISTENT_2` for SSD, which goes without saying; else both types."""
    other = "" if tier.storage_type == "SSD" else f" {tier.storage_type}"
    return f"{tier.deployment_type}{other}"


def _either(values: tuple[object, ...]) -> str:
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
