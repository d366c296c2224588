"""Suppressions in the metadata of templates: what they switch off, and what is said about them."""

from __future__ import annotations

import copy

import pytest

from trnkit.findings import Finding, Severity, Suppression
from trnkit.rules import StackSet, Template, check_templates

REASON = "agreed with the owners"
NODES = {
    "Type": "AWS::EC2::LaunchTemplate",
    "Properties": {
        "LaunchTemplateData": {
            "InstanceType": "trn2.48xlarge",
            "SecurityGroupIds": ["sg-0123456789abcdef0"],
            "NetworkInterfaces": [
                {"NetworkCardIndex": 0, "DeviceIndex": 0, "InterfaceType": "efa",
                 "Groups": ["sg-0123456789abcdef0"]},
            ],
        }
    },
}  # fmt: skip
BOTH_PLACES = "TRN253"


def entry(rule_id=BOTH_PLACES, reason=REASON, **more):
    return {"rule_id": rule_id, "reason": reason, **more}


def suppress(*entries):
    return {"trnkit": {"suppress": list(entries)}}


def body(*, top=None, nodes=None, others=None):
    resources = {"Nodes": copy.deepcopy(NODES), "Others": copy.deepcopy(NODES)}
    for name, metadata in (("Nodes", nodes), ("Others", others)):
        if metadata is not None:
            resources[name]["Metadata"] = metadata
    return {"Resources": resources, **({} if top is None else {"Metadata": top})}


def judged(template, **options):
    return check_templates(StackSet([Template("t", "t.yaml", template)]), **options)


def of_rule(findings, rule_id=BOTH_PLACES):
    return {f.logical_id: f for f in findings if f.rule_id == rule_id}


def complaints(template, **options):
    found = judged(template, **options)
    return [(f.severity, f.message, f.path) for f in found if f.rule_id == "TRN006"]


def test_a_resource_switches_a_rule_off_for_itself_alone():
    found = judged(body(nodes=suppress(entry())))
    here, there = of_rule(found)["Nodes"], of_rule(found)["Others"]
    assert here.severity is Severity.INFO
    assert here.message.startswith(f"suppressed ({REASON}): Nodes: has SecurityGroupIds beside")
    assert here.suppression == Suppression(kind="inSource", reason=REASON)
    assert (there.severity, there.suppression) == (Severity.ERROR, None)
    assert complaints(body(nodes=suppress(entry()))) == []


def test_the_template_switches_a_rule_off_for_all_of_it_and_for_no_other_template():
    template = body(top=suppress(entry()))
    found = of_rule(judged(template)).values()
    assert [f.severity for f in found] == [Severity.INFO, Severity.INFO]
    both = [Template("t", "t.yaml", template), Template("u", "u.yaml", body())]
    found = [f for f in check_templates(StackSet(both)) if f.rule_id == BOTH_PLACES]
    assert {(f.file, f.severity) for f in found} == {
        ("t.yaml", Severity.INFO),
        ("u.yaml", Severity.ERROR),
    }


def test_the_other_findings_of_a_resource_stay_as_they_are():
    before = {f.rule_id: f for f in judged(body()) if f.logical_id == "Nodes"}
    after = {f.rule_id: f for f in judged(body(nodes=suppress(entry()))) if f.logical_id == "Nodes"}
    assert len(before) > 1
    assert {k: v for k, v in before.items() if k != BOTH_PLACES} == {
        k: v for k, v in after.items() if k != BOTH_PLACES
    }


def test_an_entry_of_the_template_that_the_resources_made_idle_is_told():
    template = body(top=suppress(entry()), nodes=suppress(entry()), others=suppress(entry()))
    ((severity, message, path),) = complaints(template)
    assert severity is Severity.WARNING
    assert (
        message == "Metadata.trnkit.suppress[0] suppresses nothing: TRN253, it does not fire here"
    )
    assert path == "/Metadata/trnkit/suppress/0"


@pytest.mark.parametrize(
    ("metadata", "severity", "message", "path"),
    [
        ({"trnkit": "TRN253"}, "error",
         "Metadata.trnkit must be a mapping, got 'TRN253'", "/trnkit"),
        ({"trnkit": {"supress": []}}, "error",
         "Metadata.trnkit.supress is no key of a suppression: 'supress'", "/trnkit/supress"),
        ({"trnkit": {"suppress": {}}}, "error",
         "Metadata.trnkit.suppress must be a list, got a mapping", "/trnkit/suppress"),
        ({"trnkit": {"suppress": {"Fn::If": []}}}, "error",
         "Metadata.trnkit.suppress must be a list, got a mapping", "/trnkit/suppress"),
        ({"trnkit": {"suppress": None}}, "error",
         "Metadata.trnkit.suppress must be a list, got nothing", "/trnkit/suppress"),
        (suppress("TRN253"), "error",
         "Metadata.trnkit.suppress[0] must be a mapping, got 'TRN253'", "/trnkit/suppress/0"),
        (suppress({"reason": REASON}), "error",
         "Metadata.trnkit.suppress[0].rule_id must be the id of a rule, got nothing",
         "/trnkit/suppress/0/rule_id"),
        (suppress(entry(253)), "error",
         "Metadata.trnkit.suppress[0].rule_id must be the id of a rule, got 253",
         "/trnkit/suppress/0/rule_id"),
        (suppress({"rule_id": BOTH_PLACES}), "error",
         "Metadata.trnkit.suppress[0].reason must be text of at least 10 characters, got nothing",
         "/trnkit/suppress/0/reason"),
        (suppress(entry(reason="   ok      ")), "error",
         "Metadata.trnkit.suppress[0].reason must be text of at least 10 characters, "
         "got '   ok      '", "/trnkit/suppress/0/reason"),
        (suppress(entry(reason={"Fn::Sub": "a reason that is made"})), "error",
         "Metadata.trnkit.suppress[0].reason must be text of at least 10 characters, "
         "got a mapping", "/trnkit/suppress/0/reason"),
        (suppress(entry("TRN999")), "error",
         "Metadata.trnkit.suppress[0].rule_id names no rule: 'TRN999'",
         "/trnkit/suppress/0/rule_id"),
        (suppress(entry("TRN006")), "error",
         "Metadata.trnkit.suppress[0].rule_id cannot be switched off, it is about the file itself: "
         "'TRN006'", "/trnkit/suppress/0/rule_id"),
        (suppress(entry("TRN204")), "warning",
         "Metadata.trnkit.suppress[0] suppresses nothing: TRN204, it judges cluster files",
         "/trnkit/suppress/0"),
        (suppress(entry("TRN353")), "warning",
         "Metadata.trnkit.suppress[0] suppresses nothing: TRN353, it does not fire here",
         "/trnkit/suppress/0"),
        (suppress(entry(), entry()), "warning",
         "Metadata.trnkit.suppress[1] repeats an entry: 'TRN253' is off already",
         "/trnkit/suppress/1"),
        (suppress(entry(because="x")), "error",
         "Metadata.trnkit.suppress[0].because is no key of a suppression: 'because'",
         "/trnkit/suppress/0/because"),
    ],
)  # fmt: skip
def test_what_is_no_use_is_a_finding_with_its_place(metadata, severity, message, path):
    assert complaints(body(top=metadata)) == [(severity, message, f"/Metadata{path}")]
    ((_, said, place),) = complaints(body(nodes=metadata))
    assert (said, place) == (f"Nodes: {message}", f"/Resources/Nodes/Metadata{path}")


@pytest.mark.parametrize(
    "metadata",
    [None, {}, [], "trnkit", 7, {"trnkit": {}}, {"trnkit": {"suppress": []}},
     {"cfn-lint": {"config": {"ignore_checks": ["E3002"]}}}, {"suppress": [entry("TRN999")]}],
    ids=str,
)  # fmt: skip
def test_metadata_without_suppressions_is_nobodys_business(metadata):
    assert complaints(body(top=metadata, nodes=metadata)) == []


def theirs(rule_id="E3002", logical_id="Nodes"):
    return Finding(
        rule_id=rule_id, severity=Severity.ERROR, message="theirs", file="t.yaml",
        logical_id=logical_id, tool="cfn-lint",
    )  # fmt: skip


def test_rules_of_other_judges_are_switched_off_when_these_were_asked():
    template = body(nodes=suppress(entry("E3002"), entry("E9999")))
    beside = [theirs(), theirs(logical_id="Others")]
    found = judged(template, beside=beside, others={"E3002"})
    assert of_rule(found, "E3002")["Nodes"].suppression is not None
    assert of_rule(found, "E3002")["Others"].suppression is None
    ((_, message, _),) = complaints(template, beside=beside, others={"E3002"})
    assert message == "Nodes: Metadata.trnkit.suppress[1].rule_id names no rule: 'E9999'"


def test_about_rules_of_judges_that_were_not_asked_nothing_is_said():
    assert complaints(body(nodes=suppress(entry("E3002"), entry("W1020")))) == []


def test_a_reason_of_several_lines_is_told_on_one():
    found = judged(body(nodes=suppress(entry(reason="line one\n   line two"))))
    assert of_rule(found)["Nodes"].message.startswith("suppressed (line one line two): ")
