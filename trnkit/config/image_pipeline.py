"""`compute.image_pipeline`: an image of one's own, baked by EC2 Image Builder."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from trnkit.config.schedule_expressions import schedule_fault
from trnkit.config.values import (
    AmiId,
    Bool,
    EachOnce,
    Int,
    KmsKeyArn,
    RegionName,
    Section,
    SsmParameter,
    Text,
    TopicArn,
    setting,
)


def _shape(pattern: str, expected: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if compiled.fullmatch(value) is None:
            raise PydanticCustomError("shape", "must be {expected}", {"expected": expected})
        return value

    return AfterValidator(check)


def _scheduled(value: str) -> str:
    fault = schedule_fault(value)
    if fault is not None:
        raise PydanticCustomError("shape", "{fault}", {"fault": fault})
    return value


# A path: no part of it may be `.` or `..`.
_PART = r"(?!\.{1,2}(?:/|\Z))[a-zA-Z0-9_.-]+"
ImageParameterName = Annotated[
    Text,
    _shape(
        rf"/imagebuilder/{_PART}(?:/{_PART}){{0,10}}",
        "/imagebuilder/ and a name, as /imagebuilder/trnkit/pretrain, without . or .. as a part",
    ),
]
ScheduleExpression = Annotated[Text, AfterValidator(_scheduled)]
ComponentArn = Annotated[
    Text,
    _shape(
        r"arn:[a-z-]+:imagebuilder:[a-z0-9-]+:(?:[0-9]{12}|aws(?:-marketplace)?):component/"
        r"[a-z0-9_-]+/(?:[0-9]+|x)\.(?:[0-9]+|x)\.(?:[0-9]+|x)(?:/[0-9]+)?",
        "the ARN of an Image Builder component with a version",
    ),
]


class ImagePipelineConfig(Section):
    """A pipeline that bakes node images from a Neuron image, in a stack of its own.

    Each build installs the Lustre client for the image's kernel, EFA and the CloudWatch agent where
    the base lacks them, holds kernel and Neuron packages, and starts a test instance. The id of the
    result is recorded in a parameter, which `image.ssm_parameter` names, with or without a lock.
    """

    parent_ami_id: AmiId | None = setting(
        None,
        change="replaces",
        example="ami-0123456789abcdef0",
        description="The image to begin with, fixed.",
    )
    parent_ssm_parameter: SsmParameter | None = setting(
        None,
        change="replaces",
        example="/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id",
        description="A parameter that holds the image to begin with, read at each build. Left out, "
        "without `parent_ami_id`: that of the Neuron base image for Ubuntu 24.04.",
    )
    operating_system: Literal["ubuntu-24.04", "ubuntu-22.04", "amazon-linux-2023"] | None = setting(
        None,
        change="replaces",
        example="ubuntu-24.04",
        description="What the image runs; it names the root device. Left out: what the parameter's "
        "name says, else ubuntu-24.04.",
    )
    parameter_name: ImageParameterName | None = setting(
        None,
        example="/imagebuilder/trnkit/pretrain",
        description="The parameter that gets the id of each new image; Image Builder may write "
        "below /imagebuilder/ only. Left out: /imagebuilder/trnkit/ and the cluster's name.",
    )
    instance_type: Text = setting(
        "m7i.2xlarge",
        description="What builds and tests, of x86_64. It needs no Trainium: the driver is there "
        "for the kernel, and used only where there is a device.",
    )
    root_volume_size_gib: Int = setting(
        200,
        change="replaces",
        ge=8,
        le=16384,
        description="Root volume of the image in GiB, not smaller than the snapshot of the image "
        "that it begins with. The nodes' root volumes must not be smaller than this.",
    )
    kms_key_arn: KmsKeyArn | None = setting(
        None,
        change="replaces",
        description="Key of your own for the image; its policy must let the service-linked role of "
        "Image Builder use it, and that of Auto Scaling. Left out: the account's EBS key.",
    )
    component_arns: Annotated[tuple[ComponentArn, ...], EachOnce] = setting(
        (),
        change="replaces",
        max_length=15,
        example=["arn:aws:imagebuilder:us-east-2:aws:component/amazon-corretto-21-headless/1.0.0"],
        description="Further Image Builder components, of AWS or your own, installed after those "
        "of trnkit and before packages are held.",
    )
    schedule: ScheduleExpression | None = setting(
        None,
        example="cron(0 6 ? * MON *)",
        description="When to build by itself, in UTC, if image or components are new. Left out: "
        "only when asked.",
    )
    image_scanning: Bool = setting(
        False,
        description="Whether Amazon Inspector looks at the test instance. The account must have "
        "switched Inspector on for EC2.",
    )
    topic_arn: TopicArn | None = setting(
        None,
        example="arn:aws:sns:us-east-2:111122223333:images",
        description="An SNS topic that is told of each build.",
    )
    regions: Annotated[tuple[RegionName, ...], EachOnce] = setting(
        (),
        max_length=20,
        example=["us-west-2"],
        description="Further Regions that get a copy, and the parameter with its id.",
    )
    keep_images: Int | None = setting(
        None,
        ge=1,
        le=10,
        description="How many images to keep; older ones are deleted with their snapshots, unless "
        "something was launched from them in the last half year. Left out: all.",
    )
