"""SpendEnforcer: a function that is run, told, watched, and can be found."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from aws_cdk import Token
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from constructs_lib.cost import SpendEnforcer
from tests.constructs_lib.cost.enforcer.plans import PLAN, WATCHDOG, group
from trnkit.errors import ConstructError


@pytest.fixture
def make(stack):
    def enforcer(watchdog=WATCHDOG, key=None, **plan):
        table = dynamodb.Table.from_table_name(stack, "Ledger", "ledger")
        topic = sns.Topic(stack, "Alerts")
        return SpendEnforcer(
            stack,
            "SpendEnforcer",
            watchdog=watchdog,
            plan=replace(PLAN, **plan),
            table=table,
            topic=topic,
            key=key,
        )

    return enforcer


def only(found):
    (one,) = found.values()
    return one["Properties"]


def test_the_function_reads_its_own_plan_back(make, resources):
    from spend_guard.enforcement_plan import Plan

    make()
    function = only(resources("AWS::Lambda::Function"))
    assert (function["Handler"], function["Runtime"]) == (
        "spend_guard.enforce.handler",
        "python3.13",
    )
    variables = function["Environment"]["Variables"]
    assert set(variables) == {"TRNKIT_SETTINGS", "TRNKIT_TABLE", "TRNKIT_TOPIC"}
    plan = Plan.read(variables["TRNKIT_SETTINGS"])
    assert plan.groups_of("spend") == ("train", "tune")
    assert (plan.mode, plan.at_usd, plan.grace_minutes) == ("automatic", 1000.0, 60)
    assert plan.at_spend_rate_usd_per_hour is None


def test_a_plan_with_other_drivers_is_read_back_too(make, resources):
    from spend_guard.enforcement_plan import Plan

    groups = (group("train", driver="eks", resource="kube/train"),)
    make(replace(WATCHDOG, groups=groups), protected_node_groups=(), idle_protected_node_groups=())
    settings = only(resources("AWS::Lambda::Function"))["Environment"]["Variables"]
    (read,) = Plan.read(settings["TRNKIT_SETTINGS"]).groups
    assert (read.driver, read.resource) == ("eks", "kube/train")


def test_a_lease_outlasts_a_run_and_people_wait_for_one(make, resources):
    """Else two runs could act at once, and the command line would give up before the answer."""
    from spend_guard.enforcement_store import LEASE_SECONDS

    from trnkit.aws.session import AwsSession

    make()
    waits = AwsSession().client("lambda", "us-east-2").meta.config.read_timeout
    timeout = only(resources("AWS::Lambda::Function"))["Timeout"]
    assert timeout < LEASE_SECONDS
    assert timeout < waits


def test_its_logical_id_is_the_one_that_the_command_line_looks_for(make, resources):
    make()
    (logical_id,) = resources("AWS::Lambda::Function")
    assert logical_id.startswith("SpendEnforcer")


def test_it_polls_and_what_fails_is_kept_and_told(make, resources):
    make()
    rule = only(resources("AWS::Events::Rule"))
    assert rule["ScheduleExpression"] == "rate(5 minutes)"
    assert "DeadLetterConfig" in rule["Targets"][0]
    invoke = only(resources("AWS::Lambda::EventInvokeConfig"))
    assert invoke["MaximumRetryAttempts"] == 0
    alarms = [alarm["Properties"] for alarm in resources("AWS::CloudWatch::Alarm").values()]
    shown = ("EvaluationPeriods", "Threshold", "ComparisonOperator", "TreatMissingData")
    assert {alarm["MetricName"]: tuple(alarm[name] for name in shown) for alarm in alarms} == {
        "Errors": (2, 1, "GreaterThanOrEqualToThreshold", "notBreaching"),
        "NumberOfMessagesSent": (2, 1, "GreaterThanOrEqualToThreshold", "notBreaching"),
        "Invocations": (3, 1, "LessThanThreshold", "breaching"),
    }
    assert all(alarm["AlarmActions"] and alarm["Period"] == 300 for alarm in alarms)
    assert {alarm["Statistic"] for alarm in alarms} == {"Sum"}
    ((function, _),) = resources("AWS::Lambda::Function").items()
    ((queue, _),) = resources("AWS::SQS::Queue").items()
    named = {alarm["MetricName"]: alarm["Dimensions"] for alarm in alarms}
    of_function = [{"Name": "FunctionName", "Value": {"Ref": function}}]
    assert named["Errors"] == named["Invocations"] == of_function
    assert named["NumberOfMessagesSent"] == [
        {"Name": "QueueName", "Value": {"Fn::GetAtt": [queue, "QueueName"]}}
    ]


def test_a_dry_run_has_a_function_too(make, resources):
    make(mode="dry-run", idle_mode=None)
    settings = only(resources("AWS::Lambda::Function"))["Environment"]["Variables"]
    told = json.loads(settings["TRNKIT_SETTINGS"])
    assert (told["mode"], "idle_mode" in told) == ("dry-run", False)


def test_a_topics_key_may_be_used(make, resources, stack):
    make(key=kms.Key(stack, "Key"))
    policies = json.dumps(resources("AWS::IAM::Policy"))
    assert "kms:GenerateDataKey*" in policies


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        ({"mode": None, "idle_mode": None}, "with neither nothing is done"),
        ({"mode": "perhaps"}, "plan.mode must be dry-run, approval or automatic"),
        ({"protected_node_groups": ("sevre",)}, "got 'sevre'"),
        ({"idle_protected_node_groups": ("sevre",)}, "got 'sevre'"),
        ({"grace_minutes": -1}, "plan.grace_minutes must be"),
        ({"checkpoint_minutes": 121}, "plan.checkpoint_minutes must be"),
        ({"at_usd": 0}, "plan.at_usd must be more than 0"),
        ({"at_usd": math.nan}, "plan.at_usd must be a number"),
        ({"at_usd": "1000"}, "plan.at_usd must be a number"),
        ({"at_usd": Token.as_number({"Ref": "Limit"})}, "plan.at_usd must be known now"),
        ({"grace_minutes": None}, "plan.grace_minutes must be a whole number"),
        ({"protected_node_groups": None}, "plan.protected_node_groups must be a list"),
        ({"protected_node_groups": "train"}, "plan.protected_node_groups must be a list"),
        ({"idle_protected_node_groups": (1,)}, "plan.idle_protected_node_groups must be text"),
    ],
)
def test_a_plan_that_cannot_be_meant_is_refused(make, plan, message):
    with pytest.raises(ConstructError, match=message):
        make(**plan)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": None}, "watchdog.groups must be a list"),
        ({"groups": ("train",)}, "each of watchdog.groups must be a GuardedGroup"),
        ({"cluster": None}, "watchdog.cluster must be text"),
        ({"poll_minutes": 16}, "watchdog.poll_minutes must be 1 to 15"),
    ],
)
def test_what_is_watched_is_judged_too(make, changes, message):
    with pytest.raises(ConstructError, match=message):
        make(replace(WATCHDOG, **changes))


def test_a_driver_without_a_resource_is_refused(make):
    watchdog = replace(WATCHDOG, groups=(group("train", driver="pcs"), group("serve")))
    with pytest.raises(ConstructError, match="group train must have a resource, for pcs"):
        make(watchdog)


def test_forty_groups_fit_into_the_settings_with_short_names(make, resources):
    from spend_guard.enforcement_plan import Plan

    names = tuple(f"train-{n:02}" for n in range(40))
    groups = tuple(group(name) for name in names)
    make(replace(WATCHDOG, groups=groups), protected_node_groups=(), idle_protected_node_groups=())
    variables = only(resources("AWS::Lambda::Function"))["Environment"]["Variables"]
    assert Plan.read(variables["TRNKIT_SETTINGS"]).groups_of("spend") == names
