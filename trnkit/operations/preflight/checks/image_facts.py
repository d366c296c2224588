"""TRN928: the images of the nodes are still the ones to use, and their keys can be used."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_IMAGES, DESCRIBE_SNAPSHOTS
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.ssm import GET_PARAMETER
from trnkit.layout.nodes import locked_image
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.images_in_use import (
    find_image,
    images_in_use,
    parameter_value,
    refresh_command,
)
from trnkit.operations.preflight.key_judgement import KEY_QUESTIONS, NamedKey, judge_key
from trnkit.operations.preflight.key_use import SNAPSHOTS
from trnkit.operations.preflight.result import Status, fail, ok, unanswered, unknown, warning
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2 import ImageDescription
    from trnkit.config import LockedImage
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.images_in_use import ImageUsers
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    for used in images_in_use(account):
        index, group = used.users[0]
        path = ("compute", "node_groups", index, "image")
        problems: list[CheckResult] = []
        locked = locked_image(group)
        if locked is not None:
            problems += answers_of(_freshness(account, locked, (*path, "lock_file")), path)
        image = None
        try:
            image = _image(account, used)
        except AwsFailure as failure:
            problems.append(unanswered(failure, path=path))
        if image is not None:
            problems += _judge(account, image, path)
            problems += answers_of(_key(account, image, path), path)
        yield from problems
        # What is not there is the matter of check image.
        if image is not None and not problems:
            lock = f", and what the lock of {locked.resolved} has" if locked else ""
            yield ok(f"{image.image_id} is the one to use{lock}", path=path)


def _image(account: AccountView, used: ImageUsers) -> ImageDescription | None:
    plan, given = used.plan, used.users[0][1].image
    image_id = plan.ami_id
    if image_id is None and plan.ssm_parameter and not (given and given.lock_file):
        image_id = parameter_value(account, plan.ssm_parameter)
    return find_image(account, image_id) if image_id else None


def _freshness(account: AccountView, locked: LockedImage, path: Path) -> Iterator[CheckResult]:
    name = locked.ssm_parameter
    if ":" in name:
        # A version or a label: it is meant to stay.
        return
    held = parameter_value(account, name)
    age = (account.now.date() - date.fromisoformat(locked.resolved)).days
    if held is None:
        yield warning(
            f"{locked.region} has no parameter {name} any more: the lock of {locked.resolved} "
            "cannot be refreshed",
            remedy="name a parameter that is still published",
            look=f"aws ssm get-parameters-by-path --recursive --region {locked.region} --path "
            "/aws/service/neuron --query 'Parameters[].Name'",
            path=path,
        )
    elif held != locked.ami_id:
        yield warning(
            f"the lock has {locked.ami_id} of {locked.resolved}, {count_of(age, 'day')} ago; "
            f"{name} holds {held} by now",
            remedy="refresh the lock, look at what changes, and commit it",
            command=refresh_command(account),
            path=path,
        )


def _judge(account: AccountView, image: ImageDescription, path: Path) -> Iterator[CheckResult]:
    if image.has_ena is False:
        yield fail(
            f"image {image.image_id} is not marked as able to use the Elastic Network Adapter, "
            "which instances of Trainium and EFA need",
            remedy="name an image with ENA support",
            path=path,
        )
    # Both are texts like 2027-02-01T12:00:00.000Z.
    if image.deprecation_time and image.deprecation_time < f"{account.now:%Y-%m-%dT%H:%M:%S}":
        yield warning(
            f"image {image.image_id} is deprecated since {image.deprecation_time[:10]}: nodes "
            "still start, until its owner withdraws it",
            remedy="name a newer image",
            path=path,
        )
    if image.is_allowed is False:
        yield warning(
            f"image {image.image_id} is none of the account's Allowed AMIs, which are only watched "
            "so far",
            remedy="have its owner allowed, or name another image",
            look=f"aws ec2 get-allowed-images-settings --region {account.cluster.region}",
            path=path,
        )
    if image.product_codes:
        yield unknown(
            f"image {image.image_id} is a product of AWS Marketplace: whether the account is "
            "subscribed, EC2 tells only at the launch",
            remedy="subscribe to it in AWS Marketplace, and leave the check out by name when that "
            "is done",
            path=path,
        )


def _key(account: AccountView, image: ImageDescription, path: Path) -> Iterator[CheckResult]:
    """Whether nodes can start from an image whose root snapshot is encrypted."""
    snapshot_id = image.root_snapshot_id
    if not image.root_is_encrypted or snapshot_id is None:
        return
    name = None
    try:
        name = account.once(
            ("snapshot key", snapshot_id), lambda: account.ec2.snapshot_key(snapshot_id)
        )
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            raise
    if name is None:
        yield unknown(
            f"image {image.image_id} is encrypted, and this account does not see with which key",
            remedy="have its owner share the key with Auto Scaling's service-linked role, or copy "
            "the image with a key of your own",
            command=f"aws ec2 copy-image --region {account.cluster.region} --source-region "
            f"{account.cluster.region} --source-image-id {image.image_id} --encrypted --name "
            f"{image.image_id}-copy",
            path=path,
        )
        return
    label = f"the key of image {image.image_id}"
    key = NamedKey(name=name, label=label, use=SNAPSHOTS, path=path)
    yield from (found for found in judge_key(account, key) if found.status is not Status.OK)


CHECK = PreflightCheck(
    id="TRN928",
    name="image-facts",
    title="The images of the nodes are still the ones to use, and their keys can be used",
    why="A lock that is never refreshed keeps old drivers and known holes. A deprecated image is "
    "one that its owner means to withdraw, and then no node starts any more. Nodes start from an "
    "encrypted image only when Auto Scaling's service-linked role may use its key. Whether a "
    "subscription in AWS Marketplace is there, no API of EC2 tells before the launch.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ami-deprecate.html",
    needs=(GET_PARAMETER, DESCRIBE_IMAGES, DESCRIBE_SNAPSHOTS, *KEY_QUESTIONS),
    run=_run,
)
