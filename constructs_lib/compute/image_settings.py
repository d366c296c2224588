"""What an image is baked from, how, and where it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from constructs_lib.arguments import (
    entries,
    flag,
    is_text,
    is_unresolved,
    text,
    text_list,
    whole_number,
)
from trnkit.catalog import gp3_limits
from trnkit.config.image_pipeline import ImageParameterName, ScheduleExpression
from trnkit.config.values import AmiId, DeviceName, KmsKeyArn, RegionName, SsmParameter, TopicArn
from trnkit.errors import ConstructError
from trnkit.layout.image_pipeline import build_type_fault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aws_cdk import aws_s3 as s3

DEFAULT_BUILD_TYPE = "m7i.2xlarge"
_MOST_KEPT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceImage:
    """What an image is made from, and the root volume that it gets.

    Sources:
        https://docs.aws.amazon.com/imagebuilder/latest/APIReference/API_CreateImageRecipe.html
        https://docs.aws.amazon.com/ebs/latest/userguide/how-ebs-encryption-works.html

    Attributes:
        image: `ami-...`, or the name of an SSM parameter, which is looked up at each build.
        root_device_name: The image's own name for its root device: `/dev/sda1` on Ubuntu,
            `/dev/xvda` on Amazon Linux.
        root_volume_size_gib: Not smaller than the image's snapshot. The nodes' root volumes must
            not be smaller than this.
        kms_key_arn: Key of one's own for the root volume and the new image; its policy must let
            the service-linked role of Image Builder use it. None takes the account's EBS key.
    """

    image: str
    root_device_name: str = "/dev/sda1"
    root_volume_size_gib: int = 200
    kms_key_arn: str | None = None

    def __post_init__(self) -> None:
        """Refuse what Image Builder refuses.

        Raises:
            ConstructError: An image, a device or a key of no known form, or a size out of bounds.
        """
        text("root_device_name", self.root_device_name, DeviceName)
        text("kms_key_arn", self.kms_key_arn, KmsKeyArn, optional=True)
        whole_number(
            "root_volume_size_gib",
            self.root_volume_size_gib,
            least=8,
            most=gp3_limits().maximum_size_gib,
        )
        if is_unresolved(self.image):
            return
        is_ami = is_text(self.image) and self.image.startswith("ami-")
        text("image", self.image, AmiId if is_ami else SsmParameter)

    @property
    def parent_image(self) -> str:
        """As a recipe names it."""
        known = not is_unresolved(self.image)
        return f"ssm:{self.image}" if known and not self.image.startswith("ami-") else self.image


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageBuild:
    """How images are built and tested.

    Sources:
        https://docs.aws.amazon.com/imagebuilder/latest/userguide/manage-infra-config.html
        https://docs.aws.amazon.com/imagebuilder/latest/userguide/cron-expressions.html

    Attributes:
        instance_type: An x86_64 type. It needs no accelerator: the Neuron driver is compiled and
            looked for, and used only where there is a device.
        schedule: When to build by itself, `cron(...)` or `rate(...)`, if base image or components
            have changed; None only when asked.
        image_scanning: Whether Amazon Inspector looks at the test instance. The account must have
            switched Inspector on for EC2.
        topic_arn: Topic that is told of each build. With a key of one's own, the key must let the
            service-linked role of Image Builder use it.
        log_bucket: Bucket for the logs, beside CloudWatch Logs.
    """

    instance_type: str = DEFAULT_BUILD_TYPE
    schedule: str | None = None
    image_scanning: bool = False
    topic_arn: str | None = None
    log_bucket: s3.IBucket | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot build a Neuron image.

        Raises:
            ConstructError: A type for Arm, or a value of another form.
        """
        flag("image_scanning", self.image_scanning)
        text("topic_arn", self.topic_arn, TopicArn, optional=True)
        text("schedule", self.schedule, ScheduleExpression, optional=True)
        if self.log_bucket is not None and not hasattr(self.log_bucket, "bucket_name"):
            raise ConstructError(f"log_bucket must be an s3.IBucket, got {self.log_bucket!r}")
        text("instance_type", self.instance_type)
        if not is_unresolved(self.instance_type):
            fault = build_type_fault(self.instance_type)
            if fault is not None:
                raise ConstructError(f"instance_type {fault}, got {self.instance_type!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDistribution:
    """Where images go, and how long they are kept.

    Sources:
        https://docs.aws.amazon.com/imagebuilder/latest/APIReference/API_SsmParameterConfiguration.html
        https://docs.aws.amazon.com/imagebuilder/latest/userguide/manage-image-lifecycles.html

    Attributes:
        parameter_name: SSM parameter that gets the id of each new image, in every Region; None
            records it nowhere. The service-linked role of Image Builder may write names that begin
            with `/imagebuilder/`, and no others.
        regions: Further Regions that get a copy.
        keep_images: How many images to keep; older ones are deleted with their snapshots, unless
            something was launched from them in the last half year. None keeps all.
    """

    parameter_name: str | None = None
    regions: Sequence[str] = ()
    keep_images: int | None = None

    def __post_init__(self) -> None:
        """Refuse what Image Builder refuses.

        Raises:
            ConstructError: A name that it may not write, no Regions, or a number out of bounds.
        """
        text("parameter_name", self.parameter_name, ImageParameterName, optional=True)
        entries("regions", self.regions)
        text_list("regions", self.regions, RegionName)
        whole_number("keep_images", self.keep_images, least=1, most=_MOST_KEPT, optional=True)
