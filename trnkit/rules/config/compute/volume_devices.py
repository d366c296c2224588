"""TRN224: every volume has a device name of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import image_of
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        root = image_of(group).root_device_name
        taken = {_letter(root): f"the root volume, {root}"}
        for index, volume in enumerate(group.additional_volumes):
            place = (*path, "additional_volumes", index, "device_name")
            letter, name = _letter(volume.device_name), volume.device_name
            if letter in taken:
                yield Violation(
                    message=f"{format_path(place)} is {name}, the place of {taken[letter]}",
                    hint="write another name, from /dev/sdf to /dev/sdp",
                    path=place,
                )
            taken.setdefault(letter, name)


def _letter(device_name: str) -> str:
    """What the kernel and EC2 tell devices apart by: /dev/sdf and /dev/xvdf are one place."""
    return device_name.removeprefix("/dev/").removeprefix("xvd").removeprefix("sd").rstrip("1")


_GROUP = (
    "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "additional_volumes: [{size_gib: 100, device_name: "
)

RULE = ConfigRule(
    id="TRN224",
    title="every volume has a device name of its own",
    severity=Severity.ERROR,
    why="EC2 refuses a launch with two volumes in one place, and a volume under the root device's "
    "name would replace it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html",
    good=_GROUP + "/dev/sdf}]}]}\n",
    bad=_GROUP + "/dev/sda1}]}]}\n",
    check=_check,
)
