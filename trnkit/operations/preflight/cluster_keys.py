"""The KMS keys that a cluster file names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.image_pipeline import boots_its_image, image_pipeline_plan
from trnkit.operations.preflight.key_judgement import NamedKey
from trnkit.operations.preflight.key_use import (
    FILE_SYSTEM,
    HOMES,
    IMAGES,
    READ_OBJECTS,
    VOLUMES,
    WRITE_OBJECTS,
    link_use,
)
from trnkit.rules.judging.cluster_parts import file_systems, node_groups, s3_mountpoints

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.key_use import KeyUse


def keys_of(cluster: ClusterConfig) -> tuple[NamedKey, ...]:
    """Every key with every use of it, once, at the first place that names it."""
    found: dict[tuple[str, KeyUse], NamedKey] = {}
    for path, name, use in _named(cluster):
        if name is not None:
            key = NamedKey(name=name, label=label_of(name), use=use, path=path)
            found.setdefault((name, use), key)
    return tuple(found.values())


def uses_default_key(cluster: ClusterConfig) -> bool:
    """Whether some volume is encrypted with the account's default key."""
    keys = [
        volume.kms_key_arn
        for group in cluster.compute.node_groups
        for volume in (group.root_volume, *group.additional_volumes)
    ]
    return cluster.compute.volume_key == "aws-managed" and None in keys


def label_of(name: str) -> str:
    """A key in messages: its id or alias, without Region and account."""
    kind, _, rest = name.rpartition(":")[2].partition("/")
    return f"alias {rest}" if kind == "alias" else f"key {rest or kind}"


def _named(cluster: ClusterConfig) -> Iterator[tuple[Path, str | None, KeyUse]]:
    for path, group in node_groups(cluster):
        yield (*path, "root_volume", "kms_key_arn"), group.root_volume.kms_key_arn, VOLUMES
        for index, volume in enumerate(group.additional_volumes):
            place = (*path, "additional_volumes", index, "kms_key_arn")
            yield place, volume.kms_key_arn, VOLUMES
    pipeline, plan = cluster.compute.image_pipeline, image_pipeline_plan(cluster)
    if pipeline and plan:
        place = ("compute", "image_pipeline", "kms_key_arn")
        yield place, pipeline.kms_key_arn, IMAGES
        if any(boots_its_image(group, plan) for group in cluster.compute.node_groups):
            yield place, pipeline.kms_key_arn, VOLUMES
    for path, system in file_systems(cluster):
        yield (*path, "kms_key_arn"), system.kms_key_arn, FILE_SYSTEM
    for path, mount in s3_mountpoints(cluster):
        use = READ_OBJECTS if mount.read_only else WRITE_OBJECTS
        yield (*path, "kms_key_arn"), mount.kms_key_arn, use
    storage = cluster.storage
    if storage.checkpoint_bucket:
        place = ("storage", "checkpoint_bucket", "kms_key_arn")
        yield place, storage.checkpoint_bucket.kms_key_arn, WRITE_OBJECTS
        if link := storage.checkpoint_bucket.data_repository_association:
            use = link_use(None, writes=bool(link.auto_export_events))
            yield place, storage.checkpoint_bucket.kms_key_arn, use
    if storage.home_file_system:
        place = ("storage", "home_file_system", "kms_key_arn")
        yield place, storage.home_file_system.kms_key_arn, HOMES
