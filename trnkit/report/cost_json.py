"""What a cluster costs, for a program: plain JSON values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trnkit.layout.capacity import format_utc
from trnkit.layout.cost.lines import total
from trnkit.layout.cost.told import told_for_nothing
from trnkit.report.cost_words import stale

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import date

    from trnkit.layout.cost.comparing import CostComparison, Difference, LineChange
    from trnkit.layout.cost.lines import ClusterCost, CostLine, Money
    from trnkit.layout.limit_reach import LimitReach


def cost_json(cost: ClusterCost, today: date, *, compared: Collection[str] = ()) -> dict[str, Any]:
    """An estimate as plain JSON values.

    Args:
        cost: What a cluster costs.
        today: To tell prices that are too old.
        compared: Items whose prices a comparison with other instances shows beside it.
    """
    return {
        "cluster": cost.cluster,
        "region": cost.region,
        "currency": "USD",
        "assumptions": asdict(cost.assumptions),
        "hourly": _money(cost.hourly),
        "monthly": _money(cost.monthly),
        "upfront": _money(cost.upfront),
        "chips": cost.chips,
        "usd_per_chip_hour": {
            "nodes": cost.node_chip_hour and _money(cost.node_chip_hour),
            "everything": cost.chip_hour and _money(cost.chip_hour),
        },
        "components": [
            {
                "component": component,
                "hourly": _money(total(line.hourly for line in cost.of(component))),
                "monthly": _money(total(line.monthly for line in cost.of(component))),
            }
            for component in cost.components()
        ],
        "lines": [_line(line) for line in cost.lines],
        "unknown": [line.key for line in cost.unknown],
        "not_told": [line.key for line in cost.not_told],
        "told_for_nothing": list(told_for_nothing(cost, compared=compared)),
        "stale_prices": [price.item for price in stale(cost.prices, today)],
    }


def limit_json(reach: LimitReach | None) -> dict[str, Any] | None:
    """How long a file's limit lasts as plain JSON values; None without a limit that says it.

    Args:
        reach: How far it reaches.
    """
    if reach is None:
        return None
    return {**asdict(reach), "days": reach.days, "days_to_enforcement": reach.days_to_enforcement}


def comparison_json(compared: CostComparison, today: date) -> dict[str, Any]:
    """A comparison as plain JSON values.

    Args:
        compared: Two versions of a cluster.
        today: To tell prices that are too old.
    """
    return {
        "currency": "USD",
        "difference": _differences(compared),
        "changes": [_change(change) for change in compared.changes],
        "unknown": [change.line.key for change in compared.unknown],
        "old": cost_json(compared.old, today),
        "new": cost_json(compared.new, today),
    }


def _line(line: CostLine) -> dict[str, Any]:
    return {
        "key": line.key,
        "component": line.component,
        "name": line.name,
        "path": list(line.path),
        "item": line.item,
        "quantity": line.quantity,
        "unit": line.unit,
        "price": line.price and asdict(line.price),
        "hourly": _money(line.hourly),
        "monthly": _money(line.monthly),
        "upfront": line.upfront and _money(line.upfront),
        "costs_by": line.course,
        "formula": line.formula,
        "assumption": line.assumption,
        "use": line.use and line.use.replace("_", "-"),
        "not_told": line.not_told,
        "moments": [{"at": format_utc(moment.at), "what": moment.what} for moment in line.moments],
    }


def _change(change: LineChange) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "key": change.line.key,
        "component": change.line.component,
        "old": change.old and change.old.name,
        "new": change.new and change.new.name,
        **_differences(change),
    }


def _differences(of: CostComparison | LineChange) -> dict[str, Any]:
    return {
        "hourly": _difference(of.hourly),
        "monthly": _difference(of.monthly),
        "upfront": _difference(of.upfront),
    }


def _money(amount: Money) -> dict[str, float | None]:
    return {"low": amount.low, "high": amount.high}


def _difference(difference: Difference) -> dict[str, float | None]:
    return {"least": difference.least, "most": difference.most}
