"""The text of user data, as far as it is known before the deployment."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

from trnkit.rules.reading.template_value import as_list, function_of

if TYPE_CHECKING:
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Template

UNKNOWN_PART = "\0"
"""Stands in the text for what is known at deployment only; user data cannot hold it."""
_MAX_DEPTH = 10
_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def user_data_text(data: TemplateValue) -> str | None:
    """The text, with `UNKNOWN_PART` where it is not known; None when nothing is."""
    if isinstance(data.raw, str):
        try:
            return base64.b64decode("".join(data.raw.split()), validate=True).decode()
        except (binascii.Error, ValueError):
            return None
    function, arguments = function_of(data.raw)
    if function == "Fn::Base64" and len(arguments) == 1:
        return _text(arguments[0], data.resource.template)
    return None


def _text(value: Any, template: Template, depth: int = 0) -> str:
    known = template.text(value)
    if known is not None:
        return known
    if depth <= _MAX_DEPTH:
        function, arguments = function_of(value)
        if function == "Fn::Sub" and arguments and isinstance(arguments[0], str):
            return _VARIABLE.sub(_literal, arguments[0])
        pieces = as_list(arguments[-1]) if arguments else None
        if function == "Fn::Join" and pieces and isinstance(arguments[0], str):
            return arguments[0].join(_text(piece, template, depth + 1) for piece in pieces)
    return UNKNOWN_PART


def _literal(variable: re.Match[str]) -> str:
    """`${!name}` is the text `${name}`."""
    return f"${{{variable[1][1:]}}}" if variable[1].startswith("!") else UNKNOWN_PART
