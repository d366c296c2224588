"""What holds for every check: it passes, it is denied, throttled, and in an empty account."""

from __future__ import annotations

import re

import pytest

from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    THROTTLED,
)
from tests.trnkit.operations.preflight.situations import answers, empty_account, situations
from trnkit.aws.permissions import read_operations
from trnkit.aws.service_quotas import LIST_SERVICE_QUOTAS
from trnkit.operations.planning.declared import PLAN_OPERATIONS
from trnkit.operations.preflight.check import list_checks

CHECKS = list_checks()
ASKED = [(check, operation) for check in CHECKS for operation in check.needs]


def whole(check):
    situation = situations()[check.name]
    return situation.cluster, answers(**situation.whole)


def named(operation):
    return f"{operation.service}.{operation.name}"


def by_name(value):
    return getattr(value, "name", None)


def test_every_check_has_a_situation():
    assert sorted(situations()) == sorted(check.name for check in CHECKS)


def test_the_checks_are_these():
    assert [f"{check.id} {check.name}" for check in CHECKS] == [
        "TRN901 account",
        "TRN902 credentials",
        "TRN903 bootstrap",
        "TRN904 zone",
        "TRN905 offering",
        "TRN906 vcpu-quota",
        "TRN907 reservation",
        "TRN908 image",
        "TRN909 subnets",
        "TRN910 ways-out",
        "TRN911 stack-names",
        "TRN912 network-acls",
        "TRN913 security-groups",
        "TRN914 vpc-settings",
        "TRN915 endpoint-policies",
        "TRN916 network-quotas",
        "TRN917 fsx-quotas",
        "TRN918 launch-quotas",
        "TRN919 efs-quota",
        "TRN920 budgets",
        "TRN921 anomaly-monitor",
        "TRN922 cost-tag",
        "TRN923 subscriptions",
        "TRN924 service-linked-roles",
        "TRN925 kms-keys",
        "TRN926 buckets",
        "TRN927 file-systems",
        "TRN928 image-facts",
        "TRN929 physical-names",
        "TRN930 block-schedule",
        "TRN931 idle-reservations",
        "TRN932 spot-price",
    ]


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_a_check_documents_itself(check):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", check.name)
    assert check.source.startswith("https://docs.aws.amazon.com/")
    assert check.why.endswith(".")
    assert not check.title.endswith(".")


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_it_passes_and_asks_all_that_it_declares(check, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told)
    assert done.status == "ok", done.results
    asked = {name for _, name, _ in ask.sessions[0].asked}
    assert asked == {operation.name for operation in check.needs}


def test_all_that_the_policy_allows_is_asked_by_a_check_a_plan_or_the_catalogue_s_refresh():
    by_checks = {operation for _, operation in ASKED}
    by_others = set(read_operations()) - by_checks - set(PLAN_OPERATIONS)
    assert by_others == {LIST_SERVICE_QUOTAS}


@pytest.mark.parametrize(("check", "operation"), ASKED, ids=by_name)
def test_a_denied_permission_is_unknown_and_named(check, operation, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told | {named(operation): DENIED})
    assert done.status == "unknown"
    unknown = [result for result in done.results if result.status == "unknown"]
    for result in unknown:
        if operation.permission is None:
            assert "sts:GetCallerIdentity needs no permission" in result.remedy
            assert "trnkit iam-policy" not in result.remedy
        else:
            assert f"let the role or user call {operation.permission}" in result.remedy
            assert "trnkit iam-policy" in result.remedy


@pytest.mark.parametrize(("check", "operation"), ASKED, ids=by_name)
def test_a_throttled_call_is_unknown(check, operation, ask):
    cluster, told = whole(check)
    done = ask(check.name, cluster, told | {named(operation): THROTTLED})
    assert done.status == "unknown"
    assert any("was throttled" in result.message for result in done.results)


@pytest.mark.parametrize("name", situations())
def test_an_empty_account(name, ask):
    situation = situations()[name]
    cluster = situation.empty_cluster or situation.cluster
    # Its own word goes before what other checks' accounts of nothing say.
    done = ask(name, cluster, empty_account() | situation.nothing)
    status, words = situation.empty
    assert done.status == status
    assert words in done.results[0].message


@pytest.mark.parametrize("check", CHECKS, ids=by_name)
def test_whatever_fails_says_what_to_do(check, ask):
    done = ask(check.name, situations()[check.name].cluster, empty_account())
    for result in done.results:
        assert (result.status == "ok") == (result.remedy is None)
        assert result.message[0].islower() or result.message.split()[0].rstrip(",").isalnum()
        assert not result.message.endswith(".")
