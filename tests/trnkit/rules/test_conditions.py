"""Templates are judged under what a deployment may choose: conditions and allowed values."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import pytest

from tests.trnkit.rules.judging import judge_template, of_rule
from tests.trnkit.rules.templates import (
    Body,
    budget,
    interface,
    lustre,
    nodes,
    older,
    rule,
    security_group,
    template,
)

A = {"Fn::GetAtt": ["A", "GroupId"]}
NOTHING = {"Ref": "AWS::NoValue"}
IN, OUT = rule("Ingress", A, A), rule("Egress", A, A)


def equals(name: str, text: Any) -> Body:
    return {"Fn::Equals": [{"Ref": name}, text]}


def negated(condition: Body) -> Body:
    return {"Fn::Not": [condition]}


def when(name: str, yes: Any, no: Any = NOTHING) -> Body:
    return {"Fn::If": [name, yes, no]}


def only(name: str, entry: Body) -> Body:
    return {**entry, "Condition": name}


def efa(groups: Any = None, **resources: Any) -> Body:
    """A launch template whose EFA interface carries the group `A`."""
    card = interface(0, 0, "efa", Groups=[A] if groups is None else groups)
    return template(Nodes=nodes(None, [card]), A=security_group(), **resources)


def said(rule_id: str, *bodies: Body, **more: Any) -> list[tuple[str, str]]:
    """Severity of the rule's findings, and the circumstances in their messages."""
    return [
        (
            found.severity.value,
            found.message.rpartition("(")[2].rstrip(")") if found.message.endswith(")") else "",
        )
        for found in of_rule(rule_id, judge_template(*bodies, **more))
    ]


def params(**parameters: Any) -> Body:
    return {name: {"Type": "String", **entry} for name, entry in parameters.items()}


YES_NO = {"AllowedValues": ["yes", "no"]}
UNSURE = {"Fn::GetAtt": ["Nodes", "Odd"]}

CASES: list[tuple[str, str, Body, list[tuple[str, str]]]] = [
    ("a rule made under a condition", "TRN151",
     {**efa(In=IN, Out=only("Ruled", OUT)), "Parameters": params(Rules=YES_NO), "Conditions": {"Ruled": equals("Rules", "yes")}},
     [("error", "when Ruled does not hold")]),
    ("a rule made under a condition that always holds", "TRN151",
     {**efa(In=IN, Out=only("Ruled", OUT)), "Conditions": {"Ruled": {"Fn::Equals": ["yes", "yes"]}}},
     []),
    ("a rule made under a condition that never holds", "TRN151",
     {**efa(In=IN, Out=only("Ruled", OUT)), "Conditions": {"Ruled": {"Fn::Equals": ["yes", "no"]}}},
     [("error", "")]),
    ("the interface and the rule under the same condition", "TRN151",
     {**template(A=security_group(), In=IN, Out=only("Ruled", OUT), Nodes=only("Ruled", nodes(None, [interface(0, 0, "efa", Groups=[A])]))),
      "Parameters": params(Rules=YES_NO), "Conditions": {"Ruled": equals("Rules", "yes")}},
     []),
    ("two rules under conditions of which one always holds", "TRN151",
     {**efa(In=IN, Out=only("Ruled", OUT), Also=only("Other", OUT)), "Parameters": params(Rules=YES_NO),
      "Conditions": {"Ruled": equals("Rules", "yes"), "Other": {"Fn::Not": [{"Condition": "Ruled"}]}}},
     []),
    ("two rules under conditions that leave a gap", "TRN151",
     {**efa(In=IN, Out=only("One", OUT), Also=only("Two", OUT)), "Parameters": params(Rules={"AllowedValues": ["1", "2", "3"]}),
      "Conditions": {"One": equals("Rules", "1"), "Two": equals("Rules", "2")}},
     [("error", "when Rules is 3")]),
    ("an optional existing group", "TRN151",
     {**efa([when("Given", {"Ref": "Group"}, A)], In=IN), "Parameters": params(Group={"Default": ""}), "Conditions": {"Given": negated(equals("Group", ""))}},
     [("error", "when Given does not hold")]),
    ("a rule inline, sometimes", "TRN151",
     {**efa(In=IN, Out=OUT) | template(A=security_group(SecurityGroupEgress=[when("Some", {"IpProtocol": "tcp", "CidrIp": "0.0.0.0/0"})]), Nodes=nodes(None, [interface(0, 0, "efa", Groups=[A])]), In=IN, Out=OUT),
      "Parameters": params(P={}), "Conditions": {"Some": equals("P", "x")}},
     []),
    ("a condition nobody defines", "TRN151", efa(In=IN, Out=only("Missing", OUT)), []),
    ("conditions that contain each other", "TRN151",
     {**efa(In=IN, Out=only("One", OUT)), "Conditions": {"One": {"Condition": "Two"}, "Two": {"Fn::Not": [{"Condition": "One"}]}}},
     []),
    ("a comparison that only a deployment can make", "TRN151",
     {**efa(In=IN, Out=only("Long", OUT)), "Parameters": params(Ids={"Type": "CommaDelimitedList"}),
      "Conditions": {"Long": {"Fn::Equals": [{"Fn::Join": ["", {"Ref": "Ids"}]}, ""]}}},
     [("error", "when Long does not hold")]),
    ("allowed types, one of them wrong", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, older(16))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1n.32xlarge", "trn1.32xlarge"]})},
     [("error", "when Kind is trn1.32xlarge")]),
    ("allowed types, all of them wrong in their own way", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, older(9))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1.32xlarge"]})},
     [("error", "when Kind is trn1.32xlarge"), ("warning", "when Kind is trn2.48xlarge")]),
    ("a type that a condition chooses", "TRN251",
     {**template(Nodes=nodes(when("Large", "trn2.48xlarge", "trn1.32xlarge"), older(16))), "Parameters": params(Size={}), "Conditions": {"Large": equals("Size", "large")}},
     [("error", "when Large does not hold")]),
    ("a type and interfaces that the same condition chooses", "TRN251",
     {**template(Nodes=nodes(when("Large", "trn2.48xlarge", "trn1.32xlarge"), when("Large", older(16), older(8)))), "Parameters": params(Size={}), "Conditions": {"Large": equals("Size", "large")}},
     []),
    ("a type and interfaces that excluding conditions choose", "TRN251",
     {**template(Nodes=nodes(when("Large", "trn2.48xlarge", "trn1.32xlarge"), when("Small", older(8), older(16)))), "Parameters": params(Size={}),
      "Conditions": {"Large": equals("Size", "large"), "Small": {"Fn::Not": [{"Condition": "Large"}]}}},
     []),
    ("a type and interfaces from one mapping", "TRN251",
     {**template(Nodes=nodes({"Fn::FindInMap": ["Kinds", {"Ref": "Size"}, "Type"]}, when("Large", older(16), older(8)))), "Parameters": params(Size={"AllowedValues": ["s", "l"]}),
      "Mappings": {"Kinds": {"s": {"Type": "trn1.32xlarge"}, "l": {"Type": "trn2.48xlarge"}}}, "Conditions": {"Large": equals("Size", "l")}},
     []),
    ("a type from a mapping, and the interfaces of another", "TRN251",
     {**template(Nodes=nodes({"Fn::FindInMap": ["Kinds", {"Ref": "Size"}, "Type"]}, older(16))), "Parameters": params(Size={"AllowedValues": ["s", "l"]}),
      "Mappings": {"Kinds": {"s": {"Type": "trn1.32xlarge"}, "l": {"Type": "trn2.48xlarge"}}}},
     [("error", "when Size is s")]),
    ("choices that are wrong only together", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, when("Efa", older(16)))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1.32xlarge"]}, Efa=YES_NO), "Conditions": {"Efa": equals("Efa", "yes")}},
     [("warning", "when Efa does not hold, for example when Efa is no and Kind is trn2.48xlarge")]),
    ("choices that are wrong only together, without defaults", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, when("Efa", older(16), UNSURE))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1.32xlarge"]}, Efa=YES_NO), "Conditions": {"Efa": equals("Efa", "yes")}},
     [("info", "when Efa is yes and Kind is trn1.32xlarge")]),
    ("choices that are wrong together, one of them the default", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, when("Efa", older(16), UNSURE))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1.32xlarge"], "Default": "trn2.48xlarge"}, Efa={**YES_NO, "Default": "yes"}), "Conditions": {"Efa": equals("Efa", "yes")}},
     [("warning", "when Efa is yes and Kind is trn1.32xlarge")]),
    ("a choice that the template's rules refuse", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, older(16))), "Parameters": params(Kind={"AllowedValues": ["trn2.48xlarge", "trn1.32xlarge"]}),
      "Rules": {"Large": {"Assertions": [{"Assert": {"Fn::Contains": [["trn2.48xlarge"], {"Ref": "Kind"}]}}]}}},
     []),
    ("a default that chooses the branch", "TRN251",
     {**template(Nodes=nodes({"Ref": "Kind"}, when("Large", older(16), older(8)))), "Parameters": params(Size={"Default": "large"}, Kind={"Default": "trn1.32xlarge"}), "Conditions": {"Large": equals("Size", "large")}},
     [("warning", "with the parameters' defaults")]),
    ("a Region that a condition asks for", "TRN251",
     {**template(Nodes=nodes("trn1.32xlarge", when("East", older(8), older(16)))), "Conditions": {"East": equals("AWS::Region", "us-east-1")}},
     [("error", "when East does not hold")]),
    ("a budget made in one Region only", "TRN452",
     {**template(Budget=only("East", budget(BudgetLimit={"Amount": 1, "Unit": "EUR"}))), "Conditions": {"East": equals("AWS::Region", "us-east-1")}},
     []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "body", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_condition_is_judged_both_ways(rule_id: str, body: Body, expected: list[tuple[str, str]]):
    assert sorted(said(rule_id, body)) == sorted(expected)


MANY = {f"{kind}{number}": YES_NO for kind in "ABCDEFGH" for number in range(6)}
KINDS = dict(zip("ABCDEFGH", (
    "AWS::EC2::Instance", "AWS::FSx::FileSystem", "AWS::Batch::ComputeEnvironment", "AWS::EC2::Subnet",
    "AWS::EC2::SecurityGroup", "AWS::CloudWatch::Alarm", "AWS::EKS::Nodegroup", "AWS::Budgets::Budget",
), strict=True))  # fmt: skip


def with_many_choices(**resources: Body) -> Body:
    """A template that chooses so much of each kind that not every rule sees every choice."""
    chosen = {name: {"Type": KINDS[name[0]], "Condition": name, "Properties": {}} for name in MANY}
    body = template(**chosen, **resources)
    return {**body, "Parameters": params(**MANY), "Conditions": {n: equals(n, "yes") for n in MANY}}


def test_what_is_wrong_whatever_is_chosen_is_found_among_very_many_choices():
    wrong = lustre({"DeploymentType": "SCRATCH_2"}, StorageCapacity=1300)
    assert said("TRN351", template(Fsx=wrong)) == [("error", "")]
    assert said("TRN351", with_many_choices(Fsx=wrong)) == [("error", "")]


def test_what_one_choice_makes_wrong_is_not_certain_where_not_all_can_be_judged(
    monkeypatch: pytest.MonkeyPatch,
):
    kinds = {"AllowedValues": ["trn1.32xlarge", "trn2.48xlarge"]}
    body = {**template(Nodes=nodes({"Ref": "Kind"}, older(16))), "Parameters": params(Kind=kinds)}
    assert said("TRN251", body) == [("error", "when Kind is trn1.32xlarge")]
    monkeypatch.setattr("trnkit.rules.worlds._MOST_SETS", 1)
    assert said("TRN251", body) == []
