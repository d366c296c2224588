"""Network, CloudWatch, keys, images and the spend guard against arithmetic by hand."""

import json

import pytest

from tests.synthesis import ROOT
from tests.trnkit.layout.cost.cluster_texts import a_cluster, a_group, cost_of, lines_of
from tests.trnkit.layout.cost.price_list import RoundPrices
from trnkit.catalog.price_book import UnitPrice
from trnkit.layout.cost import beside_node_usd_per_hour, fixed_usd_per_hour
from trnkit.layout.cost.lines import Money
from trnkit.layout.cost.monitoring import METRICS_PER_NODE
from trnkit.layout.cost.told import told_for_nothing
from trnkit.layout.endpoints import interface_endpoints_of

EXISTING = {
    "vpc_id": "vpc-0123456789abcdef0",
    "compute_subnet_id": "subnet-0123456789abcdef0",
    "availability_zone_id": "usw2-az4",
}
AGENT = ROOT / "constructs_lib/compute/assets/node/monitoring/amazon-cloudwatch-agent.json"


def a_spot_price(instance_type):
    """What somebody told of it."""
    return UnitPrice(
        item=f"{instance_type} spot",
        unit="hour",
        low=8.0,
        high=8.0,
        basis="file",
        source=("--spot-price",),
        date="2026-11-30",
    )


def part(cluster, component, book=None, **assumptions):
    """Name of each line of a component, without those of use that nobody told, and its month."""
    return {
        line.key.partition("/")[2]: line.monthly.low
        for line in lines_of(cluster, book, **assumptions).values()
        if line.component == component and not line.not_told
    }


def test_the_nat_gateway_of_awss_own_example():
    # AWS: one gateway in us-east-2 for an hour, with 1 GB through it: $0.045 + $0.045.
    # For a month: 730 x $0.045 = $32.85, and its address 730 x $0.005 = $3.65; 1,000 GB are $45.00.
    assert part(a_cluster(), "network", nat_gb=1000) == pytest.approx(
        {"NAT gateway": 32.85, "public IPv4 address": 3.65, "NAT gateway: data": 45.0}
    )


def test_an_isolated_network_has_endpoints_in_place_of_a_gateway():
    # Each 730 x $0.01 = $7.30.
    cluster = a_cluster(network={"nat_gateway": False})
    number = len(interface_endpoints_of(cluster))
    found = part(cluster, "network")
    assert number > 1
    assert found == pytest.approx({"interface endpoints": number * 7.30})
    assert "data transfer/internet" not in lines_of(cluster), "there is no way out"


def test_an_existing_vpcs_gateway_is_not_this_clusters_cost():
    assert part(a_cluster(network={"existing": EXISTING}), "network") == {}


def test_flow_logs_are_taken_in_once_and_kept_for_their_days():
    # 100 GB x $0.50 = $50.00. 100 GB a month for 365 days are 1,200 GB: x $0.03 = $36.00.
    cluster = a_cluster(network={"flow_logs": {"retention_days": 365}})
    found = part(cluster, "network", flow_log_gb=100)
    assert found["flow logs: taken in"] == pytest.approx(50.0)
    assert found["flow logs: kept"] == pytest.approx(36.0)


def test_the_agent_sends_as_many_metrics_as_are_counted():
    agent = json.loads(AGENT.read_text())["metrics"]["metrics_collected"]
    own = sum(len(section["measurement"]) for section in agent.values())
    logs = json.loads(AGENT.read_text())["logs"]["metrics_collected"]["prometheus"]
    with_units = len(logs["emf_processor"]["metric_unit"])
    assert own + with_units + 1 == METRICS_PER_NODE, "a ratio has no unit"


def test_each_node_and_each_group_has_its_metrics():
    # (4 nodes + 1 group) x 21 x $0.30 = $31.50; 4 x 60 x 730 requests x $0.00001 = $1.752; 4 x 7
    # metrics of EC2's detailed monitoring x $0.30 = $8.40.
    assert part(a_cluster(), "monitoring") == pytest.approx(
        {"train: detailed monitoring": 8.4, "train: metrics": 31.5, "train: requests": 1.752}
    )


def test_detailed_monitoring_is_counted_because_the_launch_template_switches_it_on():
    templates = sorted((ROOT / "tests/golden/templates").rglob("*.json"))
    launched = [
        resource["Properties"]["LaunchTemplateData"]
        for path in templates
        for resource in json.loads(path.read_text()).get("Resources", {}).values()
        if resource["Type"] == "AWS::EC2::LaunchTemplate"
    ]
    assert launched
    assert all(data["Monitoring"] == {"Enabled": True} for data in launched)


def test_metrics_cost_for_the_hours_in_which_nodes_run():
    found = part(a_cluster(), "monitoring", hours_per_month=73)
    assert found["train: metrics"] == pytest.approx(3.15)


@pytest.mark.parametrize(
    "sections",
    [
        {"observability": {"cloudwatch_agent": False}},
        {"compute": {"boot": {"delivery": "inline"}}},
    ],
)
def test_nodes_without_agent_have_detailed_monitoring_alone(sections):
    # 4 x 7 x $0.30 = $8.40.
    assert part(a_cluster(**sections), "monitoring") == pytest.approx(
        {"train: detailed monitoring": 8.4}
    )


def test_logs_cost_by_what_is_told_to_be_sent():
    # 10 GB x $0.50 = $5.00; 10 GB a month kept for 365 days are 120 GB: x $0.03 = $3.60.
    cluster = a_cluster(observability={"log_retention_days": 365})
    found = part(cluster, "monitoring", log_gb=10)
    assert found["logs: taken in"] == 5.0
    assert found["logs: kept"] == pytest.approx(3.6)


@pytest.mark.parametrize(
    ("sections", "keys"),
    [
        ({}, {"key of the alert topic"}),
        (
            {"compute": {"volume_key": "customer-managed"}},
            {"key of the alert topic", "key of the nodes' volumes"},
        ),
        (
            {"budget": {"topic_arn": "arn:aws:sns:us-west-2:111122223333:alerts"}},
            set(),
        ),
        (
            {"budget": {"region": "us-east-1", "watchdog": {}}},
            {"key of the alert topic", "key of the spend guard's topic"},
        ),
        (
            {"budget": {"watchdog": {}}},
            {"key of the alert topic", "key of the spend guard's topic"},
        ),
        ({"budget": {"watchdog": {}, "delivery": "topic"}}, {"key of the alert topic"}),
    ],
)
def test_only_keys_that_the_cluster_makes_are_billed(sections, keys):
    assert part(a_cluster(**sections), "keys") == dict.fromkeys(keys, 1.0)


def test_images_cost_by_use():
    # 10 h x $0.40 = $4.00; 200 GB x $0.05 = $10.00.
    cluster = a_cluster(compute={"image_pipeline": {}})
    assert part(cluster, "images", image_build_hours=10, image_gb=200) == pytest.approx(
        {"baked": 4.0, "kept": 10.0}
    )
    assert part(cluster, "images") == {}


def test_a_file_without_a_watchdog_has_no_guard_to_pay():
    assert part(a_cluster(), "spend guard") == {}


def test_the_guard_costs_by_its_polls():
    # Every 5 minutes are 8,760 runs a month: x $0.0000002 = $0.001752, and 8,760 x 5 s x 0.5 GB =
    # 21,900 GB-s x $0.0000133334 = $0.292; 4 nodes asked at each: 35,040 x $0.00001 = $0.3504;
    # 6 metrics and 3 of the group, x $0.30 = $2.70; 3 limits and 4 more alarms, x $0.10 = $0.70.
    found = part(a_cluster(budget={"watchdog": {}}), "spend guard")
    assert found["runs"] == pytest.approx(0.001752)
    assert found["run time"] == pytest.approx(0.29200146)
    assert found["train: use"] == pytest.approx(0.3504)
    assert found["metrics"] == pytest.approx(2.7)
    assert found["alarms"] == pytest.approx(0.7)
    assert "denial of launches" not in found


def test_an_alarm_on_the_rate_is_certain_where_the_file_says_a_rate():
    said = {"spend_rate_usd_per_hour": 400, "idle_alert_minutes": 60}
    alarms = lines_of(a_cluster(budget={"watchdog": said}))["spend guard/alarms"]
    # 3 limits, 4 more, the rate, and one of the idle group: 9 x $0.10.
    assert alarms.monthly == Money(pytest.approx(0.9), pytest.approx(0.9))
    perhaps = lines_of(a_cluster(budget={"watchdog": {}}))["spend guard/alarms"]
    assert perhaps.monthly == Money(pytest.approx(0.7), pytest.approx(0.8))


@pytest.mark.parametrize("section", ["enforcement", "idle_shutdown"])
def test_what_stops_has_three_alarms_of_its_own(section):
    # 3 limits, 4 more, and 3 on the enforcer itself: 10 x $0.10, and perhaps one on the rate.
    alarms = lines_of(a_cluster(budget={"watchdog": {section: {}}}))["spend guard/alarms"]
    assert alarms.monthly == Money(pytest.approx(1.0), pytest.approx(1.1))


def test_enforcement_is_another_function_and_a_budget_with_an_action():
    # Two functions: 2 x 8,760 x $0.0000002. A budget with an action: 730 / 24 days x $0.10.
    watchdog = {"enforcement": {"deny_role_names": ["ml-engineers"]}}
    found = part(a_cluster(budget={"watchdog": watchdog}), "spend guard")
    assert found["runs"] == pytest.approx(0.003504)
    assert found["denial of launches"] == pytest.approx(3.0417, abs=1e-4)


def test_what_is_fixed_is_there_without_nodes():
    # NAT gateway $0.045, its address $0.005, the alert topic's key $1 / 730, Lustre 1,200 GB x
    # $0.145 / 730.
    lustre = [{"name": "fsx", "storage_capacity_gib": 1200}]
    cluster = a_cluster(storage={"lustre_file_systems": lustre})
    fixed = fixed_usd_per_hour(cluster, RoundPrices())
    assert fixed.low == pytest.approx(0.045 + 0.005 + 1 / 730 + 174 / 730)
    assert fixed.high == pytest.approx(fixed.low)
    none = a_cluster(a_group(count=0), storage={"lustre_file_systems": lustre})
    assert fixed_usd_per_hour(none, RoundPrices()) == fixed


def test_reserved_nodes_are_no_part_of_what_is_fixed():
    reserved = {"type": "on-demand-reservation", "capacity_reservation_id": "cr-0123456789abcdef0"}
    cluster = a_cluster(a_group(capacity=reserved))
    assert fixed_usd_per_hour(cluster, RoundPrices()).counted < 1


def test_what_nobody_knows_leaves_what_is_fixed_without_an_upper_end():
    fixed = fixed_usd_per_hour(a_cluster(), RoundPrices(lacking=["public-ipv4-hour"]))
    assert fixed == Money(pytest.approx(0.045 + 1 / 730), None)


def test_what_goes_with_a_node_is_its_volumes_and_metrics():
    # 512 GB x $0.08 + (1 node + 1 group) x 21 x $0.30 + 43,800 x $0.00001 + 7 x $0.30 = $56.098 a
    # month of 730 hours.
    for count in (1, 4):
        cluster = a_cluster(a_group(count=count), a_group("other", count=9))
        beside = beside_node_usd_per_hour(cluster, RoundPrices(), "train")
        assert beside.low == beside.high == pytest.approx(56.098 / 730)
    larger = a_cluster(a_group(root_volume_size_gib=1024))
    assert beside_node_usd_per_hour(larger, RoundPrices(), "train").low == pytest.approx(
        (56.098 + 512 * 0.08) / 730
    )


def test_a_key_says_what_its_rotations_add():
    line = lines_of(a_cluster())["keys/key of the alert topic"]
    assert line.monthly == Money(1.0, 1.0)
    assert "each of the first two yearly rotations adds as much" in (line.assumption or "")


@pytest.mark.parametrize(
    ("assumptions", "options"),
    [
        ({}, ()),
        ({"nat_gb": 5.0}, ()),
        ({"home_gb": 5.0, "guard_seconds": 9.0}, ("--use guard-seconds", "--use home-gb")),
        ({"home_gb": 0.0}, ("--use home-gb",)),
        ({"spot_prices": (a_spot_price("trn1.2xlarge"),)}, ("--spot-price trn1.2xlarge",)),
        ({"hours_per_month": 200.0}, ()),
    ],
)
def test_what_is_told_and_not_needed_is_named(assumptions, options):
    assert told_for_nothing(cost_of(a_cluster(), **assumptions)) == options


def test_what_one_of_two_files_needs_is_told_for_something():
    plain, home = a_cluster(), a_cluster(storage={"home_file_system": {}})
    costs = [cost_of(one, home_gb=5.0) for one in (plain, home)]
    assert told_for_nothing(*costs) == ()
    assert told_for_nothing(costs[0], costs[0]) == ("--use home-gb",)


def test_spot_prices_and_hours_are_needed_where_such_nodes_are():
    spot = a_cluster(a_group(capacity={"type": "spot"}))
    price = a_spot_price("trn1.32xlarge")
    assert told_for_nothing(cost_of(spot, spot_prices=(price,), hours_per_month=9.0)) == ()
    none = a_cluster(a_group(count=0))
    assert told_for_nothing(cost_of(none, hours_per_month=9.0)) == ("--hours-per-month",)
