"""Releases of the Neuron SDK: what belongs together, and what each generation runs on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SDK_OF_TAG = re.compile(r"-sdk(?P<sdk>[0-9]+\.[0-9]+\.[0-9]+)(?:[^0-9.]|$)")
_LONGEST = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronRelease:
    """One release of the SDK.

    Attributes:
        version: For example `2.32.0`.
        released: The day.
        driver: Version of `aws-neuronx-dkms`; None is unknown.
        runtime: Version of `aws-neuronx-runtime-lib`; None is unknown.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    version: str
    released: str
    driver: str | None
    runtime: str | None
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronSkew:
    """Which driver and which runtime do not work together.

    Attributes:
        driver: A driver, as `2.29`.
        runtime: A runtime, as `2.33`.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    driver: str
    runtime: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NeuronFramework:
    """A framework that runs on some families only.

    Attributes:
        name: Short name.
        title: How a message calls it.
        instance_families: What it runs on.
        image_kind: Expression that the `<kind>` of a DLAMI parameter fits when it holds it.
        image_name: Expression that is found in the name of an image that holds it.
        container: Expression that the end of a container image fits when it holds it.
        instead: Family -> kind of the image that has something for it.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    title: str
    instance_families: tuple[str, ...]
    image_kind: re.Pattern[str] = field(repr=False)
    image_name: re.Pattern[str] = field(repr=False)
    container: re.Pattern[str] = field(repr=False)
    instead: Mapping[str, str]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class XlaTraining:
    """What trains on the first Trainium, and which images ceased to hold it.

    Attributes:
        framework: How a message calls it.
        instance_families: The families that have nothing newer.
        image_kind: Kind of the image that holds it.
        left_kind: Kind of image that held it once.
        left_in: The release since which that one does not.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    framework: str
    instance_families: tuple[str, ...]
    image_kind: str
    left_kind: str
    left_in: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetiredImage:
    """Neuron DLAMIs that get no new releases.

    Attributes:
        os: Their operating system.
        kind: Expression for their kinds.
        last_sdk: The last release that there was, or can have been, one with.
        note: Why.
        instead: The operating system to take.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    os: str
    kind: re.Pattern[str] = field(repr=False)
    last_sdk: str
    note: str
    instead: str
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDriver:
    """The driver on a service's own Neuron images since a release of them.

    Attributes:
        host: `eks`.
        release: The release of the images, as a date: `20260714`.
        driver: Version of the driver.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    host: str
    release: str
    driver: str
    source: tuple[str, ...]
    date: str


@cache
def neuron_releases() -> tuple[NeuronRelease, ...]:
    """Return every release in the catalogue, the oldest first."""
    return tuple(
        NeuronRelease(**entry | {"disagreements": disagreements_from(entry["disagreements"])})
        for entry in table("neuron_sdk")["releases"]
    )


def find_neuron_release(version: str) -> NeuronRelease | None:
    """Return a release; None when the catalogue does not have it."""
    return next((found for found in neuron_releases() if found.version == version), None)


def version_key(version: str) -> tuple[int, ...]:
    """Return what versions of digits and dots are compared by.

    Args:
        version: For example `2.31.7.0`.

    Raises:
        ValueError: It is not of digits and dots.
    """
    return tuple(int(part) for part in version.split("."))


def driver_at_least(sdk: str) -> str | None:
    """Return a driver that images of a release have, or a newer one; None when not known."""
    older = (found for found in reversed(neuron_releases()) if _is_up_to(found.version, sdk))
    return next((found.driver for found in older if found.driver), None)


def driver_at_most(sdk: str) -> str | None:
    """Return a driver that images of a release have, or an older one; None when not known."""
    newer = (found for found in neuron_releases() if _is_up_to(sdk, found.version))
    return next((found.driver for found in newer if found.driver), None)


def runtime_at_most(sdk: str) -> str | None:
    """Return a runtime that a release has, or an older one; None when not known."""
    newer = (found for found in neuron_releases() if _is_up_to(sdk, found.version))
    return next((found.runtime for found in newer if found.runtime), None)


@cache
def driver_needs_runtime() -> tuple[NeuronSkew, ...]:
    """Return which drivers need at least which runtime."""
    return tuple(NeuronSkew(**entry) for entry in table("neuron_sdk")["driver_needs_runtime"])


@cache
def runtime_needs_driver() -> tuple[NeuronSkew, ...]:
    """Return which runtimes, each as `2.32` and its patches alone, need at least which driver."""
    return tuple(NeuronSkew(**entry) for entry in table("neuron_sdk")["runtime_needs_driver"])


@cache
def neuron_frameworks() -> tuple[NeuronFramework, ...]:
    """Return the frameworks that run on some families only."""
    return tuple(_framework(entry) for entry in table("neuron_sdk")["frameworks"])


def xla_training() -> XlaTraining:
    """Return what trains on the first Trainium."""
    return XlaTraining(**table("neuron_sdk")["xla_training"])


def retired_image(kind: str, os: str) -> RetiredImage | None:
    """Return why Neuron DLAMIs of a kind and operating system get no releases; None: they may."""
    found = (entry for entry in _retired() if entry.os == os and entry.kind.fullmatch(kind))
    return next(found, None)


@cache
def image_drivers() -> tuple[ImageDriver, ...]:
    """Return drivers on the Neuron images of services, the oldest first."""
    return tuple(ImageDriver(**entry) for entry in table("neuron_sdk")["image_drivers"])


def container_sdk(image: str) -> str | None:
    """Return the SDK release that a container image's tag names.

    Args:
        image: For example `public.ecr.aws/neuron/jax-training-neuronx:...-sdk2.32.0-ubuntu24.04`.

    Returns:
        `2.32.0`; None when it is no image of Neuron's, or its tag names none.
    """
    repository, _, tag = image[:_LONGEST].rpartition(":")
    found = _SDK_OF_TAG.search(tag) if "neuron" in repository.rpartition("/")[2] else None
    return found["sdk"] if found else None


def framework_of_container(image: str) -> NeuronFramework | None:
    """Return the framework of a container image that runs on some families only."""
    end = image[:_LONGEST].rpartition("/")[2]
    found = (entry for entry in neuron_frameworks() if entry.container.fullmatch(end))
    return next(found, None)


def framework_of_image(*, kind: str | None, name: str | None = None) -> NeuronFramework | None:
    """Return the framework of a Neuron DLAMI that runs on some families only.

    Args:
        kind: The `<kind>` of its parameter, when it has one.
        name: The name of the image, when that is known.
    """
    for entry in neuron_frameworks():
        if kind is not None and entry.image_kind.fullmatch(kind):
            return entry
        if name is not None and entry.image_name.search(name[:_LONGEST]):
            return entry
    return None


def _is_up_to(version: str, other: str) -> bool:
    return version_key(version) <= version_key(other)


def _framework(entry: dict[str, Any]) -> NeuronFramework:
    shapes: dict[str, Any] = {
        key: re.compile(entry[key]) for key in ("image_kind", "image_name", "container")
    }
    return NeuronFramework(**{**entry, **shapes})


@cache
def _retired() -> tuple[RetiredImage, ...]:
    return tuple(_retired_entries())


def _retired_entries() -> Iterator[RetiredImage]:
    for entry in table("neuron_sdk")["retired_images"]:
        known: dict[str, Any] = {**entry, "kind": re.compile(entry["kind"])}
        yield RetiredImage(**known)
