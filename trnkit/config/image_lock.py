"""`images.lock`: which image a parameter meant, in a region, on the day it was last asked.

The file is named in a cluster file (`image.lock_file`), committed beside it, and written by
`trnkit images refresh`. It is read like a cluster file: the same limits on size, depth and number
of values, and a line and a column in each finding. Nothing is ever fetched here.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from trnkit.config.cluster import not_a_boolean
from trnkit.config.complaints import problems_of
from trnkit.config.input_bytes import read_bytes
from trnkit.config.loader import MAX_BYTES, decode_text
from trnkit.config.named_files import about_named_file
from trnkit.config.values import (
    AmiId,
    Architecture,
    Day,
    DeviceName,
    EachOnce,
    InstanceFamily,
    Int,
    RegionName,
    SdkVersion,
    Section,
    SsmParameter,
    Text,
    setting,
)
from trnkit.config.yaml_reader import Mark, clipped, read_yaml, unreadable
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Finding, Severity, sort_findings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.config.cluster import ClusterConfig
    from trnkit.config.yaml_reader import YamlDocument

MAX_IMAGES = 1000
_ANEW = "take it from version control, or delete it and run trnkit images refresh"
_REFERENCE = "name a lock that trnkit images refresh may write, relative to the cluster file"
_KEPT = ("did you mean", "keep one", "name the lock", "name a file", "check path")
_CONFLICT = re.compile(r"^(<{7}|>{7}|={7})( |$)", re.MULTILINE)


class LockedImage(Section):
    """One image: what a parameter held in a region. Only facts that AWS told are there."""

    ssm_parameter: SsmParameter = setting(
        example="/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id",
        description="The parameter, as in the cluster file.",
    )
    region: RegionName = setting(example="us-east-2", description="Where it was asked.")
    ami_id: AmiId = setting(example="ami-0123456789abcdef0", description="The image.")
    name: Text | None = setting(None, description="The image's own name.")
    created: Day | None = setting(
        None, example="2026-08-18", description="The day the image was made."
    )
    neuron_sdk: SdkVersion | None = setting(
        None, example="2.32.0", description="The Neuron SDK on it, where its description says so."
    )
    instance_families: Annotated[tuple[InstanceFamily, ...], EachOnce] | None = setting(
        None,
        min_length=1,
        max_length=40,
        example=["Trn2", "Trn3"],
        description="What it runs on, where its description says so.",
    )
    architecture: Architecture | None = setting(
        None, example="x86_64", description="The processors that it runs on."
    )
    root_device_name: DeviceName | None = setting(
        None, example="/dev/sda1", description="What it calls its root device."
    )
    root_volume_size_gib: Int | None = setting(
        None,
        ge=1,
        le=65536,
        example=100,
        description="Size of the root volume's snapshot in GiB; no root volume may be smaller.",
    )
    resolved: Day = setting(
        example="2026-09-01", description="The day (UTC) the parameter last held this image."
    )


class ImageLock(Section):
    """The whole file."""

    version: Annotated[Literal[1], BeforeValidator(not_a_boolean)] = setting(
        example=1, description="Version of this file format."
    )
    images: Annotated[tuple[LockedImage, ...], Field(max_length=MAX_IMAGES)] = setting(
        description="Sorted by parameter and region, each pair once."
    )

    def of_region(self, region: str) -> dict[str, LockedImage]:
        """What the lock holds for a region, by parameter."""
        return {image.ssm_parameter: image for image in self.images if image.region == region}


def load_image_lock(path: str | FilePath) -> ImageLock | None:
    """Read a lock.

    Args:
        path: The file.

    Raises:
        UnreadableInputError: It is no regular file, too large, not UTF-8 or not YAML.
        ConfigurationError: It does not fit the model; carries every finding.

    Returns:
        What it says; None when there is no such file.
    """
    file = str(path)
    try:
        os.stat(file)  # noqa: PTH116 - Path.exists hides why a path cannot be one
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        pass  # read_bytes says what is wrong with it.
    try:
        raw = read_bytes(file, file, most=MAX_BYTES, folder="name the lock in it", missing=_ANEW)
        return _parse(decode_text(raw, file), file)
    except UnreadableInputError as error:
        raise UnreadableInputError(_with_remedy(error.finding)) from None


def _parse(text: str, file: str) -> ImageLock:
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        told = "the file holds the marks of a merge conflict"
        raise unreadable(file, told, "keep one side, then run trnkit images refresh", Mark(line, 1))
    document = read_yaml(text, file)
    if not isinstance(document.data, dict):
        told = "the file is empty" if document.data is None else "the file is no lock of images"
        raise unreadable(file, told, _ANEW, document.locate(()))
    findings = list(document.findings)
    lock = None
    try:
        lock = ImageLock.model_validate(document.data)
    except ValidationError as error:
        findings += problems_of(document, error, ImageLock)
    else:
        findings += _twice(document, lock)
    if lock is None or findings:
        raise ConfigurationError(sort_findings(map(_with_remedy, findings)))
    return lock


def _with_remedy(finding: Finding) -> Finding:
    """Nobody writes a lock by hand, so for most mistakes the remedy is to have it written."""
    kept = finding.hint is not None and finding.hint.startswith(_KEPT)
    return finding if kept else replace(finding, hint=_ANEW)


def _twice(document: YamlDocument, lock: ImageLock) -> list[Finding]:
    findings: list[Finding] = []
    first: dict[tuple[str, str], int] = {}
    for index, image in enumerate(lock.images):
        earlier = first.setdefault((image.ssm_parameter, image.region), index)
        if earlier == index:
            continue
        mark = document.locate(("images", index))
        findings.append(
            Finding(
                rule_id="TRN005",
                severity=Severity.ERROR,
                message=f"images[{index}] repeats parameter and region of images[{earlier}]: "
                f"{clipped(image.ssm_parameter)} in {image.region}",
                path=f"images[{index}]",
                file=document.file,
                line=mark.line,
                column=mark.column,
            )
        )
    return findings


def read_locks(
    cluster: YamlDocument, config: ClusterConfig
) -> tuple[dict[str, ImageLock | None], list[Finding]]:
    """Read each lock that a cluster file names, once.

    Args:
        cluster: The cluster file.
        config: What it says.

    Returns:
        Name in the cluster file -> what the lock says, None where there is no such file yet; and
        what is wrong with locks.
    """
    locks: dict[str, ImageLock | None] = {}
    findings: list[Finding] = []
    for index, group in enumerate(config.compute.node_groups):
        named = group.image.lock_file if group.image else None
        if named is None or named in locks:
            continue
        locks[named] = None
        try:
            locks[named] = load_image_lock(lock_path(cluster.file, named))
        except UnreadableInputError as error:
            path = ("compute", "node_groups", index, "image", "lock_file")
            findings.append(about_named_file(error.finding, cluster, path, named, _REFERENCE))
        except ConfigurationError as error:
            findings += error.findings
    return locks, findings


def lock_path(cluster_file: str, named: str) -> str:
    """Where a lock is: relative to the cluster file that names it."""
    return str(FilePath(cluster_file).parent / named)


def with_image_locks(config: ClusterConfig, locks: Mapping[str, ImageLock | None]) -> ClusterConfig:
    """The same cluster, its images looked up in locks; `load_cluster` does so by itself.

    Args:
        config: A cluster.
        locks: What is in each lock that it names.
    """
    groups = tuple(
        group.model_copy(update={"image": group.image.with_lock(lock.of_region(config.region))})
        if group.image and (lock := locks.get(group.image.lock_file or "")) is not None
        else group
        for group in config.compute.node_groups
    )
    compute = config.compute.model_copy(update={"node_groups": groups})
    return config.model_copy(update={"compute": compute})
