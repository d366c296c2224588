"""What a pipeline of images begins with, and where it records what it makes.

Sources:
    https://docs.aws.amazon.com/imagebuilder/latest/userguide/how-image-builder-works.html
    https://docs.aws.amazon.com/cdk/v2/guide/identifiers.html (unique ids)
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, root_device_name
from trnkit.layout.nodes import DEFAULT_IMAGE_PARAMETER, system_in_name

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig, NodeGroupConfig
    from trnkit.config.image_pipeline import ImagePipelineConfig

_PARAMETERS = "/imagebuilder/trnkit"
_TYPE = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
# A g right after the generation is Graviton's: m7g, c7gn, t4g; g5 is a GPU and x86.
_GRAVITON = re.compile(r"(?:[a-z]+[0-9]+g[a-z]*|a1)\..+")


@dataclass(frozen=True, slots=True)
class ImagePipelinePlan:
    """A pipeline.

    Attributes:
        parent: `ami-...`, or the name of a parameter.
        operating_system: As in the parameters' names, e.g. `ubuntu-24.04`.
        root_device_name: The image's name for its root device.
        parameter_name: The parameter that gets the id of each new image.
    """

    parent: str
    operating_system: str
    root_device_name: str
    parameter_name: str


def image_pipeline_plan(cluster: ClusterConfig) -> ImagePipelinePlan | None:
    """The pipeline that a cluster file asks for; None when it asks for none."""
    config = cluster.compute.image_pipeline
    if config is None:
        return None
    parent = config.parent_ami_id or config.parent_ssm_parameter or DEFAULT_IMAGE_PARAMETER
    system = config.operating_system or system_in_name(parent) or "ubuntu-24.04"
    return ImagePipelinePlan(
        parent,
        system,
        root_device_name(system) or "/dev/sda1",
        config.parameter_name or f"{_PARAMETERS}/{cluster.name}",
    )


def pipeline_name(cluster: ClusterConfig) -> str:
    """The name that pipeline, recipe and configurations of a cluster's image stack have.

    The CDK makes it of the construct's path, the same way at each synthesis.
    """
    path = (f"{cluster.name}-Images", "ImagePipeline")
    words = "-".join(re.sub(r"[^A-Za-z0-9]", "", part) for part in path)
    digest = hashlib.md5("/".join(path).encode(), usedforsecurity=False).hexdigest()
    return f"{words}-{digest[:8].upper()}"


def boots_its_image(group: NodeGroupConfig, plan: ImagePipelinePlan) -> bool:
    """Whether a group's nodes boot what a pipeline makes."""
    named = group.image.ssm_parameter if group.image and not group.image.ami_id else None
    return (named or "").partition(":")[0] == plan.parameter_name


def build_type_fault(instance_type: str) -> str | None:
    """Why a type cannot build Neuron images; None when it can, or nothing is known of it."""
    if _TYPE.fullmatch(instance_type) is None:
        return "must be a family and a size, as m7i.2xlarge"
    known = find_instance_type(instance_type)
    architecture = known.architecture if known is not None else None
    is_arm = architecture == "arm64" or _GRAVITON.fullmatch(instance_type) is not None
    return "must be of x86_64, as Neuron images are" if is_arm else None


def regions_of_references(config: ImagePipelineConfig) -> tuple[tuple[str, str], ...]:
    """Key of the section -> Region of the ARN there, which must be the cluster's."""
    named = [("kms_key_arn", config.kms_key_arn), ("topic_arn", config.topic_arn)]
    named += [("component_arns", arn) for arn in config.component_arns]
    return tuple((key, arn.split(":")[3]) for key, arn in named if arn)
