"""Public parameters of machine images: the shape they have, and what is wrong with a name."""

from __future__ import annotations

import re

from trnkit.catalog import (
    host_image_parameters,
    neuron_image_parameter_pattern,
    neuron_images,
    operating_systems,
)
from trnkit.catalog.images import kind_and_os
from trnkit.catalog.neuron_sdk import retired_image
from trnkit.layout.lustre_judgement import Objection
from trnkit.layout.nodes import DEFAULT_IMAGE_PARAMETER

NEURON_PREFIX = "/aws/service/neuron/"
EKS_PREFIX = "/aws/service/eks/optimized-ami/"
ECS_PREFIX = "/aws/service/ecs/optimized-ami/"
_BOTTLEROCKET_PREFIX = "/aws/service/bottlerocket/"
_IMAGE_ID = "image_id"
_NEURON_SHAPE = re.compile(
    r"/aws/service/neuron/dlami/[a-z0-9._-]+/(?P<os>[a-z0-9._-]+)/latest/image_id"
)
_AN_OS = re.compile(r"(ubuntu|amazon-linux|rocky|rhel|debian)-[0-9.]+")
_KUBERNETES = re.compile(r"1\.[0-9]{2}")
_AL2_VARIANTS = ("amazon-linux-2", "amazon-linux-2-gpu", "amazon-linux-2-arm64")


def nearest_neuron_parameter(name: str) -> str:
    """The nearest parameter that the catalogue knows to be current, else the default one."""
    words = [word for word in re.split("/+", name) if word]
    systems = [system for system in operating_systems() if system in words]
    current = [image for image in neuron_images() if image.status == "current"]
    kinds = [image for image in current if image.kind in words]
    fitting = [image for image in kinds if image.os in systems] or kinds
    return fitting[0].parameter_name if fitting else DEFAULT_IMAGE_PARAMETER


def judge_retired(name: str) -> Objection | None:
    """Why a Neuron DLAMI that the catalogue does not list gets no releases; None: it may get some.

    Args:
        name: The parameter, with or without a version.
    """
    named = kind_and_os(name.partition(":")[0])
    retired = retired_image(*named) if named else None
    if named is None or retired is None:
        return None
    right = nearest_neuron_parameter(name.replace(named[1], retired.instead))
    return Objection(
        f"is {name}, which has no image newer than Neuron SDK {retired.last_sdk}, if any: "
        f"{retired.note}",
        f"write {right}",
        f"catalogue, retired images ({retired.date})",
    )


def misnamed(name: str) -> tuple[str, str] | None:
    """What is wrong with a parameter's name, and the name to write.

    Args:
        name: The whole name, without a version, all of it known.

    Returns:
        None when nothing is, or when it is not among the parameters that are known here.
    """
    if name.startswith((NEURON_PREFIX, NEURON_PREFIX.removeprefix("/aws"))):
        matched = _NEURON_SHAPE.fullmatch(name)
        if matched and (_AN_OS.fullmatch(matched["os"]) or matched["os"] in operating_systems()):
            return None
        shape = f"the parameters have the shape {neuron_image_parameter_pattern()}"
        return shape, nearest_neuron_parameter(name)
    if name.startswith(EKS_PREFIX):
        return _misnamed_eks(name)
    if name.startswith((ECS_PREFIX, _BOTTLEROCKET_PREFIX)):
        return _misnamed_other(name)
    return None


def misnamed_end(end: str, begin: str) -> str | None:
    """What is wrong with the known end of a name whose middle is not known; None when nothing.

    Args:
        end: What follows the last part that is not known.
        begin: What comes before the first one.
    """
    ours = begin.startswith((NEURON_PREFIX, EKS_PREFIX, ECS_PREFIX, _BOTTLEROCKET_PREFIX))
    last = end.rpartition("/")[2]
    if not ours or "/" not in end or last == _IMAGE_ID:
        return None
    return f"ends in {last}; the id of the image is at .../{_IMAGE_ID}"


def _misnamed_eks(name: str) -> tuple[str, str] | None:
    version, *rest = name.removeprefix(EKS_PREFIX).split("/")
    pattern = _pattern_of("eks")
    if not _KUBERNETES.fullmatch(version):
        return f"{version} is no version of Kubernetes", pattern
    right = pattern.replace("<kubernetes_version>", version)
    if rest[-1:] != [_IMAGE_ID]:
        return f"it ends in {rest[-1] if rest else version}, not in {_IMAGE_ID}", right
    system, *variant = rest
    if system == "amazon-linux-2023" and (
        len(variant) != 4
        or variant[0] not in ("x86_64", "arm64")
        or variant[:2] == ["arm64", "neuron"]
    ):
        return "the images of Amazon Linux 2023 have an architecture and a variant", right
    if system.startswith("amazon-linux-2-") and system not in _AL2_VARIANTS:
        return f"there is no {system}", right
    return None


def _misnamed_other(name: str) -> tuple[str, str] | None:
    last = name.rpartition("/")[2]
    right = _pattern_of("ecs")
    if name.startswith(ECS_PREFIX) and "neuron" in name and name != right:
        words = name.split("/")
        if last != _IMAGE_ID or "recommended" in words:
            return f"the parameter is {right}", right
        return None
    if last == _IMAGE_ID:
        return None
    whole = f"{name}/{_IMAGE_ID}" if last in ("recommended", "latest") else None
    return f"it ends in {last}, not in {_IMAGE_ID}", whole or f"{name.rpartition('/')[0]}/image_id"


def _pattern_of(host: str) -> str:
    return next(found.pattern for found in host_image_parameters() if found.host == host)
