"""The maximum of Spot nodes against what Spot costs in their zone now."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.conftest import NOW, make_cluster
from tests.trnkit.operations.preflight.situations.spot_price import spot_price

OLDER = datetime(2027, 1, 20, tzinfo=UTC)
KEY = "compute.node_groups[0].capacity.max_price_usd"


def spot(most=None, **keys):
    capacity = {"type": "spot"} | ({} if most is None else {"max_price_usd": most})
    return make_cluster({"capacity": capacity, **keys})


def history(*entries):
    return {"DescribeSpotPriceHistory": {"SpotPriceHistory": list(entries)}}


@pytest.mark.parametrize(
    ("most", "prices", "status"),
    [
        (0.01, [spot_price("7.74")], "warning"),
        (7.73, [spot_price("7.74")], "warning"),
        (7.74, [spot_price("7.74")], "ok"),
        (8.0, [spot_price("9.9", Timestamp=OLDER), spot_price("7.74")], "ok"),
        (8.0, [spot_price("9.9"), spot_price("7.74", Timestamp=OLDER)], "warning"),
        (8.0, [spot_price("9.9", zone="us-east-2a"), spot_price("7.74")], "ok"),
        (8.0, [spot_price("9.9", zone="x", AvailabilityZoneId="use2-az3")], "warning"),
        (8.0, [spot_price("9.9", zone="us-east-2a")], "unknown"),
        (8.0, [spot_price("0.0000")], "unknown"),
    ],
)
def test_the_newest_price_of_the_zone_counts(ask, most, prices, status):
    done = ask("spot-price", spot(most), **history(*prices))
    (result,) = done.results
    assert result.status == status
    assert result.path == ("compute", "node_groups", 0, "capacity", "max_price_usd")


def test_a_maximum_below_it_says_both_and_what_to_write(ask):
    asked = []

    def answer(parameters, region):
        asked.append(parameters)
        return {"SpotPriceHistory": [spot_price("7.74")]}

    (result,) = ask("spot-price", spot(0.01), DescribeSpotPriceHistory=answer).results
    assert result.message == (
        f"{KEY} is 0.01, below 7.74, what trn2.48xlarge costs as Spot in use2-az3 now"
    )
    assert result.remedy == "write 7.74 or more, or leave it out to pay the current Spot price"
    assert [(told["InstanceTypes"], told["StartTime"]) for told in asked] == [
        (["trn2.48xlarge"], NOW)
    ]


@pytest.mark.parametrize(
    "cluster", [make_cluster(), spot(), spot(0.01, count=0)], ids=["other", "any price", "no node"]
)
def test_without_a_maximum_nothing_is_asked(ask, cluster):
    done = ask("spot-price", cluster)
    (result,) = done.results
    assert (result.status, result.message) == ("ok", "the file asks for nothing of it")
    assert ask.sessions[0].asked == []
