"""TRN273: no placeholder of the template reaches the node as it is written."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.booting_resources import user_data_places
from trnkit.rules.reading.template_value import as_list, as_mapping, function_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet, Template

_NAME = r"\{([A-Za-z][A-Za-z0-9]*(?:::[A-Za-z]+|\.[A-Za-z.]+)?)\}"
_PLACEHOLDER = re.compile(rf"(?<!\\)\${_NAME}")
_DOUBLED = re.compile(rf"(?<![\\$])\$\${_NAME}")
_PSEUDO = "AWS::"
_FROM_ELSEWHERE = re.compile(r"^[ \t]*(source|\.|eval|set -a)\s|\benvsubst\b", re.MULTILINE)
"""Names may come from a file that the script reads, or are filled in by it."""
_COMMENT = re.compile(r"^[ \t]*#(?!!).*$", re.MULTILINE)
_MAX_DEPTH = 10
_LONGEST = 65_536
"""EC2 takes far less; what is beyond is a trap for linters."""


@dataclass(frozen=True, slots=True)
class _Pieces:
    """User data, taken apart.

    Attributes:
        plain: What reaches the node letter by letter.
        patterns: The patterns of `Fn::Sub`.
    """

    plain: list[str]
    patterns: list[str]


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for data in user_data_places(stack_set):
        pieces = _pieces(data)
        plain, patterns = (
            _COMMENT.sub("", "\n".join(texts)[:_LONGEST])
            for texts in (pieces.plain, pieces.patterns)
        )
        template = data.resource.template
        left = [
            n for n in _names_in(_PLACEHOLDER, plain, template) if _is_unset(n, plain + patterns)
        ]
        if left:
            yield Violation(
                message=f"{data.resource.logical_id}: user data holds {_shown(left)} outside "
                "Fn::Sub, so the node gets these characters and not the value",
                hint="put Fn::Sub around the text, and write shell variables as ${!NAME} in it",
                resource=data.resource,
                path=data.path,
                severity=Severity.ERROR if any(_PSEUDO in name for name in left) else None,
            )
        doubled = _names_in(_DOUBLED, patterns, template)
        if doubled:
            yield Violation(
                message=f"{data.resource.logical_id}: user data holds ${_shown(doubled)} in "
                "Fn::Sub, which becomes a dollar sign and the value behind it",
                hint="write ${Name} for the value, or ${!NAME} for a variable of the shell",
                resource=data.resource,
                path=data.path,
            )


def _shown(names: list[str]) -> str:
    return alternatives((f"${{{name}}}" for name in names), "and")


def _pieces(data: TemplateValue) -> _Pieces:
    found = _Pieces([], [])
    if isinstance(data.raw, str):
        try:
            found.plain.append(base64.b64decode("".join(data.raw.split()), validate=True).decode())
        except (binascii.Error, ValueError):
            return found
    function, arguments = function_of(data.raw)
    if function == "Fn::Base64":
        _collect(arguments, found, 0)
    return found


def _collect(values: list[Any], found: _Pieces, depth: int) -> None:
    for value in values if depth <= _MAX_DEPTH else ():
        function, arguments = function_of(value)
        if isinstance(value, str):
            found.plain.append(value)
        elif function == "Fn::Sub" and arguments and isinstance(arguments[0], str):
            found.patterns.append(arguments[0])
        elif function == "Fn::Join" and arguments:
            _collect(as_list(arguments[-1]) or [], found, depth + 1)
        elif function == "Fn::If":
            _collect(arguments[1:], found, depth + 1)


def _names_in(pattern: re.Pattern[str], text: str, template: Template) -> list[str]:
    """The names of the template, and pseudo parameters, that stand in a text as placeholders."""
    found = dict.fromkeys(matched[1] for matched in pattern.finditer(text))
    sections = [template.body.get(name) for name in ("Parameters", "Resources")] if found else []
    declared = {str(name) for section in sections for name in as_mapping(section) or {}}
    return [name for name in found if name.startswith(_PSEUDO) or _first(name) in declared]


def _first(name: str) -> str:
    return re.split(r"::|\.", name)[0]


def _is_unset(name: str, text: str) -> bool:
    """Whether a name certainly is no variable that the script itself gives a value."""
    if name.startswith(_PSEUDO):
        return True
    first = re.escape(_first(name))
    told = (
        rf"\b{first}\s{{0,9}}\+?=",
        rf"\b(read|for|export|declare|local|getopts)\b.{{0,200}}\b{first}\b",
        rf"\bs[/|#,@]\\?\$\\?\{{{first}\b",  # sed, for a text of the script's own
    )
    return not _FROM_ELSEWHERE.search(text) and not any(re.search(p, text) for p in told)


_HEAD = """\
Parameters:
  ClusterName: {Type: String}
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        UserData:
"""

RULE = TemplateRule(
    id="TRN273",
    title="no placeholder of the template reaches the node as it is written",
    severity=Severity.WARNING,
    why="Only Fn::Sub fills in ${Name}. To the shell it is a variable that nobody has set: empty, "
    "so the node joins nothing and says nothing.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "intrinsic-function-reference-sub.html",
    good=_HEAD + '          Fn::Base64: {"Fn::Sub": "#!/bin/bash\\necho ${ClusterName}"}\n',
    bad=_HEAD + '          Fn::Base64: "#!/bin/bash\\necho ${ClusterName}"\n',
    check=_check,
)
