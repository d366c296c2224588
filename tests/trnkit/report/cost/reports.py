"""A report about cost as a test wants it."""

from __future__ import annotations

from datetime import date

from tests.trnkit.layout.cost.other_machines import a_comparison, a_price
from trnkit.catalog import PriceClaim
from trnkit.layout.cost.assumptions import Assumptions
from trnkit.layout.cost.claims import check_claims
from trnkit.layout.cost.lines import UNKNOWN, ClusterCost, CostLine, Money
from trnkit.report.cost.values import CostReport

TODAY = date(2026, 12, 1)


def a_line(key="nodes/train", component="nodes", price=None, **changes):
    """Five nodes at 48 dollars an hour."""
    price = price or a_price("trn2.48xlarge capacity-block", 48.0)
    values = {
        "key": key,
        "component": component,
        "name": "train: 5 x trn2.48xlarge, Capacity Block",
        "path": ("compute", "node_groups", 0),
        "item": price.item,
        "quantity": 5.0,
        "unit": "hour",
        "price": price,
        "hourly": Money(240.0, 240.0),
        "monthly": Money(40_320.0, 40_320.0),
        "upfront": Money(40_320.0, 40_320.0),
        "course": "upfront",
        "formula": "5 nodes x 168 hours x $48.00 an hour",
        **changes,
    }
    return CostLine(**values)


def an_unknown_line(key="lustre/fsx", name="fsx: 4,800 GB"):
    """A file system whose price nobody shows."""
    return CostLine(
        key=key,
        component="lustre",
        name=name,
        path=("storage", "lustre_file_systems", 0),
        item="fsx-lustre-persistent-2-ssd-250",
        quantity=4800.0,
        unit="GB-month",
        price=None,
        hourly=UNKNOWN,
        monthly=UNKNOWN,
        formula="4,800 GB x a price that nobody shows",
    )


def a_report(*lines, claims=(), **changes):
    """Five nodes of a Capacity Block and what else is told."""
    cost = ClusterCost(
        cluster=changes.pop("cluster", "pretrain"),
        region="us-east-2",
        assumptions=Assumptions(),
        lines=lines or (a_line(),),
        chips=changes.pop("chips", 80),
    )
    comparison = changes.pop("comparison", a_comparison())
    values = {
        "file": "cluster.yaml",
        "cost": cost,
        "month": None,
        "comparison": comparison,
        "claims": check_claims(claims, comparison) if comparison else (),
        "sources": {"block-prices": "Capacity Block price list", "neuron-arch": "Neuron guide"},
        "findings": (),
        "today": TODAY,
        **changes,
    }
    return CostReport(**values)


CLAIM = PriceClaim(
    key="trn2-over-p5",
    words="30 to 40 % better price performance than P5",
    subject=("trn2",),
    others=("p5",),
    least=1.3,
    most=1.4,
    conditions="The page names no model.",
    explanation="Prices have moved since.",
    source=("block-prices",),
    date="2026-11-30",
)
