"""Comparing what a template says with what a service tells."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trnkit.operations.rehearsal.comparison import (
    ORDERED,
    canonical_policy,
    compare,
    differences_between,
)

quick = settings(max_examples=50, deadline=None)

NAMES = st.text("abcXYZ", min_size=1, max_size=4)
SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.text(st.characters(blacklist_categories=["Cs"]), max_size=8),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(NAMES, inner, max_size=4)),
    max_leaves=12,
)
PROPERTIES = st.dictionaries(NAMES, VALUES, min_size=1, max_size=5)


def as_text(value: Any) -> Any:
    """The same value as CloudFormation also takes it: every number and boolean as text."""
    if isinstance(value, dict):
        return {name: as_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [as_text(item) for item in value]
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def shuffled(value: Any, draw: Any) -> Any:
    """The same value with every list in another order."""
    if isinstance(value, dict):
        return {name: shuffled(item, draw) for name, item in value.items()}
    if isinstance(value, list):
        return draw(st.permutations([shuffled(item, draw) for item in value]))
    return value


@quick
@given(PROPERTIES)
def test_anything_equals_itself(properties):
    compared = compare(properties, copy.deepcopy(properties))
    assert compared.agrees
    assert compared.equal == tuple(properties)
    assert compared.not_told == ()


@quick
@given(st.data(), PROPERTIES)
def test_the_order_of_a_list_means_nothing(data, properties):
    assert compare(properties, shuffled(properties, data.draw)).agrees


@quick
@given(PROPERTIES)
def test_text_stands_for_numbers_and_booleans(properties):
    def numbers_only(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: numbers_only(item) for name, item in value.items()}
        if isinstance(value, list):
            return [numbers_only(item) for item in value]
        return len(value) if isinstance(value, str) else value

    properties = numbers_only(properties)
    assert compare(as_text(properties), properties).agrees
    assert compare(properties, as_text(properties)).agrees


@quick
@given(st.dictionaries(NAMES, PROPERTIES, min_size=1, max_size=3))
def test_json_text_stands_for_objects(properties):
    told = {name: json.dumps(value) for name, value in properties.items()}
    assert compare(properties, told).agrees
    assert compare(told, properties).agrees
    spaced = {name: json.dumps(value, indent=2) for name, value in properties.items()}
    assert compare(told, spaced).agrees


@quick
@given(PROPERTIES, NAMES, SCALARS)
def test_what_only_the_service_tells_is_its_default(properties, name, value):
    told = {"Outer": properties}
    more = {"Outer": {name: value} | properties, "Other": value}
    assert compare(told, more).agrees


@quick
@given(st.data(), st.lists(PROPERTIES, min_size=1, max_size=5))
def test_items_of_a_list_are_paired_also_when_the_service_adds_to_some(data, items):
    more = [item | data.draw(st.dictionaries(st.just("Added"), SCALARS)) for item in items]
    told = data.draw(st.permutations(more))
    assert differences_between(items, told) == []


@quick
@given(st.data(), PROPERTIES)
def test_one_changed_leaf_is_one_difference(data, properties):
    changed = copy.deepcopy(properties)
    name = data.draw(st.sampled_from(sorted(changed)))
    changed[name] = {"changed": "to this"}
    assert not compare({name: {"changed": "from this"}}, changed).agrees
    (difference,) = compare({name: {"changed": "from this"}}, changed).differences
    assert difference.path == f"{name}.changed"
    assert (difference.expected, difference.found) == ("from this", "to this")


@quick
@given(st.data(), st.lists(st.integers(), min_size=1, max_size=6))
def test_a_lost_and_an_added_item_are_seen(data, items):
    at = data.draw(st.integers(0, len(items) - 1))
    fewer = items[:at] + items[at + 1 :]
    assert [d.found for d in differences_between(items, fewer)] == [None]
    assert [d.expected for d in differences_between(fewer, items)] == [None]


def test_what_the_service_does_not_tell_is_named():
    compared = compare({"A": 1, "Secret": "x"}, {"A": 1})
    assert compared.not_told == ("Secret",)
    assert compared.equal == ("A",)
    assert compared.agrees


def test_a_member_that_the_service_dropped_is_a_difference():
    expected = {"Interfaces": [{"Card": 0, "Device": 0}, {"Card": 1, "Device": 1}]}
    found = {"Interfaces": [{"Device": 1}, {"Card": 0, "Device": 0}]}
    (difference,) = compare(expected, found).differences
    assert (difference.path, difference.expected) == ("Interfaces[1].Card", 1)
    assert difference.found is None


@pytest.mark.parametrize("name", sorted(ORDERED))
def test_order_counts_where_it_means_something(name):
    assert compare({name: ["a", "b"]}, {name: ["a", "b"]}).agrees
    assert len(compare({name: ["a", "b"]}, {name: ["b", "a"]}).differences) == 2
    assert len(compare({name: ["a", "b"]}, {name: ["a"]}).differences) == 1
    assert len(compare({name: ["a"]}, {name: ["a", "b"]}).differences) == 1


def test_tags_of_aws_itself_do_not_count():
    mine = [{"Key": "a", "Value": "1"}]
    stamped = [{"Key": "aws:cloudformation:stack-name", "Value": "x"}, *mine]
    assert compare({"Tags": mine}, {"Tags": stamped}).agrees
    assert compare({"Tags": stamped}, {"Tags": mine}).agrees
    assert not compare({"Tags": mine}, {"Tags": [*mine, {"Key": "b", "Value": "2"}]}).agrees
    assert not compare({"Tags": mine}, {"Tags": [{"Key": "a", "Value": "2"}]}).agrees


def test_account_ids_are_text():
    assert not compare({"A": "012345678901"}, {"A": "12345678901"}).agrees


@pytest.mark.parametrize("empty", ["", [], {}])
def test_nothing_equals_an_empty_value_inside_of_an_object(empty):
    assert compare({"A": {"Prefix": empty}}, {"A": {}}).agrees


def test_moments_are_compared_as_such():
    told = {"At": datetime(2027, 1, 1, tzinfo=UTC)}
    assert compare({"At": "2027-01-01T00:00:00Z"}, told).agrees
    assert compare({"At": "2027-01-01"}, told).agrees
    assert not compare({"At": "2027-01-02T00:00:00Z"}, told).agrees
    assert not compare({"At": "soon"}, told).agrees


POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Sid": "A",
            "Effect": "Allow",
            "Principal": {"AWS": "111122223333", "Service": "fsx.amazonaws.com"},
            "Action": ["s3:Get*", "s3:List*"],
            "Resource": "arn:aws:s3:::bucket",
            "Condition": {"Bool": {"aws:SecureTransport": True}},
        },
        {"Effect": "Deny", "NotAction": "iam:*", "NotResource": ["*"]},
    ],
}


def equivalent() -> dict[str, Any]:
    first, second = copy.deepcopy(POLICY["Statement"])
    first["Principal"] = {
        "Service": ["fsx.amazonaws.com"],
        "AWS": ["arn:aws:iam::111122223333:root"],
    }
    first["Action"] = ["s3:List*", "s3:Get*"]
    first["Resource"] = ["arn:aws:s3:::bucket"]
    first["Condition"] = {"Bool": {"aws:SecureTransport": ["true"]}}
    second["NotAction"], second["NotResource"] = ["iam:*"], "*"
    return {"Version": "2012-10-17", "Statement": [second, first]}


def test_policies_that_mean_the_same_are_equal():
    assert compare({"Policy": POLICY}, {"Policy": equivalent()}).agrees
    assert compare({"Policy": POLICY}, {"Policy": json.dumps(equivalent())}).agrees
    assert compare({"Policy": json.dumps(POLICY)}, {"Policy": equivalent()}).agrees


def test_a_single_statement_needs_no_list():
    one = {"Statement": {"Effect": "Deny", "Action": "*", "Resource": "*"}}
    assert differences_between(one, {"Statement": [one["Statement"]]}) == []


def test_canonical_policies_stay_as_they_are():
    assert canonical_policy(canonical_policy(POLICY)) == canonical_policy(POLICY)


def without_a_condition(policy: dict[str, Any]) -> None:
    for statement in policy["Statement"]:
        statement.pop("Condition", None)


def with_another_condition(policy: dict[str, Any]) -> None:
    policy["Statement"][0].setdefault("Condition", {})["StringEquals"] = {"aws:x": "y"}


def with_an_action_more(policy: dict[str, Any]) -> None:
    policy["Statement"][1]["Action"].append("s3:Put*")


def with_a_statement_more(policy: dict[str, Any]) -> None:
    policy["Statement"].append({"Effect": "Allow", "Action": "*", "Resource": "*"})


def with_another_version(policy: dict[str, Any]) -> None:
    policy["Version"] = "2008-10-17"


def for_another_account(policy: dict[str, Any]) -> None:
    policy["Statement"][1]["Principal"]["AWS"] = ["arn:aws:iam::123456789012:root"]


def with_effects_turned(policy: dict[str, Any]) -> None:
    for statement in policy["Statement"]:
        statement["Effect"] = "Allow"


@pytest.mark.parametrize(
    "change",
    [
        for_another_account,
        with_a_statement_more,
        with_an_action_more,
        with_another_condition,
        with_another_version,
        with_effects_turned,
        without_a_condition,
    ],
)
def test_a_policy_that_means_something_else_differs(change):
    told = equivalent()
    change(told)
    assert compare({"Policy": POLICY}, {"Policy": told}).differences
    assert compare({"Policy": told}, {"Policy": POLICY}).differences
