"""TRN447: a price that somebody stated counts where the cluster is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_KEY = ("budget", "prices_file")


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    file = cluster.budget.prices
    if file is None:
        return
    places: dict[str, list[str | None]] = {}
    for entry in file.prices:
        places.setdefault(entry.key, []).append(entry.region or file.region)
    elsewhere = {
        key: sorted(filter(None, regions))
        for key, regions in places.items()
        if None not in regions and cluster.region not in regions
    }
    if not elsewhere:
        return
    # That nothing at all counts here is for another rule.
    if len(elsewhere) == len(places) and file.discount is None and file.list_prices is None:
        return
    named = alternatives(
        (f"{key} in {alternatives(regions, 'and')}" for key, regions in elsewhere.items()), "and"
    )
    many = len(elsewhere) > 1
    yield Violation(
        message=f"{format_path(_KEY)} states {named}, which "
        f"{'say' if many else 'says'} nothing of {cluster.region}",
        hint=f"state what {'they cost' if many else 'it costs'} in {cluster.region}, too, where "
        "the cluster has any of it",
        path=_KEY,
    )


RULE = ConfigRule(
    id="TRN447",
    title="a price that is stated counts where the cluster is",
    severity=Severity.INFO,
    why="A price for another Region changes nothing here: list prices count, less the discount.",
    source="https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/price-changes.html",
    good="budget: {prices_file: examples/prices/agreement.yaml}\n",
    bad="budget: {prices_file: tests/trnkit/rules/prices/of-oregon-and-a-discount.yaml}\n",
    check=_check,
)
