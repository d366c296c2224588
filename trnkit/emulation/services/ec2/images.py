"""Machine images that a launch can name: those of moto, and those that a rehearsal brings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trnkit.emulation.services.backends import ec2_backend
from trnkit.emulation.services.ec2.refusing import invalid, missing

SSM_PREFIX = "resolve:ssm:"

ParameterReader = Callable[[str, str, str], str | None]
"""Gives the value of a Systems Manager parameter by account, region and name."""


def _no_parameter(account: str, region: str, name: str) -> str | None:
    del account, region, name
    return None


_reader: list[ParameterReader] = [_no_parameter]


def set_parameter_reader(read: ParameterReader) -> None:
    """Say who answers for ``resolve:ssm:``.

    Args:
        read: Gives a parameter's value, None when there is no such parameter.
    """
    _reader[0] = read


def seed_image(
    image_id: str,
    region: str,
    root_device: str = "/dev/xvda",
    snapshot_gib: int = 8,
    *,
    architecture: str = "x86_64",
    ena_support: bool = True,
    account: str | None = None,
) -> None:
    """Make an image exist.

    Args:
        image_id: The id, such as ``ami-0123456789abcdef0``.
        region: The region's name.
        root_device: Name of the root device, such as ``/dev/sda1``.
        snapshot_gib: Size of the root device's snapshot.
        architecture: ``x86_64`` or ``arm64``.
        ena_support: Whether the image has the driver of the Elastic Network Adapter.
        account: The account id; None for the emulated AWS's own.
    """
    from moto.ec2.models.amis import Ami

    class SeededImage(Ami):
        @property
        def block_device_mappings(self) -> list[dict[str, Any]]:
            root = {
                "SnapshotId": self.ebs_snapshot.id,
                "VolumeSize": snapshot_gib,
                "DeleteOnTermination": True,
                "VolumeType": "gp3",
                "Encrypted": False,
            }
            return [{"DeviceName": self.root_device_name, "Ebs": root}]

    backend = ec2_backend(region, account)
    zone = backend.describe_availability_zones()[0].name
    image: Any = SeededImage(
        backend,
        image_id,
        name=image_id,
        owner_id="amazon",
        architecture=architecture,
        virtualization_type="hvm",
        hypervisor="xen",
        root_device_name=root_device,
        root_device_type="ebs",
        public=True,
        region_name=zone,
    )
    image.ena_support = ena_support
    image.ebs_snapshot.volume.size = snapshot_gib
    image.seeded = True
    backend.amis[image_id] = image


def resolved(backend: Any, image_id: str | None) -> Any:
    """Moto's image for what a launch names.

    Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-systems-manager-parameter-to-find-AMI.html

    Raises:
        EC2ClientError: There is no such parameter or image.
    """
    named = image_id or missing("ImageId")
    if named.startswith(SSM_PREFIX):
        parameter = named.removeprefix(SSM_PREFIX)
        value = _reader[0](backend.account_id, backend.region_name, parameter)
        named = value or invalid(
            image_id, "ImageId", "The Systems Manager parameter could not be found."
        )
    return backend.describe_images(ami_ids=[named])[0]


def root_volume_gib(image: Any) -> int:
    """Size of the root device's snapshot."""
    return int(image.block_device_mappings[0]["Ebs"]["VolumeSize"])
