"""Neuron machine images: their public SSM parameters, users, root devices and root volumes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronImage:
    """One public SSM parameter that holds the id of a Neuron DLAMI.

    Attributes:
        parameter_name: The parameter, ending in `/latest/image_id`.
        kind: What is on the image, for example `multi-framework` or `base`.
        os: Operating system as the parameter spells it, for example `ubuntu-24.04`.
        architecture: CPU architecture.
        status: `current` gets new releases, `frozen` still resolves and gets none, `gone` is
            removed.
        minimum_root_volume_gib: Smallest root volume in GiB; None is unknown for this image, and
            `root_volume_guidance` has the general advice.
        note: What else to know; None when nothing.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
        instance_families: What the image runs on, for example `trn2`; None is unknown or all.
        neuron_sdk: The SDK release on it: that of a `frozen` one, and for a `current` one the
            oldest that it may be; None is unknown.
    """

    parameter_name: str
    kind: str
    os: str
    architecture: str
    status: Literal["current", "frozen", "gone"]
    minimum_root_volume_gib: int | None
    note: str | None
    source: tuple[str, ...]
    date: str
    instance_families: tuple[str, ...] | None = None
    neuron_sdk: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageKind:
    """One kind of image that accelerated nodes may boot, and who may use it.

    Attributes:
        name: Short name, for example `eks-neuron`.
        title: What it is.
        host: Service that publishes it under a parameter of its own; None for the others.
        parameter_pattern: The parameter, with `<name>` to be filled in; None when there is none.
        os: Operating system as `NeuronImage` has it; None when there are several.
        root_device_name: Its name for the root device; None: it depends on the system.
        root_volume_gib: Size of the snapshot in GiB; None is unknown.
        drivers: Accelerator drivers on it; None is unknown.
        has_efa: Whether EFA's driver and libraries are on it; None is unknown.
        used_by: Who can boot it: `ec2`, `eks`, `ecs`, `batch`, `pcs`, `hyperpod` or
            `parallelcluster`.
        user_data: What reads its user data: `cloud-init`, `nodeadm` (beside cloud-init) or `toml`
            (settings, no script); None: the image, or its service, decides.
        note: What else to know.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    title: str
    host: str | None
    parameter_pattern: str | None
    os: str | None
    root_device_name: str | None
    root_volume_gib: int | None
    drivers: tuple[str, ...] | None
    has_efa: bool | None
    used_by: tuple[str, ...]
    user_data: Literal["cloud-init", "nodeadm", "toml"] | None
    note: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostImageParameter:
    """The parameter of a service's own Neuron image.

    Attributes:
        host: `eks` or `ecs`.
        pattern: The parameter, with `<kubernetes_version>` to be filled in for EKS.
        os: Operating system, as in `NeuronImage`.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    host: str
    pattern: str
    os: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageParameterFamily:
    """Public SSM parameters of one shape, and what their images are.

    Attributes:
        host: Whose images: `neuron`, `eks`, `ecs`, `bottlerocket`, `pcs` or `ec2`.
        pattern: The parameters, with `<name>` for what varies.
        os: Operating system as `NeuronImage` has it; None when the parameter itself says it.
        drivers: Accelerator drivers on the image; None is unknown.
        architecture: CPU architecture; None when the parameter itself says it, or is unknown.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
        shape: The pattern as a regular expression, with a group for each `<name>`.
    """

    host: str
    pattern: str
    os: str | None
    drivers: tuple[str, ...] | None
    architecture: str | None
    source: tuple[str, ...]
    date: str
    shape: re.Pattern[str] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RootVolumeGuidance:
    """How large the root volume of a Neuron DLAMI should be.

    Attributes:
        minimum_gib: Smaller volumes than the snapshot, in GiB, were seen to be refused.
        recommended_gib: Leaves room for one set of packages and containers, in GiB.
        documented_gb_for_trn: What the Neuron set-up pages ask for on Trn instances, in GB.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    minimum_gib: int
    recommended_gib: int
    documented_gb_for_trn: int
    source: tuple[str, ...]
    date: str


@cache
def neuron_images() -> tuple[NeuronImage, ...]:
    """Return every Neuron DLAMI parameter in the catalogue, current ones first."""
    return tuple(NeuronImage(**entry) for entry in table("images")["images"])


def neuron_image(parameter_name: str) -> NeuronImage | None:
    """Return the image behind an SSM parameter.

    Args:
        parameter_name: The whole name, from `/aws/service/neuron` to `/latest/image_id`.

    Returns:
        The image, or None when the catalogue does not know the parameter, which newer SDK
        releases may well have.
    """
    found = (image for image in neuron_images() if image.parameter_name == parameter_name)
    return next(found, None)


def kind_and_os(parameter_name: str) -> tuple[str, str] | None:
    """Return what stands for `<kind>` and `<os>` in the parameter of a Neuron DLAMI.

    Args:
        parameter_name: The whole name, without a version.

    Returns:
        None for other parameters.
    """
    matched = _shape(neuron_image_parameter_pattern()).fullmatch(parameter_name)
    return (matched["kind"], matched["os"]) if matched else None


def neuron_image_parameter_pattern() -> str:
    """Return the shape of a Neuron DLAMI parameter, with `<kind>` and `<os>` to be filled in."""
    return table("images")["parameter_pattern"]


def operating_systems() -> tuple[str, ...]:
    """Return the operating systems that Neuron DLAMIs have or had, as parameters spell them."""
    return tuple(table("images")["operating_systems"])


def root_device_name(os: str) -> str | None:
    """Return the root device of an image, to which the root volume's size must be attached.

    Args:
        os: Operating system as the parameter spells it, for example `ubuntu-24.04`.

    Returns:
        `/dev/sda1` or `/dev/xvda`; None for an unknown operating system. A mapping for the wrong
        one adds a second disk and leaves the root small.
    """
    return _operating_system(os).get("root_device_name")


def default_user(os: str) -> str | None:
    """Return the login user of an image; None for an unknown operating system."""
    return _operating_system(os).get("default_user")


def root_volume_guidance() -> RootVolumeGuidance:
    """Return how large the root volume of a Neuron DLAMI should be."""
    return RootVolumeGuidance(**table("images")["root_volume"])


@cache
def host_image_parameters() -> tuple[HostImageParameter, ...]:
    """Return the parameters of the Neuron images that EKS and ECS publish themselves."""
    return tuple(
        HostImageParameter(
            host=kind.host,
            pattern=kind.parameter_pattern,
            os=kind.os,
            source=kind.source,
            date=kind.date,
        )
        for kind in image_kinds()
        if kind.host in ("eks", "ecs") and kind.parameter_pattern and kind.os
    )


@cache
def image_kinds() -> tuple[ImageKind, ...]:
    """Return the kinds of images that accelerated nodes may boot."""
    return tuple(ImageKind(**entry) for entry in table("images")["kinds"])


def find_image_kind(name: str) -> ImageKind | None:
    """Return the kind of a name, such as `ecs-neuron`; None when there is none."""
    return next((kind for kind in image_kinds() if kind.name == name), None)


def image_kind_of(parameter_name: str) -> ImageKind | None:
    """Return the kind of the image behind an SSM parameter; None when it is no known one."""
    found = (
        kind
        for kind in image_kinds()
        if kind.parameter_pattern and _shape(kind.parameter_pattern).fullmatch(parameter_name)
    )
    return next(found, None)


@cache
def image_parameter_families() -> tuple[ImageParameterFamily, ...]:
    """Return the shapes of public image parameters, the narrower ones first."""
    return tuple(
        ImageParameterFamily(shape=_shape(entry["pattern"]), **entry)
        for entry in table("images")["parameter_families"]
    )


@cache
def _shape(pattern: str) -> re.Pattern[str]:
    """`/a/<b>` as an expression whose group `b` is one segment."""
    return re.compile(re.sub("<([a-z_]+)>", r"(?P<\1>[^/]+)", re.escape(pattern)))


def _operating_system(os: str) -> dict[str, Any]:
    return table("images")["operating_systems"].get(os, {})
