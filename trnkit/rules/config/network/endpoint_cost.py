"""TRN114: interface endpoints are billed by the hour, and said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.endpoints import interface_endpoints_of, is_isolated
from trnkit.report.dollars import dollars
from trnkit.rules.judging.wording import count
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    endpoints = interface_endpoints_of(cluster)
    if not endpoints:
        return
    from trnkit.layout.price_book import price_book  # Few clusters have endpoints.

    book = price_book(cluster)
    hour = book.service("interface-endpoint-hour", cluster.region)
    gigabyte = book.service("interface-endpoint-data", cluster.region)
    cost = f"their price in {cluster.region} is not in the catalogue"
    evidence = None
    if hour is not None and hour.basis != "other regions":
        cost = f"about ${len(endpoints) * hour.low:.2f} an hour"
        if gigabyte is not None and gigabyte.basis != "other regions":
            cost += f", and ${gigabyte.low:.2f} a gigabyte"
        whence = "catalogue" if hour.basis == "region" else "budget.prices_file"
        evidence = (
            f"{whence}, interface endpoints in {cluster.region}: ${dollars(hour.low)} an hour "
            f"and zone ({hour.date})"
        )
    key = "nat_gateway" if is_isolated(cluster) else "interface_endpoints"
    yield Violation(
        message=f"{count(len(endpoints), 'interface endpoint')} in one zone, billed by the hour "
        f"and by the gigabyte whether or not nodes run: {cost}",
        hint="keep those that the cluster needs; the S3 gateway endpoint is free",
        path=("network", key),
        evidence=evidence,
    )


RULE = ConfigRule(
    id="TRN114",
    title="interface endpoints cost money by the hour",
    severity=Severity.INFO,
    why="A full set of endpoints can cost more than a small cluster saves on its NAT gateway.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/privatelink-access-aws-services.html",
    good="network: {nat_gateway: true}\n",
    bad="network: {nat_gateway: false}\n",
    check=_check,
)
