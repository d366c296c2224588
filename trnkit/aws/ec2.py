"""EC2: what an image is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from trnkit.aws.failures import failure_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.aws.session import AwsSession

_OPERATION = "DescribeImages"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDescription:
    """What EC2 says of an image; None where it says nothing.

    Attributes:
        image_id: `ami-...`.
        name: Its name.
        description: Its description, free text.
        creation_date: When it was made, as EC2 writes it.
        architecture: For example `x86_64`.
        root_device_name: For example `/dev/sda1`.
        root_volume_size_gib: Size of the root device's snapshot in GiB.
    """

    image_id: str
    name: str | None
    description: str | None
    creation_date: str | None
    architecture: str | None
    root_device_name: str | None
    root_volume_size_gib: int | None


class Ec2Gateway:
    """Describes what one Region has."""

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region

    def images(self, image_ids: Sequence[str]) -> dict[str, ImageDescription]:
        """Describe images by id; deprecated ones too.

        Args:
            image_ids: Their ids.

        Raises:
            AwsFailure: AWS gave no answer, or one of them does not exist or may not be used.
        """
        client = self._session.client("ec2", self._region)
        try:
            answer: dict[str, Any] = client.describe_images(
                ImageIds=list(image_ids), IncludeDeprecated=True
            )
        except (ClientError, BotoCoreError) as error:
            raise failure_from(
                error,
                service="ec2",
                operation=_OPERATION,
                region=self._region,
                about=", ".join(image_ids),
            ) from None
        described = map(_description, answer["Images"])
        return {image.image_id: image for image in described}


def _description(image: dict[str, Any]) -> ImageDescription:
    root = image.get("RootDeviceName")
    volumes: dict[str, Any] = {
        mapping.get("DeviceName"): mapping.get("Ebs", {})
        for mapping in image.get("BlockDeviceMappings", [])
    }
    return ImageDescription(
        image_id=image["ImageId"],
        name=image.get("Name"),
        description=image.get("Description"),
        creation_date=image.get("CreationDate"),
        architecture=image.get("Architecture"),
        root_device_name=root,
        root_volume_size_gib=volumes.get(root or "", {}).get("VolumeSize"),
    )
