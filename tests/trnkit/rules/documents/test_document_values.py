"""Values of documents, quantities, and several YAML documents in one text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from trnkit.config.yaml_reader import MAX_VALUES, read_yaml_documents
from trnkit.errors import UnreadableInputError
from trnkit.rules import Document
from trnkit.rules.reading_documents.quantities import has_unit, parse_quantity


def value(text, file="f.yaml"):
    (read,) = read_yaml_documents(f"a: {text}\n", file)
    return Document(file, read).root["a"]


@pytest.mark.parametrize(
    "text",
    [
        "${REGION}",
        "'{{ .Values.type }}'",
        "$(REGION)",
        "<your region>",
        "$REGION",
        "subnet-<id>",
        "'@REGION@'",
        "x-%REGION%",
    ],
)
def test_what_is_filled_in_later_is_not_known_and_not_absent(text):
    found = value(text)
    assert (found.text(), found.integer(), found.boolean()) == (None, None, None)
    assert found.is_placeholder
    assert not found.is_absent


@pytest.mark.parametrize(
    ("text", "known"),
    [("true", True), ("yes", True), ("On", True), ("no", False), ("FALSE", False), ("2", None)],
)
def test_booleans_are_those_of_yaml_1_1(text, known):
    assert value(text).boolean() is known


def test_what_is_not_of_the_kind_asked_for_is_absent():
    found = value("[1, {b: x}]")
    assert [item.raw for item in found.items()] == [1, {"b": "x"}]
    assert found[1]["b"].text() == "x"
    assert found[7].is_absent
    assert found["b"].is_absent
    assert found["b"]["c"].items() == ()
    assert found.mapping() is None
    assert value("7")["x"].is_absent
    assert value("2.10").text() == "2.10"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("16", 16),
        ("5120Mi", 5120 * 1024**2),
        ("1.5Gi", Fraction(3, 2) * 1024**3),
        ("500m", Fraction(1, 2)),
        ("2k", 2000),
        ("1e3", 1000),
        ("12E", 12 * 10**18),
        ("-1", -1),
        ("", None),
        ("all", None),
        ("5 Gi", None),
        ("5GB", None),
        ("9" * 40, None),
        ("1e999", None),
    ],
)
def test_quantities_are_those_of_kubernetes(text, number):
    assert parse_quantity(text) == number


def test_a_quantity_with_a_unit_is_told_from_one_without():
    assert has_unit("5Gi")
    assert not has_unit("256")
    assert not has_unit("x")


def test_each_document_of_a_text_has_its_own_anchors_keys_and_places():
    first, second, third = read_yaml_documents("a: &x 1\nb: *x\n---\n# nothing\n---\na: 3\n", "f")
    assert (first.data, second.data, third.data) == ({"a": 1, "b": 1}, None, {"a": 3})
    assert (third.locate(("a",)).line, third.locate(("a",)).column) == (6, 1)
    with pytest.raises(UnreadableInputError, match="has no anchor"):
        read_yaml_documents("a: &x 1\n---\nb: *x\n", "f")


def test_keys_that_stand_twice_are_found_in_their_document():
    first, second = read_yaml_documents("a: 1\n---\na: 1\na: 2\n", "f")
    assert not first.findings
    assert [(finding.rule_id, finding.line) for finding in second.findings] == [("TRN002", 4)]


def test_all_documents_together_have_a_limit():
    number = MAX_VALUES // 2 + 1
    many = "---\na: 1\n" * number
    with pytest.raises(UnreadableInputError, match=f"more than {MAX_VALUES} values"):
        read_yaml_documents(many, "f")
    assert len(read_yaml_documents(many, "f", most_values=10 * MAX_VALUES)) == number
