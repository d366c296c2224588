"""What check spot-price is asked with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.situations import Situation


def spot_price(price: str = "14.56", zone: str = "us-east-2b", **more: Any) -> dict[str, Any]:
    """A price of a zone, by the account's name of it."""
    return {
        "AvailabilityZone": zone,
        "InstanceType": "trn2.48xlarge",
        "ProductDescription": "Linux/UNIX",
        "SpotPrice": price,
        "Timestamp": datetime(2027, 1, 31, 9, tzinfo=UTC),
    } | more


SITUATION = Situation(
    cluster=make_cluster({"capacity": {"type": "spot", "max_price_usd": 20.0}}),
    well={"DescribeSpotPriceHistory": {"SpotPriceHistory": [spot_price()]}},
    nothing={"DescribeSpotPriceHistory": {"SpotPriceHistory": []}},
    empty=("unknown", "EC2 tells no Spot price of trn2.48xlarge in use2-az3"),
)
