"""TRN393: a line for /etc/fstab that mounts Lustre waits for the network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.node_config import shell_lines
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

# The last two fields are there in a line of the file, and not in a call of mount.
_LINE = re.compile(
    r"@tcp:/\S+[ \t]+(/[^\s\"']*|\$\S+|\S*" + UNKNOWN_PART + r"\S*)[ \t]+lustre[ \t]+"
    r"([^\s\"'>;|&]+)[ \t]+\d[ \t]+\d"
)
_NOT_PLAIN = re.compile(rf"[$`\\{UNKNOWN_PART}]")
_WAITS = {"_netdev", "noauto"}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        data = template.data["UserData"]
        text = user_data_text(data) or ""
        for line in shell_lines(text) if "fstab" in text else ():
            for path, options in _LINE.findall(line):
                # What the shell or the deployment fills in may be the option itself.
                if _NOT_PLAIN.search(options) or _WAITS & set(options.split(",")):
                    continue
                where = "" if _NOT_PLAIN.search(path) else f" at {path}"
                yield Violation(
                    message=f"{template.resource.logical_id}: user data mounts Lustre{where} by "
                    "/etc/fstab without _netdev, and an instance that starts again may hang",
                    hint="add _netdev,nofail to its options",
                    resource=template.resource,
                    path=data.path,
                )


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
            mkdir -p /fsx
            echo "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com@tcp:/abcdefgh /fsx lustre \
%s 0 0" >>/etc/fstab
            mount -a
"""

RULE = TemplateRule(
    id="TRN393",
    title="Lustre in /etc/fstab waits for the network",
    severity=Severity.WARNING,
    why="Without _netdev the system may try to mount the file system before there is a network, "
    "and AWS warns that the instance may stop responding.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-troubleshooting.html",
    good=_TEMPLATE % "defaults,relatime,flock,_netdev,nofail,x-systemd.automount",
    bad=_TEMPLATE % "defaults,relatime,flock",
    check=_check,
)
