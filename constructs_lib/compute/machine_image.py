"""A pinned machine image: its id and the name of its root device."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trnkit.errors import ConstructError

_AMI_ID = re.compile(r"ami-([0-9a-f]{8}|[0-9a-f]{17})")


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineImage:
    """What a launch template boots.

    Attributes:
        image_id: `ami-...`, or `resolve:ssm:` and a parameter that EC2 resolves at each launch.
        root_device_name: The image's own name for its root device. A wrong name adds a second disk
            and leaves the root at the snapshot's size.
    """

    image_id: str
    root_device_name: str = "/dev/sda1"

    def __post_init__(self) -> None:
        """Refuse ids of no known form.

        Raises:
            ConstructError: Neither an AMI id nor `resolve:ssm:/...`.
        """
        known = _AMI_ID.fullmatch(self.image_id) or self.image_id.startswith("resolve:ssm:/")
        if not known and "${Token[" not in self.image_id:
            raise ConstructError(
                "image_id must be ami- and 17 hex digits, or resolve:ssm: and the name of a "
                f"parameter, got {self.image_id!r}"
            )

    @classmethod
    def from_ssm_parameter(
        cls, parameter_name: str, *, root_device_name: str = "/dev/sda1"
    ) -> MachineImage:
        """An image that EC2 looks up in a parameter at each launch.

        Source: https://docs.aws.amazon.com/autoscaling/ec2/userguide/using-systems-manager-parameters.html

        Args:
            parameter_name: Such as `/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id`.
            root_device_name: `/dev/sda1` on Ubuntu, `/dev/xvda` on Amazon Linux.
        """
        return cls(image_id=f"resolve:ssm:{parameter_name}", root_device_name=root_device_name)
