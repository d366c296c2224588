"""TRN283: the image supports the nodes' family of instance types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, neuron_image, neuron_images
from trnkit.catalog.images import kind_and_os
from trnkit.catalog.neuron_sdk import framework_of_image, version_key, xla_training
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import image_parameter, locked_image
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.neuron_frameworks import instead_of
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.catalog.neuron_sdk import NeuronFramework
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.yaml_reader import Path


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known, told, place = find_instance_type(group.instance_type), _told(group), (*path, "image")
        if known is None:
            continue
        if told is None:
            yield from _without_training(place, group, known)
        elif not _names(known) & {family.lower() for family in told.families}:
            yield Violation(
                message=f"{format_path(place)} is {told.image}, which {told.what} "
                f"{alternatives(told.families, 'and')}, not {known.family}",
                hint=told.hint(known.family),
                path=place,
                evidence=told.evidence,
            )


@dataclass(frozen=True, slots=True)
class _Told:
    """What an image supports, and who says so."""

    image: str
    what: str
    families: tuple[str, ...]
    evidence: str
    framework: NeuronFramework | None = None

    def hint(self, family: str) -> str:
        better = instead_of(self.framework, family) if self.framework else None
        return better or f"name the parameter of an image that supports {family}"


def _told(group: NodeGroupConfig) -> _Told | None:
    """What is said of the image; None when nobody says anything."""
    locked, parameter = locked_image(group), image_parameter(group)
    if locked is not None and locked.instance_families:
        evidence = f"the image's description, {locked.ami_id}"
        return _Told(locked.ami_id, "supports", locked.instance_families, evidence)
    image = neuron_image(parameter) if parameter else None
    if image is not None and image.instance_families:
        evidence = f"catalogue ({image.date})"
        return _Told(image.parameter_name, "supports", image.instance_families, evidence)
    named = kind_and_os(_bare(parameter))
    name = locked.name if locked else None
    framework = framework_of_image(kind=named[0] if named else None, name=name)
    if framework is None:
        return None
    what = f"has {framework.title}, for"
    evidence = f"catalogue, frameworks of Neuron ({framework.date})"
    shown = locked.ami_id if locked else parameter or ""
    return _Told(shown, what, framework.instance_families, evidence, framework)


def _without_training(
    place: Path, group: NodeGroupConfig, known: InstanceType
) -> Iterator[Violation]:
    """The first Trainium trains with a generation that newer images of all frameworks lack."""
    training, locked = xla_training(), locked_image(group)
    named = kind_and_os(_bare(image_parameter(group)))
    if known.family not in training.instance_families or named is None:
        return
    sdk = locked.neuron_sdk if locked else None
    is_older = sdk is not None and version_key(sdk) < version_key(training.left_in)
    if named[0] != training.left_kind or is_older or (locked is not None and sdk is None):
        return
    parameter = _named_parameter(training.image_kind)
    yield Violation(
        message=f"{format_path(place)} is {image_parameter(group)}, which since Neuron SDK "
        f"{training.left_in} is without {training.framework}",
        hint=f"to train with PyTorch, write ssm_parameter: {parameter}" if parameter else None,
        path=place,
        severity=Severity.INFO,
        evidence=f"catalogue, frameworks of Neuron ({training.date})",
    )


def _named_parameter(kind: str) -> str | None:
    """The parameter of a Neuron DLAMI of a kind; None when the catalogue has none."""
    found = (image.parameter_name for image in neuron_images() if image.kind == kind)
    return next(found, None)


def _bare(parameter: str | None) -> str:
    return (parameter or "").partition(":")[0]


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
