"""TRN908: the images of the nodes exist and fit their instance types."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_IMAGES
from trnkit.aws.instance_types import DESCRIBE_INSTANCE_TYPES
from trnkit.aws.ssm import GET_PARAMETER
from trnkit.catalog import find_instance_type
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.images_in_use import (
    find_image,
    images_in_use,
    parameter_value,
    refresh_command,
)
from trnkit.operations.preflight.result import fail, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2 import ImageDescription
    from trnkit.config import NodeGroupConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.layout.nodes import ImagePlan
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.images_in_use import ImageUsers
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    for image in images_in_use(account):
        path = ("compute", "node_groups", image.users[0][0], "image")
        yield from answers_of(_one(account, image, path), path)


def _one(account: AccountView, used: ImageUsers, path: Path) -> Iterator[CheckResult]:
    plan, users = used.plan, used.users
    given = users[0][1].image
    if plan.ami_id is None and given is not None and given.lock_file is not None:
        yield fail(
            f"{given.lock_file} has no image for {plan.ssm_parameter} in {account.cluster.region}",
            remedy="fill the lock, and commit it",
            command=refresh_command(account),
            path=(*path, "lock_file"),
        )
        return
    image_id = plan.ami_id
    if image_id is None and plan.ssm_parameter is not None:
        image_id = parameter_value(account, plan.ssm_parameter)
        if image_id is None:
            yield _no_parameter(account, plan.ssm_parameter, path)
            return
    image = find_image(account, image_id) if image_id else None
    if image is None:
        yield fail(
            f"this account sees no image {image_id} in {account.cluster.region}",
            evidence=plan.ssm_parameter,
            remedy="name an image of this Region that the account may use, and that its Allowed "
            "AMIs admit where they are switched on: EC2 hides all others",
            # What a parameter holds may be anything.
            look=f"aws ec2 describe-images --region {account.cluster.region} --image-ids "
            f"{shlex.quote(str(image_id))}",
            path=path,
        )
        return
    problems = [
        problem
        for user in users
        for problem in answers_of(_judge(account, plan, image, user), (*path[:2], user[0], "image"))
    ]
    yield from problems
    if not problems:
        yield ok(f"{image.image_id} is there, {image.architecture}", evidence=image.name, path=path)


def _no_parameter(account: AccountView, name: str, path: Path) -> CheckResult:
    region = account.cluster.region
    return fail(
        f"{region} has no parameter {name}",
        remedy="name a parameter that the Region has, or an ami_id",
        look=f"aws ssm get-parameters-by-path --recursive --region {region} --path "
        f"{name.rpartition('/latest/')[0] or '/aws/service/neuron'} --query 'Parameters[].Name'",
        path=(*path, "ssm_parameter"),
    )


def _judge(
    account: AccountView,
    plan: ImagePlan,
    image: ImageDescription,
    user: tuple[int, NodeGroupConfig],
) -> Iterator[CheckResult]:
    index, group = user
    at = ("compute", "node_groups", index)
    if image.state not in (None, "available"):
        yield fail(
            f"image {image.image_id} is {image.state}",
            remedy="wait until it is available, or name another",
            path=(*at, "image"),
        )
    least = image.root_volume_size_gib
    if least is not None and group.root_volume_size_gib < least:
        yield fail(
            f"the root volume of {group.name} has {group.root_volume_size_gib} GiB, and image "
            f"{image.image_id} needs {least}",
            remedy=f"write `root_volume_size_gib: {least}` or more",
            path=(*at, "root_volume_size_gib"),
        )
    root = image.root_device_name
    if root is not None and root != plan.root_device_name:
        yield warning(
            f"the root device of image {image.image_id} is {root}, and the launch template's is "
            f"{plan.root_device_name}: its size and key would be those of a second volume",
            remedy="say the image's operating_system, or use a lock",
            path=(*at, "image", "operating_system"),
        )
    # Last, since AWS may have to be asked, and need not answer.
    takes = _architectures(account, group.instance_type)
    if image.architecture and takes and image.architecture not in takes:
        yield fail(
            f"image {image.image_id} is for {image.architecture}, and {group.instance_type} runs "
            f"{', '.join(takes)}",
            remedy="name an image of the type's architecture",
            path=(*at, "image"),
        )


def _architectures(account: AccountView, instance_type: str) -> tuple[str, ...]:
    known = find_instance_type(instance_type)
    if known is not None:
        return (known.architecture,) if known.architecture else ()
    told = account.types([instance_type]).get(instance_type)
    return told.architectures if told else ()


CHECK = PreflightCheck(
    id="TRN908",
    name="image",
    title="The images of the nodes exist and fit their instance types",
    why="An image belongs to one Region and may be private or gone; a parameter may not exist in "
    "the Region. Launches then fail one by one, after the deployment has succeeded.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/finding-an-ami.html",
    needs=(GET_PARAMETER, DESCRIBE_IMAGES, DESCRIBE_INSTANCE_TYPES),
    run=_run,
)
