"""TRN255: user data stays below EC2's limit."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from trnkit.findings import Severity
from trnkit.rules.launch_templates import accelerated_templates
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet, Template
    from trnkit.rules.template_value import TemplateValue

LIMIT = 16_384
NEAR = 14_000


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for template in accelerated_templates(stack_set):
        data = template.data["UserData"]
        size = _decoded_size(data)
        if size is None or size < NEAR:
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


def _decoded_size(data: TemplateValue) -> int | None:
    """Bytes that are certainly there, or None when nothing is known."""
    if isinstance(data.raw, str):
        try:
            return len(base64.b64decode(data.raw, validate=False))
        except (binascii.Error, ValueError):
            return None
    if isinstance(data.raw, Mapping) and "Fn::Base64" in data.raw:
        return _known_bytes(cast("Mapping[str, Any]", data.raw)["Fn::Base64"], data.resource.template)
    return None


def _known_bytes(value: Any, template: Template, depth: int = 0) -> int:
    """Bytes of the parts that are known; what is not known counts nothing."""
    text = template.text(value) if depth == 0 or not isinstance(value, Mapping) else None
    if text is not None:
        return len(text.encode("utf-8", "replace"))
    if not isinstance(value, Mapping) or depth > 10:
        return 0
    function, argument = next(iter(cast("Mapping[str, Any]", value).items()), ("", None))
    if function == "Fn::Sub":
        pattern = cast("list[Any]", argument)[0] if isinstance(argument, list) and argument else argument
        return _literal_bytes(pattern) if isinstance(pattern, str) else 0
    parts = cast("list[Any]", argument) if isinstance(argument, list) else []
    if function == "Fn::Join" and len(parts) == 2 and isinstance(parts[1], list):
        pieces = cast("list[Any]", parts[1])
        between = len(parts[0].encode("utf-8", "replace")) if isinstance(parts[0], str) else 0
        known = sum(_known_bytes(piece, template, depth + 1) for piece in pieces)
        return known + between * max(0, len(pieces) - 1)
    return 0


def _literal_bytes(pattern: str) -> int:
    """Bytes of a `Fn::Sub` pattern outside its `${...}`."""
    first, *others = pattern.split("${")
    rest = (other.partition("}")[2] for other in others)
    return len("".join([first, *rest]).encode("utf-8", "replace"))


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
