"""TRN227: an image pipeline begins with one Neuron image, and has room for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import image_parameter_families, root_volume_guidance
from trnkit.catalog.images import image_kind_of
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.image_pipeline import image_pipeline_plan
from trnkit.rules.judging.image_parameters import NEURON_PREFIX, judge_retired, misnamed
from trnkit.rules.judging.objections import at_path
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACE = ("compute", "image_pipeline")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    plan, pipeline = image_pipeline_plan(cluster), cluster.compute.image_pipeline
    if plan is None or pipeline is None:
        return
    if pipeline.parent_ami_id and pipeline.parent_ssm_parameter:
        yield Violation(
            message=f"{format_path(_PLACE)} has both parent_ami_id and parent_ssm_parameter",
            hint="keep one of them",
            path=_PLACE,
        )
        return
    if pipeline.parent_ami_id:
        return
    name = plan.parent.partition(":")[0]
    if name == plan.parameter_name:
        place = (*_PLACE, "parent_ssm_parameter")
        yield Violation(
            message=f"{format_path(place)} is {plan.parent}, which the pipeline itself writes: the "
            "first build has nothing to begin with, later ones pile up on each other",
            hint="begin with the parameter of a Neuron image",
            path=place,
        )
        return
    yield from _judge_name(plan.parent, name)
    smallest, size = _smallest(name), pipeline.root_volume_size_gib
    place = (*_PLACE, "root_volume_size_gib")
    if smallest is not None and size < smallest:
        yield Violation(
            message=f"{format_path(place)} is {size} GiB; images of that kind need {smallest} GiB",
            hint=f"write {root_volume_guidance().recommended_gib} or more",
            path=place,
            evidence=f"catalogue, root volumes of Neuron images ({root_volume_guidance().date})",
        )


def _judge_name(shown: str, name: str) -> Iterator[Violation]:
    place = (*_PLACE, "parent_ssm_parameter")
    wrong = misnamed(name)
    if wrong is not None:
        fault, right = wrong
        yield Violation(
            message=f"{format_path(place)} is {shown}; {fault}", hint=f"write {right}", path=place
        )
        return
    retired = judge_retired(name)
    if retired is not None:
        yield at_path(place, retired, Severity.WARNING)
    kind = image_kind_of(name)
    families = (entry for entry in image_parameter_families() if entry.shape.fullmatch(name))
    family = next(families, None)
    if kind is not None and kind.user_data == "toml":
        what = "which has no shell that components could run in"
        severity = None
    elif family is not None and family.drivers is not None and "neuron" not in family.drivers:
        what, severity = "an image without the Neuron driver, which no component installs", None
    else:
        return
    yield Violation(
        message=f"{format_path(place)} is {shown}, {what}",
        hint="begin with the parameter of a Neuron image",
        path=place,
        severity=severity,
    )


def _smallest(name: str) -> int | None:
    if name.startswith(NEURON_PREFIX):
        return root_volume_guidance().minimum_gib
    kind = image_kind_of(name)
    return kind.root_volume_gib if kind else None


_FILE = (
    "compute: {image_pipeline: {parent_ssm_parameter: %s}, node_groups: [{name: train, "
    "instance_type: trn2.48xlarge, count: 1}]}\n"
)

RULE = ConfigRule(
    id="TRN227",
    title="an image pipeline begins with one Neuron image, and has room for it",
    severity=Severity.ERROR,
    why="What the base lacks, the pipeline does not add: without the Neuron driver its test phase "
    "fails after an hour, and with a root volume below the snapshot it does not begin.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/APIReference/API_CreateImageRecipe.html",
    good=_FILE % "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id",
    bad=_FILE % "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id",
    check=_check,
)
