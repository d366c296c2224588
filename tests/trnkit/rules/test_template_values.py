"""What templates' values stand for: exports, parameters, numbers, and traps for linters."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule, severities
from tests.trnkit.rules.templates import (
    Body,
    budget,
    interface,
    nodes,
    older,
    rule,
    security_group,
    template,
)
from trnkit.rules import UNKNOWN, StackSet, Template

E, W = ["error"], ["warning"]
A = {"Fn::GetAtt": ["A", "GroupId"]}
IMPORT = {"Fn::ImportValue": "efa"}


def value_of(raw: Any, **body: Any) -> Any:
    stack = Template("one", "one.yaml", body)
    StackSet([stack])
    return stack.resolve(raw)


def exporting(name: str, value: Any) -> Body:
    return {"Value": value, "Export": {"Name": name}}


def bomb(links: int, value: Any) -> Body:
    outputs = {"Out0": exporting("e0", value)}
    for number in range(1, links):
        before = {"Fn::ImportValue": f"e{number - 1}"}
        outputs[f"Out{number}"] = exporting(f"e{number}", {"Fn::Join": ["", [before, before]]})
    last = {"Fn::ImportValue": f"e{links - 1}"}
    return {**template(Nodes=nodes(last, older(8))), "Outputs": outputs}  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["x", {"Ref": "Nobody"}])
@pytest.mark.parametrize("links", [24, 50])
def test_exports_that_double_each_other_end_soon(links: int, value: Any):
    begun = time.process_time()
    judge_template(bomb(links, value))
    assert time.process_time() - begun < 120


def test_texts_that_double_each_other_are_not_put_together():
    raw: Any = "x" * 1000
    for _ in range(40):
        raw = {"Fn::Sub": ["${a}${a}", {"a": raw}]}
    assert value_of(raw) is UNKNOWN


def test_many_long_texts_come_to_an_end():
    long = {"Ref": "Long"}
    parameter = {"Long": {"Type": "String", "AllowedValues": ["x" * 900_000]}}
    joins = [{"Fn::Join": ["", [long, str(number)]]} for number in range(400)]
    assert value_of({"Fn::Join": ["", joins]}, Parameters=parameter) is UNKNOWN


SELECTIONS: list[tuple[Any, Any, Any]] = [
    ("0", ["a", "b"], "a"),
    (1, ["a", "b"], "b"),
    ("2", ["a", "b"], UNKNOWN),
    ("²", ["a", "b"], UNKNOWN),
    ("\N{ARABIC-INDIC DIGIT ZERO}", ["a", "b"], UNKNOWN),
    ("-1", ["a", "b"], UNKNOWN),
    ("9" * 5000, ["a", "b"], UNKNOWN),
    (10**5000, ["a", "b"], UNKNOWN),
    (True, ["a", "b"], UNKNOWN),
]


@pytest.mark.parametrize(
    ("index", "values", "expected"),
    SELECTIONS,
    ids=lambda v: str(v)[:20] if not isinstance(v, int) else "",
)
def test_a_selection(index: Any, values: Any, expected: Any):
    assert value_of({"Fn::Select": [index, values]}) == expected


@pytest.mark.parametrize(
    "number", ["²", "9" * 5000, 10**5000, -(10**5000)], ids=["square", "text", "number", "negative"]
)
def test_numbers_that_are_none(number: Any):
    found = judge_template(
        template(
            Nodes=nodes("trn2.48xlarge", [interface(number, number, "efa")]),
            Budget=budget(BudgetLimit={"Amount": number, "Unit": "USD"}),
        )
    )
    # Of the numbers nothing is said; the number of interfaces is known all the same.
    assert [finding.rule_id for finding in found] == ["TRN251", "TRN254"]


def efa_group(*, with_rules: bool) -> Body:
    rules = {"In": rule("Ingress", A, A), "Out": rule("Egress", A, A)} if with_rules else {}
    return {**template(A=security_group(), **rules), "Outputs": {"Efa": exporting("efa", A)}}


USING = template(Nodes=nodes(None, [interface(0, 0, "efa", Groups=[IMPORT])]))
RIGHT, WRONG = efa_group(with_rules=True), efa_group(with_rules=False)


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ((USING, WRONG), E),
        ((USING, RIGHT), []),
        ((USING, WRONG, RIGHT), []),
        ((USING, RIGHT, WRONG), []),
        ((USING, WRONG, WRONG), []),
    ],
    ids=["wrong", "right", "two", "two the other way", "twice the same"],
)
def test_an_export_that_two_templates_make_is_not_known(
    bodies: tuple[Body, ...], expected: list[str]
):
    assert severities("TRN151", judge_template(*bodies)) == expected


def test_an_export_is_of_its_region():
    templates = [
        Template(f"s{number}", f"{number}", body, region)
        for number, (body, region) in enumerate(
            [(USING, "us-east-2"), (WRONG, "us-east-2"), (RIGHT, "us-west-2")]
        )
    ]
    from trnkit.rules import check_templates

    assert severities("TRN151", check_templates(StackSet(templates))) == E


def with_parameter(value: Body) -> Body:
    kind = {"Ref": "Kind"}
    return {
        **template(Nodes=nodes(kind, older(17))),
        "Parameters": {"Kind": {"Type": "String", **value}},
    }  # type: ignore[arg-type]


PARAMETERS = [
    ("none", {}, []),
    ("default", {"Default": "trn2.48xlarge"}, W),
    ("one allowed", {"AllowedValues": ["trn2.48xlarge"]}, E),
    ("one allowed, and the default", {"AllowedValues": ["trn2.48xlarge"], "Default": "trn2.48xlarge"}, E),
    ("one allowed, twice", {"AllowedValues": ["trn2.48xlarge"] * 2}, E),
    ("two allowed", {"AllowedValues": ["trn2.48xlarge", "p5.48xlarge"]}, E),
    ("two allowed, and a default", {"AllowedValues": ["trn2.48xlarge", "p5.48xlarge"], "Default": "trn2.48xlarge"}, E),
    ("others allowed", {"AllowedValues": ["p4d.24xlarge", "p5.48xlarge"]}, []),
    ("of SSM", {"Type": "AWS::SSM::Parameter::Value<String>", "Default": "trn2.48xlarge"}, []),
    ("of SSM, one allowed", {"Type": "AWS::SSM::Parameter::Value<String>", "AllowedValues": ["trn2.48xlarge"]}, []),
    ("list", {"Type": "CommaDelimitedList", "Default": "trn2.48xlarge"}, []),
    ("odd", {"Default": ["trn2.48xlarge"]}, []),
    ("endless", {"Default": "<" * 500_000}, []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "expected"), [(v, e) for _, v, e in PARAMETERS], ids=[n for n, *_ in PARAMETERS]
)
def test_a_default_warns_and_a_single_allowed_value_is_the_value(value: Body, expected: list[str]):
    found = judge_template(with_parameter(value))
    assert severities("TRN251", found) == expected
    if expected == W:
        (finding,) = of_rule("TRN251", found)
        assert finding.message.endswith("(with the parameters' defaults)")


PLACEHOLDERS = [
    *(
        "",
        " ",
        "CHANGEME",
        "change-me",
        "REPLACE_ME",
        "<your account>",
        "your-account",
        "TODO",
        "xxx",
    ),
    *("none", "N/A", "-", "...", "000000000000", "placeholder", "123456789012,CHANGEME"),
]


@pytest.mark.parametrize("default", PLACEHOLDERS)
def test_a_default_that_must_be_replaced_is_no_value(default: str):
    for kind in ("String", "CommaDelimitedList"):
        parameter = {"Type": kind, "Default": default}
        body = template(Budget=budget(CostFilters={"LinkedAccount": {"Ref": "Account"}}))
        assert judge_template({**body, "Parameters": {"Account": parameter}}) == ()


def test_a_certain_finding_is_told_once():
    body = {**with_parameter({"Default": "trn2.48xlarge"})}
    body["Resources"] = {**body["Resources"], "Sure": nodes("trn2.48xlarge", older(17))}
    assert severities("TRN251", judge_template(body)) == [*E, *W]


def test_a_dynamic_reference_is_not_known():
    endpoint = "{{resolve:ssm:/alerts/endpoint}}"
    assert value_of(endpoint) is UNKNOWN
    assert value_of({"Fn::Join": ["", ["x", endpoint]]}) is UNKNOWN
