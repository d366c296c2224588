"""Templates of job files: real files with `@NAME@` where a value goes."""

from __future__ import annotations

import re
from pathlib import Path

_TOKEN = re.compile(r"@([A-Z][A-Z_]*)@")
_LINE = re.compile(r"^@([A-Z][A-Z_]*)@\n", re.MULTILINE)


def fill(name: str, values: dict[str, str]) -> str:
    """Fill a template.

    Args:
        name: Its path below `templates`.
        values: What each token stands for; one that is not in the template is left unused.

    Raises:
        KeyError: The template has a token without a value.
    """
    text = Path(__file__).with_name("templates").joinpath(name).read_text(encoding="utf-8")
    # A line of nothing but an empty value goes away.
    text = _LINE.sub(lambda found: found[0] if values[found[1]] else "", text)
    return _TOKEN.sub(lambda found: values[found[1]], text)
