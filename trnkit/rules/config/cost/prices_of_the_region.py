"""TRN423: a file of prices has some that count in the cluster's Region."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped, format_path
from trnkit.findings import Severity
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_KEY = ("budget", "prices_file")
_SHOWN = 3


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    file = cluster.budget.prices
    if file is None or file.discount is not None:
        return
    from trnkit.layout.price_book import own_prices  # Few clusters have such a file.

    regions = {price.region for price in own_prices(file)}
    if None in regions or cluster.region in regions:
        return
    others = sorted(filter(None, regions))
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    named = clipped(cluster.budget.prices_file or "")
    yield Violation(
        message=f"{format_path(_KEY)} is {named}: it has no price for {cluster.region}, only for "
        f"{', '.join(others[:_SHOWN])}{more}",
        hint=f"add prices for {cluster.region}, or run `trnkit prices refresh --region "
        f"{cluster.region}`, or remove the key",
        path=_KEY,
    )


RULE = ConfigRule(
    id="TRN423",
    title="a file of prices has some that count in the cluster's Region",
    severity=Severity.WARNING,
    why="AWS has prices of its own in each Region, so prices for others change nothing: estimates "
    "and the watchdog count with list prices, as if the file were not there.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    good="budget: {prices_file: examples/prices/agreement.yaml}\n",
    bad="region: us-east-1\nbudget: {prices_file: tests/trnkit/rules/prices/of-ohio.yaml}\n",
    check=_check,
)
