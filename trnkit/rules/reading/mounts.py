"""Whether nodes mean to mount a file system of the set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource


def names_in_user_data(data: TemplateValue, file_system: Resource) -> bool:
    """Whether user data refers to a file system of its own template, in whatever function."""
    same = data.resource.template is file_system.template
    word = rf"\b{re.escape(file_system.logical_id)}\b"
    return same and re.search(word, repr(data.raw)) is not None
