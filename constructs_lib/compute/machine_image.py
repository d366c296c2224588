"""A pinned machine image: its id and the name of its root device."""

from __future__ import annotations

from dataclasses import dataclass

from constructs_lib.arguments import is_text, is_unresolved, text
from trnkit.config.values import AmiId, DeviceName, SsmParameter
from trnkit.errors import ConstructError

_BY_PARAMETER = "resolve:ssm:"


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
            ConstructError: Neither an AMI id nor `resolve:ssm:` and the name of a parameter.
        """
        text("root_device_name", self.root_device_name, DeviceName)
        known = is_text(self.image_id) and not is_unresolved(self.image_id)
        if is_unresolved(self.image_id) or (known and self.image_id.startswith("ami-")):
            text("image_id", self.image_id, AmiId)
        elif known and self.image_id.startswith(_BY_PARAMETER):
            name = self.image_id.removeprefix(_BY_PARAMETER)
            text("what follows resolve:ssm: in image_id", name, SsmParameter)
        else:
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
            parameter_name: Such as `/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id`,
                or one of your own; a version or a label may follow after a colon.
            root_device_name: `/dev/sda1` on Ubuntu, `/dev/xvda` on Amazon Linux.

        Raises:
            ConstructError: No name of a parameter.
        """
        text("parameter_name", parameter_name, SsmParameter)
        return cls(image_id=f"resolve:ssm:{parameter_name}", root_device_name=root_device_name)
