"""Which names of parameters `trnkit iam-policy` takes."""

from __future__ import annotations

import json

import pytest

from tests.synthesis import ROOT


@pytest.mark.parametrize(
    ("name", "arn"),
    [
        ("/ml/golden", "parameter/ml/golden"),
        ("golden", "parameter/golden"),
        ("/ml/golden:3", "parameter/ml/golden"),
        ("/ml/images/*", "parameter/ml/images/*"),
    ],
)
def test_a_name_becomes_an_arn(name, arn, trnkit):
    ran = trnkit("iam-policy", "--parameter", name)
    statements = json.loads(ran.out)["Statement"]
    (parameters,) = [s for s in statements if "ssm:GetParameter" in s["Action"]]
    assert (ran.code, parameters["Resource"][-1]) == (0, f"arn:aws:ssm:*:*:{arn}")


@pytest.mark.parametrize(
    "name",
    [
        "",
        "my image",
        "arn:aws:ssm:us-east-2:111122223333:parameter/ml/golden",
        "resolve:ssm:/ml/golden",
        "/*",
        "*",
        "/ml/*/golden",
        "/ml/gold*",
        "/ml/golden/",
        "aws-image",
        "a" * 1012,
    ],
)
def test_what_is_no_name_is_refused_with_what_is_allowed(name, trnkit):
    ran = trnkit("iam-policy", "--parameter", "/ml/golden", "--parameter", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: --parameter {name!r}: ")
    assert "1011" in ran.err if len(name) > 99 else "like /my/image or my-image" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_what_the_guard_needs_is_printed_apart(trnkit):
    ran = trnkit("iam-policy", "--for", "guard", "--partition", "aws-us-gov")
    statements = json.loads(ran.out)["Statement"]
    assert [statement["Action"] for statement in statements] == [
        ["cloudformation:ListStackResources"],
        ["lambda:InvokeFunction"],
    ]
    assert all(arn.startswith("arn:aws-us-gov:") for one in statements for arn in one["Resource"])


def test_the_guard_of_one_cluster_is_told_by_its_tag(trnkit):
    ran = trnkit("iam-policy", "--for", "guard", str(ROOT / "examples/guarded-spend.yaml"))
    found, invoked = json.loads(ran.out)["Statement"]
    assert found["Resource"] == ["arn:aws:cloudformation:us-west-2:*:stack/guarded-Guard/*"]
    assert invoked["Resource"] == ["arn:aws:lambda:us-west-2:*:function:*SpendEnforcer*"]
    assert invoked["Condition"] == {"StringEquals": {"aws:ResourceTag/trnkit-cluster": "guarded"}}
    assert "Condition" not in found  # The stack's name says whose it is.


def test_the_condition_is_on_a_tag_that_the_function_has():
    text = (ROOT / "tests/golden/templates/guarded-spend/Guard.json").read_text(encoding="utf-8")
    resources = json.loads(text)["Resources"]
    (enforcer,) = [
        body["Properties"]
        for name, body in resources.items()
        if body["Type"] == "AWS::Lambda::Function" and "SpendEnforcer" in name
    ]
    assert {"Key": "trnkit-cluster", "Value": "guarded"} in enforcer["Tags"]


def test_a_file_means_nothing_to_what_only_reads(trnkit):
    ran = trnkit("iam-policy", "cluster.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "says nothing without --for guard" in ran.err


def test_a_file_that_is_not_there_is_told(trnkit):
    ran = trnkit("iam-policy", "--for", "guard", "nowhere.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert "nowhere.yaml" in ran.err


def test_a_parameter_means_nothing_to_the_guard(trnkit):
    ran = trnkit("iam-policy", "--for", "guard", "--parameter", "/ml/golden")
    assert ran.code == 2
    assert "--parameter says nothing with --for guard" in ran.err
