"""DrainSchedule and CapacityBlockEvents: who is told that a Capacity Block ends."""

from __future__ import annotations

import json
import shlex

import boto3
import botocore.session
import pytest
from aws_cdk import App, Environment, Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from botocore.validate import ParamValidator
from moto import mock_aws

from constructs_lib.compute import CapacityBlockEvents, DrainSchedule
from constructs_lib.cost import BudgetAlarm
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError
from trnkit.layout.draining import DRAIN_PROGRAM, DrainPlan

PLAN = DrainPlan("2027-03-08T10:35:00Z", "2027-03-08T10:50:00Z", "the Capacity Block ends")


@pytest.fixture
def schedule(stack, resources):
    def properties(plan=PLAN, **options):
        options = {"cluster_name": "block-week", "node_group": "train"} | options
        DrainSchedule(stack, "Drain", plan=plan, **options)
        (made,) = resources("AWS::Scheduler::Schedule").values()
        return made["Properties"]

    return properties


def asked(properties):
    return json.loads(properties["Target"]["Input"])


def test_cap_09_it_runs_once_at_the_moment_in_utc(schedule):
    made = schedule()
    assert made["ScheduleExpression"] == "at(2027-03-08T10:35:00)"
    assert made["ScheduleExpressionTimezone"] == "UTC"
    assert made["FlexibleTimeWindow"] == {"Mode": "OFF"}
    assert "Name" not in made
    assert "State" not in made


def test_the_target_is_systems_manager_itself(schedule):
    made = schedule()
    assert (
        made["Target"]["Arn"]
        == {
            "Fn::Join": [
                "",
                ["arn:", {"Ref": "AWS::Partition"}, ":scheduler:::aws-sdk:ssm:sendCommand"],
            ]
        }
        or made["Target"]["Arn"] == "arn:aws:scheduler:::aws-sdk:ssm:sendCommand"
    )
    request = asked(made)
    assert request["DocumentName"] == "AWS-RunShellScript"
    assert request["Targets"] == [
        {"Key": "tag:trnkit-cluster", "Values": ["block-week"]},
        {"Key": "tag:trnkit-node-group", "Values": ["train"]},
    ]
    # Run Command's own defaults would stop at the first failing node of sixty-four.
    assert (request["MaxConcurrency"], request["MaxErrors"]) == ("100%", "100%")
    assert request["TimeoutSeconds"] == 900
    assert request["Parameters"]["executionTimeout"] == ["900"]
    (command,) = request["Parameters"]["commands"]
    assert shlex.split(command) == [
        *(DRAIN_PROGRAM, "--deadline", "2027-03-08T10:50:00Z"),
        *("--reason", "the Capacity Block ends"),
    ]
    assert made["Target"]["RetryPolicy"] == {
        "MaximumEventAgeInSeconds": 900,
        "MaximumRetryAttempts": 185,
    }


def test_what_is_asked_is_what_the_api_takes(schedule):
    """Scheduler checks nothing of it before the moment has come."""
    shape = botocore.session.get_session().get_service_model("ssm").operation_model("SendCommand")
    report = ParamValidator().validate(asked(schedule()), shape.input_shape)
    assert report.generate_report() == ""


def test_of_all_instances_the_groups_own_are_told(schedule, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        ec2 = boto3.client("ec2", region_name="us-east-2")
        image = ec2.describe_images()["Images"][0]["ImageId"]

        def start(cluster, group):
            tags = {"trnkit-cluster": cluster, "trnkit-node-group": group}
            tagged = [{"Key": key, "Value": value} for key, value in tags.items()]
            (made,) = ec2.run_instances(
                ImageId=image,
                MinCount=1,
                MaxCount=1,
                TagSpecifications=[{"ResourceType": "instance", "Tags": tagged}],
            )["Instances"]
            return made["InstanceId"]

        nodes = {start("block-week", "train") for _ in range(2)}
        start("block-week", "serve")
        start("another", "train")
        ssm = boto3.client("ssm", region_name="us-east-2")
        told = ssm.send_command(**asked(schedule()))["Command"]["InstanceIds"]
    assert set(told) == nodes


def test_a_reason_ends_no_word_of_the_command(schedule):
    reason = "it's; rm -rf / $(reboot)"
    (command,) = asked(schedule(DrainPlan(PLAN.at, PLAN.deadline, reason)))["Parameters"][
        "commands"
    ]
    assert shlex.split(command)[-1] == reason


def test_the_role_may_run_one_document_on_nodes_with_both_tags_and_nothing_else(
    schedule, resources
):
    made = schedule()
    ((name, role),) = resources("AWS::IAM::Role").items()
    assert made["Target"]["RoleArn"] == {"Fn::GetAtt": [name, "Arn"]}
    (trust,) = role["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Principal"] == {"Service": "scheduler.amazonaws.com"}
    assert trust["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    (policy,) = role["Properties"]["Policies"]
    document, instances = policy["PolicyDocument"]["Statement"]
    assert {document["Action"], instances["Action"]} == {"ssm:SendCommand"}
    assert json.dumps(document["Resource"]).endswith(
        ':ssm:us-east-2::document/AWS-RunShellScript"'
    ) or ("::document/AWS-RunShellScript" in json.dumps(document["Resource"]))
    assert instances["Condition"] == {
        "StringEquals": {
            "aws:ResourceTag/trnkit-cluster": "block-week",
            "aws:ResourceTag/trnkit-node-group": "train",
        }
    }
    assert ":instance/*" in json.dumps(instances["Resource"])
    assert not resources("AWS::IAM::Policy")


def test_in_another_partition_arns_are_that_partitions():
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(app, "Test", env=Environment(region="us-gov-west-1"))
    DrainSchedule(stack, "Drain", cluster_name="c", node_group="g", plan=PLAN)
    text = json.dumps(app.synth().get_stack_by_name("Test").template)
    assert "arn:aws:" not in text


def test_more_than_a_day_is_more_than_scheduler_keeps_trying(schedule):
    made = schedule(DrainPlan("2027-03-06T10:50:00Z", "2027-03-08T10:50:00Z", "r"))
    assert made["Target"]["RetryPolicy"]["MaximumEventAgeInSeconds"] == 86_400


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (DrainPlan(PLAN.deadline, PLAN.at, "r"), "at least a minute before"),
        (DrainPlan(PLAN.at, PLAN.at, "r"), "at least a minute before"),
        (DrainPlan("2027-03-08T10:49:30Z", PLAN.deadline, "r"), "at least a minute before"),
        (DrainPlan("2027-03-08 10:35", PLAN.deadline, "r"), "must be in UTC"),
        (DrainPlan("2027-03-08T10:35:00+01:00", PLAN.deadline, "r"), "must be in UTC"),
        (DrainPlan(PLAN.at, PLAN.deadline, ""), "plan.reason"),
        (DrainPlan(PLAN.at, PLAN.deadline, "a\nb"), "plan.reason must not hold control characters"),
        (
            DrainPlan(PLAN.at, PLAN.deadline, "\033[31m"),
            "plan.reason must not hold control characters",
        ),
        (DrainPlan(PLAN.at, PLAN.deadline, "of {{ssm:why}}"), "plan.reason must have no {{"),
        ("2027-03-08T10:35:00Z", "plan must be a DrainPlan"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(schedule, plan, words):
    with pytest.raises(ConstructError, match=words):
        schedule(plan)


# Events of Capacity Blocks.

ID = "cr-0123456789abcdef0"


@pytest.fixture
def told(stack, resources):
    def rules(**options):
        options = {"topic": sns.Topic(stack, "Alerts"), "cluster_name": "block-week"} | options
        CapacityBlockEvents(stack, "Told", **options)
        return [rule["Properties"] for rule in resources("AWS::Events::Rule").values()]

    return rules


def test_a_block_is_told_when_it_begins_and_before_it_ends(told):
    (rule,) = told(capacity_reservation_ids=[ID])
    assert rule["EventPattern"]["source"] == ["aws.ec2"]
    assert set(rule["EventPattern"]["detail-type"]) == {
        "Capacity Block Delivered",
        "Capacity Block Expiration Warning",
        "Capacity Block Reservation Delivered",
        "Capacity Block Reservation Expiration Warning",
    }
    assert rule["EventPattern"]["detail"] == {"capacity-reservation-id": [ID]}
    assert "RoleArn" not in rule["Targets"][0], "with a role, encrypted topics get nothing"


def test_without_ids_every_block_of_the_region_is_told(told):
    (rule,) = told()
    assert "detail" not in rule["EventPattern"]


def test_the_message_is_one_that_chat_applications_show(told):
    (rule,) = told()
    transformer = rule["Targets"][0]["InputTransformer"]
    message = json.loads(transformer["InputTemplate"])
    assert (message["version"], message["source"]) == ("1.0", "custom")
    assert message["content"]["title"] == "<kind>: cluster block-week"
    used = {word.strip("<>.,") for word in message["content"]["description"].split() if "<" in word}
    assert used | {"kind"} == set(transformer["InputPathsMap"])


def test_single_instances_are_told_when_it_is_asked_for(told):
    _, rule = told(instance_interruptions=True)
    assert set(rule["EventPattern"]["detail-type"]) == {
        "EC2 Capacity Reservation Instance Interruption Warning",
        "EC2 Spot Instance Interruption Warning",
    }


def test_eventbridge_may_publish_and_use_the_key_without_a_condition(stack, resources):
    """Of EventBridge and encrypted topics SNS's guide says that conditions on a source fail."""
    key = kms.Key(stack, "Key")
    topic = sns.Topic(stack, "Alerts", master_key=key)
    CapacityBlockEvents(stack, "Told", topic=topic, key=key, cluster_name="c")
    (policy,) = resources("AWS::SNS::TopicPolicy").values()
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert "Condition" not in statement
    (made,) = resources("AWS::KMS::Key").values()
    statement = made["Properties"]["KeyPolicy"]["Statement"][-1]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert set(statement["Action"]) == {"kms:GenerateDataKey*", "kms:Decrypt"}
    assert "Condition" not in statement


def test_budgets_keep_their_conditions_beside_it(stack, resources):
    alarm = BudgetAlarm(stack, "Alarm", limit_usd=1, emails=["ml-platform@example.com"])
    CapacityBlockEvents(stack, "Told", topic=alarm.topic, key=alarm.key, cluster_name="c")
    (policy,) = resources("AWS::SNS::TopicPolicy").values()
    by_service = {
        statement["Principal"]["Service"]: statement
        for statement in policy["Properties"]["PolicyDocument"]["Statement"]
        if "Service" in statement["Principal"]
    }
    assert "aws:SourceAccount" in json.dumps(by_service["budgets.amazonaws.com"]["Condition"])
    assert "Condition" not in by_service["events.amazonaws.com"]


def test_the_rule_waits_for_the_topics_policy(stack, resources):
    topic = sns.Topic(stack, "Alerts")
    CapacityBlockEvents(stack, "Told", topic=topic, cluster_name="c")
    (rule,) = resources("AWS::Events::Rule").values()
    (policy,) = resources("AWS::SNS::TopicPolicy")
    assert policy in rule["DependsOn"]


def test_a_topic_of_another_region_is_refused(stack):
    topic = sns.Topic.from_topic_arn(stack, "T", "arn:aws:sns:us-east-1:111122223333:alerts")
    with pytest.raises(ConstructError, match="us-east-1"):
        CapacityBlockEvents(stack, "Told", topic=topic, cluster_name="c")


@pytest.mark.parametrize("ids", [["cr-1", 7], ["block"], ID])
def test_what_is_no_reservation_is_refused(told, ids):
    with pytest.raises(ConstructError, match="capacity_reservation_ids"):
        told(capacity_reservation_ids=ids)
