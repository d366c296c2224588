"""docs/cost-comparison.md: written by hand, but its tables are what the command says today."""

from __future__ import annotations

import re
from pathlib import Path

from trnkit.catalog import price_claims
from trnkit.config import load_cluster
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.claims import check_claims
from trnkit.layout.price_book import price_book
from trnkit.operations.cost_report import compare_work
from trnkit.report.cost.alternatives_text import claim_lines, need_lines

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cost-comparison.md"
_SHOWN = re.compile(
    r"(```console\n\$ trnkit cost ([^\n ]+) --alternatives( --explain)?\n).*?(```\n)", re.DOTALL
)


def render() -> str:
    """The page as it is, with what the commands on it say."""
    return _SHOWN.sub(_with_output, PAGE.read_text(encoding="utf-8"))


def _with_output(shown: re.Match[str]) -> str:
    cluster = load_cluster(str(ROOT / shown[2])).config
    comparison = compare_work(cluster, cluster_cost(cluster, price_book(cluster)))
    if shown[3]:
        lines = ["...", *claim_lines(check_claims(price_claims(), comparison))]
    else:
        lines = ["...", *need_lines(comparison), "..."]
    return shown[1] + "".join(f"{line}\n" for line in lines) + shown[4]
