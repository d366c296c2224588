"""An update as users make it: a copy of the cluster file with a few lines changed."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from trnkit.catalog import neuron_images
from trnkit.findings import fails
from trnkit.layout.nodes import image_of
from trnkit.layout.storage import tier_of
from trnkit.operations.checking import check_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.config import ClusterConfig, ClusterFile
    from trnkit.operations.checking import CheckReport

Data = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A copy of a cluster file with changes.

    Attributes:
        report: The check of the copy, without errors.
        changes: What was changed, in words.
        refused: Changes that the check refuses for this file, in words.
        absent: What there is nothing of in this file that could be changed.
    """

    report: CheckReport
    changes: tuple[str, ...]
    refused: tuple[str, ...]
    absent: tuple[str, ...]


def changed_file(cluster: ClusterFile, folder: Path) -> ChangedFile:
    """Change what can be changed of a running cluster.

    Args:
        cluster: The cluster file as it is deployed.
        folder: Where the copy goes.

    Returns:
        The copy; each change that `trnkit check` refuses for this file is left out of it and named.
    """
    data = _by_absolute_names(json.loads(json.dumps(cluster.document.data)), cluster.file)
    copied = folder / Path(cluster.file).name
    done: list[str] = []
    refused: list[str] = []
    absent: list[str] = []
    report = _checked(copied, data)
    for thing, change in _CHANGES.items():
        tried = copy.deepcopy(data)
        words = change(tried, cluster.config)
        if words is None:
            absent.append(thing)
            continue
        judged = _checked(copied, tried)
        if fails(judged.findings):
            reason = next(f.message for f in judged.findings if f.severity == "error")
            refused.append(f"{words}: {reason}")
            continue
        data, report = tried, judged
        done.append(words)
    _checked(copied, data)
    return ChangedFile(
        report=report, changes=tuple(done), refused=tuple(refused), absent=tuple(absent)
    )


def _by_absolute_names(data: Data, file: str) -> Data:
    """The files that the cluster file names beside itself, so that a copy elsewhere finds them."""
    folder = Path(file).absolute().parent
    images = [group.get("image") or {} for group in data["compute"]["node_groups"]]
    named = [(data, "instance_types_file"), (data["budget"], "prices_file")]
    for place, key in [*named, *((image, "lock_file") for image in images)]:
        if place.get(key):
            place[key] = str(folder / place[key])
    return data


def _checked(file: Path, data: Data) -> CheckReport:
    file.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return check_files([str(file)])


def _grow(data: Data, config: ClusterConfig) -> str | None:
    group = data["compute"]["node_groups"][0]
    group["count"] = config.compute.node_groups[0].count + 1
    return f"{group['name']}: one node more"


def _other_image(data: Data, config: ClusterConfig) -> str | None:
    plan = image_of(config.compute.node_groups[0])
    if plan.ssm_parameter is None:
        return None
    for image in neuron_images():
        same_system = image.os == plan.operating_system and image.status == "current"
        if same_system and image.parameter_name != plan.ssm_parameter:
            group = data["compute"]["node_groups"][0]
            group["image"] = dict(group.get("image") or {}) | {
                "ssm_parameter": image.parameter_name
            }
            return f"{group['name']}: another image ({image.kind})"
    return None


def _subscriber(data: Data, config: ClusterConfig) -> str | None:
    if config.budget.emails:
        data["budget"]["emails"] = [*config.budget.emails, "rehearsal@example.com"]
        return "budget: another subscriber"
    return None


def _throughput(data: Data, config: ClusterConfig) -> str | None:
    for number, lustre in enumerate(config.storage.lustre_file_systems):
        given = data["storage"]["lustre_file_systems"][number]
        tier = tier_of(lustre)
        now = given.get("per_unit_storage_throughput")
        # FSx does not change the throughput of a file system that serves EFA.
        if tier is None or now is None or lustre.efa_enabled:
            continue
        more = [value for value in (tier.allowed_throughputs or ()) if value > now]
        if more:
            given["per_unit_storage_throughput"] = min(more)
            return f"{lustre.name}: {min(more)} MB/s per TiB instead of {now}"
    return None


_CHANGES: dict[str, Callable[[Data, ClusterConfig], str | None]] = {
    "nodes": _grow,
    "another published image of the same system": _other_image,
    "subscribers by e-mail": _subscriber,
    "a file system whose throughput may grow": _throughput,
}
