"""Neuron's driver on a host against the runtime in a container: releases of two SDKs that meet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import neuron_image
from trnkit.catalog.images import image_kind_of
from trnkit.catalog.neuron_sdk import (
    container_sdk,
    driver_at_least,
    driver_at_most,
    driver_needs_runtime,
    find_neuron_release,
    image_drivers,
    neuron_releases,
    runtime_at_most,
    runtime_needs_driver,
    version_key,
)
from trnkit.layout.lustre_judgement import Objection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog.neuron_sdk import NeuronSkew

_DAY = re.compile(r"[-@]v(20[0-9]{6})(?![0-9])")


@dataclass(frozen=True, slots=True)
class HostDriver:
    """What is known about the driver of nodes.

    Attributes:
        least: It is this or a newer one; None when not known.
        most: It is this or an older one; None when not known.
        image: What they boot, for a message.
    """

    least: str | None
    most: str | None
    image: str


def driver_of_parameter(name: str, *, is_pinned: bool) -> HostDriver | None:
    """The driver of an image behind a public parameter.

    Args:
        name: The parameter, without a version.
        is_pinned: Whether a version of it is named, which may hold any older image.

    Returns:
        None when nothing is known.
    """
    if is_pinned:
        return None
    known = neuron_image(name)
    if known is not None:
        sdk = known.neuron_sdk
        if sdk is None or known.status == "gone":
            return None
        most = driver_at_most(sdk) if known.status == "frozen" else None
        return HostDriver(driver_at_least(sdk), most, f"{known.kind}/{known.os}")
    kind = image_kind_of(name)
    return newest_eks_driver() if kind is not None and kind.name == "eks-neuron" else None


def newest_eks_driver() -> HostDriver:
    """The driver on EKS's newest image for Neuron."""
    newest = image_drivers()[-1]
    return HostDriver(newest.driver, None, "the newest EKS image for Neuron")


def driver_of_eks_release(day: str) -> HostDriver | None:
    """The driver on EKS's image for Neuron of a release; None when not known.

    Args:
        day: The release, as `20260714`.
    """
    older = [entry for entry in image_drivers() if entry.release <= day]
    return HostDriver(older[-1].driver, None, f"the EKS image of {day}") if older else None


def driver_of_image_name(name: str) -> HostDriver | None:
    """The driver of an image by an alias or name as Karpenter has them; None when not known."""
    if name == "al2023@latest":
        return newest_eks_driver()
    is_eks = name.startswith(("al2023@", "amazon-eks-node-al2023-x86_64-neuron-"))
    found = _DAY.search(name[:200]) if is_eks else None
    if found is not None:
        return driver_of_eks_release(found[1])
    return driver_of_parameter(name, is_pinned=False) if name.startswith("/aws/service/") else None


def judge_skew(image: str, hosts: Sequence[HostDriver | None]) -> Objection | None:
    """Judge a container image on hosts.

    Args:
        image: The image, with its tag.
        hosts: Everything that it may run on.

    Returns:
        What is wrong on each of them; None when nothing is, or anything is not known.
    """
    sdk = container_sdk(image)
    known = [host for host in hosts if host is not None]
    if sdk is None or not known or len(known) != len(hosts):
        return None
    for skew in driver_needs_runtime():
        if _too_old_for(sdk, skew) and all(_is_from(host, skew.driver) for host in known):
            return _old_runtime(sdk, skew, known[0])
    for skew in runtime_needs_driver():
        if _has_runtime(sdk, skew) and all(_is_before(host, skew.driver) for host in known):
            return _old_driver(sdk, skew, known[0])
    return None


def _too_old_for(sdk: str, skew: NeuronSkew) -> bool:
    runtime = runtime_at_most(sdk)
    return runtime is not None and version_key(runtime) < version_key(skew.runtime)


def _has_runtime(sdk: str, skew: NeuronSkew) -> bool:
    release = find_neuron_release(sdk)
    wanted = version_key(skew.runtime)
    if release is None or release.runtime is None:
        return False
    return version_key(release.runtime)[: len(wanted)] == wanted


def _is_from(host: HostDriver, driver: str) -> bool:
    return host.least is not None and version_key(host.least) >= version_key(driver)


def _is_before(host: HostDriver, driver: str) -> bool:
    return host.most is not None and version_key(host.most) < version_key(driver)


def _old_runtime(sdk: str, skew: NeuronSkew, host: HostDriver) -> Objection:
    first = next(
        release.version
        for release in neuron_releases()
        if release.runtime and version_key(release.runtime) >= version_key(skew.runtime)
    )
    return Objection(
        f"has Neuron SDK {sdk}, whose runtime is older than {skew.runtime}, on nodes of "
        f"{host.image}, whose driver is {_short(host.least)} or newer: from {skew.driver} the "
        f"driver needs runtime {skew.runtime} or newer",
        f"take a container of SDK {first} or newer, or pin the nodes to an image of an older SDK",
        f"catalogue, releases of the Neuron SDK ({skew.date})",
    )


def _old_driver(sdk: str, skew: NeuronSkew, host: HostDriver) -> Objection:
    return Objection(
        f"has Neuron SDK {sdk} with runtime {skew.runtime}, on nodes of {host.image}, whose driver "
        f"is {_short(host.most)} or older: runtime {skew.runtime} needs driver {skew.driver} or "
        "newer",
        "take a newer image for the nodes",
        f"catalogue, releases of the Neuron SDK ({skew.date})",
    )


def _short(version: str | None) -> str:
    return ".".join((version or "").split(".")[:2])
