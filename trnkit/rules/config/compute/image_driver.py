"""TRN208: the image behind a parameter has the Neuron driver, and runs the boot script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import image_parameter_families
from trnkit.catalog.images import image_kind_of
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import DEFAULT_IMAGE_PARAMETER, image_parameter
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        parameter = (image_parameter(group) or "").partition(":")[0]
        fault = _fault(parameter) if parameter else None
        if fault is not None:
            what, severity = fault
            place = (*path, "image", "ssm_parameter")
            yield Violation(
                message=f"{format_path(place)} is {parameter}, {what}",
                hint=f"write {DEFAULT_IMAGE_PARAMETER}, or the parameter of an image made from it",
                path=place,
                severity=severity,
            )


def _fault(parameter: str) -> tuple[str, Severity] | None:
    kind = image_kind_of(parameter)
    if kind is not None and kind.user_data == "toml":
        what = "which takes settings and runs no boot script: nothing is mounted, nothing set up"
        return what, Severity.ERROR
    families = (entry for entry in image_parameter_families() if entry.shape.fullmatch(parameter))
    family = next(families, None)
    if family is None or family.drivers is None or "neuron" in family.drivers:
        return None
    if family.drivers:
        return "an image for GPUs, without the Neuron driver", Severity.WARNING
    return "an image without the Neuron driver", Severity.WARNING


RULE = ConfigRule(
    id="TRN208",
    title="the image behind a parameter has the Neuron driver",
    severity=Severity.WARNING,
    why="Nodes from an image for other accelerators, or for none, start and find no Neuron device; "
    "jobs on them fail, or compute nothing.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ami_custom.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id}}]}\n",
    check=_check,
)
