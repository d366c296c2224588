"""Which tags the budgets of a set count."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.rules.reading.budget_resources import BudgetResource, budgets

if TYPE_CHECKING:
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet

TAG_SHAPE = re.compile(r"(user|aws):([^$]+)\$(.*)", re.DOTALL)
"""What `CostFilters.TagKeyValue` takes."""
_DEEPEST = 10
_EXACT = ([], ["EQUALS"])


def counted_tags(stack_set: StackSet) -> frozenset[tuple[str, str]]:
    """The tags that the budgets count, none of which counts anything else.

    Empty when there is no budget, or when one counts more than what carries the tags of users, or
    may do so: then nothing is certainly left out.
    """
    return stack_set.derive(_counted_tags)


def _counted_tags(stack_set: StackSet) -> frozenset[tuple[str, str]]:
    counted: set[tuple[str, str]] = set()
    for found in budgets(stack_set):
        tags = _tags_of(found)
        if not tags:
            return frozenset()
        counted |= tags
    return frozenset(counted)


def _tags_of(found: BudgetResource) -> set[tuple[str, str]] | None:
    """The tags that a budget filters on; None when that is not all that it may count."""
    expression = found.budget["FilterExpression"]
    if not expression.is_absent:
        return _in_expression(expression)
    entries = found.budget["CostFilters"]["TagKeyValue"].entries() or ()
    shapes = [TAG_SHAPE.fullmatch(entry.text() or "") for entry in entries]
    # Tags that AWS sets itself are in no template.
    own = [(shape[2], shape[3]) for shape in shapes if shape and shape[1] == "user"]
    return set(own) if own and len(own) == len(entries) else None


def _in_expression(expression: TemplateValue, depth: int = 0) -> set[tuple[str, str]] | None:
    if expression.mapping() is None or depth > _DEEPEST:
        return None
    tags = expression["Tags"]
    if not tags.is_absent:
        return _in_tags(tags)
    # A part of a conjunction only narrows what the others count.
    narrowed = [_in_expression(part, depth + 1) for part in expression["And"].entries() or ()]
    known = [part for part in narrowed if part]
    if known:
        return known[0]
    either = [_in_expression(part, depth + 1) for part in expression["Or"].entries() or ()]
    whole = [part for part in either if part]
    return set[tuple[str, str]]().union(*whole) if whole and len(whole) == len(either) else None


def _in_tags(tags: TemplateValue) -> set[tuple[str, str]] | None:
    key, values = tags["Key"].text(), tags["Values"].entries() or ()
    options = [option.text() for option in tags["MatchOptions"].entries() or ()]
    texts = [value.text() for value in values]
    if key is None or options not in _EXACT or not texts or key.startswith("aws:"):
        return None
    known = {(key.removeprefix("user:"), text) for text in texts if text is not None}
    return known if None not in texts else None
