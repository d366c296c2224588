"""What an instance costs On-Demand: AWS's price list, or else the catalogue's dated price."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import find_instance_price, find_source
from trnkit.operations.planning.market import Price

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.aws.pricing import ListPrice
    from trnkit.operations.planning.market import Told

SOURCE = "AWS Price List"


def on_demand_price(
    told: Told[Mapping[str, ListPrice]], instance_type: str, region: str
) -> Told[Price | None]:
    """The price in a Region.

    Args:
        told: Prices of the type by Region, as AWS told them.
        instance_type: The type.
        region: The Region.

    Returns:
        None when AWS answered and neither it nor the catalogue has a price. Without an answer, and
        without a price in the catalogue, the failure.
    """
    if not isinstance(told, AwsFailure) and (listed := told.get(region)):
        return Price(usd_per_hour=listed.usd_per_hour, source=SOURCE, as_of=listed.effective)
    known = find_instance_price(instance_type, region)
    if known is not None and known.usd_per_hour is not None:
        titles = [source.title for key in known.source if (source := find_source(key))]
        return Price(
            usd_per_hour=known.usd_per_hour,
            source=f"catalogue: {'; '.join(titles) or ', '.join(known.source)}",
            as_of=date.fromisoformat(known.date),
        )
    return told if isinstance(told, AwsFailure) else None
