"""Budgets, the anomaly monitor and cost tags, where something is in the way."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.trnkit.operations.preflight.conftest import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, DENIED, Refusal
from tests.trnkit.operations.preflight.situations.anomaly_monitor import (
    ARN,
    OWN_MONITOR,
    TAG_MONITOR,
)
from tests.trnkit.operations.preflight.situations.budgets import (
    ACCOUNTS,
    BUDGET,
    OWN_BUDGET,
    made,
    own_stack,
    with_budget,
)
from tests.trnkit.operations.preflight.situations.cost_tag import tags

GOLDEN = Path("tests/golden/templates")
DEPLOYED = {"DescribeStacks": own_stack, "ListStackResources": made(OWN_BUDGET, OWN_MONITOR)}
MEMBER = {"DescribeOrganization": {"Organization": {"MasterAccountId": "123456789012"}}}
ALONE = {"DescribeOrganization": Refusal("AWSOrganizationsNotInUseException")}
SERVICES = {
    "MonitorArn": ARN.replace("0123abcd", "4567cdef"),
    "MonitorName": "Default-Services-Monitor",
    "MonitorType": "DIMENSIONAL",
    "MonitorDimension": "SERVICE",
}


def stack_of_others(told, region):
    tags = [{"Key": "trnkit-cluster", "Value": "other"}]
    return {"Stacks": [own_stack(told, region)["Stacks"][0] | {"Tags": tags}]}


def budgets(*entries, others=0):
    more = [
        {"BudgetName": f"team-{n}", "TimeUnit": "MONTHLY", "BudgetType": "COST"}
        for n in range(others)
    ]
    return {"DescribeBudgets": {"Budgets": [*entries, *more]}}


def told(done):
    return [(result.status.value, result.message) for result in done.results]


def test_no_budget_and_no_monitor_is_named_by_a_template_so_that_cloudformation_makes_up_names():
    templates = [json.loads(path.read_text()) for path in GOLDEN.glob("*/Cost.json")]
    resources = [r for template in templates for r in template["Resources"].values()]
    named = [r["Properties"]["Budget"] for r in resources if r["Type"] == "AWS::Budgets::Budget"]
    assert len(named) > len(templates) > 10
    assert not [budget for budget in named if "BudgetName" in budget]


@pytest.mark.parametrize(
    ("others", "own", "status"),
    [(19_999, True, "ok"), (20_000, True, "fail"), (19_999, False, "ok"), (20_000, False, "fail")],
)
def test_the_number_of_budgets_where_those_of_the_cluster_itself_do_not_count_twice(
    others, own, status, ask
):
    entries, stack = ([BUDGET], DEPLOYED) if own else ([], {})
    done = ask("budgets", **stack, **budgets(*entries, others=others))
    assert done.status == status
    assert f"the account has {others} budgets beside this cluster's" in done.results[-1].message


def test_further_budgets_count(ask):
    cluster = with_budget(further_budgets=[{"name": "storage", "limit_usd": 9.0}])
    assert ask("budgets", cluster, **budgets(others=19_998)).status == "ok"
    assert ask("budgets", cluster, **budgets(others=19_999)).status == "fail"


def test_every_page_of_budgets_is_read(ask):
    def page(asked, region):
        assert asked["AccountId"] == ACCOUNT
        first = "NextToken" not in asked
        entries = budgets(others=3)["DescribeBudgets"]
        return entries | ({"NextToken": "more"} if first else {})

    done = ask("budgets", DescribeBudgets=page)
    assert told(done) == [
        ("ok", "the account has 6 budgets beside this cluster's 1; AWS takes 20000")
    ]


def test_one_budget_is_no_budgets(ask):
    done = ask("budgets", **budgets(others=1))
    assert "the account has 1 budget beside this cluster's 1" in done.results[0].message


def test_an_account_that_never_had_a_budget(ask):
    done = ask("budgets", DescribeBudgets=Refusal("NotFoundException"))
    assert told(done)[0][0] == "ok"


def test_a_budget_of_the_stack_that_somebody_deleted(ask):
    done = ask("budgets", **DEPLOYED, **budgets())
    assert [status for status, _ in told(done)] == ["warning", "ok"]
    assert "has made budget pretrain-Cost-BudgetAlarm-1ABCDEFGHIJKL, and it is gone" in (
        done.results[0].message
    )
    assert done.results[0].command == (
        "aws cloudformation delete-stack --region us-east-2 --stack-name pretrain-Cost"
    )


@pytest.mark.parametrize(
    "stack",
    [
        {},
        {"DescribeStacks": stack_of_others, "ListStackResources": made(OWN_BUDGET)},
        {
            "DescribeStacks": own_stack,
            "ListStackResources": made(OWN_BUDGET, status="DELETE_COMPLETE"),
        },
        {
            "DescribeStacks": own_stack,
            "ListStackResources": made(("BudgetAlarmC846D4BF", "AWS::Budgets::Budget", None)),
        },
    ],
    ids=["no stack", "stack of another cluster", "deleted", "not made yet"],
)
def test_a_budget_over_the_cluster_s_tag_that_is_not_of_its_stack(stack, ask):
    done = ask("budgets", **stack, **budgets(BUDGET))
    assert [status for status, _ in told(done)] == ["warning", "ok"]
    assert "is not of its stack: alerts come twice" in done.results[0].message
    assert done.results[0].command == (
        "aws budgets delete-budget --account-id $(aws sts get-caller-identity --query Account "
        f"--output text) --budget-name {shlex.quote(BUDGET['BudgetName'])}"
    )
    assert "describe-budgets" in done.results[0].look


def test_a_budget_s_name_with_somebody_s_account_is_told_to_nobody(ask):
    named = BUDGET | {"BudgetName": "of arn:aws:iam::123456789012:role/secret"}
    (result, _) = ask("budgets", **budgets(named)).results
    assert result.command is None
    assert "secret" not in f"{result.message} {result.look}"


@pytest.mark.parametrize(
    "filters",
    [{}, {"TagKeyValue": ["user:trnkit-cluster$other"]}, {"Service": ["Amazon FSx"]}],
)
def test_budgets_of_others_are_nobody_s_business(filters, ask):
    done = ask("budgets", **budgets(BUDGET | {"CostFilters": filters}))
    assert [status for status, _ in told(done)] == ["ok"]


@pytest.mark.parametrize(
    ("organization", "status"),
    [(MEMBER, "fail"), (ALONE, "ok"), ({}, "ok")],
    ids=["member", "alone", "management account"],
)
def test_a_budget_over_other_accounts(organization, status, ask):
    cluster = with_budget(further_budgets=[ACCOUNTS])
    done = ask("budgets", cluster, **organization)
    assert [s for s, _ in told(done)] == ["ok", status]
    assert done.results[1].path == ("budget", "further_budgets", 0, "linked_accounts")
    assert "123456789012" not in done.results[1].message


def test_a_budget_over_the_account_itself_counts_no_other(ask):
    alone = ACCOUNTS | {"linked_accounts": [ACCOUNT]}
    done = ask("budgets", with_budget(further_budgets=[alone]), **MEMBER)
    assert [result.status for result in done.results] == ["ok"]


def test_budgets_that_are_not_told_hide_no_filter_that_aws_refuses(ask):
    cluster = with_budget(further_budgets=[ACCOUNTS])
    done = ask("budgets", cluster, DescribeBudgets=DENIED, **MEMBER)
    assert [result.status for result in done.results] == ["unknown", "fail"]


def test_a_monitor_that_a_member_account_cannot_make_costs_no_question(ask):
    done = ask("anomaly-monitor", anomalies(), GetAnomalyMonitors=DENIED, **MEMBER)
    assert [result.status for result in done.results] == ["fail"]
    assert "GetAnomalyMonitors" not in {name for _, name, _ in ask.sessions[0].asked}


def test_a_monitor_is_not_said_to_be_possible_where_nobody_knows_who_pays(ask):
    done = ask("anomaly-monitor", anomalies(), DescribeOrganization=DENIED, **monitors())
    assert [result.status for result in done.results] == ["unknown"]
    twice = monitors(TAG_MONITOR)
    done = ask("anomaly-monitor", anomalies(), DescribeOrganization=DENIED, **twice)
    assert [result.status for result in done.results] == ["unknown", "warning"]


def test_who_pays_is_not_asked_without_need(ask):
    ask("budgets")
    assert "DescribeOrganization" not in {name for _, name, _ in ask.sessions[0].asked}


def test_names_that_hold_an_account_id_are_told_without_it(ask):
    name = f"budget-of-{ACCOUNT}"
    done = ask("budgets", **budgets(BUDGET | {"BudgetName": name}))
    assert "budget-of-(an account)" in done.results[0].message


def anomalies(**keys):
    return with_budget(anomaly_detection={"threshold_usd": 100.0} | keys)


def monitors(*entries):
    return {"GetAnomalyMonitors": {"AnomalyMonitors": list(entries)}}


@pytest.mark.parametrize(
    ("keys", "account", "status", "words"),
    [
        ({"monitor": "services"}, monitors(SERVICES), "fail", "Default-Services-Monitor"),
        ({"monitor": "services"}, monitors(TAG_MONITOR), "ok", "there is none yet"),
        (
            {"monitor": "services"},
            monitors(SERVICES | {"MonitorDimension": "LINKED_ACCOUNT"}),
            "ok",
            "none yet",
        ),
        (
            {"monitor": "services"},
            DEPLOYED | monitors(SERVICES | {"MonitorArn": ARN}),
            "ok",
            "this cluster's own",
        ),
        ({"monitor": "services"}, DEPLOYED | monitors(TAG_MONITOR), "ok", "there is none yet"),
        (
            {"monitor": "services"},
            DEPLOYED | monitors(SERVICES),
            "fail",
            "a monitor over its AWS services already",
        ),
        ({}, monitors(), "ok", "can be made here"),
        ({}, monitors() | ALONE, "ok", "can be made here"),
        ({}, monitors() | MEMBER, "fail", "is not its organization's management account"),
        ({}, monitors(TAG_MONITOR), "warning", "watches this cluster's tag as well"),
        ({}, DEPLOYED | monitors(TAG_MONITOR), "ok", "can be made here"),
        (
            {},
            monitors(
                TAG_MONITOR | {"MonitorSpecification": {"Tags": {"Key": "team", "Values": ["x"]}}}
            ),
            "ok",
            "can be made here",
        ),
        (
            {"monitor": "existing", "monitor_arn": ARN},
            monitors(TAG_MONITOR),
            "ok",
            "monitor trnkit-cluster=pretrain exists",
        ),
        (
            {"monitor": "existing", "monitor_arn": ARN},
            monitors(SERVICES),
            "fail",
            "no anomaly monitor of that ARN",
        ),
    ],
)
def test_the_anomaly_monitor(keys, account, status, words, ask):
    done = ask("anomaly-monitor", anomalies(**keys), **account)
    assert [s for s, _ in told(done)] == [status]
    assert words in done.results[0].message
    assert "123456789012" not in str(done.results)
    if status == "fail":
        assert done.results[0].look.startswith("aws ce get-anomaly-monitors")


@pytest.mark.parametrize(("others", "status"), [(499, "ok"), (500, "fail")])
def test_the_number_of_monitors_over_tags(others, status, ask):
    other = TAG_MONITOR | {"MonitorSpecification": {"Tags": {"Key": "team", "Values": ["x"]}}}
    entries = [other | {"MonitorArn": f"{ARN}{n}"} for n in range(others)]
    done = ask("anomaly-monitor", anomalies(), **DEPLOYED, **monitors(TAG_MONITOR, *entries))
    assert done.status == status


def test_every_page_of_monitors_is_read(ask):
    def page(asked, region):
        if "NextPageToken" not in asked:
            return {"AnomalyMonitors": [TAG_MONITOR], "NextPageToken": "more"}
        return {"AnomalyMonitors": [SERVICES]}

    done = ask("anomaly-monitor", anomalies(monitor="services"), GetAnomalyMonitors=page)
    assert done.status == "fail"


@pytest.mark.parametrize("name", ["anomaly-monitor", "cost-tag", "subscriptions"])
def test_what_the_file_does_not_ask_for_costs_no_question(name, ask):
    done = ask(name, with_budget(scope="account"))
    assert told(done) == [("ok", "the file asks for nothing of it")]
    assert ask.sessions[0].asked == []


def test_an_existing_monitor_asks_of_nothing_else(ask):
    ask("anomaly-monitor", anomalies(monitor="existing", monitor_arn=ARN))
    assert [name for _, name, _ in ask.sessions[0].asked] == ["GetAnomalyMonitors"]


TEAM = {"name": "team", "limit_usd": 9.0, "scope": "tag", "tag": {"key": "team", "value": "ml"}}


def test_an_inactive_tag_and_one_that_billing_has_not_seen(ask):
    answer = tags(**{"trnkit-cluster": "Inactive"})

    def seen(asked, region):
        assert asked["TagKeys"] == ["team", "trnkit-cluster"]
        found = answer(asked, region)["CostAllocationTags"]
        return {"CostAllocationTags": [e for e in found if e["TagKey"] == "trnkit-cluster"]}

    done = ask("cost-tag", with_budget(further_budgets=[TEAM]), ListCostAllocationTags=seen)
    assert told(done) == [
        ("warning", "tag trnkit-cluster is inactive in billing: what counts it stays at zero"),
        ("warning", "billing does not know tag team yet: what counts it stays at zero"),
    ]
    assert [result.path for result in done.results] == [
        ("budget", "scope"),
        ("budget", "further_budgets", 0, "scope"),
    ]
    assert done.results[0].command == (
        "aws ce update-cost-allocation-tags-status --cost-allocation-tags-status "
        "TagKey=trnkit-cluster,Status=Active"
    )
    assert len(ask.sessions[0].asked) == 1


@pytest.mark.parametrize(
    ("keys", "path"),
    [
        ({}, ("budget", "scope")),
        (
            {"scope": "account", "anomaly_detection": {"threshold_usd": 9.0}},
            ("budget", "anomaly_detection", "monitor"),
        ),
    ],
)
def test_an_active_tag_is_asked_for_where_something_counts_or_watches_it(keys, path, ask):
    done = ask("cost-tag", with_budget(**keys))
    assert told(done) == [("ok", "tag trnkit-cluster is active in billing")]
    assert done.results[0].path == path


def test_a_member_account_does_not_learn_it_and_says_who_does(ask):
    words = "Failed to list Cost Allocation Tags: Linked account doesn't have access to cost "
    refusal = Refusal("AccessDeniedException", f"{words}allocation tags.")
    done = ask("cost-tag", ListCostAllocationTags=refusal)
    (result,) = done.results
    assert result.status == "unknown"
    assert "management account alone" in result.message
    assert "--skip cost-tag" in result.remedy
    assert "iam-policy" not in result.remedy
    assert result.command.endswith("TagKey=trnkit-cluster,Status=Active")


def test_cost_explorer_that_is_off_is_unknown_with_the_step_that_is_missing(ask):
    refusal = Refusal("AccessDeniedException", "User not enabled for cost explorer access")
    (result,) = ask("cost-tag", ListCostAllocationTags=refusal).results
    assert result.status == "unknown"
    assert "switch on Cost Explorer" in result.remedy


def test_too_many_questions_are_throttled_and_no_quota(ask):
    (result,) = ask("cost-tag", ListCostAllocationTags=Refusal("LimitExceededException")).results
    assert result.status == "unknown"
    assert "was throttled" in result.message


def test_a_cluster_where_budgets_are_missing_asks_the_region_of_its_cost_stack(ask):
    cluster = make_cluster(region="ap-south-2", network={})
    ask("budgets", cluster, **budgets())
    stacks = {region for _, name, region in ask.sessions[0].asked if name == "DescribeStacks"}
    assert stacks == {"us-east-1"}
