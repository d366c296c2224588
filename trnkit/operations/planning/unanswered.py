"""What AWS did not answer: each failure once, however many Regions and rows it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.failures import AwsFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trnkit.operations.planning.market import RegionMarket


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that had no answer, in one Region or several.

    Attributes:
        kind: Why.
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        permission: The IAM action that is missing, where one is.
        regions: Where.
        message: One line with the remedy, as it is of the first of the Regions.
    """

    kind: str
    service: str
    operation: str
    permission: str | None
    regions: tuple[str, ...]
    message: str

    def words(self) -> str:
        """The message, with the other Regions."""
        others = self.regions[1:]
        return f"{self.message} (also in {', '.join(others)})" if others else self.message

    def as_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "kind": self.kind,
            "service": self.service,
            "operation": self.operation,
            "permission": self.permission,
            "regions": list(self.regions),
            "message": self.message,
        }


def unanswered(markets: Iterable[RegionMarket]) -> tuple[Unanswered, ...]:
    """Every failure once, in the order of the Regions.

    Args:
        markets: What AWS said of each Region.
    """
    first: dict[tuple[object, ...], AwsFailure] = {}
    regions: dict[tuple[object, ...], dict[str, None]] = {}
    for market in markets:
        for failure in _failures(market):
            key = (failure.kind, failure.service, failure.operation, failure.code)
            first.setdefault(key, failure)
            regions.setdefault(key, {})[failure.region] = None
    return tuple(
        Unanswered(
            kind=failure.kind.value,
            service=failure.service,
            operation=failure.operation,
            permission=failure.permission,
            regions=tuple(regions[key]),
            message=str(failure),
        )
        for key, failure in first.items()
    )


def _failures(market: RegionMarket) -> Iterator[AwsFailure]:
    told: list[object] = [market.zones, market.services]
    for kind in market.types:
        told += [kind.offered, kind.on_demand, kind.spot, kind.placement_scores]
        told += [kind.blocks, kind.on_demand_quota, kind.spot_quota]
    yield from (one for one in told if isinstance(one, AwsFailure))
