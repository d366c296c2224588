"""docs/cost.md: written by hand, but what `trnkit cost` says of examples is what it says today."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.config import load_cluster
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.comparing import compare_costs
from trnkit.layout.limit_reach import limit_reach
from trnkit.layout.price_book import price_book
from trnkit.report.cost.limit_words import limit_words
from trnkit.report.cost_comparison import comparison_lines
from trnkit.report.cost_text import cost_lines

if TYPE_CHECKING:
    from trnkit.config import ClusterConfig
    from trnkit.layout.cost.lines import ClusterCost

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cost.md"
_SHOWN = re.compile(r"(```console\n\$ trnkit cost ([^\n]+)\n).*?(```\n)", re.DOTALL)
_NO_DAY = date.min
"""The page has no clock: no price is too old on it."""
_EXPLAINED = 12
_EXPLAIN = "--explain"


def render() -> str:
    """The page as it is, with what the commands on it say."""
    return _SHOWN.sub(_with_output, PAGE.read_text(encoding="utf-8"))


def _with_output(shown: re.Match[str]) -> str:
    lines = _output(shown[2].split())
    return shown[1] + "".join(f"{line}\n" for line in lines) + shown[3]


def _output(arguments: list[str]) -> list[str]:
    if arguments[0] == "--compare":
        old, new = map(_cost, arguments[1:])
        return comparison_lines(compare_costs(old, new), _NO_DAY)
    explain = _EXPLAIN in arguments
    cluster = _cluster(arguments[0])
    limit = limit_words(cluster, limit_reach(cluster, price_book(cluster)))
    lines = cost_lines(_cost(arguments[0]), _NO_DAY, explain=explain, limit=limit)
    if not explain:
        return lines
    first = lines.index("how each line comes about:") + 1
    return ["...", *lines[first : first + _EXPLAINED], "..."]


def _cost(example: str) -> ClusterCost:
    cluster = _cluster(example)
    return cluster_cost(cluster, price_book(cluster))


def _cluster(example: str) -> ClusterConfig:
    return load_cluster(str(ROOT / example)).config
