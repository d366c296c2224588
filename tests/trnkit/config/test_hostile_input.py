"""Files made to exhaust the reader, and files nobody thought of: always an answer, and soon."""

import time

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trnkit.config import ClusterConfig, ClusterFile, load_cluster, read_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError

QUICK = settings(deadline=None, max_examples=100)


def aliases(levels, width):
    """Each line refers `width` times to the line before it."""
    lines = [f"a0: &a0 [{', '.join(['x'] * width)}]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a: [" + "1, " * 20_001 + "]", "more than 20000 values", id="20,001 values"),
        pytest.param(aliases(20, 9), "more than 20000 values", id="aliases that multiply"),
        pytest.param(
            "a0: &a0 {x: 1, y: 2}\n"
            + "\n".join(f"a{i}: &a{i} {{p: *a{i - 1}, q: *a{i - 1}}}" for i in range(1, 40)),
            "more than 20000 values",
            id="mappings that multiply",
        ),
        pytest.param(
            "a: &a [" + "x, " * 200 + "]\nb: {<<: [" + "{k: *a}, " * 200 + "]}",
            "more than 20000 values",
            id="merges that multiply",
        ),
        pytest.param("[" * 10_000, "nested deeper", id="10,000 brackets"),
        pytest.param("{a: " * 10_000, "nested deeper", id="10,000 braces"),
        pytest.param("- " * 10_000 + "a", "nested deeper", id="10,000 dashes"),
        pytest.param("a: " + "[" * 50 + "]" * 50, "nested deeper", id="50 brackets, closed"),
        pytest.param("".join(" " * i + "a:\n" for i in range(60)), "nested deeper", id="60 blocks"),
        pytest.param("? " * 10_000, "not plain text", id="10,000 question marks"),
        pytest.param("&a " * 10_000 + "x", "not valid YAML", id="10,000 anchors"),
        pytest.param("!" * 10_000, "is not allowed here", id="10,000 exclamation marks"),
        pytest.param("a: !<" + "t" * 900_000 + "> x", "is not allowed here", id="huge tag"),
        pytest.param("a: *" + "t" * 900_000, "has no anchor", id="huge alias"),
    ],
)
def test_refused_soon(problems, text, message):
    begin = time.process_time()
    (finding,) = problems(text)
    assert message in finding.message
    assert finding.line is not None
    assert time.process_time() - begin < 120


@pytest.mark.parametrize(
    ("text", "count"),
    [
        pytest.param("k" * 900_000 + ": 1\n", 1, id="huge key"),
        pytest.param("'" + "k" * 900_000 + "': 1\n", 1, id="huge quoted key"),
        pytest.param("tags: {a: " + "v" * 900_000 + "}\n", 1, id="huge value"),
        pytest.param("account: " + "1" * 900_000 + "\n", 1, id="huge number"),
        pytest.param("account: '" + "1" * 900_000 + "'\n", 1, id="huge text"),
        pytest.param("".join(f"k{i}: 1\n" for i in range(2000)), 2000, id="2,000 unknown keys"),
        pytest.param("tags: {a: 1}\n" * 2000, 1999, id="2,000 times the same key"),
        pytest.param(aliases(5, 5), 5, id="aliases in reason"),
        pytest.param(aliases(150, 1), 150, id="aliases nested deeper than brackets may be"),
        pytest.param("#" * 900_000, 0, id="huge comment"),
        pytest.param("\n" * 900_000, 0, id="900,000 lines"),
    ],
)
def test_large_but_read(problems, minimal, text, count):
    assert len(problems(minimal + text)) == count


def test_the_limits_themselves_are_allowed(problems, minimal):
    assert problems("a: " + "[" * 39 + "]" * 39)[0].rule_id == "TRN003"
    room = 20_000 - 15  # What the minimal file and the list itself hold already.
    found = problems(minimal + "zzz: [" + "1, " * room + "]")
    assert [finding.rule_id for finding in found] == ["TRN003"]
    assert problems(minimal + "zzz: [" + "1, " * (room + 1) + "]")[0].rule_id == "TRN001"


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
words = st.sampled_from(
    sorted(
        {*ClusterConfig.model_fields, "node_groups", "count", "emails", "[key]", "<<", "vpc_cidr"}
    )
)
nested = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(words | st.text(max_size=6), inner, max_size=5)
    ),
    max_leaves=12,
)


@QUICK
@given(data=st.dictionaries(words | st.text(max_size=6), nested, max_size=8), flow=st.booleans())
@example(data={"[key]": 1}, flow=False)
@example(data={"tags": {"[key]": None}}, flow=False)
def test_any_data(problems, data, flow):
    assert all(
        finding.message
        for finding in problems(yaml.safe_dump(data, allow_unicode=True, default_flow_style=flow))
    )


@QUICK
@given(part=nested, key=st.sampled_from(sorted(ClusterConfig.model_fields)))
def test_any_data_in_the_place_of_a_section(problems, minimal, part, key):
    sections = yaml.safe_load(minimal) | {key: part}
    assert all(
        finding.message for finding in problems(yaml.safe_dump(sections, allow_unicode=True))
    )


@QUICK
@given(text=st.text(alphabet=st.characters(), max_size=60))
@example(text="\ud800")
@example(text="\ufeff\ufeffa: 1")
def test_any_text(problems, text):
    assert all(finding.message for finding in problems(text))


@QUICK
@given(text=st.text(alphabet="ab1:-?[]{}&*!|>'\"%@#, \n\t<~\\", max_size=40))
def test_any_text_of_yaml_s_own_characters(problems, text):
    assert all(finding.message for finding in problems(text))


@QUICK
@given(
    at=st.integers(min_value=0, max_value=170), length=st.integers(0, 12), new=st.text(max_size=6)
)
def test_any_change_to_a_right_file(problems, minimal, at, length, new):
    assert all(finding.message for finding in problems(minimal[:at] + new + minimal[at + length :]))


@QUICK
@given(content=st.binary(max_size=60))
def test_any_bytes(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any-bytes.yaml"
    path.write_bytes(content)
    try:
        found = [load_cluster(path)]
    except UnreadableInputError as error:
        found = [error.finding]
    except ConfigurationError as error:
        found = error.findings
    assert found
    assert all(isinstance(one, ClusterFile) or one.line for one in found)


def test_the_same_text_gives_the_same_answer(minimal):
    assert read_cluster(minimal, "a") == read_cluster(minimal, "a")
