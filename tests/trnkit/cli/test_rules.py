from __future__ import annotations

import json

import pytest

from trnkit.operations.explaining import explained_rules
from trnkit.operations.preflight.check import list_checks


def test_the_list_has_every_rule_once(trnkit):
    ran = trnkit("rules")
    ids = [line.split()[0] for line in ran.out.splitlines()]
    assert ids == [rule.id for rule in explained_rules()]
    assert len(set(ids)) == len(ids)


def test_a_rule_is_explained_with_both_examples(trnkit):
    ran = trnkit("rules", "trn201")
    assert ran.code == 0
    for part in ("TRN201", "source: https://", "\ngood:\n    ", "\nbad:\n    "):
        assert part in ran.out


def test_rules_as_json(trnkit):
    content = json.loads(trnkit("rules", "TRN003", "--format", "json").out)
    assert content["schema"] == 1
    assert content["rules"][0]["id"] == "TRN003"


def test_an_unknown_rule_is_exit_code_2(trnkit):
    ran = trnkit("rules", "TRN-201")
    assert (ran.code, ran.out) == (2, "")
    assert "TRN201" in ran.err


@pytest.mark.parametrize(
    ("command", "failure"),
    [
        (("rules", "TRN-201"), "there is no rule 'TRN-201'; did you mean TRN201"),
        (("catalog", "show", "trn2.48xlarg"), "there is no instance type 'trn2.48xlarg' in the"),
    ],
)
def test_who_asked_for_json_gets_an_object_about_a_name_that_is_none(command, failure, trnkit):
    ran = trnkit(*command, "--format", "json")
    told = json.loads(ran.out)
    assert (ran.code, ran.err, told["findings"]) == (2, "", [])
    assert told["failure"].startswith(failure)


def test_an_id_like_no_other_gets_no_suggestion(trnkit):
    ran = trnkit("rules", "TRN999")
    assert ran.err == "error: there is no rule 'TRN999'; trnkit rules lists them\n"


def test_a_check_of_the_account_is_explained_with_what_it_asks(trnkit):
    ran = trnkit("rules", "trn906")
    assert ran.code == 0
    for part in (
        "TRN906  The vCPU quotas have room",
        "judges: account",
        "source: https://docs.aws.amazon.com/",
        "servicequotas:GetServiceQuota",
        "trnkit preflight cluster.yaml --only vcpu-quota",
    ):
        assert part in ran.out
    assert "good:" not in ran.out
    free = trnkit("rules", "TRN901").out
    assert "asks with: no permission" in free


def test_every_check_is_listed(trnkit):
    listed = json.loads(trnkit("rules", "--format", "json").out)["rules"]
    told = {rule["id"]: rule for rule in listed if rule["applies_to"] == "account"}
    assert sorted(told) == [check.id for check in list_checks()]
    assert told["TRN903"]["permissions"] == ["ssm:GetParameter"]
    assert (told["TRN902"]["severity"], told["TRN903"]["severity"]) == ("warning", "error")


def test_a_check_s_id_with_two_digits_exchanged(trnkit):
    assert "did you mean TRN906?" in trnkit("rules", "TRN960").err


def test_a_check_is_found_by_its_name_too(trnkit):
    assert trnkit("rules", "vcpu-quota").out == trnkit("rules", "TRN906").out
    assert trnkit("rules", "VCPU-Quota").code == 0
    told = json.loads(trnkit("rules", "vcpu-quota", "--format", "json").out)["rules"]
    assert [rule["id"] for rule in told] == ["TRN906"]
    ran = trnkit("rules", "vcpu-qouta")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean vcpu-quota" in ran.err


def test_the_list_has_the_names_of_the_checks(trnkit):
    lines = {line.split()[0]: line for line in trnkit("rules").out.splitlines()}
    for check in list_checks():
        assert f"  {check.name}: {check.title}" in lines[check.id]
