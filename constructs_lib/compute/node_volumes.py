"""The volumes of a node, as block device mappings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_ec2 as ec2

from constructs_lib.arguments import entries, text, whole_number
from trnkit.catalog import gp3_limits
from trnkit.config.values import DeviceName, KmsKeyArn
from trnkit.errors import ConstructError

_Data = ec2.CfnLaunchTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVolume:
    """One encrypted gp3 volume, deleted with its node.

    Source: https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html

    Attributes:
        device_name: Name of the device, e.g. `/dev/sdf`.
        size_gib: Size in GiB.
        iops: Operations a second; None leaves gp3's own.
        throughput_mibps: Throughput in MiB/s; None leaves gp3's own.
        kms_key_arn: Key of one's own; None takes the account's default EBS key.
    """

    device_name: str
    size_gib: int
    iops: int | None = None
    throughput_mibps: int | None = None
    kms_key_arn: str | None = None

    def __post_init__(self) -> None:
        """Refuse what EC2 refuses.

        Raises:
            ConstructError: A size, a speed or a ratio of both that gp3 does not have.
        """
        text("device_name", self.device_name, DeviceName)
        text("kms_key_arn", self.kms_key_arn, KmsKeyArn, optional=True)
        limits = gp3_limits()
        size = ("size_gib", self.size_gib, 1, limits.maximum_size_gib, False)
        speeds = (
            ("iops", self.iops, limits.minimum_iops, limits.maximum_iops, True),
            (
                "throughput_mibps",
                self.throughput_mibps,
                limits.minimum_throughput_mibps,
                limits.maximum_throughput_mibps,
                True,
            ),
        )
        for name, value, least, most, optional in (size, *speeds):
            place = f"{name} of {self.device_name}"
            whole_number(place, value, least=least, most=most, optional=optional)

    def mapping(self) -> Any:
        """The entry of `BlockDeviceMappings`."""
        return _Data.BlockDeviceMappingProperty(
            device_name=self.device_name,
            ebs=_Data.EbsProperty(
                volume_size=self.size_gib,
                volume_type="gp3",
                iops=self.iops,
                throughput=self.throughput_mibps,
                kms_key_id=self.kms_key_arn,
                encrypted=True,
                delete_on_termination=True,
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVolumes:
    """What a node's volumes have beyond the size of the root volume.

    Attributes:
        root_iops: Operations a second of the root volume.
        root_throughput_mibps: Throughput of the root volume in MiB/s.
        root_kms_key_arn: Key of the root volume.
        additional: Further volumes; nothing formats or mounts them.
    """

    root_iops: int | None = None
    root_throughput_mibps: int | None = None
    root_kms_key_arn: str | None = None
    additional: tuple[NodeVolume, ...] = ()

    def mappings(self, root_device_name: str, root_size_gib: int) -> list[Any]:
        """All entries of `BlockDeviceMappings`, the root volume's first.

        Args:
            root_device_name: The image's own name for its root device.
            root_size_gib: Size of the root volume.

        Raises:
            ConstructError: Two volumes of one device name, or what is no volume.
        """
        entries("additional", self.additional, NodeVolume)
        root = NodeVolume(
            device_name=root_device_name,
            size_gib=root_size_gib,
            iops=self.root_iops,
            throughput_mibps=self.root_throughput_mibps,
            kms_key_arn=self.root_kms_key_arn,
        )
        volumes = (root, *self.additional)
        names = [volume.device_name for volume in volumes]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ConstructError(f"device names must differ, got {twice[0]} more than once")
        return [volume.mapping() for volume in volumes]
