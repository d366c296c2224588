"""Schedules of Capacity Blocks, UltraServers, and which placement group nodes get."""

import shlex
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trnkit.catalog import capacity_block_facts
from trnkit.config import NodeGroupConfig
from trnkit.layout.capacity import (
    ScalingSchedule,
    block_times,
    existing_placement_group,
    format_utc,
    parse_utc,
    scaling_schedule,
    ultraservers,
)
from trnkit.layout.draining import DRAIN_PROGRAM, DrainPlan, drain_command, drain_plan
from trnkit.layout.nodes import uses_placement_group

RESERVATION = "cr-0123456789abcdef0"
GROUP_ARN = "arn:aws:resource-groups:us-east-2:111122223333:group/blocks"
BLOCK = {
    "type": "capacity-block",
    "capacity_reservation_id": RESERVATION,
    "start": "2027-03-01T11:30:00Z",
    "end": "2027-03-08T11:30:00Z",
}


def test_cap_09_a_block_is_scaled_out_at_its_start_and_in_before_ec2_terminates(group):
    """EC2 begins at 11:00; 10 minutes before is what EKS takes."""
    assert scaling_schedule(group(capacity=BLOCK)) == ScalingSchedule(
        "2027-03-01T11:30:00Z", "2027-03-08T10:50:00Z"
    )


def test_an_ultraserver_block_ends_half_an_hour_earlier(group):
    made = group(instance_type="trn2u.48xlarge", capacity=BLOCK)
    assert scaling_schedule(made).scale_in_at == "2027-03-08T10:20:00Z"


def test_a_margin_of_ones_own(group):
    made = group(capacity=BLOCK | {"scale_in_margin_minutes": 90})
    assert scaling_schedule(made).scale_in_at == "2027-03-08T09:30:00Z"


@pytest.mark.parametrize(
    ("keys", "more", "told"),
    [
        ({"checkpoint_minutes": 15}, {}, "2027-03-08T10:35:00Z"),
        ({"checkpoint_minutes": 60}, {}, "2027-03-08T09:50:00Z"),
        ({"checkpoint_minutes": 15, "scale_in_margin_minutes": 30}, {}, "2027-03-08T10:15:00Z"),
        ({"checkpoint_minutes": 15, "launch": "with-deployment"}, {}, "2027-03-08T10:35:00Z"),
        ({"checkpoint_minutes": 15}, {"instance_type": "trn2u.48xlarge"}, "2027-03-08T10:05:00Z"),
        ({"checkpoint_minutes": 15}, {"count": 0}, None),
        ({}, {}, None),
    ],
)
def test_cap_09_nodes_are_told_before_the_group_is_scaled_in(group, keys, more, told):
    made = group(capacity=BLOCK | keys, **more)
    plan = drain_plan(made)
    if told is None:
        assert plan is None
        return
    deadline = scaling_schedule(made).scale_in_at
    assert plan == DrainPlan(told, deadline, "the Capacity Block ends")
    assert block_times(made).checkpoint < block_times(made).scale_in


def test_the_command_is_one_that_a_shell_reads_back():
    command = drain_command("2027-03-08T10:50:00Z", "the budget's limit; stop")
    assert shlex.split(command) == [
        *(DRAIN_PROGRAM, "--deadline", "2027-03-08T10:50:00Z"),
        *("--reason", "the budget's limit; stop"),
    ]


def test_nodes_of_an_active_block_start_at_once(group):
    made = group(capacity=BLOCK | {"launch": "with-deployment"})
    assert scaling_schedule(made) == ScalingSchedule(None, "2027-03-08T10:50:00Z")


@pytest.mark.parametrize(
    "keys",
    [
        {"count": 0, "capacity": BLOCK},
        {"capacity": {"type": "on-demand"}},
        {"capacity": {"type": "spot", "start": BLOCK["start"], "end": BLOCK["end"]}},
        {"capacity": {"type": "capacity-block"}},
        {"capacity": {"type": "capacity-block", "start": BLOCK["start"]}},
    ],
)
def test_there_is_no_schedule_without_a_block_or_nodes(group, keys):
    assert scaling_schedule(group(**keys)) is None


moments = st.datetimes(
    min_value=datetime(2026, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC)
).map(lambda moment: moment.replace(microsecond=0))


@settings(deadline=None, max_examples=200)
@given(moment=moments)
def test_times_are_read_as_they_are_written(moment):
    assert parse_utc(format_utc(moment)) == moment


@settings(deadline=None, max_examples=300)
@given(
    start=moments,
    length=st.integers(min_value=2, max_value=182 * 24 * 60),
    margin=st.none() | st.integers(min_value=1, max_value=1440),
    kind=st.sampled_from(["trn1.32xlarge", "trn2.48xlarge", "trn2u.48xlarge", "trn9.96xlarge"]),
    launch=st.sampled_from(["at-start", "with-deployment"]),
)
def test_the_group_is_empty_before_ec2_terminates_whatever_the_block(
    start, length, margin, kind, launch
):
    end = start + timedelta(minutes=length)
    capacity = BLOCK | {
        "start": format_utc(start),
        "end": format_utc(end),
        "scale_in_margin_minutes": margin,
        "launch": launch,
    }
    made = NodeGroupConfig(name="train", instance_type=kind, count=4, capacity=capacity)
    times, schedule = block_times(made), scaling_schedule(made)
    facts = capacity_block_facts()
    ahead = timedelta(
        minutes=facts.ultraserver_termination_minutes_before_end
        if kind.startswith("trn2u")
        else facts.termination_minutes_before_end
    )
    assert times.end - times.termination == ahead
    assert times.scale_in < times.termination < times.end
    assert parse_utc(schedule.scale_in_at) == times.scale_in
    assert times.termination - times.scale_in == timedelta(minutes=margin or 10)
    assert (schedule.scale_out_at is None) is (launch == "with-deployment")
    if schedule.scale_out_at:
        assert parse_utc(schedule.scale_out_at) == start
    longer = made.model_copy(update={"count": 1})
    assert scaling_schedule(longer) == schedule, "the number of nodes moves nothing"


@pytest.mark.parametrize(
    ("kind", "count", "expected"),
    [
        ("trn2u.48xlarge", 4, ("u-trn2x64", 4, 1, 0)),
        ("trn2u.48xlarge", 10, ("u-trn2x64", 4, 2, 2)),
        ("trn2u.48xlarge", 0, ("u-trn2x64", 4, 0, 0)),
        ("trn2.48xlarge", 4, None),
        ("trn9.96xlarge", 4, None),
    ],
)
def test_ultraservers(group, kind, count, expected):
    found = ultraservers(group(instance_type=kind, count=count))
    got = found and (found.type_name, found.instances_each, found.count, found.left_over)
    assert got == expected


RESERVED = {"type": "on-demand-reservation", "capacity_reservation_id": RESERVATION}
NEW = {"type": "on-demand-reservation", "create": {"unlimited": True}}


@pytest.mark.parametrize(
    ("capacity", "placement", "new"),
    [
        pytest.param({}, {}, True, id="on-demand"),
        pytest.param({"type": "spot"}, {}, True, id="spot"),
        pytest.param(BLOCK, {}, False, id="CAP-02 block"),
        pytest.param(BLOCK, {"cluster": True}, False, id="CAP-02 block, asked for"),
        pytest.param(RESERVED, {}, False, id="CAP-03 reservation"),
        pytest.param(RESERVED, {"cluster": True}, True, id="CAP-03 reservation, asked for"),
        pytest.param(RESERVED, {"group_name": "theirs"}, False, id="CAP-03 its own group"),
        pytest.param(NEW, {}, False, id="CAP-03 new reservation"),
        pytest.param(NEW, {"cluster": True}, True, id="new reservation in a new group"),
        pytest.param({}, {"cluster": False}, False, id="not wanted"),
        pytest.param({}, {"group_name": "theirs"}, False, id="CAP-04 a given group"),
    ],
)
def test_a_new_placement_group(group, capacity, placement, new):
    assert uses_placement_group(group(capacity=capacity, placement=placement)) is new


def test_a_wanted_placement_group_needs_nodes(group):
    assert not uses_placement_group(group(count=0, placement={"cluster": True}))


@pytest.mark.parametrize(
    ("given_name", "name"),
    [
        (None, None),
        ("theirs", "theirs"),
        ("a group", "a group"),
        ("arn:aws:ec2:us-east-2:111122223333:placement-group/theirs", "theirs"),
    ],
)
def test_cap_04_a_given_group_is_named(group, given_name, name):
    assert existing_placement_group(group(placement={"group_name": given_name})) == name
