"""TRN279: volumes with a key are encrypted, and each device is mapped once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.launch_settings import launch_settings, volumes
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for volume in volumes(stack_set):
        encrypted, key = volume["Encrypted"], volume["KmsKeyId"]
        is_plain = encrypted.is_absent or encrypted.boolean() is False
        # A volume made of a snapshot named here is encrypted as that one is.
        if is_plain and _is_named(key) and volume["SnapshotId"].is_absent:
            yield Violation(
                message=f"{volume.resource.logical_id}: a volume has a KmsKeyId and is not "
                "encrypted; EC2 takes the key with Encrypted true only",
                hint="set Encrypted to true",
                resource=volume.resource,
                path=key.path,
            )
    for settings in launch_settings(stack_set):
        yield from _twice(settings["BlockDeviceMappings"])


def _is_named(key: TemplateValue) -> bool:
    return bool(key.text()) or isinstance(key.value, Reference)


def _twice(mappings: TemplateValue) -> Iterator[Violation]:
    seen: set[str] = set()
    for mapping in mappings.entries() or ():
        device = mapping["DeviceName"].text()
        if device in seen:
            yield Violation(
                message=f"{mappings.resource.logical_id}: maps the device {device} twice",
                hint="merge the two mappings, or give the second its own DeviceName",
                resource=mappings.resource,
                path=mapping.path,
            )
        if device is not None:
            seen.add(device)


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        BlockDeviceMappings:
          - DeviceName: /dev/sda1
            Ebs: {VolumeType: gp3, VolumeSize: 500, KmsKeyId: alias/nodes, Encrypted: %s}
"""

RULE = TemplateRule(
    id="TRN279",
    title="volumes with a key are encrypted, and each device is mapped once",
    severity=Severity.ERROR,
    why="EC2 accepts the launch template and refuses every launch.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html",
    good=_HEAD % "true",
    bad=_HEAD % "false",
    check=_check,
)
