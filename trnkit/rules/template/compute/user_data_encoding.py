"""TRN289: user data is Base64."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.reading.launch_settings import launch_settings
from trnkit.rules.reading.template_value import as_list, function_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

_NEVER_BASE64 = re.compile(r"[^A-Za-z0-9+/=_\s-]")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for settings in launch_settings(stack_set):
        data = settings["UserData"]
        text = _beginning(data)
        if text is not None and _NEVER_BASE64.search(text):
            yield Violation(
                message=f"{data.resource.logical_id}: UserData is plain text, not Base64",
                hint="put it below Fn::Base64",
                resource=data.resource,
                path=data.path,
            )


def _beginning(data: TemplateValue) -> str | None:
    """What it certainly begins with as it is given to EC2; None where a function may encode it."""
    function, arguments = function_of(data.raw)
    if isinstance(data.raw, str) or function in ("Ref", "Fn::FindInMap"):
        return data.text()
    if function == "Fn::Sub":
        return data.head()
    pieces = as_list(arguments[-1]) if function == "Fn::Join" and arguments else None
    return pieces[0] if pieces and isinstance(pieces[0], str) else None


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        UserData: """

RULE = TemplateRule(
    id="TRN289",
    title="user data is Base64",
    severity=Severity.ERROR,
    why="EC2 refuses every launch with user data in plain text; CloudFormation does not encode it.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    good=_HEAD + '{Fn::Base64: "#!/bin/sh"}\n',
    bad=_HEAD + '"#!/bin/sh"\n',
    check=_check,
)
