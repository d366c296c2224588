"""TRN387: a line for /etc/fstab that mounts a bucket has the options that Mountpoint needs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog import mountpoint_use
from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_LINE = re.compile(r"(s3://\S+)[ \t]+/\S*[ \t]+mount-s3[ \t]+([^\s\"'>;|&]+)")
_NOT_PLAIN = re.compile(rf"[$`\\{UNKNOWN_PART}]")
_BOOTS_ON = "nofail"


def _check(stack_set: StackSet) -> Iterator[Violation]:
    known = mountpoint_use()
    for template in accelerated_templates(stack_set):
        data = template.data["UserData"]
        for place, written in _LINE.findall(user_data_text(data) or ""):
            options = written.split(",")
            missing = [name for name in known.required_mount_options if name not in options]
            holds_up = _BOOTS_ON not in options
            # What the shell or the deployment fills in may be the options themselves.
            if _NOT_PLAIN.search(place + written) or not (missing or holds_up):
                continue
            what = (
                f"without {', '.join(missing)}, and Mountpoint does not start"
                if missing
                else f"without {_BOOTS_ON}, and an instance that cannot mount it does not boot"
            )
            yield Violation(
                message=f"{template.resource.logical_id}: user data mounts {place} by /etc/fstab "
                f"{what}",
                hint=f"add {','.join(missing or [_BOOTS_ON])} to its options",
                resource=template.resource,
                path=data.path,
                severity=Severity.ERROR if missing else Severity.WARNING,
                evidence=f"catalogue, Mountpoint needs "
                f"{', '.join(known.required_mount_options)} in /etc/fstab ({known.date})",
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
            #!/bin/sh
            dnf install -y mount-s3
            echo "s3://our-corpus/ /data mount-s3 %s 0 0" >>/etc/fstab
            mount -a
"""

RULE = TemplateRule(
    id="TRN387",
    title="buckets in /etc/fstab have the options that Mountpoint needs",
    severity=Severity.ERROR,
    why="Mountpoint refuses to start from /etc/fstab without _netdev, nosuid and nodev; without "
    "nofail the system waits for a bucket that it cannot mount, and does not come up.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/mountpoint-usage.html",
    good=_TEMPLATE % "_netdev,nosuid,nodev,nofail,ro,allow-other",
    bad=_TEMPLATE % "_netdev,nofail,ro,allow-other",
    check=_check,
)
