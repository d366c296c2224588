"""What another version of a file costs more."""

import pytest

from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, cost_of
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.layout.cost.comparing import Difference, compare_costs


def compared(old, new, book=None):
    return compare_costs(cost_of(old, book), cost_of(new, book))


def by_key(comparison):
    return {change.line.key: change for change in comparison.changes}


def test_two_nodes_more_cost_two_nodes_more():
    # 2 x $21.50 x 730 h = $31,390.00; volumes 2 x 512 x $0.08 = $81.92; metrics 2 x 21 x $0.30 =
    # $12.60; requests 2 x 43,800 x $0.00001 = $0.876; detailed monitoring 2 x 7 x $0.30 = $4.20.
    found = compared(a_cluster(a_group(count=2)), a_cluster(a_group(count=4)))
    changes = by_key(found)
    assert {change.kind for change in changes.values()} == {"changed"}
    nodes = changes["nodes/train"]
    assert (nodes.hourly, nodes.monthly) == (Difference(43.0, 43.0), Difference(31390.0, 31390.0))
    assert found.monthly.least == pytest.approx(31_390 + 81.92 + 12.6 + 0.876 + 4.2)
    assert found.monthly.most == pytest.approx(found.monthly.least)
    assert found.unknown == ()


def test_turned_around_it_is_as_much_less():
    small, large = a_cluster(a_group(count=2)), a_cluster(a_group(count=4))
    there, back = compared(small, large), compared(large, small)
    assert back.monthly.least == pytest.approx(-(there.monthly.most or 0))


def test_a_file_system_comes_and_goes():
    plain = a_cluster()
    system = [{"name": "fsx", "storage_capacity_gib": 1200}]
    with_lustre = a_cluster(storage={"lustre_file_systems": system})
    # 1,200 GB x $0.145 = $174.00.
    added = by_key(compared(plain, with_lustre))["lustre/fsx/storage"]
    removed = by_key(compared(with_lustre, plain))["lustre/fsx/storage"]
    assert (added.kind, added.old) == ("added", None)
    assert added.monthly == Difference(pytest.approx(174.0), pytest.approx(174.0))
    assert (removed.kind, removed.new) == ("removed", None)
    assert removed.monthly == Difference(pytest.approx(-174.0), pytest.approx(-174.0))


def test_another_type_is_a_change_of_the_same_group():
    # 4 x $21.50 = $86.00 an hour becomes 4 x $1.50 to $2.00.
    found = compared(a_cluster(), a_cluster(a_group(instance_type="trn1.2xlarge")))
    nodes = by_key(found)["nodes/train"]
    assert nodes.kind == "changed"
    assert nodes.hourly == Difference(-80.0, -78.0)


def test_what_comes_at_a_price_that_nobody_shows_leaves_the_sum_without_an_upper_end():
    book = RoundPrices(lacking=["cloudwatch-metric-month"])
    found = compared(a_cluster(a_group(count=2)), a_cluster(a_group(count=4)), book)
    assert [change.line.key for change in found.unknown] == [
        "monitoring/train: detailed monitoring",
        "monitoring/train: metrics",
    ]
    assert found.unknown[0].monthly == Difference(0.0, None)
    assert found.monthly == Difference(pytest.approx(31_390 + 81.92 + 0.876), None)


def test_what_goes_at_a_price_that_nobody_shows_leaves_the_sum_without_a_lower_end():
    book = RoundPrices(lacking=["cloudwatch-metric-month"])
    fewer = compared(a_cluster(a_group(count=4)), a_cluster(a_group(count=2)), book)
    assert fewer.unknown[0].monthly == Difference(None, 0.0)
    assert fewer.monthly == Difference(None, pytest.approx(-(31_390 + 81.92 + 0.876)))
    two = a_cluster(a_group(), a_group("other"))
    gone = by_key(compared(two, a_cluster(), book))["monitoring/other: metrics"]
    assert (gone.kind, gone.monthly) == ("removed", Difference(None, 0.0))


def test_an_unknown_price_that_becomes_a_known_one_costs_at_most_that():
    # Nobody shows trn2 on demand here; 4 x trn1 x $21.50 x 730 h = $62,780.00.
    book = RoundPrices(lacking=["trn2.48xlarge on-demand"])
    unknown = a_cluster(a_group(instance_type="trn2.48xlarge"), region="us-east-2")
    known = a_cluster(region="us-east-2")
    assert by_key(compared(unknown, known, book))["nodes/train"].monthly == Difference(
        None, pytest.approx(62_780.0)
    )
    assert by_key(compared(known, unknown, book))["nodes/train"].monthly == Difference(
        pytest.approx(-62_780.0), None
    )


def test_a_longer_block_of_unknown_price_is_a_change():
    def with_end(day):
        block = {
            "type": "capacity-block",
            "capacity_reservation_id": "cr-0123456789abcdef0",
            "start": "2027-03-01T11:30:00Z",
            "end": f"2027-03-{day}T11:30:00Z",
        }
        group = a_group("block", "trn2.48xlarge", 1, capacity=block)
        return a_cluster(group, region="us-east-2")

    book = RoundPrices(lacking=["trn2.48xlarge capacity-block"])
    change = by_key(compared(with_end("02"), with_end("08"), book))["nodes/block"]
    assert change.kind == "changed"
    assert change.upfront == Difference(None, None)
    assert "nodes/block" not in by_key(compared(with_end("02"), with_end("02"), book))


def test_what_stays_unknown_and_the_same_is_no_change():
    book = RoundPrices(lacking=["nat-gateway-hour"])
    found = compared(a_cluster(a_group(count=2)), a_cluster(a_group(count=4)), book)
    assert "network/NAT gateway" not in by_key(found)


def test_a_block_that_is_bought_is_a_fee():
    block = {
        "type": "capacity-block",
        "capacity_reservation_id": "cr-0123456789abcdef0",
        "start": "2027-03-01T11:30:00Z",
        "end": "2027-03-02T11:30:00Z",
    }
    bought = a_group("block", "trn2.48xlarge", 1, capacity=block)
    found = compared(a_cluster(), a_cluster(a_group(), bought))
    # 1 x $35.00 x 24 h = $840.00.
    assert found.upfront == Difference(840.0, 840.0)
