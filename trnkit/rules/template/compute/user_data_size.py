"""TRN255: user data stays below EC2's limit."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.partial_text import UNKNOWN_PART, partial_text
from trnkit.rules.reading.template_value import function_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

LIMIT = 16_384
NEAR = 14_000
LONGEST_NAME = 256
"""More than any name or address has that CloudFormation fills in."""


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        data = template.data["UserData"]
        size, later = _decoded_size(data)
        surely_fits = 0 < later <= LIMIT - size
        if size < NEAR or surely_fits:
            continue
        over = size > LIMIT
        yield Violation(
            message=f"{template.resource.logical_id}: user data is at least {size} bytes before "
            f"base64; EC2 takes {LIMIT}",
            hint="put the script on S3 and fetch it from a short one"
            if over
            else "leave room: names and addresses filled in at deployment are longer",
            resource=template.resource,
            path=data.path,
            severity=Severity.ERROR if over else Severity.WARNING,
        )


def _decoded_size(data: TemplateValue) -> tuple[int, int]:
    """Bytes that are certainly there, and what names filled in at deployment may add."""
    if isinstance(data.raw, str):
        try:
            return len(base64.b64decode("".join(data.raw.split()), validate=True)), 0
        except (binascii.Error, ValueError):
            return 0, 0
    function, arguments = function_of(data.raw)
    if function == "Fn::Base64" and len(arguments) == 1:
        text = partial_text(data.resource.template, arguments[0])
        known = text.replace(UNKNOWN_PART, "")
        return len(known.encode("utf-8", "replace")), LONGEST_NAME * text.count(UNKNOWN_PART)
    return 0, 0


_TEMPLATE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        UserData: {Fn::Base64: "%s"}
"""

RULE = TemplateRule(
    id="TRN255",
    title="user data stays below 16 KB",
    severity=Severity.ERROR,
    why="EC2 counts the bytes before base64 and refuses every launch with more, though it accepts "
    "the launch template.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    good=_TEMPLATE % "#!/bin/sh",
    bad=_TEMPLATE % ("#!/bin/sh " + "x" * LIMIT),
    check=_check,
)
