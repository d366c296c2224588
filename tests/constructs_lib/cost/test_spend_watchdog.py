"""SpendWatchdog: what it makes, how soon people hear, what it refuses."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest
from aws_cdk import Acknowledgment, App, Aws, RemovalPolicy, Token, Validations
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns

from constructs_lib.cost import SpendWatchdog
from constructs_lib.cost.alert_topic import create_alert_topic
from constructs_lib.cost.guard_function import FOLDER
from constructs_lib.policy.nag_acknowledgements import GUARD_REASONS
from tests.constructs_lib.cost.watchdog.account import watch
from trnkit.errors import ConstructError
from trnkit.layout.spend_guard import SPEND_METRICS, GuardedGroup, NodeRate, WatchdogPlan

GROUP = GuardedGroup(
    name="train",
    instance_type="trn1.32xlarge",
    purchase="on-demand",
    count=4,
    capacity_reservation_id="cr-0123456789abcdef0",
    block_start=None,
    block_scale_in=None,
)
RATE = NodeRate(instance_type="trn1.32xlarge", purchase="on-demand", usd_per_hour=21.5)
PLAN = WatchdogPlan(
    cluster="pretrain",
    poll_minutes=5,
    month_limit_usd=50_000,
    alert_percent=(50, 99.5),
    spend_rate_usd_per_hour=100,
    fixed_usd_per_hour=1.5,
    rates=(RATE, NodeRate(instance_type="trn2.48xlarge", purchase="spot", usd_per_hour=None)),
    groups=(GROUP,),
    unused_block_minutes=30,
    idle_alert_minutes=60,
    idle_below_percent=1,
    node_metrics_namespace="trnkit",
    namespace="trnkit/spend",
)

LATER = Aws.STACK_NAME
LATER_NUMBER = Token.as_number({"Ref": "Limit"})


def plan(**changes):
    return dataclasses.replace(PLAN, **changes)


@pytest.fixture
def make(stack):
    topic, key = create_alert_topic(stack, None)

    def watchdog(given=PLAN, **options):
        options = {"topic": topic, "key": key} | options
        return SpendWatchdog(stack, "SpendWatchdog", plan=given, **options)

    return watchdog


@pytest.fixture
def only(resources):
    def properties(kind):
        (created,) = resources(kind).values()
        return created["Properties"]

    return properties


@pytest.fixture
def alarms(resources):
    def by_metric():
        found = {}
        for alarm in resources("AWS::CloudWatch::Alarm").values():
            found.setdefault(alarm["Properties"]["MetricName"], []).append(alarm["Properties"])
        return found

    return by_metric


def test_the_function_is_small_and_reserves_nothing(make, only):
    make()
    function = only("AWS::Lambda::Function")
    assert function["Runtime"] == "python3.13"
    assert function["Architectures"] == ["arm64"]
    assert function["Timeout"] == 120
    assert "ReservedConcurrentExecutions" not in function
    assert "Layers" not in function
    assert "VpcConfig" not in function


def test_the_handler_is_where_the_template_says(make, only):
    make()
    module, _, name = only("AWS::Lambda::Function")["Handler"].rpartition(".")
    assert (FOLDER / f"{module.replace('.', '/')}.py").is_file()
    assert watch.__name__ == module
    assert callable(getattr(watch, name))


def test_the_function_reads_the_settings_that_it_is_given(make, only):
    make()
    variables = only("AWS::Lambda::Function")["Environment"]["Variables"]
    told = watch.Settings.from_json(variables["TRNKIT_SETTINGS"])
    assert told.cluster == "pretrain"
    assert told.poll_minutes == 5
    assert {key: rate and float(rate) for key, rate in told.rates.items()} == {
        ("trn1.32xlarge", "on-demand"): 21.5,
        ("trn2.48xlarge", "spot"): None,
    }
    assert [(g.name, g.capacity_reservation_id) for g in told.groups] == [
        ("train", "cr-0123456789abcdef0")
    ]
    assert (told.namespace, told.node_metrics_namespace) == ("trnkit/spend", "trnkit")


def test_forty_groups_fit(make, only):
    groups = tuple(dataclasses.replace(GROUP, name=f"group-{n:02}") for n in range(40))
    make(plan(groups=groups))
    variables = only("AWS::Lambda::Function")["Environment"]["Variables"]
    told = watch.Settings.from_json(variables["TRNKIT_SETTINGS"])
    assert [group.name for group in told.groups] == [group.name for group in groups]


def test_settings_that_are_too_long_are_refused(make):
    rates = tuple(
        NodeRate(instance_type=f"trn9.{n}xlarge", purchase="on-demand", usd_per_hour=1)
        for n in range(60)
    )
    with pytest.raises(ConstructError, match=r"at most 3500 bytes as JSON .* got \d+"):
        make(plan(rates=rates))


def test_metrics_are_called_as_the_plan_says():
    names = {watch.RATE, watch.MONTH, watch.INSTANCES, watch.UNPRICED, watch.UNUSED, watch.IDLE}
    assert names | {watch.BEAT} == set(SPEND_METRICS.values())


def test_the_log_has_retention_and_is_the_functions_own(make, resources, only):
    make(log_retention_days=14)
    ((name, group),) = resources("AWS::Logs::LogGroup").items()
    assert group["Properties"] == {"RetentionInDays": 14}
    assert only("AWS::Lambda::Function")["LoggingConfig"] == {"LogGroup": {"Ref": name}}


@pytest.mark.parametrize(
    ("policy", "on_delete"),
    [(None, "RetainExceptOnCreate"), (RemovalPolicy.DESTROY, "Delete")],
)
def test_the_ledger_is_kept_unless_it_is_to_go(make, resources, policy, on_delete):
    make(**({"removal_policy": policy} if policy else {}))
    ((_, table),) = resources("AWS::DynamoDB::Table").items()
    assert table["DeletionPolicy"] == on_delete
    properties = table["Properties"]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["TimeToLiveSpecification"] == {"AttributeName": "expires", "Enabled": True}


@pytest.mark.parametrize(("poll", "rate"), [(1, "rate(1 minute)"), (5, "rate(5 minutes)")])
def test_it_polls_as_often_as_it_is_told_and_hears_of_ends(make, resources, poll, rate):
    make(plan(poll_minutes=poll))
    rules = [rule["Properties"] for rule in resources("AWS::Events::Rule").values()]
    schedule, ends = sorted(rules, key=lambda rule: "EventPattern" in rule)
    assert schedule["ScheduleExpression"] == rate
    assert schedule["Targets"][0]["RetryPolicy"] == {"MaximumEventAgeInSeconds": poll * 60}
    assert ends["EventPattern"]["source"] == ["aws.ec2"]
    assert set(ends["EventPattern"]["detail"]["state"]) == watch.ENDS
    for rule in rules:
        assert "DeadLetterConfig" in rule["Targets"][0]


def test_what_cannot_be_handled_goes_to_a_queue_that_takes_tls_only(make, resources, only):
    make()
    ((name, queue),) = resources("AWS::SQS::Queue").items()
    assert queue["Properties"]["SqsManagedSseEnabled"] is True
    statements = only("AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    denied = [one for one in statements if one["Effect"] == "Deny"]
    assert denied[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    allowed = [one for one in statements if one["Effect"] == "Allow"]
    assert {one["Principal"]["Service"] for one in allowed} == {"events.amazonaws.com"}
    assert all("aws:SourceArn" in one["Condition"]["ArnEquals"] for one in allowed)
    letters = only("AWS::Lambda::Function")["DeadLetterConfig"]
    assert letters == {"TargetArn": {"Fn::GetAtt": [name, "Arn"]}}
    assert not resources("AWS::Lambda::EventInvokeConfig"), "two retries are Lambda's own"


def test_alarms_and_their_numbers(make, alarms):
    make()
    found = {
        name: sorted((a["Threshold"], a["ComparisonOperator"], a["TreatMissingData"]) for a in some)
        for name, some in alarms().items()
    }
    above, reached = "GreaterThanThreshold", "GreaterThanOrEqualToThreshold"
    assert found == {
        "spend_rate_usd_per_hour": [(100, above, "ignore")],
        "month_to_date_usd": [(25_000, reached, "ignore"), (49_750, reached, "ignore")],
        "unpriced_instances": [(1, reached, "ignore")],
        "unused_reserved_instances": [(1, reached, "ignore")],
        "idle_instances_share": [(1, reached, "notBreaching")],
        "watchdog_beats": [(1, "LessThanThreshold", "breaching")],
        "NumberOfMessagesSent": [(0, above, "notBreaching")],
    }


def test_every_alarm_tells_the_topic_and_waits_for_its_policy(make, resources):
    make()
    (topic,) = resources("AWS::SNS::Topic")
    (policy,) = resources("AWS::SNS::TopicPolicy")
    for alarm in resources("AWS::CloudWatch::Alarm").values():
        assert alarm["Properties"]["AlarmActions"] == [{"Ref": topic}]
        assert policy in alarm["DependsOn"]
        assert "pretrain" in alarm["Properties"]["AlarmDescription"]


def test_alarms_look_at_the_cluster_and_at_the_group(make, alarms):
    make()
    found = alarms()
    cluster = {"Name": "ClusterName", "Value": "pretrain"}
    assert found["spend_rate_usd_per_hour"][0]["Dimensions"] == [cluster]
    assert found["spend_rate_usd_per_hour"][0]["Namespace"] == "trnkit/spend"
    group = {"Name": "NodeGroup", "Value": "train"}
    assert found["idle_instances_share"][0]["Dimensions"] == [cluster, group]
    assert found["NumberOfMessagesSent"][0]["Namespace"] == "AWS/SQS"


@pytest.mark.parametrize("poll", [1, 5, 15])
def test_people_hear_within_the_stated_minutes(make, alarms, only, resources, poll):
    """Poll, a minute of the schedule, the function, two of the metric, one look at the alarm."""
    watchdog = make(plan(poll_minutes=poll))
    (rate,) = alarms()["spend_rate_usd_per_hour"]
    assert (rate["Period"], rate["EvaluationPeriods"], rate["DatapointsToAlarm"]) == (60, 1, 1)
    timeout = only("AWS::Lambda::Function")["Timeout"]
    worst = poll + 1 + timeout / 60 + 2 + rate["Period"] / 60
    assert watchdog.hears_within_minutes == worst == poll + 6


@pytest.mark.parametrize(
    ("poll", "minutes", "period", "periods"),
    [(5, 30, 300, 6), (5, 31, 300, 7), (15, 10, 900, 1), (1, 60, 60, 60), (7, 1440, 420, 205)],
)
def test_alarms_on_time_have_a_period_for_each_poll(make, alarms, poll, minutes, period, periods):
    make(plan(poll_minutes=poll, unused_block_minutes=minutes, idle_alert_minutes=max(minutes, 10)))
    (unused,) = alarms()["unused_reserved_instances"]
    assert (unused["Period"], unused["EvaluationPeriods"]) == (period, periods)
    assert unused["Statistic"] == "Minimum"
    assert period * periods <= 86_400, "an alarm looks back a day at most"
    (silent,) = alarms()["watchdog_beats"]
    assert (silent["Period"], silent["EvaluationPeriods"]) == (period, 3)


def test_alarms_that_are_not_asked_for_are_not_made(make, alarms):
    make(
        plan(
            spend_rate_usd_per_hour=None,
            alert_percent=(),
            idle_alert_minutes=None,
            node_metrics_namespace=None,
        )
    )
    assert sorted(alarms()) == [
        "NumberOfMessagesSent",
        "unpriced_instances",
        "unused_reserved_instances",
        "watchdog_beats",
    ]


def test_the_topic_and_its_key_let_alarms_of_this_account_in(make, only):
    make()
    (statement,) = (
        one
        for one in only("AWS::SNS::TopicPolicy")["PolicyDocument"]["Statement"]
        if one["Effect"] == "Allow"
    )
    assert statement["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    account = {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    arn = ["", ["arn:aws:cloudwatch:us-east-2:", {"Ref": "AWS::AccountId"}, ":alarm:*"]]
    assert statement["Condition"] == {
        **account,
        "ArnLike": {"aws:SourceArn": {"Fn::Join": arn}},
    }
    key = only("AWS::KMS::Key")["KeyPolicy"]["Statement"][-1]
    assert key["Principal"] == {"Service": "cloudwatch.amazonaws.com"}
    assert key["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert key["Condition"] == account


def test_a_topic_from_elsewhere_in_the_region_is_taken_as_it_is(stack, make, resources):
    arn = "arn:aws:sns:us-east-2:111122223333:alerts"
    make(topic=sns.Topic.from_topic_arn(stack, "Theirs", arn), key=None)
    for alarm in resources("AWS::CloudWatch::Alarm").values():
        assert alarm["Properties"]["AlarmActions"] == [arn]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"poll_minutes": 0}, "plan.poll_minutes must be 1 to 15, got 0"),
        ({"poll_minutes": 2.5}, "plan.poll_minutes must be a whole number"),
        ({"month_limit_usd": 0}, "plan.month_limit_usd must be more than 0"),
        ({"fixed_usd_per_hour": -1}, "plan.fixed_usd_per_hour must be 0 or more"),
        ({"fixed_usd_per_hour": float("nan")}, "plan.fixed_usd_per_hour must be a number"),
        ({"spend_rate_usd_per_hour": 0}, "plan.spend_rate_usd_per_hour must be more than 0"),
        ({"alert_percent": (50, 50)}, "plan.alert_percent must not have an entry twice"),
        ({"alert_percent": (0,)}, "each of plan.alert_percent must be more than 0"),
        ({"unused_block_minutes": 0}, "plan.unused_block_minutes must be 1 to 1440"),
        ({"idle_alert_minutes": 5}, "plan.idle_alert_minutes must be 10 to 1440"),
        ({"idle_below_percent": 101}, "plan.idle_below_percent must be 0 to 100"),
        ({"groups": (GROUP, GROUP)}, "plan.groups must not have a name twice"),
        ({"namespace": "AWS/EC2"}, "namespace must not begin with AWS/"),
        ({"cluster": ""}, "plan.cluster"),
        ({"rates": (dataclasses.replace(RATE, usd_per_hour=-1),)}, "usd_per_hour of each rate"),
        ({"node_metrics_namespace": None}, "plan.idle_alert_minutes needs"),
        ({"groups": None}, "plan.groups must be a list, got None"),
        ({"groups": "train"}, "plan.groups must be a list, got 'train'"),
        ({"groups": ({"name": "train"},)}, "each of plan.groups must be a GuardedGroup"),
        ({"groups": (dataclasses.replace(GROUP, name=None),)}, "name of each group must be text"),
        ({"groups": (dataclasses.replace(GROUP, name=LATER),)}, "name of each group must be known"),
        ({"groups": (dataclasses.replace(GROUP, purchase="free"),)}, "purchase of group train"),
        ({"groups": (dataclasses.replace(GROUP, driver="k8s"),)}, "driver of group train"),
        ({"rates": None}, "plan.rates must be a list"),
        ({"rates": (21.5,)}, "each of plan.rates must be a NodeRate, got 21.5"),
        ({"rates": (dataclasses.replace(RATE, usd_per_hour="21"),)}, "usd_per_hour of each rate"),
        ({"alert_percent": None}, "plan.alert_percent must be a list"),
        ({"alert_percent": 50}, "plan.alert_percent must be a list"),
        ({"alert_percent": ("50",)}, "each of plan.alert_percent must be a number"),
        ({"alert_percent": (math.nan,)}, "each of plan.alert_percent must be a number"),
        ({"alert_percent": (50, 50.0)}, "plan.alert_percent must not have an entry twice"),
        ({"alert_percent": (50, 50.0000001)}, "plan.alert_percent must not have an entry twice"),
        ({"month_limit_usd": None}, "plan.month_limit_usd must be a number"),
        ({"month_limit_usd": math.inf}, "plan.month_limit_usd must be a number"),
        ({"month_limit_usd": LATER_NUMBER}, "plan.month_limit_usd must be known now"),
        ({"alert_percent": (LATER_NUMBER,)}, "plan.alert_percent must be known now"),
        ({"month_limit_usd": LATER}, "plan.month_limit_usd must be known now"),
        ({"month_limit_usd": 10**400}, "plan.month_limit_usd must be a number"),
        ({"poll_minutes": 10**400}, "plan.poll_minutes must be 1 to 15"),
        ({"groups": 10**400}, "plan.groups must be a list"),
        ({"poll_minutes": True}, "plan.poll_minutes must be a whole number"),
        ({"poll_minutes": LATER_NUMBER}, "plan.poll_minutes must be known now"),
        ({"node_metrics_namespace": 5}, "plan.node_metrics_namespace must be text"),
        ({"namespace": None}, "namespace must be text"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_refused(stack, make, changes, says):
    with pytest.raises(ConstructError, match=says.replace(".", r"\.")):
        make(plan(**changes))


def test_an_alert_below_a_cent_is_no_alert_at_zero(make, alarms):
    """At zero it would be on from the first minute of every month."""
    make(plan(month_limit_usd=0.01, alert_percent=(0.1, 10)))
    thresholds = [alarm["Threshold"] for alarm in alarms()["month_to_date_usd"]]
    assert sorted(thresholds) == [0.00001, 0.001]


def test_other_arguments_that_are_refused(stack, make):
    with pytest.raises(ConstructError, match="plan must be a WatchdogPlan"):
        make({"cluster": "pretrain"})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"log_retention_days": 2}, "log_retention_days must be"),
        ({"topic": None}, "topic must be a resource of the CDK, got None"),
        ({"removal_policy": RemovalPolicy.SNAPSHOT}, "removal_policy must be"),
    ],
)
def test_options_that_are_refused(make, options, says):
    with pytest.raises(ConstructError, match=says):
        make(**options)


@pytest.mark.parametrize("name", ["topic", "key"])
def test_a_topic_or_key_of_another_region_is_refused(stack, make, name):
    arn = "arn:aws:{}:us-east-1:111122223333:{}"
    far = {
        "topic": sns.Topic.from_topic_arn(stack, "FarTopic", arn.format("sns", "alerts")),
        "key": kms.Key.from_key_arn(stack, "FarKey", arn.format("kms", "key/1")),
    }
    with pytest.raises(ConstructError, match=f"{name} must be in us-east-2"):
        make(**{name: far[name]})


def test_the_asset_is_the_package_alone_and_its_name_follows_its_contents(make, stack, only):
    make()
    key = only("AWS::Lambda::Function")["Code"]["S3Key"]
    (staged,) = (path for path in _staged(stack) if key[:64] in path.name)
    files = {path.name for path in staged.rglob("*") if path.is_file()}
    assert {"watch.py", "ledger.py", "__init__.py"} <= files
    assert all(name.endswith(".py") for name in files)


def _staged(stack):
    app: App = stack.node.root
    app.synth()
    return Path(app.outdir).glob("asset.*")


def test_cdk_nag_finds_nothing_unacknowledged(stack, make):
    from cdk_nag import AwsSolutionsChecks

    watchdog = make()
    for rule in ("AwsSolutions-IAM5[Resource::*]", "AwsSolutions-L1"):
        known = Acknowledgment(id=f"AwsSolutions::{rule}", reason=GUARD_REASONS[rule])
        Validations.of(watchdog).acknowledge(known)
    app: App = stack.node.root
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    app.synth()
    report = json.loads((Path(app.outdir) / "validation-report.json").read_text())
    (nag,) = (one for one in report["pluginReports"] if one["pluginName"] == "AwsSolutions")
    assert nag["conclusion"] == "success"
