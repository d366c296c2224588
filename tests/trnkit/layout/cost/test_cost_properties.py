"""What holds of the cost of any cluster at all."""

import math
import time

import pytest
from hypothesis import given

from tests.properties.cluster_files import cluster_files
from tests.properties.test_cluster_properties import LANE, accepted
from tests.synthesis import EXAMPLES
from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, cost_of
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.catalog import only_described_types
from trnkit.catalog.price_book import PriceBook
from trnkit.config import load_cluster
from trnkit.layout.cost import cluster_cost, fixed_usd_per_hour
from trnkit.layout.cost.assumptions import Assumptions
from trnkit.layout.cost.comparing import compare_costs
from trnkit.layout.cost.lines import COMPONENTS

USE = Assumptions(
    hours_per_month=200,
    **{
        name: 100.0
        for name in Assumptions.__dataclass_fields__
        if name not in ("hours_per_month", "spot_prices")
    },
)


def holds(cost):
    """What holds of every cost."""
    assert len({line.key for line in cost.lines}) == len(cost.lines)
    for line in cost.lines:
        for amount in (line.hourly, line.monthly, line.upfront or line.monthly):
            assert 0 <= amount.low < math.inf
            assert amount.high is None or amount.low <= amount.high < math.inf
        assert line.component in COMPONENTS
        assert line.price is None or line.price.unit == line.unit, line.key
        assert line.monthly.high is not None or line.is_unknown, line.key
        assert not line.not_told or line.quantity == 0
        assert line.formula
    for amount in (cost.hourly, cost.monthly, cost.upfront):
        assert amount.high is None or amount.low <= amount.high
    assert {line.component for line in cost.lines} == set(cost.components())


@given(cluster_files())
@LANE
def test_the_cost_of_any_cluster_is_a_sum_of_lines_that_hold_together(data):
    cluster = accepted(data)
    if cluster is None:
        return
    for book in (RoundPrices(), PriceBook()):
        for assumptions in (Assumptions(), USE):
            cost = cluster_cost(cluster, book, assumptions)
            holds(cost)
            assert compare_costs(cost, cost).changes == ()
        assert fixed_usd_per_hour(cluster, book).low >= 0


@given(cluster_files())
@LANE
def test_a_further_node_never_lowers_the_cost(data):
    cluster = accepted(data)
    if cluster is None:
        return
    first, *others = cluster.compute.node_groups
    groups = (first.model_copy(update={"count": first.count + 1}), *others)
    compute = cluster.compute.model_copy(update={"node_groups": groups})
    larger = cluster.model_copy(update={"compute": compute})
    before, after = (cluster_cost(one, RoundPrices()) for one in (cluster, larger))
    assert after.monthly.low >= before.monthly.low
    assert after.hourly.low >= before.hourly.low
    if before.monthly.high is None:
        assert after.monthly.high is None
    elif after.monthly.high is not None:
        assert after.monthly.high >= before.monthly.high


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_has_a_cost(path):
    read = load_cluster(str(path))
    with only_described_types(read.described_types):
        for book in (RoundPrices(), PriceBook()):
            cost = cluster_cost(read.config, book, USE)
            holds(cost)
            assert len(cost.of("nodes")) >= len(read.config.compute.node_groups)
            assert cost.monthly.low > 0


def test_forty_groups_of_1024_nodes_are_priced_at_once():
    groups = [a_group(f"group-{number}", count=1024) for number in range(40)]
    cluster = a_cluster(*groups)
    begin = time.process_time()
    cost = cost_of(cluster)
    seconds = time.process_time() - begin
    # 40 x 1,024 x $21.50 = $880,640.00 an hour.
    nodes = sum(line.hourly.low for line in cost.of("nodes"))
    assert nodes == pytest.approx(880_640.0)
    assert cost.chips == 40 * 1024 * 16
    assert seconds < 5, "a cost does not grow with the number of nodes"
