"""TRN283: the image supports the nodes' family of instance types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, neuron_image
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import image_parameter, locked_image
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.config import ClusterConfig, NodeGroupConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known, told = find_instance_type(group.instance_type), _told(group)
        if known is None or told is None:
            continue
        what, families, evidence = told
        if not _names(known) & {family.lower() for family in families}:
            place = (*path, "image")
            yield Violation(
                message=f"{format_path(place)} is {what}, which supports "
                f"{alternatives(families, 'and')}, not {known.family}",
                hint=f"name the parameter of an image that supports {known.family}",
                path=place,
                evidence=evidence,
            )


def _told(group: NodeGroupConfig) -> tuple[str, tuple[str, ...], str] | None:
    """The image, the families that it supports, and who says so; None when nobody does."""
    locked, parameter = locked_image(group), image_parameter(group)
    if locked is not None and locked.instance_families:
        return locked.ami_id, locked.instance_families, f"the image's description, {locked.ami_id}"
    image = neuron_image(parameter) if parameter else None
    if image is not None and image.instance_families:
        return image.parameter_name, image.instance_families, f"catalogue ({image.date})"
    return None


def _names(known: InstanceType) -> set[str]:
    """How an image may call a family: trn2u is trn2, put together to UltraServers."""
    return {known.family, known.family.removesuffix("u") if known.ultraserver else known.family}


RULE = ConfigRule(
    id="TRN283",
    title="the image supports the nodes' family of instance types",
    severity=Severity.WARNING,
    why="Some Neuron images hold a framework that runs on newer chips only; on others jobs fail "
    "when they load it.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/environments/dlami.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/neuron/dlami/pytorch-inference-vllm-0.24.0.1.1.0/"
    "ubuntu-24.04/latest/image_id}}]}\n",
    check=_check,
)
