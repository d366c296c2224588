"""EC2: images, their snapshots, zones and Regions."""

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
DESCRIBE_SNAPSHOTS = ReadOperation(
    service="ec2",
    name="DescribeSnapshots",
    permission="ec2:DescribeSnapshots",
    purpose="the key of an image's encrypted root snapshot",
)
GET_EBS_DEFAULT_KMS_KEY_ID = ReadOperation(
    service="ec2",
    name="GetEbsDefaultKmsKeyId",
    permission="ec2:GetEbsDefaultKmsKeyId",
    purpose="the key of volumes for which no other is named",
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
        deprecation_time: When it becomes, or became, deprecated, as EC2 writes it.
        has_ena: Whether it is marked as able to use the Elastic Network Adapter.
        is_allowed: False when it is not among the account's Allowed AMIs.
        product_codes: Ids of products of AWS Marketplace that it has in it.
        root_snapshot_id: The root device's snapshot.
        root_is_encrypted: Whether that is encrypted.
    """

    image_id: str
    name: str | None
    description: str | None
    creation_date: str | None
    architecture: str | None
    root_device_name: str | None
    root_volume_size_gib: int | None
    state: str | None = None
    deprecation_time: str | None = None
    has_ena: bool | None = None
    is_allowed: bool | None = None
    product_codes: tuple[str, ...] = ()
    root_snapshot_id: str | None = None
    root_is_encrypted: bool | None = None


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
    operations = (
        DESCRIBE_IMAGES,
        DESCRIBE_SNAPSHOTS,
        GET_EBS_DEFAULT_KMS_KEY_ID,
        DESCRIBE_AVAILABILITY_ZONES,
        DESCRIBE_REGIONS,
    )

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

    def snapshot_key(self, snapshot_id: str) -> str | None:
        """The key that a snapshot is encrypted with.

        Args:
            snapshot_id: `snap-...`.

        Raises:
            AwsFailure: AWS gave no answer, or the account sees no such snapshot: that of a public
                image is its owner's.

        Returns:
            ARN of the key, not for messages; None when EC2 names none.
        """
        answer = self._ask(DESCRIBE_SNAPSHOTS, about=snapshot_id, SnapshotIds=[snapshot_id])
        told = answer.get("Snapshots", ())
        return told[0].get("KmsKeyId") if told else None

    def default_volume_key(self) -> str | None:
        """The key of encrypted volumes for which no other is named.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            `alias/aws/ebs`, which is AWS's own, or another alias, id or ARN, not for messages.
        """
        return self._ask(GET_EBS_DEFAULT_KMS_KEY_ID).get("KmsKeyId")

    def zones(self) -> tuple[ZoneDescription, ...]:
        """The Availability Zones of the Region; neither Local Zones nor those of Wavelength.

        Each is there once, however often EC2 lists it.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        wanted = [{"Name": "zone-type", "Values": ["availability-zone"]}]
        told = self._ask(DESCRIBE_AVAILABILITY_ZONES, Filters=wanted)["AvailabilityZones"]
        found: dict[str, ZoneDescription] = {}
        for zone in told:
            zone_id = zone["ZoneId"]
            described = ZoneDescription(
                zone_id=zone_id, zone_name=zone["ZoneName"], state=zone.get("State", "")
            )
            found.setdefault(zone_id, described)
        return tuple(found.values())

    def regions(self) -> tuple[str, ...]:
        """The names of the Regions that are on for the account, of this Region's partition.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        told = self._ask(DESCRIBE_REGIONS, AllRegions=False)["Regions"]
        on = [region for region in told if region.get("OptInStatus") != "not-opted-in"]
        return tuple(sorted({region["RegionName"] for region in on}))


def _description(image: dict[str, Any]) -> ImageDescription:
    root = image.get("RootDeviceName")
    volumes: dict[str, Any] = {
        mapping.get("DeviceName"): mapping.get("Ebs", {})
        for mapping in image.get("BlockDeviceMappings", [])
    }
    volume = volumes.get(root or "", {})
    return ImageDescription(
        image_id=image["ImageId"],
        name=image.get("Name"),
        description=image.get("Description"),
        creation_date=image.get("CreationDate"),
        architecture=image.get("Architecture"),
        root_device_name=root,
        root_volume_size_gib=volume.get("VolumeSize"),
        state=image.get("State"),
        deprecation_time=image.get("DeprecationTime"),
        has_ena=image.get("EnaSupport"),
        is_allowed=image.get("ImageAllowed"),
        product_codes=tuple(
            code["ProductCodeId"]
            for code in image.get("ProductCodes", ())
            if code.get("ProductCodeType") == "marketplace"
        ),
        root_snapshot_id=volume.get("SnapshotId"),
        root_is_encrypted=volume.get("Encrypted"),
    )
