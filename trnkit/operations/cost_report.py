"""What `trnkit cost --alternatives` and its page show of a file, beside the estimate."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from trnkit.catalog import price_claims, sources
from trnkit.errors import UsageError
from trnkit.layout.cost.alternatives import GroupWork, compare
from trnkit.layout.cost.catalogue_machines import machines_for
from trnkit.layout.cost.claims import check_claims
from trnkit.layout.cost.month import cost_month, first_month
from trnkit.layout.price_book import list_price_book, price_book
from trnkit.operations.utilisation import read_utilisation
from trnkit.report.cost.limit_words import limit_words
from trnkit.report.cost.values import CostReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog.price_book import PriceBook
    from trnkit.config import ClusterConfig
    from trnkit.layout.cost.alternatives import WorkComparison
    from trnkit.layout.cost.lines import ClusterCost
    from trnkit.operations.costing import Estimate

_MONTH = re.compile(r"(2[0-9]{3})-(0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the user told beside the file.

    Attributes:
        utilisation: As `--mfu` tells it.
        month: As `--month` tells it; None: that of the first Capacity Block.
        today: To tell prices that are too old.
    """

    utilisation: Sequence[str]
    month: str | None
    today: date


def cost_report(done: Estimate, asked: Asked) -> CostReport | None:
    """What is known of a file's cost, its alternatives too; None of a file with errors.

    Args:
        done: The estimate.
        asked: What the user told.

    Raises:
        UsageError: That cannot be meant.
    """
    month = _month(asked.month)
    if done.cluster is None or done.cost is None:
        return None
    cluster = done.cluster.config
    first = month or first_month(cluster)
    comparison = compare_work(cluster, done.cost, asked.utilisation)
    return CostReport(
        file=done.file,
        cost=done.cost,
        month=None if first is None else cost_month(done.cost, cluster, first),
        comparison=comparison,
        claims=check_claims(price_claims(), _at_list_prices(cluster, done.cost)),
        sources={source.key: source.title for source in sources()},
        findings=done.findings,
        today=asked.today,
        limit=limit_words(cluster, done.reach),
    )


def _at_list_prices(cluster: ClusterConfig, cost: ClusterCost) -> WorkComparison:
    """What public claims are put beside: nobody else has agreed with AWS what this cluster has."""
    public = replace(cost, assumptions=replace(cost.assumptions, spot_prices=()))
    return compare_work(cluster, public, book=list_price_book(cluster))


def compare_work(
    cluster: ClusterConfig,
    cost: ClusterCost,
    utilisation: Sequence[str] = (),
    *,
    book: PriceBook | None = None,
) -> WorkComparison:
    """The nodes of a cluster beside all types that the catalogue can compare.

    Args:
        cluster: The cluster.
        cost: Its estimate.
        utilisation: As `--mfu` tells it.
        book: Prices; the cluster's when left out.

    Raises:
        UsageError: That cannot be meant.
    """
    groups = [
        GroupWork(group.name, group.instance_type, group.count)
        for group in cluster.compute.node_groups
        if group.count
    ]
    machines = machines_for(cluster.region, (group.instance_type for group in groups))
    types = [machine.instance_type for machine in machines]
    return compare(
        groups,
        {line.key.removeprefix("nodes/"): line.hourly for line in cost.of("nodes")},
        machines,
        book or price_book(cluster),
        cluster.region,
        read_utilisation(utilisation, types),
        cost.assumptions.spot_prices,
    )


def _month(text: str | None) -> date | None:
    if text is None:
        return None
    said = _MONTH.fullmatch(text)
    if said is None:
        raise UsageError(f"--month {text!r} is no month: write 2027-03")
    return date(int(said[1]), int(said[2]), 1)
