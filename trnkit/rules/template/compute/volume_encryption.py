"""TRN258: the volumes of accelerated nodes are encrypted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        for mapping in template.data["BlockDeviceMappings"].entries() or ():
            volume = mapping["Ebs"]
            encrypted = volume["Encrypted"]
            # A volume made of a snapshot named here is encrypted as that one is.
            if volume.mapping() is None or not volume["SnapshotId"].is_absent:
                continue
            if encrypted.is_absent or encrypted.boolean() is False:
                device = mapping["DeviceName"].text() or "one device"
                yield Violation(
                    message=f"{template.resource.logical_id}: the volume on {device} is not "
                    "encrypted, unless the account encrypts all by default",
                    hint="set Ebs.Encrypted to true",
                    resource=template.resource,
                    path=volume.path,
                )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        BlockDeviceMappings:
          - DeviceName: /dev/sda1
            Ebs:
              VolumeSize: 512
              VolumeType: gp3
"""

RULE = TemplateRule(
    id="TRN258",
    title="the volumes of accelerated nodes are encrypted",
    severity=Severity.WARNING,
    why="Root volumes hold code, credentials of tools and caches of models.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    good=_HEAD + "              Encrypted: true\n",
    bad=_HEAD,
    check=_check,
)
