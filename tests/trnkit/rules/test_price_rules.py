"""Rules about files of prices, and rules that count with them, where an example is not enough."""

import pytest
import yaml

from trnkit.config import load_cluster
from trnkit.rules import check_cluster

HEAD = "version: 1\ndate: 2026-11-30\nsource: Agreement\n"


@pytest.fixture
def findings(tmp_path):
    """What rules say of a cluster with a file of prices, by id."""

    def judge(
        prices, *, region="us-east-2", kind="trn2.48xlarge", limit=1000, count=1, network=None
    ):
        (tmp_path / "prices.yaml").write_text(prices)
        group = {"name": "train", "instance_type": kind, "count": count}
        cluster = {
            "name": "priced",
            "region": region,
            "compute": {"node_groups": [group]},
            "network": network or {},
            "budget": {
                "limit_usd": limit,
                "emails": ["ml-platform@example.com"],
                "prices_file": "prices.yaml",
            },
        }
        path = tmp_path / "cluster.yaml"
        path.write_text(yaml.safe_dump(cluster))
        found = check_cluster(load_cluster(path))
        return {one.rule_id: one for one in found}

    return judge


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        (f"{HEAD}prices: [{{item: nat-gateway-hour, usd: 0.04}}]\n", False),
        (f"{HEAD}prices: [{{item: nat-gateway-hour, usd: 0.04, region: us-east-2}}]\n", False),
        (f"{HEAD}prices: [{{item: nat-gateway-hour, usd: 0.04, region: us-east-1}}]\n", True),
        (f"{HEAD}region: us-east-1\nprices: [{{item: nat-gateway-hour, usd: 0.04}}]\n", True),
        (f"{HEAD}discount: {{percent: 5}}\n", False),
        (
            "version: 1\nlist_prices: {read: 2026-11-30, regions: [us-east-1], prices: "
            "[{item: nat-gateway-hour, usd: 0.04, region: us-east-1}]}\n",
            True,
        ),
    ],
)
def test_a_file_without_a_price_of_the_region_changes_nothing(findings, prices, told):
    assert ("TRN423" in findings(prices)) == told


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("{item: kms-requests, usd: 0.03}", True),
        ("{item: kms-requests, usd: 0.000003}", False),
        ("{item: ebs-gp3-storage, usd: 0.0005}", True),
        ("{item: ebs-gp3-storage, usd: 0.05}", False),
        ("{item: pcs-node-hour, usd: 900}", False),
        ("{instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 15480}", True),
        ("{instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 12}", False),
        ("{instance_type: trn1.32xlarge, purchase: spot, usd_per_hour: 0.2}", False),
        ("{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 9000}", False),
        ("{instance_type: trn2.48xlarge, purchase: capacity-block, usd_per_hour: 0.4}", True),
        ("{item: kms-requests, usd: 0.03, region: eu-west-1}", False),
    ],
)
def test_only_a_price_far_from_a_known_one_is_of_another_unit(findings, entry, told):
    found = findings(f"{HEAD}prices:\n  - {entry}\n  - {{item: nat-gateway-hour, usd: 0.04}}\n")
    assert ("TRN424" in found) == told


def test_what_the_nodes_cost_in_a_day_is_counted_with_own_prices(findings):
    entry = "{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 40}"
    found = findings(f"{HEAD}prices: [{entry}]\n", limit=900)
    assert "960.00 in 24 hours at the prices of budget.prices_file" in found["TRN410"].message
    assert "TRN410" not in findings(f"{HEAD}prices: [{entry}]\n", limit=961)


def test_a_discount_makes_a_limit_enough(findings):
    discount = f"{HEAD}discount: {{percent: 12}}\n"
    assert "TRN410" not in findings(discount, kind="trn1.32xlarge", limit=460)
    without = f"{HEAD}prices: [{{item: nat-gateway-hour, usd: 0.04}}]\n"
    assert "TRN410" in findings(without, kind="trn1.32xlarge", limit=460)


def test_endpoints_are_counted_with_own_prices(findings):
    prices = f"{HEAD}prices: [{{item: interface-endpoint-hour, usd: 0.02}}]\n"
    found = findings(prices, network={"interface_endpoints": ["ecr.api", "logs"]})["TRN114"]
    assert "about $0.04 an hour" in found.message
    assert found.evidence.startswith("budget.prices_file, interface endpoints in us-east-2: $0.02")
