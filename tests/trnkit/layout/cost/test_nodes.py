"""What nodes cost: how they are bought, and for how long."""

import pytest

from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, cost_of, lines_of
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.catalog.price_book import UnitPrice
from trnkit.layout.cost.lines import Money

BLOCK = {"type": "capacity-block", "capacity_reservation_id": "cr-0123456789abcdef0"}
RESERVED = {"type": "on-demand-reservation", "capacity_reservation_id": "cr-0123456789abcdef0"}


def a_block(start, end, count=4):
    capacity = {**BLOCK, "start": start, "end": end}
    return a_cluster(a_group(instance_type="trn2.48xlarge", count=count, capacity=capacity))


def test_sixteen_on_demand_nodes_cost_their_list_price_all_month():
    # 16 x $21.50 = $344.00 an hour; x 730 = $251,120.00 a month.
    line = lines_of(a_cluster(a_group(count=16)))["nodes/train"]
    assert line.hourly == Money(344.0, 344.0)
    assert line.monthly.low == pytest.approx(251_120.0)
    assert line.upfront is None
    assert line.path == ("compute", "node_groups", 0)
    assert line.formula == "16 nodes x 730 hours x $21.50 an hour"


def test_fewer_hours_cost_less_a_month_and_as_much_an_hour():
    # 4 x $21.50 x 200 h = $17,200.00.
    line = lines_of(a_cluster(), hours_per_month=200)["nodes/train"]
    assert line.hourly.low == 86.0
    assert line.monthly == Money(17_200.0, 17_200.0)


def test_a_reservation_bills_used_or_not():
    # 4 x $21.50 x 730 h = $62,780.00, whatever the nodes do.
    cluster = a_cluster(a_group(capacity=RESERVED))
    line = lines_of(cluster, hours_per_month=0)["nodes/train"]
    assert line.monthly.low == pytest.approx(62_780.0)
    assert line.course == "always"
    assert line.assumption == "a reservation bills whether nodes run or not"


def test_a_week_in_a_block_is_paid_beforehand_and_falls_into_a_month():
    # 4 x $35.00 x 7 x 24 h = $23,520.00.
    line = lines_of(a_block("2027-03-01T11:30:00Z", "2027-03-08T11:30:00Z"))["nodes/train"]
    assert line.upfront == Money(23_520.0, 23_520.0)
    assert line.monthly == line.upfront
    assert line.hourly.low == 140.0
    assert line.course == "upfront"


def test_of_a_longer_block_a_month_holds_730_hours():
    # 91 days are 2,184 h: 4 x $35.00 x 2,184 h = $305,760.00; of it x 730 h = $102,200.00.
    line = lines_of(a_block("2027-03-01T11:30:00Z", "2027-05-31T11:30:00Z"))["nodes/train"]
    assert line.upfront == Money(305_760.0, 305_760.0)
    assert line.monthly == Money(102_200.0, 102_200.0)
    assert line.formula.endswith("(of 2,184 hours in all)")


def test_hours_of_a_block_are_its_own():
    week = a_block("2027-03-01T11:30:00Z", "2027-03-08T11:30:00Z")
    assert lines_of(week, hours_per_month=5) == lines_of(week)


def test_a_spot_price_that_nobody_told_is_at_most_the_on_demand_price():
    line = lines_of(a_cluster(a_group(capacity={"type": "spot"})))["nodes/train"]
    assert line.hourly == Money(0.0, 86.0)
    assert (line.price, line.is_unknown) == (None, True)
    assert "at most the On-Demand price, $21.50 an hour" in line.assumption


@pytest.mark.parametrize(
    ("most", "upper", "whose"),
    [(8.0, 32.0, "the group's max_price_usd"), (30.0, 86.0, "the On-Demand price")],
)
def test_a_maximum_price_bounds_a_spot_price_where_it_is_lower(most, upper, whose):
    capacity = {"type": "spot", "max_price_usd": most}
    line = lines_of(a_cluster(a_group(capacity=capacity)))["nodes/train"]
    assert line.hourly == Money(0.0, upper)
    assert whose in line.assumption


def test_a_spot_price_of_which_nothing_is_known_has_no_upper_end():
    book = RoundPrices(lacking=["trn1.32xlarge on-demand"])
    line = lines_of(a_cluster(a_group(capacity={"type": "spot"})), book)["nodes/train"]
    assert line.hourly == Money(0.0, None)


def test_a_spot_price_that_was_told_counts():
    told = UnitPrice(
        item="trn1.32xlarge spot",
        unit="hour",
        low=8.6,
        high=8.6,
        basis="file",
        source=("--spot-price",),
        date="2026-11-30",
    )
    cluster = a_cluster(a_group(count=2, capacity={"type": "spot"}))
    line = lines_of(cluster, spot_prices=(told,))["nodes/train"]
    assert line.hourly == Money(17.2, 17.2)
    assert (line.price, line.assumption) == (told, None)


def test_a_price_that_only_other_regions_show_is_a_range():
    # 2 x $1.50 = $3.00, 2 x $2.00 = $4.00.
    cluster = a_cluster(a_group(instance_type="trn1.2xlarge", count=2))
    assert lines_of(cluster)["nodes/train"].hourly == Money(3.0, 4.0)


def test_a_price_that_nobody_shows_is_never_zero():
    cost = cost_of(a_cluster(a_group(instance_type="trn2.48xlarge"), region="us-east-2"))
    assert [line.key for line in cost.unknown] == ["nodes/train"]
    assert cost.monthly.high is None
    assert cost.monthly.low > 0, "what is known counts"


def test_a_group_without_nodes_costs_nothing():
    keys = lines_of(a_cluster(a_group(), a_group("later", count=0)))
    assert not [key for key in keys if "later" in key]


def test_a_chip_hour_is_a_sixteenth_of_a_node_hour():
    # trn1.32xlarge has 16 chips: $21.50 / 16 = $1.34375.
    cost = cost_of(a_cluster())
    assert cost.chips == 64
    assert cost.node_chip_hour == Money(1.34375, 1.34375)
    assert cost.chip_hour.low == pytest.approx(cost.hourly.low / 64)


def test_a_cluster_without_nodes_has_no_chip_hour():
    cost = cost_of(a_cluster(a_group(count=0)))
    assert (cost.chips, cost.chip_hour, cost.node_chip_hour) == (0, None, None)
