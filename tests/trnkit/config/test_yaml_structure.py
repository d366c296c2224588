"""Keys, anchors, merges, tags and documents: what YAML allows and a cluster file does not."""

import pytest

from trnkit.config.yaml_reader import format_path, read_yaml
from trnkit.errors import UnreadableInputError


def refused(text):
    with pytest.raises(UnreadableInputError) as caught:
        read_yaml(text, "cluster.yaml")
    return caught.value.finding


@pytest.mark.parametrize(
    ("text", "path", "first", "place"),
    [
        pytest.param("a: 1\nb: 2\na: 3\n", "a", 1, (3, 1), id="top level"),
        pytest.param("a:\n  b: 1\n  c: 2\n  b: 3\n", "a.b", 2, (4, 3), id="second level"),
        pytest.param("a:\n- {x: 1}\n- y: 1\n  y: 2\n", "a[1].y", 3, (4, 3), id="in a list item"),
        pytest.param("a: {b: 1, c: 2, b: 3}\n", "a.b", 1, (1, 17), id="flow style"),
        pytest.param("a: {b: 1,\n  b: 3}\n", "a.b", 1, (2, 3), id="flow style over two lines"),
        pytest.param("a: 1\n'a': 2\n", "a", 1, (2, 1), id="once in quotes"),
        pytest.param("1: x\n'1': y\n", "1", 1, (2, 1), id="number and text"),
        pytest.param("? a\n: 1\n? a\n: 2\n", "a", 1, (3, 3), id="explicit keys"),
        pytest.param("a: &x {k: 1}\nb:\n  <<: *x\n  c: 1\n  c: 2\n", "b.c", 4, (5, 3), id="merge"),
    ],
)
def test_a_key_that_stands_twice_names_both_lines(text, path, first, place):
    (finding,) = read_yaml(text, "cluster.yaml").findings
    assert finding.rule_id == "TRN002"
    assert finding.path == path
    assert f"first on line {first}" in finding.message
    assert (finding.line, finding.column) == place


def test_a_key_that_stands_thrice_names_the_very_first_line_each_time():
    document = read_yaml("a: 1\na: 2\na: 3\n", "cluster.yaml")
    assert [finding.line for finding in document.findings] == [2, 3]
    assert all("first on line 1" in finding.message for finding in document.findings)
    assert document.data == {"a": 3}


def test_duplicates_are_reported_beside_everything_else(problems, minimal):
    found = problems(minimal + "name: other\ntags: {a: 1, a: 2}\nregoin: x\n")
    assert [(f.rule_id, f.line, f.column) for f in found] == [
        ("TRN002", 12, 1),
        ("TRN002", 13, 14),
        ("TRN003", 14, 1),
    ]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        pytest.param("a: &x 1\nb: *x\n", {"a": 1, "b": 1}, id="alias of a number"),
        pytest.param("a: &x [1]\nb: *x\n", {"a": [1], "b": [1]}, id="alias of a list"),
        pytest.param("&k a: 1\nb: *k\n", {"a": 1, "b": "a"}, id="anchor on a key"),
        pytest.param("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}, id="anchor again"),
        pytest.param(
            "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  k: 3\n",
            {"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}},
            id="explicit key after the merge wins",
        ),
        pytest.param(
            "a: &x {k: 1, l: 2}\nb:\n  k: 3\n  <<: *x\n",
            {"a": {"k": 1, "l": 2}, "b": {"k": 3, "l": 2}},
            id="explicit key before the merge wins",
        ),
        pytest.param(
            "b: {<<: [{k: 1}, {k: 2, l: 3}]}\n", {"b": {"k": 1, "l": 3}}, id="first of a list wins"
        ),
        pytest.param("b: {<<: {k: 1}}\n", {"b": {"k": 1}}, id="merge of an inline mapping"),
        pytest.param("b: {<<: []}\n", {"b": {}}, id="merge of no mappings"),
        pytest.param("b: {'<<': 1}\n", {"b": {"<<": 1}}, id="quoted, it is a key like others"),
        pytest.param("a: !!str 1\n! b: ! x\n", {"a": "1", "b": "x"}, id="harmless tags"),
        pytest.param("%YAML 1.1\n---\na: 1\n...\n", {"a": 1}, id="directive and end marker"),
    ],
)
def test_aliases_and_merges(text, data):
    document = read_yaml(text, "cluster.yaml")
    assert document.data == data
    assert document.findings == []


@pytest.mark.parametrize(
    ("text", "path", "place"),
    [
        pytest.param("a: &x {k: 1}\nb: *x\n", ("b", "k"), (2, 1), id="inside an alias: its key"),
        pytest.param("a: &x {k: 1}\nb:\n  <<: *x\n", ("b", "k"), (3, 3), id="merged: the merge"),
        pytest.param(
            "a: &x {k: 1}\nb:\n  <<: *x\n  k: 2\n", ("b", "k"), (4, 3), id="merged and overridden"
        ),
        pytest.param("b:\n  c: 1\n  <<: [{k: 1}]\n", ("b", "k"), (3, 3), id="inline merge"),
        pytest.param("a: 1\nb:\n- x\n- y\n", ("b", 1), (4, 3), id="list item"),
        pytest.param("a: 1\nb:\n- x\n", ("b", 7, "c"), (2, 1), id="not there: nearest parent"),
        pytest.param("# hello\n\na: 1\n", ("z",), (3, 1), id="not there at all: the document"),
        pytest.param("é: {ü: 1}\n", ("é", "ü"), (1, 5), id="columns count characters"),
        pytest.param("😀: {a: 1}\n", ("😀", "a"), (1, 5), id="also beyond the basic plane"),
    ],
)
def test_places(text, path, place):
    mark = read_yaml(text, "cluster.yaml").locate(path)
    assert (mark.line, mark.column) == place


def test_a_merged_value_that_does_not_fit_is_reported_at_the_merge(problems, minimal):
    text = minimal + "network: &n {vpc_cidr: here}\nstorage:\n  <<: *n\n"
    found = [(f.path, f.line, f.column) for f in problems(text)]
    assert found == [("network.vpc_cidr", 12, 14), ("storage.vpc_cidr", 14, 3)]


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        pytest.param("a: &x [*x]\n", "*x contains itself", (1, 8), id="list in itself"),
        pytest.param("a: &x {b: [*x]}\n", "*x contains itself", (1, 12), id="mapping in itself"),
        pytest.param("a: &x {<<: *x}\n", "*x contains itself", (1, 12), id="merge of itself"),
        pytest.param("a: *x\n", "*x has no anchor", (1, 4), id="alias without anchor"),
        pytest.param("a: {<<: 5}\n", "<< takes a mapping", (1, 5), id="merge of a number"),
        pytest.param("a: {<<: }\n", "<< takes a mapping", (1, 5), id="merge of nothing"),
        pytest.param("a: {<<: [{}, 5]}\n", "<< takes a mapping", (1, 5), id="merge of a mixture"),
        pytest.param("[a]: b\n", "a key is not plain text", (1, 1), id="list as key"),
        pytest.param("? {a: b}\n: c\n", "a key is not plain text", (1, 3), id="complex key"),
        pytest.param("a: &x k\n*x : b\n", "a key is not plain text", (2, 1), id="alias as key"),
        pytest.param("a: 1\n---\nb: 2\n", "a second YAML document", (2, 1), id="two documents"),
        pytest.param("---\n---\n", "a second YAML document", (2, 1), id="two empty documents"),
        pytest.param(
            "a: !!python/object/apply:os.system ['true']\n",
            "python/object/apply:os.system is not allowed",
            (1, 4),
            id="python tag",
        ),
        pytest.param(
            "!!python/object/new:type x: 1\n", "new:type is not allowed", (1, 1), id="tag on a key"
        ),
        pytest.param("!!set {a, b}\n", "set is not allowed", (1, 1), id="tag on the root"),
        pytest.param("a: !Ref x\n", "the tag !Ref is not allowed", (1, 4), id="CloudFormation tag"),
        pytest.param("a: !!int '4'\n", "int is not allowed", (1, 4), id="tagged number"),
        pytest.param("a: !<%1b[2J> x\n", r"\x1b[2J is not allowed", (1, 4), id="escape in a tag"),
        pytest.param("a:\n\t- b\n", "a tab is used for indentation", (2, 1), id="tab"),
        pytest.param(
            "a:\n  b: 1\n\tc: 2\n", "a tab is used for indentation", (3, 1), id="tab later"
        ),
        pytest.param("a: b: c\n", "a colon stands where none can be", (1, 5), id="two colons"),
        pytest.param("a: 1\nfoo\nb: 2\n", "neither `key: value` nor", (2, 1), id="no colon"),
        pytest.param("a: [1, 2\nb: 3\n", "not valid YAML", (2, 2), id="bracket never closed"),
        pytest.param("a: 'x\n", "not valid YAML", (2, 1), id="quote never closed"),
        pytest.param("a: @x\n", "not valid YAML", (1, 4), id="at sign"),
        pytest.param("%YAML 2.0\n---\na: 1\n", "not valid YAML", (1, 1), id="YAML 2.0"),
        pytest.param("a: b\x00\n", "U+0000, which YAML", (1, 5), id="NUL"),
        pytest.param("é: é\nü: éé\x07", "U+0007, which YAML", (2, 6), id="bell after umlauts"),
        pytest.param("a: \ud800\n", "U+D800, which YAML", (1, 4), id="half a surrogate pair"),
    ],
)
def test_refused_at_once(text, message, place):
    finding = refused(text)
    assert message in finding.message
    assert (finding.line, finding.column) == place
    assert finding.hint
    assert finding.headline().isprintable()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        pytest.param(
            ("compute", "node_groups", 0, "count"), "compute.node_groups[0].count", id="deep"
        ),
        pytest.param((), "", id="root"),
        pytest.param(("tags", "a b"), "tags.a b", id="blank"),
        pytest.param(("tags", "a\n\x1b[2J"), r"tags.a\n\x1b[2J", id="control characters"),
        pytest.param(("k" * 1000,), "k" * 57 + "...", id="very long"),
    ],
)
def test_paths_as_text(path, text):
    assert format_path(path) == text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        pytest.param("1: x\n", "1", id="number"),
        pytest.param("? foo\n: x\n", "foo", id="explicit"),
        pytest.param("'': x\n", "", id="empty"),
        pytest.param("null: x\n", "null", id="null"),
        pytest.param("true: x\n", "true", id="true"),
        pytest.param("'[key]': x\n", "[key]", id="pydantic's own word"),
        pytest.param("'a.b[0]': x\n", "a.b[0]", id="looks like a path"),
        pytest.param("'region ': x\n", "region ", id="blank at the end"),
        pytest.param("model_config: x\n", "model_config", id="attribute of the model"),
        pytest.param("__class__: x\n", "__class__", id="attribute of every object"),
    ],
)
def test_unknown_keys_of_every_kind(problems, minimal, text, key):
    (finding,) = problems(minimal + text)
    assert finding.rule_id == "TRN003"
    assert f"has no key '{key}'" in finding.message
    assert finding.line == 12


def test_a_tag_key_that_looks_like_pydantic_s_mark(problems, minimal):
    (finding,) = problems(minimal + "tags:\n  '[key]': a\n")
    assert (finding.path, finding.line, finding.column) == ("tags.[key]", 13, 3)
