"""The images that the nodes of a cluster boot, as the account sees them, each asked for once."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.layout.nodes import image_of

if TYPE_CHECKING:
    from trnkit.aws.ec2 import ImageDescription
    from trnkit.config import NodeGroupConfig
    from trnkit.layout.nodes import ImagePlan
    from trnkit.operations.preflight.account import AccountView


@dataclass(frozen=True, slots=True)
class ImageUsers:
    """What some node groups boot.

    Attributes:
        plan: What the file or its lock says.
        users: The groups, with their numbers in the file.
    """

    plan: ImagePlan
    users: tuple[tuple[int, NodeGroupConfig], ...]


def images_in_use(account: AccountView) -> tuple[ImageUsers, ...]:
    """Each image of the file with the groups that boot it, in the order of the file."""
    groups: dict[ImagePlan, list[tuple[int, NodeGroupConfig]]] = {}
    for index, group in enumerate(account.cluster.compute.node_groups):
        groups.setdefault(image_of(group), []).append((index, group))
    return tuple(ImageUsers(plan, tuple(users)) for plan, users in groups.items())


def refresh_command(account: AccountView) -> str:
    """What asks AWS anew and writes the locks of the file."""
    return f"trnkit images refresh {shlex.quote(account.file)}"


def parameter_value(account: AccountView, name: str) -> str | None:
    """What a parameter of the cluster's Region holds.

    Raises:
        AwsFailure: AWS gave no answer.

    Returns:
        None when there is no such parameter.
    """
    ssm = account.ssm(account.cluster.region)
    try:
        return account.once(("parameter", name), lambda: ssm.parameter(name)).value
    except AwsFailure as failure:
        if failure.kind is FailureKind.NOT_FOUND:
            return None
        raise


def find_image(account: AccountView, image_id: str) -> ImageDescription | None:
    """An image as the account sees it.

    Raises:
        AwsFailure: AWS gave no answer.

    Returns:
        None when the account sees no such image, or the text is no id of one.
    """
    try:
        found = account.once(("image", image_id), lambda: account.ec2.images([image_id]))
    except AwsFailure as failure:
        # EC2 refuses a text that is no id as malformed.
        if failure.kind is FailureKind.NOT_FOUND or failure.code == "InvalidAMIID.Malformed":
            return None
        raise
    return found.get(image_id)
