"""Cost as Markdown, for a comment on a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.layout.cost.lines import total
from trnkit.report.cost_comparison import HEAD, change_rows, headline, remarks, total_row
from trnkit.report.cost_comparison import discount_lines as comparison_discounts
from trnkit.report.cost_text import discount_lines, not_told_lines, price_lines, unneeded
from trnkit.report.cost_words import STATED, money, share
from trnkit.report.words import count_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from trnkit.layout.cost.comparing import CostComparison
    from trnkit.layout.cost.lines import ClusterCost

_MOST_ROWS = 60
"""GitHub takes no comment above 65,536 characters."""
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|!~$"})


def comparison_markdown(compared: CostComparison, today: date) -> str:
    """A comparison, short enough for a comment.

    Args:
        compared: Two versions of a cluster.
        today: To tell prices that are too old.
    """
    blocks = [f"### Cost of {_plain(compared.new.cluster)}", _plain(headline(compared))]
    blocks += map(_plain, comparison_discounts(compared))
    rows = change_rows(compared)
    if rows:
        more = f"{count_of(len(rows) - _MOST_ROWS, 'further change')}, which the text report tells"
        rest = [("", "", more, "", "")] if len(rows) > _MOST_ROWS else []
        blocks.append(_table(HEAD, [*rows[:_MOST_ROWS], *rest, total_row(compared)]))
    blocks.append(_bullets(remarks(compared)))
    told = not_told_lines(change.line for change in compared.changes if change.line.not_told)
    if told:
        blocks.append(_details("By use, which nobody told", told))
    blocks.append(_details("Prices", price_lines(compared.new, today)))
    return "\n\n".join(block for block in blocks if block)


def cost_markdown(cost: ClusterCost, today: date, *, limit: str = "") -> str:
    """An estimate, by component.

    Args:
        cost: What a cluster costs.
        today: To tell prices that are too old.
        limit: What there is to say of the month's limit; "" for nothing.
    """
    rows: list[Sequence[str]] = []
    for component in cost.components():
        lines = [line for line in cost.of(component) if not line.not_told]
        if lines:
            hourly, monthly = (
                total(line.hourly for line in lines),
                total(line.monthly for line in lines),
            )
            part = share(monthly, cost.monthly)
            rows.append((component, money(hourly), money(monthly), part))
    rows.append(("total", money(cost.hourly), money(cost.monthly), ""))
    blocks = [
        f"### Cost of {_plain(cost.cluster)} in {_plain(cost.region)}",
        *map(_plain, discount_lines(cost)),
        _table(("component", "an hour", "a month", "share"), rows),
    ]
    if cost.upfront.counted or cost.upfront.high is None:
        blocks.append(f"Paid beforehand, once: {_plain(money(cost.upfront))}")
    if limit:
        blocks.append(_plain(limit))
    items = dict.fromkeys(line.item for line in cost.unknown)
    if items:
        blocks.append(
            f"Unknown, and not in the sums: {_plain(', '.join(items))} ({_plain(STATED)})"
        )
    blocks += map(_plain, unneeded(cost))
    told = not_told_lines(cost.not_told)
    if told:
        blocks.append(_details("By use, which nobody told: counted as none", told))
    blocks.append(_details("Prices", price_lines(cost, today)))
    return "\n\n".join(blocks)


def paragraph(text: str) -> str:
    """A paragraph of plain text.

    Args:
        text: What it says, with whatever a file brought into it.
    """
    return _plain(text)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    numbers = {"an hour", "a month", "share"}
    marks = ["---:" if name in numbers else "---" for name in head]
    table = [head, marks, *([_plain(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(line)}" for line in lines)


def _details(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(f"- {_plain(' '.join(line.split()))}" for line in lines)
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def _plain(text: str) -> str:
    """Text that a code host shows as it is: names of a file are a stranger's in a pull request."""
    return on_one_line(text).translate(_SPECIAL)
