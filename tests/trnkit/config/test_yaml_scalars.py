"""What a plain word or number of YAML becomes: nothing of YAML 1.1 that has bitten people."""

import pytest

from trnkit.config.yaml_reader import read_yaml

VERSION = "storage.lustre_file_systems.0.file_system_type_version"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("true", True, id="true"),
        pytest.param("FALSE", False, id="false in capitals"),
        pytest.param("no", "no", id="no is text, not false"),
        pytest.param("NO", "NO", id="NO is text (Norway)"),
        pytest.param("yes", "yes", id="yes is text"),
        pytest.param("on", "on", id="on is text"),
        pytest.param("off", "off", id="off is text"),
        pytest.param("y", "y", id="y is text"),
        pytest.param('"true"', "true", id="quoted true is text"),
        pytest.param("!!str true", "true", id="tagged true is text"),
        pytest.param("~", None, id="tilde is null"),
        pytest.param("", None, id="nothing is null"),
        pytest.param("null", None, id="null"),
        pytest.param('""', "", id="quoted nothing is text"),
        pytest.param("12", 12, id="int"),
        pytest.param("-12", -12, id="negative int"),
        pytest.param("010", 10, id="leading zero is not octal"),
        pytest.param("2.10", 2.1, id="float"),
        pytest.param(".5", 0.5, id="float without a digit before"),
        pytest.param("1e3", 1000.0, id="exponent without a dot"),
        pytest.param("0x10", "0x10", id="hexadecimal is text"),
        pytest.param("0o10", "0o10", id="octal is text"),
        pytest.param("0b10", "0b10", id="binary is text"),
        pytest.param("1_000", "1_000", id="underscores are text"),
        pytest.param("1:30", "1:30", id="sexagesimal is text"),
        pytest.param("190:20:30.15", "190:20:30.15", id="sexagesimal float is text"),
        pytest.param("2026-01-31", "2026-01-31", id="date is text"),
        pytest.param("2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z", id="timestamp is text"),
        pytest.param(".inf", ".inf", id="infinity is text"),
        pytest.param("-.INF", "-.INF", id="negative infinity is text"),
        pytest.param(".nan", ".nan", id="not a number is text"),
        pytest.param("=", "=", id="equals sign is text"),
        pytest.param("\u0664", "\u0664", id="arabic digit is text"),
        pytest.param("|\n  12\n", "12\n", id="block text of digits is text"),
    ],
)
def test_plain_values(written, value):
    found = read_yaml(f"key: {written}\n", "file").data["key"]
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize("written", ["2.10", "2.15", "010", "+7", "1e3", "012345678901"])
def test_a_number_remembers_how_it_was_written(written):
    assert read_yaml(f"key: {written}", "file").data["key"].text == written


@pytest.mark.parametrize(
    ("path", "written", "value"),
    [
        pytest.param(VERSION, "2.15", "2.15", id="FSX-16 float 2.15"),
        pytest.param(VERSION, "2.10", "2.10", id="FSX-16 float 2.10 keeps its zero"),
        pytest.param(VERSION, "'2.12'", "2.12", id="FSX-16 quoted"),
        pytest.param("tags.team", "no", "no", id="no"),
        pytest.param("tags.team", "on", "on", id="on"),
        pytest.param("tags.team", "007", "007", id="leading zeros"),
        pytest.param("tags.team", "1e3", "1e3", id="exponent"),
        pytest.param("tags.team", "2026-01-31", "2026-01-31", id="date"),
        pytest.param("tags.team", "''", "", id="empty tag value"),
        pytest.param("account", "012345678901", "012345678901", id="account with leading zero"),
        pytest.param("account", "'012345678901'", "012345678901", id="the same in quotes"),
        pytest.param("account", "123456789012", "123456789012", id="account as a number"),
        pytest.param("region", "!!str us-west-2", "us-west-2", id="text tagged as text"),
    ],
)
def test_text_is_taken_as_written(read, with_value, path, written, value):
    found = read(with_value(path, written))
    for part in path.split("."):
        if part.isdecimal():
            found = found[int(part)]
        else:
            found = found[part] if isinstance(found, dict) else getattr(found, part)
    assert found == value
    assert type(found) is str


def test_numbers_are_plain_python_numbers(read, with_value):
    cluster = read(with_value("compute.node_groups.0.count", "007"))
    assert type(cluster.compute.node_groups[0].count) is int
    assert cluster.compute.node_groups[0].count == 7
    assert type(cluster.budget.limit_usd) is float


@pytest.mark.parametrize(
    ("path", "written", "message"),
    [
        pytest.param("account", "1111222233334", "must be 12 digits, got 1111", id="13 digits"),
        pytest.param("account", "'1111-2222-3333'", "must be 12 digits", id="hyphens"),
        pytest.param("account", "1.11122223333e11", "must be 12 digits", id="exponent"),
        pytest.param("account", "\u0661" * 12, "must be 12 digits", id="arabic digits"),
        pytest.param(
            "compute.node_groups.0.count", "9" * 5000, "a whole number, got 999", id="5,000 digits"
        ),
        pytest.param("compute.node_groups.0.count", "no", "a whole number, got 'no'", id="no"),
        pytest.param("compute.node_groups.0.count", "'4'", "a whole number, got '4'", id="quoted"),
        pytest.param("compute.node_groups.0.count", "4.0", "a whole number, got 4.0", id="4.0"),
        pytest.param(
            "compute.node_groups.0.count", "1:30", "a whole number, got '1:30'", id="1:30"
        ),
        pytest.param("compute.node_groups.0.count", "true", "a whole number, got true", id="true"),
        pytest.param("compute.node_groups.0.count", "1_000", "a whole number", id="1_000"),
        pytest.param("compute.node_groups.0.count", "0x10", "a whole number", id="0x10"),
        pytest.param("compute.node_groups.0.count", "", "has no value", id="nothing"),
        pytest.param("compute.node_groups", "null", "has no value", id="null list"),
        pytest.param("network", "~", "has no value", id="null section"),
        pytest.param("tags.team", "null", "has no value", id="null tag"),
        pytest.param("tags.team", "true", "must be text, got true", id="boolean tag"),
        pytest.param("tags.team", "[a]", "must be text, got a list of 1", id="list for text"),
        pytest.param("region", "{a: b}", "must be text, got a section", id="section for text"),
        pytest.param("region", '"\\x07"', "must not hold control characters", id="bell"),
        pytest.param("region", '"\\x9b31m"', "must not hold control characters", id="C1 escape"),
        pytest.param("region", "'  '", "must not be empty", id="blanks"),
        pytest.param("network", "5", "must be a section of `key: value` lines", id="number"),
        pytest.param("budget.emails", "a@example.com", "must be a list", id="text for a list"),
        pytest.param("budget.limit_usd", "'5'", "must be a number, got '5'", id="quoted number"),
        pytest.param("budget.limit_usd", "true", "must be a number, got true", id="true for 1"),
        pytest.param("budget.limit_usd", ".inf", "must be a number, got '.inf'", id=".inf"),
        pytest.param("budget.limit_usd", ".nan", "must be a number, got '.nan'", id=".nan"),
        pytest.param("budget.limit_usd", "1e999", "must be a finite number, got 1e999", id="1e999"),
        pytest.param("budget.limit_usd", "9" * 5000, "must be a finite number", id="huge number"),
        pytest.param(
            "storage.lustre_file_systems.0.data_repository_associations.0"
            ".batch_import_meta_data_on_create",
            "no",
            "must be true or false, got 'no'",
            id="no for a boolean",
        ),
        pytest.param(
            "storage.lustre_file_systems.0.data_repository_associations.0"
            ".batch_import_meta_data_on_create",
            "1",
            "must be true or false, got 1",
            id="1 for a boolean",
        ),
        pytest.param("version", "true", "version must be 1, got true", id="version true"),
        pytest.param("version", "2", "version must be 1, got 2", id="version 2"),
        pytest.param("version", "'1'", "version must be 1, got '1'", id="version in quotes"),
        pytest.param("version", "1.5", "version must be 1, got 1.5", id="version 1.5"),
    ],
)
def test_a_value_that_does_not_fit(problems, with_value, path, written, message):
    (finding,) = problems(with_value(path, written))
    assert finding.rule_id == "TRN005"
    assert message in finding.message
    assert finding.path == path.replace(".0", "[0]")


def test_the_hint_for_an_unquoted_boolean(problems, with_value):
    (finding,) = problems(with_value("tags.team", "true"))
    assert finding.hint == 'put it in quotes: "true"'
