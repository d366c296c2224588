"""Values changed in a text: what stays, what is refused."""

from __future__ import annotations

import random

import pytest

from trnkit.config.yaml_edit import CannotEditError, edit_yaml
from trnkit.config.yaml_reader import read_yaml

ZONE = ("network", "availability_zone_id")
TYPE = ("compute", "node_groups", 0, "capacity", "type")


@pytest.mark.parametrize(
    ("old", "path", "value", "new"),
    [
        ("region: a # why\n", ("region",), "b", "region: b # why\n"),
        ("region: 'a'\n", ("region",), "b", "region: 'b'\n"),
        ('region:   "a"   # x\n', ("region",), "b", 'region:   "b"   # x\n'),
        ("region:\nname: x\n", ("region",), "b", "region: b\nname: x\n"),
        ("region: # to be chosen\n", ("region",), "b", "region: b # to be chosen\n"),
        ("region: ~\n", ("region",), "b", "region: b\n"),
        ("? region\n: a\n", ("region",), "b", "? region\n: b\n"),
        ("region: a", ("region",), "b", "region: b"),
        ("region: a\r\nname: x\r\n", ("region",), "b", "region: b\r\nname: x\r\n"),
        ("{region: a, name: x}\n", ("region",), "b", "{region: b, name: x}\n"),
        ('{"region": "a"}', ("region",), "b", '{"region": "b"}'),
        ("--- # one\nregion: a\n...\n", ("region",), "b", "--- # one\nregion: b\n...\n"),
        ("name: \N{GREEK SMALL LETTER PI}\nregion: a\n", ("region",), "b", None),
        ("region: &r a\nname: x\n", ("name",), "y", "region: &r a\nname: y\n"),
        ("region: a\t# why\n", ("region",), "b", "region: b\t# why\n"),
        ("region:\ta\t \t# why\n", ("region",), "b", "region:\tb\t \t# why\n"),
        ("s: 'a\t# b'\nregion: a\n", ("region",), "b", "s: 'a\t# b'\nregion: b\n"),
        ("day: 1\n", ("end",), "2027-03-01T11:30:00Z", "day: 1\nend: 2027-03-01T11:30:00Z\n"),
    ],
)
def test_a_value_is_changed_where_it_stands(old, path, value, new):
    if new is None:
        new = old.replace("region: a", "region: b")
    assert edit_yaml(old, [(path, value)]) == new


@pytest.mark.parametrize(
    ("old", "path", "new"),
    [
        # A section that is not there, below the last key that ends its line.
        (
            "name: x # n\ncompute:\n  a: 1\n",
            ZONE,
            "name: x # n\nnetwork:\n  availability_zone_id: v\ncompute:\n  a: 1\n",
        ),
        ("network:\n    x: 1   # one\n", ZONE, "network:\n    x: 1   # one\n    Z\n"),
        ("network:\n  x: 1\n\n# next\nb: 2\n", ZONE, "network:\n  x: 1\n  Z\n\n# next\nb: 2\n"),
        ("network: {x: 1}\n", ZONE, "network: {x: 1, Z}\n"),
        ("network: { x: 1 }\n", ZONE, "network: { x: 1, Z }\n"),
        ("network: {x: [1, 2],}\n", ZONE, "network: {x: [1, 2], Z,}\n"),
        ("network: {}\n", ZONE, "network: {Z}\n"),
        ("network: &n {} # none\n", ZONE, "network: &n {Z} # none\n"),
        ("network: # none\nb: 2\n", ZONE, "network: # none\n  Z\nb: 2\n"),
        ("network:\n  x: [1,\n    2] # two\n  y:\n    a: 1\n", ZONE, None),
        ("network:\n  existing:\n    a: 1\n", ZONE, "network:\n  Z\n  existing:\n    a: 1\n"),
        ("network:\n  x: 1", ZONE, "network:\n  x: 1\n  Z"),
        ("network:\r\n  x: 1\r\n", ZONE, "network:\r\n  x: 1\r\n  Z\r\n"),
        ('{"network": {"x": 1}}', ZONE, '{"network": {"x": 1, "availability_zone_id": "v"}}'),
    ],
)
def test_a_key_that_is_missing_is_added(old, path, new):
    if new is None:
        new = old.replace("# two\n", "# two\n  Z\n")
    assert edit_yaml(old, [(path, "v")]) == new.replace("Z", "availability_zone_id: v")


GROUPS = "compute:\n  node_groups:\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            GROUPS + "    - name: t  # the only one\n      count: 2\n      image: {a: b}\n",
            GROUPS + "    - name: t  # the only one\n      count: 2\n"
            "      capacity:\n        type: v\n      image: {a: b}\n",
        ),
        (
            GROUPS + "  - name: t\n    image:\n      a: b\n  - name: u\n",
            GROUPS + "  - name: t\n    capacity:\n      type: v\n    image:\n      a: b\n"
            "  - name: u\n",
        ),
        (
            GROUPS + "    - {name: t, count: 2}\n",
            GROUPS + "    - {name: t, count: 2, capacity: {type: v}}\n",
        ),
        (
            GROUPS + "    - name: t\n      capacity:\n        # so\n        type: x # because\n",
            GROUPS + "    - name: t\n      capacity:\n        # so\n        type: v # because\n",
        ),
        (
            GROUPS + "    - image: &i {a: b}\n    - image: *i\n",
            GROUPS + "    - image: &i {a: b}\n      capacity:\n        type: v\n    - image: *i\n",
        ),
        (
            GROUPS + "    - image:\n        a: b\n",
            GROUPS + "    - capacity:\n        type: v\n      image:\n        a: b\n",
        ),
    ],
)
def test_what_a_node_group_lacks_is_added(old, new):
    assert edit_yaml(old, [(TYPE, "v")]) == new


def test_what_says_the_same_already_is_left_alone():
    text = "network: &n {availability_zone_id: v}\nother: *n\n"
    assert edit_yaml(text, [(ZONE, "v")]) == text


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("region: &r a\ntags: {r: *r}\n", ("region",), "region: has aliases"),
        ("tags: {r: &r a}\nregion: *r\n", ("region",), "region: is an alias"),
        ("region: &r a\n", ("region",), "region: is written with an anchor"),
        ("region: !!str a\n", ("region",), "region: is written with an anchor, a tag"),
        ("a: &n 1\nb: &n 2\nregion: c\n", ("region",), "written in an unusual way"),
        ("a: &n 1\nb: &n 2\nregion: c\n", ("region",), "region: line 2 of the file"),
        ("region: |\n  a\n", ("region",), "region: is written with"),
        ("region: a\n  b\n", ("region",), "region: is written with"),
        ("a: &n {x: 1}\nnetwork: *n\n", ZONE, "network: is an alias"),
        ("network: &n {x: 1}\na: *n\n", ZONE, "network: is an alias, or has aliases"),
        ("network: [a]\n", ZONE, "network: holds no keys"),
        ("network: text\n", ZONE, "network: holds no keys"),
        ("region: {a: 1}\n", ("region",), "region: holds no single value"),
        ("compute: {node_groups: []}\n", TYPE, "compute.node_groups[0]: is not in the file"),
        (
            "compute:\n  node_groups:\n    - &g\n      name: t\n    - *g\n",
            TYPE,
            "compute.node_groups[0]: is an alias, or has aliases",
        ),
        # The key would hide what is merged: other values than the old ones and the new one.
        (
            "base: &b {capacity: {type: x, end: y}}\n"
            "compute:\n  node_groups:\n    - <<: *b\n      name: t\n",
            TYPE,
            "cannot be changed in place",
        ),
    ],
)
def test_what_cannot_be_changed_alone_is_refused(text, path, reason):
    with pytest.raises(CannotEditError) as error:
        edit_yaml(text, [(path, "v")])
    assert reason in str(error.value)


def test_a_value_that_needs_quotes_is_a_mistake_of_the_caller():
    with pytest.raises(ValueError, match="would need quotes"):
        edit_yaml("region: a\n", [(("region",), "b: c")])


def _written(chance: random.Random) -> str:
    """A cluster file as somebody might have written it."""
    end = chance.choice(["\n", "\r\n"])

    def note() -> str:
        return chance.choice(["", "", "  # why: {not} [this]", " #'x\""])

    def quoted(value: str) -> str:
        return chance.choice([value, f"'{value}'", f'"{value}"'])

    step = chance.choice([2, 3, 4])
    pad, dash = " " * step, " " * chance.choice([0, step])
    sections: list[list[str]] = [
        [f"version: 1{note()}"],
        [f"name: {quoted('pretrain')}{note()}"],
        [f"region: {quoted('us-east-2')}{note()}"],
    ]
    network = chance.choice(["none", "empty", "flow", "block", "has"])
    if network == "empty":
        sections.append([f"network:{note()}"])
    elif network == "flow":
        sections.append([f"network: {{ nat_gateway: true }}{note()}"])
    elif network != "none":
        lines = [f"network:{note()}", f"{pad}nat_gateway: true{note()}"]
        if network == "has":
            lines.insert(1, f"{pad}availability_zone_id: {quoted('use2-az1')}{note()}")
        sections.append(lines)
    groups = [f"compute:{note()}", f"{pad}node_groups:{note()}"]
    for name in ("first", "second"):
        keys = [f"name: {quoted(name)}{note()}", f"instance_type: trn2.48xlarge{note()}"]
        keys.append(f"count: {chance.choice(['1', '2'])}{note()}")
        capacity = chance.choice(["none", "flow", "block"])
        if capacity == "flow":
            keys.append(f"capacity: {{type: {quoted('on-demand')}}}{note()}")
        if chance.random() < 0.5:
            chance.shuffle(keys)
        if capacity == "block":
            keys += [f"capacity:{note()}", f"{pad}type: {quoted('on-demand')}{note()}"]
        first, *rest = keys
        groups += [f"{pad}{dash}- {first}", *(f"{pad}{dash}  {line}" for line in rest)]
        if chance.random() < 0.4:
            groups += ["", f"{pad}# a remark between groups"]
    sections.append(groups)
    sections.append([f"budget: {{limit_usd: 1000, scope: account}}{note()}"])
    chance.shuffle(sections)
    lines = [line for section in sections for line in ["# before", *section, ""]]
    text = end.join(lines)
    return text if chance.random() < 0.5 else text.rstrip()


@pytest.mark.parametrize("seed", range(300))
def test_in_files_of_every_shape_nothing_but_the_values_changes(seed):
    text = _written(random.Random(seed))
    changes = [
        (("region",), "eu-north-1"),
        (ZONE, "eun1-az1"),
        (TYPE, "spot"),
        (("compute", "node_groups", 1, "capacity", "type"), "spot"),
    ]
    new = edit_yaml(text, changes)
    data = read_yaml(new, "").data
    assert data.pop("region") == "eu-north-1"
    assert data["network"].pop("availability_zone_id") == "eun1-az1"
    groups = data["compute"]["node_groups"]
    assert [group.pop("capacity") for group in groups] == [{"type": "spot"}] * 2
    old = read_yaml(text, "").data
    del old["region"]
    old["network"] = dict(old.get("network") or {})
    old["network"].pop("availability_zone_id", None)
    for group in old["compute"]["node_groups"]:
        group.pop("capacity", None)
    assert data == old
    assert [part for part in text.split() if part.startswith("#")] == [
        part for part in new.split() if part.startswith("#")
    ]
    # Every line is there still, in its order, but for the values.
    values = ("us-east-2", "use2-az1", "on-demand", "{ nat", "network:", "capacity:", "count:")
    kept = [line for line in text.splitlines() if not any(value in line for value in values)]
    others = iter(new.splitlines())
    assert all(any(line == other for other in others) for line in kept)
    assert ("\r\n" in text) is ("\r\n" in new)
    assert new.replace("\r\n", "").count("\n") == (0 if "\r\n" in text else new.count("\n"))
