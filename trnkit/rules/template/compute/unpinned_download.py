"""TRN274: nodes install the same EFA software today and tomorrow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.booting_resources import user_data_places
from trnkit.rules.reading.node_config import shell_lines
from trnkit.rules.reading.user_data import user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_DRIVER = re.compile(r"aws-efa-installer-latest\.tar\.gz")
_OTHER = re.compile(
    r"/releases/latest/download/[\w.+-]{1,100}|[\w.+-]{1,100}-latest\.(?:tar\.gz|tgz|zip)"
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for data in user_data_places(stack_set):
        lines = "\n".join(shell_lines(user_data_text(data) or ""))
        drivers = list(dict.fromkeys(_DRIVER.findall(lines)))
        others = [url for url in dict.fromkeys(_OTHER.findall(lines)) if url not in drivers]
        if drivers or others:
            names = [url.rpartition("/")[2] for url in (drivers or others)]
            yield Violation(
                message=f"{data.resource.logical_id}: user data downloads "
                f"{alternatives(dict.fromkeys(names), 'and')}, which is another file on another "
                "day",
                hint="name a version in place of latest",
                resource=data.resource,
                path=data.path,
                severity=None if drivers else Severity.INFO,
            )


_TEMPLATE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        UserData:
          Fn::Base64: |
            #!/bin/bash
            curl -O https://efa-installer.amazonaws.com/aws-efa-installer-%s.tar.gz
"""

RULE = TemplateRule(
    id="TRN274",
    title="nodes install the same EFA software today and tomorrow",
    severity=Severity.WARNING,
    why="Nodes that start on different days have different drivers and libraries, and a run that "
    "worked cannot be repeated.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    good=_TEMPLATE % "1.45.1",
    bad=_TEMPLATE % "latest",
    check=_check,
)
