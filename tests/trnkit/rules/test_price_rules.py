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
        prices,
        *,
        region="us-east-2",
        kind="trn2.48xlarge",
        limit=1000,
        count=1,
        network=None,
        **compute,
    ):
        (tmp_path / "prices.yaml").write_text(prices)
        group = {"name": "train", "instance_type": kind, "count": count}
        cluster = {
            "name": "priced",
            "region": region,
            "compute": {"node_groups": [group], **compute},
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
        ("{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 9000}", True),
        ("{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 60}", False),
        ("{instance_type: trn2u.48xlarge, purchase: on-demand, usd_per_hour: 9000}", False),
        ("{instance_type: trn2.48xlarge, purchase: capacity-block, usd_per_hour: 0.4}", True),
        ("{item: kms-requests, usd: 0.03, region: eu-west-1}", False),
    ],
)
def test_only_a_price_far_from_a_known_one_is_of_another_unit(findings, entry, told):
    found = findings(f"{HEAD}prices:\n  - {entry}\n  - {{item: nat-gateway-hour, usd: 0.04}}\n")
    assert ("TRN424" in found) == told


def test_without_an_on_demand_price_a_block_says_what_is_far(findings):
    entry = "{instance_type: trn2.48xlarge, purchase: on-demand, usd_per_hour: 3850}"
    found = findings(f"{HEAD}prices: [{entry}]\n")["TRN424"]
    assert found.message.endswith(
        "has 3850 USD for trn2.48xlarge on-demand, and the price of trn2.48xlarge capacity-block "
        "is 35.7608 USD for one hour"
    )


NODE = "{{instance_type: {name}, purchase: on-demand, usd_per_hour: 9}}"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("trn2.48xlrage", "trn2.48xlarge"),
        ("trn1.32xl", "trn1.32xlarge"),
        ("trn1.3xlarge", "trn1.32xlarge"),
        ("p4d.24xlage", "p4d.24xlarge"),
        ("trn2.48xlarge", None),
        ("p5.48xlarge", None),
        ("m7i-flex.large", None),
        ("c7i.metal-24xl", None),
        ("u7in-16tb.224xlarge", None),
    ],
)
@pytest.mark.parametrize("where", ["prices", "not_on"])
def test_a_type_that_cannot_be_is_told(findings, name, meant, where):
    prices = f"{HEAD}prices: [{NODE.format(name=name)}]\ndiscount: {{percent: 5}}\n"
    if where == "not_on":
        prices = f"{HEAD}discount: {{percent: 5, not_on: [{name}]}}\n"
    found = findings(prices)
    assert ("TRN446" in found) == (meant is not None)
    if meant:
        place = {"prices": "prices[0].instance_type", "not_on": "discount.not_on[0]"}[where]
        assert f"{place} is {name}, and no instance type" in found["TRN446"].message
        assert found["TRN446"].hint.startswith(f"did you mean {meant}")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("region: us-wst-2\ndiscount: {percent: 5}\n", "region"),
        (
            "prices: [{item: nat-gateway-hour, usd: 0.04, region: us-wst-2}]\n",
            "prices[0].region",
        ),
        ("region: us-west-9\ndiscount: {percent: 5}\n", None),
        ("region: us-west-2\ndiscount: {percent: 5}\n", None),
    ],
)
def test_a_region_that_cannot_be_is_told_and_a_new_one_is_not(findings, text, place):
    found = findings(HEAD + text)
    assert ("TRN446" in found) == (place is not None)
    if place:
        assert found["TRN446"].message == (
            f"budget.prices_file: {place} is us-wst-2, and no Region has such a name"
        )
        assert "us-west-2" in found["TRN446"].hint


NAT = "{{item: nat-gateway-hour, usd: 0.04{region}}}"
HERE, OREGON = NAT.format(region=""), NAT.format(region=", region: us-west-2")
DISCOUNT = "discount: {percent: 12}\n"


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        (f"{DISCOUNT}prices: [{OREGON}]\n", "TRN447"),
        (f"{DISCOUNT}region: us-west-2\nprices: [{HERE}]\n", "TRN447"),
        (f"{DISCOUNT}prices: [{OREGON}, {{item: kms-requests, usd: 0.000003}}]\n", "TRN447"),
        (f"prices: [{OREGON}, {{item: kms-requests, usd: 0.000003}}]\n", "TRN447"),
        (f"prices: [{OREGON}]\n", "TRN423"),
        (f"{DISCOUNT}prices: [{OREGON}, {HERE}]\n", None),
        (f"{DISCOUNT}prices: [{NAT.format(region=', region: us-east-2')}, {OREGON}]\n", None),
        (DISCOUNT, None),
    ],
)
def test_a_price_of_another_region_is_told_once(findings, prices, told):
    found = findings(HEAD + prices)
    assert {"TRN423", "TRN447"} & set(found) == ({told} if told else set())
    if told == "TRN447":
        assert found[told].message == (
            "budget.prices_file states nat-gateway-hour in us-west-2, which says nothing of "
            "us-east-2"
        )


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


def test_a_machine_to_build_images_on_is_told_with_its_own_price(findings):
    entry = "{instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 15.48}"
    pipeline = {
        "parent_ssm_parameter": "/imagebuilder/parent",
        "operating_system": "ubuntu-24.04",
        "instance_type": "trn1.32xlarge",
    }
    found = findings(f"{HEAD}prices: [{entry}]\n", image_pipeline=pipeline)["TRN247"]
    assert "pays 15.48 USD an hour" in found.message
    assert found.evidence == "budget.prices_file, price of trn1.32xlarge (2026-11-30)"
