"""TRN392: user data finds the disks of the instance store by their model, not by their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.node_config import shell_lines
from trnkit.rules.reading.user_data import user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_DESTROYS = re.compile(
    r"\b(?:mkfs(?:\.\w{2,5})?|mdadm\b[^;|&]{0,200}?\s(?:--create|-C)|pvcreate|vgcreate)\s[^;|&#]*"
)
# The whole disk; a partition has a name of its own behind that.
_DISK = re.compile(r"/dev/nvme(?:\d{1,2}|\[[\d-]{1,9}\]|[?*])n1(?![\dp])")
# Whoever asks what a disk is may well name it afterwards.
_ASKS = re.compile(
    r"Instance Storage|device/model|ebsnvme-id|id-ctrl|nvme list|\bMODEL\b|by-id/|/proc/mounts"
    r"|\bblkid\b|\bfindmnt\b|\bmountpoint\b|\bwipefs\b|\bfile\s+-s|\bFSTYPE\b|lsblk\s+(?:-\S+\s+)*-f"
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        kind, data = template.instance_type, template.data["UserData"]
        text = user_data_text(data) or ""
        if kind is None or not kind.nvme_disks or _ASKS.search(text):
            continue
        commands = _DESTROYS.findall("\n".join(shell_lines(text)).replace("\\\n", " "))
        names = dict.fromkeys(name for command in commands for name in _DISK.findall(command))
        if names:
            yield Violation(
                message=f"{template.resource.logical_id}: user data makes a file system or an "
                f"array of {alternatives(list(names)[:3], 'and')}, which may be an EBS volume: "
                f"{kind.name} has {_disks(kind.nvme_disks)} of the instance store beside it",
                hint="take the disks whose model is Amazon EC2 NVMe Instance Storage",
                resource=template.resource,
                path=data.path,
            )


def _disks(number: int) -> str:
    return "1 disk" if number == 1 else f"{number} disks"


_TEMPLATE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.32xlarge
        UserData:
          Fn::Base64: |
            #!/bin/bash
            %s
            mkdir -p /local
            mount /dev/md0 /local
"""
_BY_NAME = "mdadm --create /dev/md0 --level=0 --raid-devices=2 /dev/nvme1n1 /dev/nvme2n1"
_BY_MODEL = (
    "mdadm --create /dev/md0 --level=0 --raid-devices=4 "
    "$(lsblk -dpno NAME,MODEL | awk '/NVMe Instance Storage/ {print $1}')"
)

RULE = TemplateRule(
    id="TRN392",
    title="disks of the instance store are found by their model",
    severity=Severity.WARNING,
    why="EBS volumes are NVMe disks too, and Linux names disks in the order in which they answer, "
    "which another start may change: the command can meet a volume with data.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/nvme-ebs-volumes.html",
    good=_TEMPLATE % _BY_MODEL,
    bad=_TEMPLATE % _BY_NAME,
    check=_check,
)
