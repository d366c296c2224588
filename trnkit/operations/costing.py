"""`trnkit cost`: what a cluster file costs, and what another version of it changes about that."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING

from trnkit.catalog.price_book import UnitPrice
from trnkit.config.prices_file import POSSIBLE_USD
from trnkit.errors import UsageError
from trnkit.findings import has_errors
from trnkit.layout.cost import cluster_cost
from trnkit.layout.cost.assumptions import Assumptions
from trnkit.layout.limit_reach import limit_reach
from trnkit.layout.price_book import price_book
from trnkit.operations.checking import check_files
from trnkit.operations.places import SHOWN_INPUT, STANDARD_INPUT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from trnkit.config import ClusterFile
    from trnkit.findings import Finding
    from trnkit.layout.cost.lines import ClusterCost
    from trnkit.layout.limit_reach import LimitReach

_MOST = 1e15
_MOST_HOURS = 744
"""Of a month with 31 days."""
_TOLD = "--spot-price"
_NO_USE = ("hours_per_month", "spot_prices")
_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?|\.[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What became of one file.

    Attributes:
        file: As the user named it.
        findings: What `trnkit check` says of it.
        cluster: What it says; None with errors.
        cost: What it costs; None with errors.
        reach: How long its limit lasts; None with errors, and without a limit that says it.
    """

    file: str
    findings: tuple[Finding, ...]
    cluster: ClusterFile | None
    cost: ClusterCost | None
    reach: LimitReach | None = None


def estimate(
    file: str, assumptions: Assumptions, *, standard_input: bytes | None = None
) -> Estimate:
    """Say what a cluster file costs; with errors in it, say these instead.

    Args:
        file: A path, a pipe, or `-`.
        assumptions: How the cluster is used.
        standard_input: What was read for `-`.
    """
    checked = check_files([file], standard_input=standard_input)
    shown = SHOWN_INPUT if file == STANDARD_INPUT and standard_input is not None else file
    if has_errors(checked.findings):
        return Estimate(file=shown, findings=checked.findings, cluster=None, cost=None)
    for cluster in checked.clusters_in_turn():
        book = price_book(cluster.config)
        return Estimate(
            file=shown,
            findings=checked.findings,
            cluster=cluster,
            cost=cluster_cost(cluster.config, book, assumptions),
            reach=limit_reach(cluster.config, book),
        )
    raise AssertionError(f"{shown} has neither errors nor a cluster")


def use_names() -> tuple[str, ...]:
    """What `--use` can say, as it is written there: `nat-gb`."""
    return tuple(
        field.name.replace("_", "-") for field in fields(Assumptions) if field.name not in _NO_USE
    )


def read_assumptions(
    uses: Sequence[str], spot_prices: Sequence[str], hours_per_month: float, today: date
) -> Assumptions:
    """The assumptions that the command line tells.

    Args:
        uses: Each as `nat-gb=5000`.
        spot_prices: Each as `trn1.32xlarge=8.60`.
        hours_per_month: Hours in which nodes run.
        today: The day on which it was told.

    Raises:
        UsageError: One of them cannot be meant.
    """
    if not 0 <= hours_per_month <= _MOST_HOURS:
        raise UsageError(f"--hours-per-month is 0 to {_MOST_HOURS}, not {hours_per_month:g}")
    told: dict[str, float] = {}
    for text in uses:
        name, amount = _pair("--use", text, "nat-gb=5000")
        if name not in use_names():
            raise UsageError(f"--use has no {name!r}: {_named_so(name)}")
        if name in told:
            raise UsageError(f"--use {name} is told twice: keep one")
        told[name] = amount
    prices: dict[str, UnitPrice] = {}
    for text in spot_prices:
        kind, usd = _pair(_TOLD, text, "trn1.32xlarge=8.60", least=POSSIBLE_USD["usd_per_hour"][0])
        if kind in prices:
            raise UsageError(f"{_TOLD} {kind} is told twice: keep one")
        prices[kind] = UnitPrice(
            item=f"{kind} spot",
            unit="hour",
            low=usd,
            high=usd,
            basis="file",
            source=(_TOLD,),
            date=today.isoformat(),
        )
    by_name = {name.replace("-", "_"): amount for name, amount in told.items()}
    return Assumptions(
        hours_per_month=hours_per_month, spot_prices=tuple(prices.values()), **by_name
    )


def _named_so(name: str) -> str:
    """What there is in place of a name that there is not."""
    near = get_close_matches(name, use_names(), n=3)
    if not near:
        return "leave it out, and the report lists what the file needs"
    *others, last = near
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def _pair(option: str, text: str, example: str, least: float = 0) -> tuple[str, float]:
    name, _, number = text.partition("=")
    is_one = bool(name.strip()) and _AMOUNT.fullmatch(number) is not None
    amount = float(number) if is_one else math.nan
    if not least <= amount <= _MOST:
        raise UsageError(f"{option} {text!r} is no name and amount: write {option} {example}")
    return name.strip(), amount
