"""`trnkit plan`, as it is called."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from tests.synthesis import ROOT
from tests.trnkit.operations.planning.markets import (
    NOW,
    ZONES,
    block,
    failure,
    kind,
    market,
    price,
    quota,
    spot,
)
from trnkit.aws.failures import FailureKind
from trnkit.operations.planning import plan as operation

CLUSTER = """\
version: 1
name: pretrain
region: us-west-2   # where we began
network: {availability_zone_id: usw2-az4}
compute:
  node_groups:
    - {name: train, instance_type: trn1.32xlarge, count: 4}
storage:
  lustre_file_systems:
    - {name: fsx, storage_capacity_gib: 4800}
budget: {limit_usd: 1000, scope: account, emails: [ml@example.com]}
"""
JSON = ("--format", "json")
TYPE = ("plan", "--instance-type", "trn2.48xlarge", "--count", "4")


def told(request, region):
    """A Region that has everything in its last zone; the western one is dearer."""
    usd = {"us-east-2": 40.0, "us-west-2": 50.0}.get(region, 60.0)
    zone = ZONES.get(region, ("x-az1",))[-1]
    return market(
        region,
        *(
            kind(
                need,
                offered=frozenset({zone}),
                on_demand=price(usd),
                spot=(spot(zone, usd / 4),),
                placement_scores={zone: 3},
                blocks=(block(zone),),
            )
            for need in request.needs
        ),
        services=dict.fromkeys(request.services, True),
    )


def but(**changes):
    """The same, and otherwise in the west."""

    def say(request, region):
        found = told(request, region)
        if region != "us-west-2":
            return found
        return replace(found, types=tuple(replace(one, **changes) for one in found.types))

    return say


@pytest.fixture
def aws(monkeypatch, folder):
    """Let AWS answer as told; `asked` has the requests."""
    (folder / "cluster.yaml").write_text(CLUSTER)
    made = SimpleNamespace(
        asked=[], regions=("us-east-2", "us-west-2"), say=told, answers=True, chosen=[]
    )

    def ask_markets(request, session, *, most_seconds, progress, now):
        made.asked.append(request)
        made.seconds, made.now = most_seconds, now
        if made.answers:
            session.note_answer()
        markets = tuple(made.say(request, region) for region in request.regions)
        for one in markets:
            progress(one)
        return markets

    def default_regions(session, types, home_region, *, every=False):
        made.chosen.append((list(types), home_region, every))
        return made.regions

    place = "trnkit.operations.planning"
    monkeypatch.setattr(f"{place}.asking.ask_markets", ask_markets)
    monkeypatch.setattr(f"{place}.default_regions.default_regions", default_regions)
    monkeypatch.setattr(operation, "datetime", SimpleNamespace(now=lambda _: NOW))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    return made


TABLE = """\
4 x trn2.48xlarge for 24 hours: 11 options in 2 Regions

   #  had  region     zone      buy                  quota       $/node-h  $/chip-h    $ whole
   1  yes  us-east-2  use2-az3  spot                 yes          10.0000    0.6250     960.00
   2  yes  us-west-2  usw2-az4  spot                 yes          12.5000    0.7812   1,200.00
 3-4  yes  us-east-2  use2-az3  on-demand, reserved  yes          40.0000    2.5000   3,840.00
 5-6  yes  us-west-2  usw2-az4  on-demand, reserved  yes          50.0000    3.1250   4,800.00
   7  yes  us-east-2  use2-az3  capacity-block       not needed  250.0000   15.6250  24,000.00
   8  yes  us-west-2  usw2-az4  capacity-block       not needed  250.0000   15.6250  24,000.00
9-10  no   us-east-2  use2-az1  on-demand, reserved  yes          40.0000    2.5000   3,840.00
  11  no   us-east-2  use2-az1  spot                 yes          unknown   unknown    unknown

1-2: Spot was $1.0000 to $9.0000 in 30 days, placement score 3 of 10
1-2, 11: Spot instances can be taken back, with two minutes' notice
3-6, 9-10: price: AWS Price List, 2026-11-01
4, 6, 10: a reservation bills from its creation to its end, used or not
7-8: block of 4 for 24 h from 2026-12-02 11:30 UTC to 2026-12-03 11:30 UTC, begins in 42 h, \
a fee of $24,000.00 at the purchase
9-11: trn2.48xlarge is not offered in use2-az1

to have it (printed, never run):
1: spot in us-east-2 use2-az3
  nothing to buy: EC2 gives the instances at their launch, if it has them then
3: on-demand in us-east-2 use2-az3
  nothing to buy: EC2 gives the instances at their launch, if it has them then
4: on-demand-reservation in us-east-2 use2-az3
  aws ec2 create-capacity-reservation --region us-east-2 --availability-zone-id use2-az3 \
--instance-type trn2.48xlarge --instance-count 4 --instance-platform Linux/UNIX \
--instance-match-criteria targeted --end-date-type limited --end-date 2026-12-01T17:30:00Z
  then write into a cluster file:
    region: us-east-2
    network.availability_zone_id: use2-az3
    compute.node_groups[0].capacity.type: on-demand-reservation
    compute.node_groups[0].capacity.capacity_reservation_id: <the id that the command prints>
7: capacity-block in us-east-2 use2-az3
  aws ec2 purchase-capacity-block --capacity-block-offering-id cb-0123456789abcdef0 \
--instance-platform Linux/UNIX --region us-east-2
  then write into a cluster file:
    region: us-east-2
    network.availability_zone_id: use2-az3
    compute.node_groups[0].capacity.type: capacity-block
    compute.node_groups[0].capacity.capacity_reservation_id: <the id that the command prints>
    compute.node_groups[0].capacity.start: 2026-12-02T11:30:00Z
    compute.node_groups[0].capacity.end: 2026-12-03T11:30:00Z

best: spot in us-east-2 use2-az3; without Spot: 3, on-demand in us-east-2 use2-az3, as far as \
was asked; no answer of AWS promises capacity
"""


def test_a_type_compared_in_every_way(aws, trnkit):
    ran = trnkit(*TYPE, "--hours", "24")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == TABLE
    (request,) = aws.asked
    assert (request.hours, request.regions) == (24, ("us-east-2", "us-west-2"))
    assert aws.chosen == [(["trn2.48xlarge"], "us-east-1", False)]


@pytest.mark.parametrize(
    ("width", "lacking", "row"),
    [
        (200, [], ["3-4", "yes", "us-east-2", "use2-az3", "on-demand, reserved", "yes", "40.0000"]),
        (94, [], ["3-4", "yes", "us-east-2", "use2-az3", "on-demand, reserved", "yes", "40.0000"]),
        (93, [], ["3-4", "yes", "us-east-2", "use2-az3", "on-demand+res", "yes", "40.0000"]),
        (80, ["$/chip-h"], ["3-4", "yes", "us-east-2", "use2-az3", "on-demand+res", "yes"]),
        (70, ["$/chip-h", "$/node-h"], ["3-4", "yes", "us-east-2", "use2-az3", "on-demand+res"]),
        (50, ["$/chip-h", "$/node-h", "quota", "zone"], ["3-4", "yes", "us-east-2"]),
    ],
)
def test_a_narrow_table_has_fewer_columns_and_names_them(
    aws, trnkit, monkeypatch, width, lacking, row
):
    monkeypatch.setenv("COLUMNS", str(width))
    rows = trnkit(*TYPE, "--hours", "24").out.split("\n")[2:]
    rows = rows[: rows.index("")]
    notes = [rows.pop()] if rows[-1].startswith("without ") else []
    assert notes == ([f"without {', '.join(lacking)} in {width} columns"] if lacking else [])
    assert max(map(len, rows)) <= width
    assert re.split(" {2,}", rows[3].strip())[: len(row)] == row
    assert not {*lacking} & {*re.split(" {2,}", rows[0])}
    assert rows[0].endswith(" $ whole")
    assert rows[3].endswith(" 3,840.00")


@pytest.mark.parametrize("said", ["", "0", "wide", "-5"])
def test_no_terminal_and_no_width_is_as_wide_as_it_takes(aws, trnkit, monkeypatch, said):
    monkeypatch.setenv("COLUMNS", said)
    assert trnkit(*TYPE, "--hours", "24").out == TABLE


def test_what_no_region_has_is_one_line_and_no_table(aws, trnkit):
    aws.regions = tuple(f"us-east-{number}" for number in range(1, 25))
    aws.say = lambda request, region: market(
        region, *(kind(need, offered=frozenset(), blocks=()) for need in request.needs)
    )
    ran = trnkit("plan", "--instance-type", "trn2.48xl", "--count", "8", "--hours", "24")
    assert (ran.code, ran.out) == (
        1,
        """\
8 x trn2.48xl for 24 hours: 96 options in 24 Regions

no Region that was asked has trn2.48xl, and the catalogue does not know it: did you mean \
trn2.48xlarge, trn2u.48xlarge or trn2.3xlarge?
24 Regions: trn2.48xl is not offered in the Region
24 Regions: no Capacity Block of 8 x trn2.48xl is on sale for that time

none of 96 options can be had
""",
    )


def test_few_regions_that_lack_it_are_named(aws, trnkit):
    aws.say = lambda request, region: market(
        region, *(kind(need, offered=frozenset()) for need in request.needs)
    )
    ran = trnkit(*TYPE, "--purchase", "on-demand")
    assert "\n\nus-east-2, us-west-2: trn2.48xlarge is not offered in the Region\n" in ran.out
    assert "$/node-h" not in ran.out
    # One Region keeps its row.
    ran = trnkit(*TYPE, "--purchase", "on-demand", "--regions", "us-west-2")
    assert "1  no   us-west-2  -     on-demand" in ran.out


def test_the_table_fits_a_terminal(aws, trnkit):
    aws.regions = ("ap-southeast-4", "ap-northeast-2")
    rows = trnkit(*TYPE, "--hours", "4000").out.split("\n")[2:10]
    assert max(map(len, rows)) <= 120


def test_a_file_is_compared_as_it_buys(aws, trnkit, folder):
    ran = trnkit("plan", "cluster.yaml")
    assert ran.code == 0
    assert (
        ran.out
        == """\
no errors, 2 warnings, 1 remark in cluster.yaml: see `trnkit check cluster.yaml`

4 x trn1.32xlarge (train): 3 options in 2 Regions

#  had  region     zone      buy        quota  $/node-h  $/chip-h  $/h all
1  yes  us-east-2  use2-az3  on-demand  yes     40.0000    2.5000   160.00
2  yes  us-west-2  usw2-az4  on-demand  yes     50.0000    3.1250   200.00
3  no   us-east-2  use2-az1  on-demand  yes     40.0000    2.5000   160.00

1-3: price: AWS Price List, 2026-11-01
3: trn1.32xlarge is not offered in use2-az1

to have it (printed, never run):
1: on-demand in us-east-2 use2-az3
  nothing to buy: EC2 gives the instances at their launch, if it has them then

compared as the file buys (on-demand): --purchase all compares every way

best: on-demand in us-east-2 use2-az3, as far as was asked; no answer of AWS promises capacity
"""
    )
    assert aws.chosen == [(["trn1.32xlarge"], "us-west-2", False)]
    assert aws.asked[0].services == ("fsx",)
    assert (folder / "cluster.yaml").read_text() == CLUSTER


def test_a_plan_counts_with_the_prices_that_the_file_names(aws, trnkit, folder):
    text = CLUSTER.replace("budget: {", "budget: {prices_file: own.yaml, ")
    assert text != CLUSTER
    (folder / "cluster.yaml").write_text(text)
    (folder / "own.yaml").write_text(
        'version: 1\ndate: 2026-11-30\nsource: "Annex B"\nprices:\n'
        "  - {instance_type: trn1.32xlarge, purchase: on-demand, usd_per_hour: 15.5}\n"
    )
    trnkit("plan", "cluster.yaml")
    book = aws.asked[0].book
    assert book.stated_instance("trn1.32xlarge", "us-east-2", "on-demand").low == 15.5


def test_a_region_for_which_the_file_must_change_first_is_perhaps(aws, trnkit, folder):
    ran = trnkit("plan", "cluster.yaml", "--regions", "ap-south-2,us-west-2")
    rows = [line.split()[:4] for line in ran.out.split("\n") if line[:3] in ("1  ", "2  ")]
    assert rows == [["1", "yes", "us-west-2", "usw2-az4"], ["2", "perhaps", "ap-south-2", "x-az1"]]
    assert "2: the file cannot go there as it is: TRN303: " in ran.out
    assert "2: the file cannot go there as it is: TRN204: " in ran.out
    chosen = ("--write", "--choose", "2")
    ran = trnkit("plan", "cluster.yaml", "--regions", "ap-south-2,us-west-2", *chosen)
    assert ran.code == 2
    assert "\n  region: ap-south-2\n" in ran.err
    assert "\n  then mend TRN204: compute.node_groups[0].image needs an ami_id" in ran.err
    assert (folder / "cluster.yaml").read_text() == CLUSTER


def test_what_is_unknown_is_said_once_with_the_permission(aws, trnkit):
    aws.say = lambda request, region: replace(
        told(request, region),
        types=tuple(
            replace(one, on_demand_quota=failure("GetServiceQuota", region, service="sq"))
            for one in told(request, region).types
        ),
    )
    ran = trnkit(*TYPE, "--purchase", "on-demand")
    assert ran.code == 1
    assert ran.out.count("GetServiceQuota in") == 1
    assert "let the role or user call sq:GetServiceQuota (also in us-west-2)" in ran.out
    assert "perhaps  us-east-2  use2-az3  on-demand  unknown" in ran.out
    assert "nothing can be had for certain: 2 options perhaps" in ran.out


def test_a_price_that_nobody_knows_is_said_so(aws, trnkit):
    aws.say = but(on_demand=None)
    ran = trnkit(*TYPE, "--purchase", "on-demand", "--regions", "us-west-2")
    assert (ran.code, "0.00" in ran.out) == (0, False)
    assert "unknown   unknown  unknown" in ran.out
    assert "1: no price of trn2.48xlarge is known, which is not a price of 0" in ran.out


def test_ways_to_buy_with_other_numbers_have_rows_of_their_own(aws, trnkit, folder):
    """Nodes of the deployed cluster stay where they are On-Demand, and not in a reservation."""
    aws.say = but(on_demand_quota=replace(quota(limit=868, used=868), own=768))
    ran = trnkit("plan", "cluster.yaml", "--purchase", "all", "--regions", "us-west-2")
    rows = [line.split() for line in ran.out.split("\n") if " us-west-2  usw2-az4 " in line]
    assert [row[:2] + row[4:6] for row in rows] == [
        ["1", "yes", "spot", "yes"],
        ["2", "yes", "on-demand", "yes"],
        ["3", "no", "on-demand-reservation", "no"],
    ]


@pytest.mark.parametrize(
    ("name", "offered", "says"),
    [
        ("trn2.47xlarge", frozenset(), "did you mean trn2.48xlarge"),
        ("trn2.47xlarge", frozenset({"usw2-az4"}), None),
        ("trn2.48xlarge", frozenset(), None),
    ],
)
def test_a_type_that_nobody_knows_is_perhaps_misspelled(aws, trnkit, name, offered, says):
    aws.say = but(offered=offered, blocks=None)
    ran = trnkit("plan", "--instance-type", name, "--count", "1", "--regions", "us-west-2")
    text = f"no Region that was asked has {name}, and the catalogue does not know it: "
    assert (text in ran.out, says is None or says in ran.out) == (says is not None, True)


def test_the_only_option_that_cannot_be_had(aws, trnkit):
    aws.say = but(offered=frozenset())
    ran = trnkit(*TYPE, "--regions", "us-west-2", "--purchase", "spot")
    assert ran.out.endswith("\nthe one option cannot be had\n")


def test_nothing_that_can_be_had(aws, trnkit):
    aws.say = but(offered=frozenset())
    ran = trnkit(*TYPE, "--regions", "us-west-2", "--purchase", "spot", "--purchase", "on-demand")
    assert ran.code == 1
    assert ran.out.endswith("none of 2 options can be had\n")
    assert "to have it" not in ran.out


def test_a_quota_that_lacks_has_the_command_that_raises_it(aws, trnkit):
    aws.say = but(on_demand_quota=quota(100, 10))
    ran = trnkit(*TYPE, "--regions", "us-west-2", "--purchase", "on-demand")
    assert ran.code == 1
    assert ran.out.partition("to have it (printed, never run):\n")[2].startswith(
        """\
1: on-demand in us-west-2 usw2-az4
  aws service-quotas request-service-quota-increase --region us-west-2 --service-code ec2 \
--quota-code L-2C3B7624 --desired-value 778
  then plan again when AWS has granted it: today's offers and ends are over by then

"""
    )


def test_a_region_that_is_off_is_planned_again_when_it_is_on(aws, trnkit):
    off = failure("DescribeAvailabilityZones", "us-west-2", FailureKind.REGION_OFF)
    aws.say = lambda request, region: replace(market(region, zones=off), types=())
    ran = trnkit(*TYPE, "--regions", "us-west-2", "--purchase", "spot")
    enable = "  aws account enable-region --region-name us-west-2\n"
    assert f"{enable}  then plan again when the Region is on\n" in ran.out


def test_an_option_about_which_nothing_can_be_done_has_no_heading(aws, trnkit):
    """As with an account that may ask nothing: no zone of a Region is known."""
    denied = failure("DescribeAvailabilityZones", "us-west-2")
    aws.say = lambda request, region: replace(market(region, zones=denied), types=())
    ran = trnkit(*TYPE, "--regions", "us-west-2", "--hours", "24")
    assert "nothing can be had for certain: 4 options perhaps" in ran.out
    assert "to have it" not in ran.out
    assert "in us-west-2\n" not in ran.out


def test_after_a_purchase_the_lines_of_the_file_are_told(aws, trnkit, folder):
    reserved = "capacity: {type: on-demand-reservation, create: {unlimited: true}}"
    (folder / "cluster.yaml").write_text(CLUSTER.replace("count: 4", f"count: 4, {reserved}"))
    more = ("--regions", "us-east-2", "--purchase", "all", "--hours", "24")
    out = trnkit("plan", "cluster.yaml", *more).out
    place = "    compute.node_groups[0].capacity"
    assert (
        f"""
  then write into cluster.yaml by hand:
    region: us-east-2
    network.availability_zone_id: use2-az3
{place}.capacity_reservation_id: <the id that the command prints>
    remove compute.node_groups[0].capacity.create
  or let the deployment make it (capacity.create of the file): never both
"""
        in out
    )
    assert (
        f"""
  then write into cluster.yaml by hand:
    region: us-east-2
    network.availability_zone_id: use2-az3
{place}.type: capacity-block
{place}.capacity_reservation_id: <the id that the command prints>
{place}.start: 2026-12-02T11:30:00Z
{place}.end: 2026-12-03T11:30:00Z
    remove compute.node_groups[0].capacity.create
"""
        in out
    )


def test_a_block_of_ultraservers_is_written_as_a_group(aws, trnkit):
    aws.say = but(blocks=(replace(block("usw2-az4"), ultraserver_type="u-trn2x64"),))
    out = trnkit(*TYPE, "--regions", "us-west-2", "--purchase", "capacity-block", "--hours=24").out
    key = "compute.node_groups[0].capacity.capacity_reservation_resource_group_arn"
    assert f"\n    {key}: <a resource group of the reservations>\n" in out
    assert "capacity_reservation_id" not in out


def test_few_options_are_shown_and_the_rest_counted(aws, trnkit):
    ran = trnkit(*TYPE, "--hours", "24", "--limit", "2")
    assert "9 further options, 3 of which cannot be had: --limit 11 shows all" in ran.out
    assert "\n 3  " not in ran.out
    # The best of every way, shown or not.
    assert "7: capacity-block in us-east-2 use2-az3" in ran.out


def test_without_hours_blocks_are_not_compared(aws, trnkit):
    ran = trnkit(*TYPE)
    assert "Capacity Blocks are not compared: say for how long with --hours" in ran.out
    assert "capacity-block" not in aws.asked[0].purchases


def test_groups_of_several_types_have_a_price_together(aws, trnkit, folder):
    group = "    - {name: train, instance_type: trn1.32xlarge, count: 4}\n"
    other = "    - {name: other, instance_type: trn1.2xlarge, count: 1}\n"
    (folder / "cluster.yaml").write_text(CLUSTER.replace(group, group + other))
    ran = trnkit("plan", "cluster.yaml", "--regions", "us-west-2", "--hours", "2")
    assert "4 x trn1.32xlarge (train), 1 x trn1.2xlarge (other) for 2 hours, all in one" in ran.out
    assert "yes           -         -   500.00" in ran.out


@pytest.mark.parametrize("hours", [(), ("--hours", "2")])
def test_a_deployment_makes_the_reservation_of_a_file(aws, trnkit, folder, hours):
    more = "count: 4, capacity: {type: on-demand-reservation, create: {unlimited: true}}"
    (folder / "cluster.yaml").write_text(CLUSTER.replace("count: 4", more))
    ran = trnkit("plan", "cluster.yaml", "--regions", "us-west-2", *hours)
    says = "or let the deployment make it (capacity.create of the file): never both"
    assert says in ran.out
    assert ("say --hours: a reservation bills until its end" in ran.out) != bool(hours)
    assert ("create-capacity-reservation" in ran.out) == bool(hours)


def test_spot_and_blocks_of_several_groups_are_told_apart(aws, trnkit, folder):
    group = "    - {name: train, instance_type: trn1.32xlarge, count: 4}\n"
    other = "    - {name: other, instance_type: trn1.2xlarge, count: 1}\n"
    (folder / "cluster.yaml").write_text(CLUSTER.replace(group, group + other))
    way = ("--purchase", "spot", "--regions", "us-west-2")
    ran = trnkit("plan", "cluster.yaml", *way)
    assert "1: trn1.32xlarge: Spot was $1.0000 to $9.0000 in 30 days" in ran.out
    assert "1: trn1.2xlarge: Spot was $1.0000 to $9.0000 in 30 days" in ran.out
    # Two groups of one type have one history.
    (folder / "cluster.yaml").write_text(CLUSTER.replace(group, group + other.replace("2x", "32x")))
    ran = trnkit("plan", "cluster.yaml", *way)
    assert ran.out.count("Spot was") == ran.out.count("1: Spot was") == 1


def test_groups_that_are_bought_differently(aws, trnkit, folder):
    group = "    - {name: train, instance_type: trn1.32xlarge, count: 4}\n"
    other = "    - {name: other, instance_type: trn1.32xlarge, count: 1, capacity: {type: X}}\n"
    made = other.replace("X", "on-demand-reservation, create: {unlimited: true}")
    (folder / "cluster.yaml").write_text(CLUSTER.replace(group, group + made))
    ran = trnkit("plan", "cluster.yaml", "--regions", "us-west-2", "--hours", "2")
    assert "1  yes  us-west-2  usw2-az4  mixed  yes" in ran.out
    assert "\n  aws ec2 create-capacity-reservation --region us-west-2" in ran.out
    assert "--instance-count 1 " in ran.out
    assert "or let the deployment make it (capacity.create of the file): never both" in ran.out
    assert "nothing to buy for on-demand: EC2 gives the instances at their launch" in ran.out


def test_json(aws, trnkit):
    aws.say = but(spot=failure("DescribeSpotPriceHistory", "us-west-2"))
    ran = trnkit(*TYPE, "--hours", "24", "--format", "json", "--data-region", "us-west-2")
    said = json.loads(ran.out)
    assert (ran.code, said["schema"], said["findings"], said["found"]) == (0, 1, [], True)
    assert (said["file"], said["written"], said["not_written"]) == (None, None, None)
    assert said["by_hand"] == []
    assert said["asked_at"] == "2026-11-30T17:30:00Z"
    assert said["request"] == {
        "regions": ["us-east-2", "us-west-2"],
        "needs": [{"group": None, "instance_type": "trn2.48xlarge", "count": 4}],
        "purchases": ["capacity-block", "on-demand", "on-demand-reservation", "spot"],
        "hours": 24,
        "start_after": None,
        "start_before": None,
        "services": [],
        "data_region": "us-west-2",
    }
    assert [option["rank"] for option in said["options"]] == list(range(1, 12))
    first = said["options"][0]
    assert {key: first[key] for key in ("verdict", "region", "zone_id", "way", "quota_room")} == {
        "verdict": "can",
        "region": "us-east-2",
        "zone_id": "use2-az3",
        "way": "spot",
        "quota_room": "yes",
    }
    (part,) = first["parts"]
    assert part["spot"] == {
        "current_usd": 10.0,
        "lowest_usd": 1.0,
        "highest_usd": 9.0,
        "days": 30,
    }
    assert (part["usd_per_node_hour"], part["usd_per_chip_hour"], part["chips"]) == (10, 0.625, 16)
    assert (part["placement_score"], part["price_as_of"]) == (3, "2026-11-30")
    assert "the data is in us-west-2" in first["notes"][0]
    bought = next(option for option in said["options"] if option["way"] == "capacity-block")
    assert bought["parts"][0]["block"] == {
        "offering_id": "cb-0123456789abcdef0",
        "start": "2026-12-02T11:30:00Z",
        "end": "2026-12-03T11:30:00Z",
        "wait_hours": 42.0,
        "hours": 24,
        "count": 4,
        "upfront_usd": 24000.0,
        "ultraserver_type": None,
    }
    west = [o for o in said["options"] if o["region"] == "us-west-2" and o["way"] == "spot"]
    assert [(o["usd_whole"], o["verdict"]) for o in west] == [(None, "can")]
    (lost,) = said["unanswered"]
    assert (lost["kind"], lost["permission"]) == ("denied", "ec2:DescribeSpotPriceHistory")


def keys(value):
    """Every key of a JSON value, at any depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = set(value) if isinstance(value, dict) else set()
    return own.union(*map(keys, inner))


def test_every_key_of_the_json_has_its_place_in_the_page(aws, trnkit):
    aws.say = but(on_demand_quota=failure("GetServiceQuota", "us-west-2"))
    ran = trnkit("plan", "cluster.yaml", "--purchase", "all", "--hours", "24", "--write", *JSON)
    said = json.loads(ran.out)
    assert said["written"]
    assert said["unanswered"]
    found = keys({key: value for key, value in said.items() if key != "findings"})
    assert {"wait_hours", "highest_usd", "room", "permission", "warnings"} <= found
    page = (ROOT / "docs" / "plan.md").read_text().partition("## JSON")[2]
    assert {key for key in found if f"`{key}`" not in page} <= keys(said["summary"])


def test_offers_that_cannot_be_meant_are_a_remark_once(aws, trnkit):
    words = "offers of Capacity Blocks in us-west-2 that cannot be meant are left out: offer cb-1"
    aws.say = but(blocks_remark=words)
    said = json.loads(trnkit(*TYPE, "--hours", "24", "--format", "json").out)
    assert said["remarks"].count(words) == 1


def test_a_report_in_a_file(aws, trnkit, folder):
    ran = trnkit(*TYPE, "--hours", "24", "--format", "json", "--output", "plan.json")
    assert ran.out == TABLE
    assert json.loads((folder / "plan.json").read_text())["found"]
    assert trnkit("plan", "cluster.yaml", "--output", "cluster.yaml").code == 2
    assert (folder / "cluster.yaml").read_text() == CLUSTER


def test_dates_and_time_are_handed_on(aws, trnkit):
    when = ("--start-after", "2026-12-05", "--start-before", "2026-12-20T11:30:00+02:00")
    assert trnkit(*TYPE, "--hours", "24", *when, "--timeout", "7").code == 0
    (request,) = aws.asked
    assert request.earliest == datetime(2026, 12, 5, tzinfo=UTC)
    assert request.latest == datetime(2026, 12, 20, 9, 30, tzinfo=UTC)
    assert (aws.seconds, aws.now) == (7.0, NOW)


@pytest.mark.parametrize(
    ("when", "says"),
    [
        ((), " for 24 hours: "),
        (("--start-after", "2026-12-07"), ", to start 2026-12-07 00:00 UTC or later: "),
        (("--start-before", "2026-12-07T01:00+02:00"), ", to start 2026-12-06 23:00 UTC or earl"),
        (
            ("--start-after", "2026-12-07", "--start-before", "2026-12-09"),
            " for 24 hours, to start from 2026-12-07 00:00 UTC to 2026-12-09 00:00 UTC: ",
        ),
    ],
)
def test_the_heading_says_the_window(aws, trnkit, when, says):
    assert says in trnkit(*TYPE, "--hours", "24", *when).out.split("\n")[0]


NEITHER = "--start-after decides nothing here: On-Demand and Spot instances start when they are"
NO_BLOCK = "--start-before decides nothing here: only Capacity Blocks have a start of their own"


@pytest.mark.parametrize(
    ("arguments", "remarks"),
    [
        (("--purchase", "spot", "--start-after", "2026-12-07"), [NEITHER]),
        (("--purchase", "on-demand", "--start-before", "2026-12-07"), [NO_BLOCK]),
        (("--purchase", "on-demand-reservation", "--start-after", "2026-12-07"), []),
        (("--purchase", "on-demand-reservation", "--start-before", "2026-12-07"), [NO_BLOCK]),
        (("--start-after", "2026-12-07", "--start-before", "2026-12-08"), []),
        (
            ("--start-after", "2026-11-30"),
            ["--start-after is 2026-11-30T00:00:00Z, which is over: taken as now"],
        ),
        (
            ("--start-after", "2027-03-01"),
            ["Capacity Blocks are sold 8 weeks ahead at most: none on sale today starts after"],
        ),
        (
            ("--hours", "350"),
            ["no Capacity Block has 350 hours: 504 hours are asked for, the next length on sale"],
        ),
        (("--hours", "336"), []),
        (("--hours", "350", "--purchase", "spot"), []),
        (("--hours", "9000"), []),
    ],
)
def test_times_that_decide_nothing_or_are_not_sold_are_told(aws, trnkit, arguments, remarks):
    hours = () if "--hours" in arguments else ("--hours", "24")
    ran = trnkit(*TYPE, *hours, *arguments, "--format", "json")
    found = json.loads(ran.out)["remarks"]
    assert len(found) == len(remarks)
    assert all(map(str.startswith, found, remarks))


def test_an_earliest_start_that_is_over_is_now(aws, trnkit):
    when = ("--start-after", "2026-11-30", "--start-before", "2026-12-01")
    assert trnkit(*TYPE, "--hours", "24", *when).code == 0
    (request,) = aws.asked
    assert (request.earliest, request.latest) == (None, datetime(2026, 12, 1, tzinfo=UTC))


def test_every_region_when_asked_for(aws, trnkit):
    assert trnkit(*TYPE, "--regions", "all").code == 0
    assert aws.chosen[0][2] is True


def test_an_existing_vpc_stays_in_its_region(aws, trnkit, folder):
    network = "network: {existing: {vpc_id: vpc-0123456789abcdef0, compute_subnet_id: "
    zone = "subnet-0123456789abcdef0, availability_zone_id: usw2-az4}}"
    own = "network: {availability_zone_id: usw2-az4}"
    (folder / "cluster.yaml").write_text(CLUSTER.replace(own, network + zone))
    assert trnkit("plan", "cluster.yaml").code == 0
    assert (aws.asked[0].regions, aws.chosen) == (("us-west-2",), [])


def test_the_own_region_is_compared_even_where_nothing_is_known_to_be(aws, trnkit):
    aws.regions = ("us-east-2",)
    trnkit("plan", "cluster.yaml")
    assert aws.asked[0].regions == ("us-west-2", "us-east-2")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "name a cluster file, or give --instance-type and --count"),
        (("cluster.yaml", "--count", "2"), "leave out --instance-type and --count, or FILE"),
        (("--instance-type", "trn2.48xlarge"), "name a cluster file, or give"),
        ((*TYPE[1:], "--write"), "--write and --choose need a cluster file"),
        (("cluster.yaml", "--choose", "1"), "add --write"),
        ((*TYPE[1:], "--regions", "us-east-2,"), "--regions holds an empty name"),
        ((*TYPE[1:], "--regions", "all,us-east-2"), "--regions all is every Region"),
        ((*TYPE[1:], "--regions", "virginia"), "region 'virginia' is no Region"),
        ((*TYPE[1:], "--start-after", "soon"), "--start-after 'soon' is no date: write 2027-"),
        ((*TYPE[1:], "--start-before", "2026-11-30T17:30Z"), "--start-before is in the past"),
        ((*TYPE[1:], "--purchase", "capacity-block"), "say --hours, for example 168"),
        ((*TYPE[1:], "--purchase", "block"), "--purchase block is no way to buy: give one of"),
        (("",), "an empty name is no cluster file"),
    ],
)
def test_wrong_usage_is_told_with_its_remedy(aws, trnkit, arguments, text):
    ran = trnkit("plan", *arguments)
    assert (ran.code, ran.out, aws.asked) == (2, "", [])
    assert text in ran.err


@pytest.mark.parametrize("option", ["--start-after", "--start-before"])
@pytest.mark.parametrize(
    ("date", "text"),
    [
        ("9999-12-31", "is out of range: write a year from 2000 to 2999"),
        ("9999-12-31T23:59:59-12:00", "is out of range: write a year from 2000 to 2999"),
        ("0001-01-01T00:00:00+14:00", "is out of range: write a year from 2000 to 2999"),
        ("1999-12-31", "is out of range: write a year from 2000 to 2999"),
        ("3000-01-01", "is out of range: write a year from 2000 to 2999"),
        ("2027-W09-1", "is no date: write 2027-03-01 or 2027-03-01T11:30:00Z"),
        ("20270301", "is no date: write 2027-03-01"),
        ("20270301T113000Z", "is no date: write 2027-03-01"),
        ("2027-03-01 11:30", "is no date: write 2027-03-01"),
        ("2027-02-29", "is no date: write 2027-03-01"),
        ("2027-03-01T24:61Z", "is no date: write 2027-03-01"),
        ("2027-03-01T11:30:00+24:00", "is no date: write 2027-03-01"),
        ("\u0662\u0660\u0662\u0667-03-01", "is no date: write 2027-03-01"),
        ("2027-03-01\n", "is no date: write 2027-03-01"),
    ],
)
def test_a_date_is_in_one_of_two_forms_and_of_our_time(aws, trnkit, option, date, text):
    ran = trnkit(*TYPE, "--hours", "24", option, date)
    assert (ran.code, ran.out, aws.asked) == (2, "", [])
    assert f"{option} {date!r} {text}" in ran.err


@pytest.mark.parametrize("date", ["2000-01-01", "2999-12-31T23:59:59-12:00"])
@pytest.mark.parametrize("option", ["--start-after", "--start-before"])
def test_the_first_and_the_last_date_are_taken(aws, trnkit, option, date):
    ran = trnkit(*TYPE, "--hours", "100000", option, date)
    is_over = (option, date) == ("--start-before", "2000-01-01")
    assert ran.code == (2 if is_over else 0)
    assert ("in the past" in ran.err) is is_over


@pytest.mark.parametrize(
    "option", ["--count=0", "--hours=0", "--limit=0", "--timeout=0", "--timeout=nan"]
)
def test_numbers_out_of_range(aws, trnkit, option):
    assert trnkit("plan", "--instance-type", "trn2.48xlarge", option).code == 2


def test_a_file_with_an_error_is_not_asked_about(aws, trnkit, folder):
    wrong = CLUSTER.replace("count: 4", "count: 4, capacity: {type: spot, start: x}")
    (folder / "cluster.yaml").write_text(wrong)
    ran = trnkit("plan", "cluster.yaml")
    assert (ran.code, aws.asked) == (1, [])
    assert "AWS was not asked: correct the file first" in ran.out
    assert trnkit("plan", "missing.yaml").code == 2
    said = json.loads(trnkit("plan", "missing.yaml", "--format", "json").out)
    assert (said["findings"][0]["rule_id"], said["options"]) == ("TRN001", [])


def test_a_region_that_lacks_the_type_is_why_one_plans(aws, trnkit, folder):
    moved = CLUSTER.replace("us-west-2", "eu-west-1").replace("usw2-az4", "euw1-az1")
    (folder / "cluster.yaml").write_text(moved)
    ran = trnkit("plan", "cluster.yaml")
    assert (ran.code, len(aws.asked)) == (0, 1)
    assert "TRN102" in ran.out


def test_aws_that_cannot_be_asked_at_all(aws, trnkit):
    aws.answers = False
    lost = failure("X", kind=FailureKind.UNREACHABLE)
    aws.say = lambda request, region: replace(market(region, zones=lost), types=())
    ran = trnkit(*TYPE)
    assert (ran.code, ran.out) == (3, "")
    assert "AWS could not be asked: ec2 X in us-east-2 unreachable" in ran.err


def test_regions_that_aws_does_not_tell(aws, trnkit):
    aws.regions = failure("DescribeRegions", "us-east-1")
    ran = trnkit(*TYPE)
    assert (ran.code, ran.out) == (3, "")
    assert "DescribeRegions" in ran.err


def test_no_credentials(aws, trnkit, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name)
    ran = trnkit(*TYPE, "--format", "json")
    assert ran.code == 3
    assert "credentials" in json.loads(ran.out)["failure"]
    assert aws.asked == []


def test_the_choice_is_written(aws, trnkit, folder):
    ran = trnkit("plan", "cluster.yaml", "--write")
    assert ran.code == 0
    assert ran.out.endswith(
        """
wrote option 1 into cluster.yaml:
  region: us-east-2 (was us-west-2)
  network.availability_zone_id: use2-az3 (was usw2-az4)
  warning: if pretrain is deployed already, its stacks and its data stay in us-west-2, and bill, \
until you remove them: the file now describes another, empty cluster
"""
    )
    assert (folder / "cluster.yaml").read_text() == CLUSTER.replace(
        "us-west-2", "us-east-2"
    ).replace("usw2-az4", "use2-az3")
    again = trnkit("plan", "cluster.yaml", "--write")
    assert again.out.endswith("\ncluster.yaml says option 1 already\n")


def test_another_option_is_written_in_json(aws, trnkit, folder):
    arguments = ("--write", "--choose", "2", "--purchase", "spot", "--format", "json")
    ran = trnkit("plan", "cluster.yaml", *arguments)
    said = json.loads(ran.out)
    assert (ran.code, said["not_written"]) == (0, None)
    assert said["written"] == {
        "file": "cluster.yaml",
        "option": 2,
        "changes": ["compute.node_groups[0].capacity.type: spot"],
        "warnings": [
            "the nodes of train are Spot instances now, which can be taken back with two minutes' "
            "notice"
        ],
    }
    assert "count: 4, capacity: {type: spot}}" in (folder / "cluster.yaml").read_text()


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_choice_that_cannot_be_written_leaves_the_plan_and_the_reason(aws, trnkit, folder, form):
    block_way = ("--purchase", "capacity-block", "--hours", "24")
    ran = trnkit("plan", "cluster.yaml", "--write", *block_way, "--format", form)
    assert ran.code == 2
    assert "has an id only when it is bought" in ran.err
    assert "aws ec2 purchase-capacity-block" in ran.out
    assert "\n  compute.node_groups[0].capacity.start: 2026-12-02T11:30:00Z\n" in ran.err
    if form == "json":
        said = json.loads(ran.out)
        assert "only when it is bought" in said["not_written"]
        assert [f"  {line}" for line in said["by_hand"]] == ran.err.splitlines()[1:]
    assert (folder / "cluster.yaml").read_text() == CLUSTER


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--output", "."), "is a folder"),
        (("--output", "nowhere/plan.json"), "No such file or directory"),
        (("--output", "/dev/null"), "no file is written through /dev or /proc"),
        (("--output", "cluster.yaml"), "would replace what was judged"),
        (("--output", ""), "an empty name"),
        (("--data-region", ""), "region '' is no Region"),
    ],
)
def test_what_cannot_be_is_refused_before_aws_is_asked(aws, trnkit, folder, arguments, words):
    ran = trnkit("plan", "cluster.yaml", *arguments)
    assert (ran.code, ran.out, aws.asked, aws.chosen) == (2, "", [], [])
    assert words in ran.err


def test_a_redirection_is_not_written_to(aws, trnkit, folder):
    with (folder / "cluster.yaml").open() as stream:
        ran = trnkit("plan", f"/dev/fd/{stream.fileno()}", "--write")
    assert (ran.code, ran.out, aws.asked) == (2, "", [])
    assert "name a file on disk" in ran.err
    assert (folder / "cluster.yaml").read_text() == CLUSTER


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_report_that_cannot_be_written_in_the_end_is_printed(aws, trnkit, monkeypatch, form):
    def full(*asked, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("trnkit.operations.whole_files.write_whole", full)
    ran = trnkit("plan", "cluster.yaml", "--output", "plan", "--format", form)
    assert ran.code == 2
    assert "plan cannot be written: No space left on device" in ran.err
    assert "#  had  region" in ran.out
