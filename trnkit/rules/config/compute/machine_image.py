"""TRN204: exactly one machine image, and one that exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import (
    find_region,
    neuron_image,
    neuron_image_parameter_pattern,
    neuron_image_parameters_available,
    neuron_images,
)
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import DEFAULT_IMAGE_PARAMETER
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.image_parameters import (
    judge_retired,
    misnamed,
    nearest_neuron_parameter,
)
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig
    from trnkit.config.yaml_reader import Path

_PREFIX = "/aws/service/neuron/"
_SHAPE = re.compile(
    r"/aws/service/neuron/dlami/[a-z0-9._-]+/[a-z0-9._-]+/latest/image_id(:[0-9]+)?"
)


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        image, place = group.image, (*path, "image")
        parameter = image.ssm_parameter if image else None
        if image and image.ami_id and parameter:
            yield Violation(
                message=f"{format_path(place)} has both ami_id and ssm_parameter",
                hint="keep one of them",
                path=place,
                severity=Severity.ERROR,
            )
        elif image and image.ami_id:
            continue
        elif missing := _without_parameters(cluster, place, parameter):
            yield missing
        elif parameter is None and image and image.lock_file:
            continue
        elif parameter is None:
            yield Violation(
                message=f"{format_path(place)} names no image, so each node takes the "
                "newest Neuron base image of the day it starts",
                hint="write `ami_id:` or `lock_file:`, or, if that is meant, "
                f"`ssm_parameter: {DEFAULT_IMAGE_PARAMETER}`",
                path=place,
            )
        else:
            yield from _judge_parameter(parameter, (*place, "ssm_parameter"))


def _without_parameters(
    cluster: ClusterConfig, path: Path, parameter: str | None
) -> Violation | None:
    if not (parameter or DEFAULT_IMAGE_PARAMETER).startswith(_PREFIX):
        return None
    region = find_region(cluster.region)
    if region is None or neuron_image_parameters_available(cluster.region) is not False:
        return None
    return Violation(
        message=f"{format_path(path)} needs an ami_id: {cluster.region} has no "
        f"{_PREFIX} parameters",
        hint="find the image with `aws ec2 describe-images`, and write `ami_id:`",
        path=path,
        severity=Severity.ERROR,
        evidence=f"catalogue, {region.name}: no Neuron image parameters ({region.date})",
    )


def _judge_parameter(parameter: str, path: Path) -> Iterator[Violation]:
    found = _wrong_name(parameter)
    if found is not None:
        fault, right = found
        yield Violation(
            message=f"{format_path(path)} is {parameter}; {fault}",
            hint=f"write {right}",
            path=path,
            severity=Severity.ERROR,
            evidence=f"catalogue, {len(neuron_images())} Neuron image parameters",
        )
        return
    image = neuron_image(parameter)
    if image is not None and image.status != "current":
        gone = image.status == "gone"
        state = "is gone" if gone else "still exists and gets no newer images"
        note = f" ({image.note})" if image.note else ""
        yield Violation(
            message=f"{format_path(path)} is {parameter}, which {state}{note}",
            hint=f"write {nearest_neuron_parameter(parameter)}" if gone else None,
            path=path,
            severity=Severity.WARNING if gone else Severity.INFO,
            evidence=f"catalogue, status {image.status} ({image.date})",
        )
    elif image is None and (retired := judge_retired(parameter)):
        yield at_path(path, retired, Severity.WARNING)


def _wrong_name(parameter: str) -> tuple[str, str] | None:
    """What is wrong with a public parameter's name, and the right one."""
    name = parameter.partition(":")[0]
    if not name.startswith((_PREFIX, "/service/neuron/")):
        return misnamed(name)
    if _SHAPE.fullmatch(parameter) is not None:
        # An operating system of no known shape is newer than the catalogue, or a slip.
        return misnamed(name)
    fault = f"the parameters have the shape {neuron_image_parameter_pattern()}"
    return fault, nearest_neuron_parameter(name)


RULE = ConfigRule(
    id="TRN204",
    title="each node group names one image that exists",
    severity=Severity.WARNING,
    why="Without a fixed image, nodes of one job can run different Neuron SDKs; a parameter that "
    "does not exist is noticed only when a node starts.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/environments/dlami.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ami_id: ami-0123456789abcdef0}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/neuron/dlami/pytorch-2.5/latest/ami-id}}]}\n",
    check=_check,
)
