"""EC2: images, zones and Regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Sequence

DESCRIBE_IMAGES = ReadOperation(
    service="ec2",
    name="DescribeImages",
    permission="ec2:DescribeImages",
    purpose="that an image exists, its architecture and its root volume",
)
DESCRIBE_AVAILABILITY_ZONES = ReadOperation(
    service="ec2",
    name="DescribeAvailabilityZones",
    permission="ec2:DescribeAvailabilityZones",
    purpose="which name a zone id has in the account",
)
DESCRIBE_REGIONS = ReadOperation(
    service="ec2",
    name="DescribeRegions",
    permission="ec2:DescribeRegions",
    purpose="which Regions are on for the account, to compare all of them",
)


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
        state: For example `available`.
    """

    image_id: str
    name: str | None
    description: str | None
    creation_date: str | None
    architecture: str | None
    root_device_name: str | None
    root_volume_size_gib: int | None
    state: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneDescription:
    """An Availability Zone as the account sees it.

    Attributes:
        zone_id: The same for all accounts, for example `use2-az3`.
        zone_name: This account's, for example `us-east-2c`.
        state: For example `available`.
    """

    zone_id: str
    zone_name: str
    state: str


class Ec2Gateway(Gateway):
    """Describes images and zones of one Region, and which Regions there are."""

    service = "ec2"
    operations = (DESCRIBE_IMAGES, DESCRIBE_AVAILABILITY_ZONES, DESCRIBE_REGIONS)

    def images(self, image_ids: Sequence[str]) -> dict[str, ImageDescription]:
        """Describe images by id; deprecated ones too.

        Args:
            image_ids: Their ids.

        Raises:
            AwsFailure: AWS gave no answer, or one of them does not exist or may not be used.
        """
        answer = self._ask(
            DESCRIBE_IMAGES,
            about=", ".join(image_ids),
            ImageIds=list(image_ids),
            IncludeDeprecated=True,
        )
        described = map(_description, answer["Images"])
        return {image.image_id: image for image in described}

    def zones(self) -> tuple[ZoneDescription, ...]:
        """The Availability Zones of the Region; neither Local Zones nor those of Wavelength.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        wanted = [{"Name": "zone-type", "Values": ["availability-zone"]}]
        told = self._ask(DESCRIBE_AVAILABILITY_ZONES, Filters=wanted)["AvailabilityZones"]
        return tuple(
            ZoneDescription(
                zone_id=zone["ZoneId"], zone_name=zone["ZoneName"], state=zone.get("State", "")
            )
            for zone in told
        )

    def regions(self) -> tuple[str, ...]:
        """The names of the Regions that are on for the account, of this Region's partition.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_REGIONS, AllRegions=False)["Regions"]
        on = [region for region in told if region.get("OptInStatus") != "not-opted-in"]
        return tuple(sorted(region["RegionName"] for region in on))


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
        state=image.get("State"),
    )
