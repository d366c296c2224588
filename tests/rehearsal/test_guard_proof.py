"""The guard of spending is proved by what it does: each thing that is broken by hand is found."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.rehearsal.deployments import cluster_of
from tests.synthesis import ROOT, example_assembly
from trnkit.operations.rehearsal.alarm_actions import prove_alarms
from trnkit.operations.rehearsal.alerts import prove_alerts
from trnkit.operations.rehearsal.cdk_cli import CdkCli
from trnkit.operations.rehearsal.functions import prove_functions
from trnkit.operations.rehearsal.progress import Progress
from trnkit.operations.rehearsal.schedules import prove_schedules
from trnkit.operations.rehearsal.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.rehearsal.deployments import Cloud
    from trnkit.emulation.resources.resource import Clients

GUARDED, BLOCK = "guarded-spend", "trn2-capacity-block"


class OneCluster(Stage):
    """A stage that sees the stacks of its own cluster alone."""

    def inventory(self) -> dict[str, dict[str, Any]]:
        own = f"{self.cluster.config.name}-"
        return {name: held for name, held in super().inventory().items() if name.startswith(own)}


def stage_of(cloud: Cloud, example: str) -> Stage:
    cloud.example(example)
    return OneCluster(
        aws=cloud.aws,
        cdk=CdkCli(cloud.aws, dict(os.environ), lambda _: None),
        cluster=cluster_of(example),
        assembly=example_assembly(ROOT / "examples" / f"{example}.yaml").directory,
        progress=Progress(),
        folder=cloud.aws.folder,
    )


@pytest.fixture
def guarded(cloud: Cloud) -> Stage:
    return stage_of(cloud, GUARDED)


def clients_of(stage: Stage) -> Clients:
    return stage.aws.clients(stage.region)


def physical(stage: Stage, kind: str, part: str = "") -> tuple[str, dict[str, Any]]:
    """Id and properties of the one resource of a type whose logical id has a part."""
    (found,) = [
        (one["physical_id"], one["properties"])
        for stack in stage.inventory().values()
        for logical_id, one in stack["resources"].items()
        if one["type"] == kind and part in logical_id
    ]
    return found


def wrong(stage: Stage) -> str:
    """All that does not hold, with its details."""
    facts = stage.taken()
    assert facts
    return " ".join(" ".join([f.text, *f.details]) for f in facts if not f.holds)


def right(stage: Stage) -> str:
    facts = stage.taken()
    assert [fact for fact in facts if not fact.holds] == []
    return " ".join(" ".join([fact.text, *fact.details]) for fact in facts)


def test_the_functions_run_and_the_watchdog_counts_what_runs(guarded: Stage) -> None:
    prove_functions(guarded)
    said = right(guarded)
    assert "the watchdog counts 346.72 USD an hour for 1 x trn1.2xlarge, 16 x trn1.32xlarge" in said
    assert "17 intervals in its ledger" in said
    assert "spend_guard/enforce.py among its" in said
    assert said.count("runs when its schedule calls it") == 2


def test_every_alarm_is_heard_of(guarded: Stage) -> None:
    prove_alarms(guarded)
    assert "13 alarms: each that goes off is heard of" in right(guarded)


def test_an_approved_action_denies_launches_until_the_next_period(guarded: Stage) -> None:
    prove_alerts(guarded)
    assert "waits for approval and then denies launches to ml-engineers" in right(guarded)
    iam = clients_of(guarded)("iam")
    attached = iam.list_attached_role_policies(RoleName="ml-engineers")["AttachedPolicies"]
    assert attached == []


@contextmanager
def topic_policy_without(stage: Stage, sid: str) -> Iterator[None]:
    sns = clients_of(stage)("sns")
    topic, _ = physical(stage, "AWS::SNS::Topic")
    policy = sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"]
    kept = [one for one in json.loads(policy)["Statement"] if one.get("Sid") != sid]
    changed = json.dumps({"Version": "2012-10-17", "Statement": kept})
    given = {"TopicArn": topic, "AttributeName": "Policy"}
    sns.set_topic_attributes(**given, AttributeValue=changed)
    yield
    sns.set_topic_attributes(**given, AttributeValue=policy)


def test_a_topic_that_alarms_may_not_publish_to_is_found(guarded: Stage) -> None:
    with topic_policy_without(guarded, "CloudWatchAlarmsMayPublish"):
        prove_alarms(guarded)
    assert "does not let cloudwatch.amazonaws.com publish" in wrong(guarded)


def test_a_topic_that_only_alarms_of_another_region_may_publish_to_is_found(guarded: Stage) -> None:
    sns = clients_of(guarded)("sns")
    topic, _ = physical(guarded, "AWS::SNS::Topic")
    policy = sns.get_topic_attributes(TopicArn=topic)["Attributes"]["Policy"]
    given = {"TopicArn": topic, "AttributeName": "Policy"}
    elsewhere = policy.replace("arn:aws:cloudwatch:us-west-2", "arn:aws:cloudwatch:us-east-1")
    sns.set_topic_attributes(**given, AttributeValue=elsewhere)
    prove_alarms(guarded)
    sns.set_topic_attributes(**given, AttributeValue=policy)
    assert "does not let cloudwatch.amazonaws.com publish" in wrong(guarded)


def test_a_key_that_alarms_may_not_use_is_found(guarded: Stage) -> None:
    kms = clients_of(guarded)("kms")
    key, _ = physical(guarded, "AWS::KMS::Key")
    policy = kms.get_key_policy(KeyId=key, PolicyName="default")["Policy"]
    changed = policy.replace("cloudwatch.amazonaws.com", "events.amazonaws.com")
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=changed)
    prove_alarms(guarded)
    kms.put_key_policy(KeyId=key, PolicyName="default", Policy=policy)
    assert "does not let cloudwatch.amazonaws.com kms:Decrypt" in wrong(guarded)


def test_an_alarm_whose_actions_are_off_is_found(guarded: Stage) -> None:
    cloudwatch = clients_of(guarded)("cloudwatch")
    name, _ = physical(guarded, "AWS::CloudWatch::Alarm", "SpendWatchdogSilent")
    cloudwatch.disable_alarm_actions(AlarmNames=[name])
    prove_alarms(guarded)
    cloudwatch.enable_alarm_actions(AlarmNames=[name])
    assert f"{name} tells nobody" in wrong(guarded)


def test_a_rule_that_may_not_call_its_function_is_found(guarded: Stage) -> None:
    functions = clients_of(guarded)("lambda")
    sid, properties = physical(guarded, "AWS::Lambda::Permission", "WatchdogPollAllow")
    function = {"FunctionName": properties["FunctionName"]}
    functions.remove_permission(**function, StatementId=sid)
    prove_functions(guarded)
    given = {name: properties[name] for name in ("Action", "Principal", "SourceArn")}
    functions.add_permission(**function, StatementId=sid, **given)
    assert "does not let events.amazonaws.com call it for" in wrong(guarded)


def test_a_handler_that_is_not_in_the_code_is_found(guarded: Stage) -> None:
    functions = clients_of(guarded)("lambda")
    name, properties = physical(guarded, "AWS::Lambda::Function", "Watchdog")
    functions.update_function_configuration(FunctionName=name, Handler="spend_guard.w.handler")
    prove_functions(guarded)
    functions.update_function_configuration(FunctionName=name, Handler=properties["Handler"])
    assert "has no spend_guard/w.py" in wrong(guarded)


def test_settings_that_the_function_cannot_read_are_found_by_running_it(guarded: Stage) -> None:
    functions = clients_of(guarded)("lambda")
    name, properties = physical(guarded, "AWS::Lambda::Function", "Watchdog")
    good = properties["Environment"]
    bad = {"Variables": good["Variables"] | {"TRNKIT_SETTINGS": '{"cluster": 3}'}}
    functions.update_function_configuration(FunctionName=name, Environment=bad)
    prove_functions(guarded)
    functions.update_function_configuration(FunctionName=name, Environment=good)
    assert "it fails: " in wrong(guarded)


def test_a_role_that_may_not_write_the_table_is_found(guarded: Stage) -> None:
    iam = clients_of(guarded)("iam")
    _, properties = physical(guarded, "AWS::IAM::Policy", "SpendWatchdogRole")
    ids = {"RoleName": properties["Roles"][0], "PolicyName": properties["PolicyName"]}
    text = json.dumps(properties["PolicyDocument"])
    iam.put_role_policy(**ids, PolicyDocument=text.replace("dynamodb:", "dynamo:"))
    prove_functions(guarded)
    iam.put_role_policy(**ids, PolicyDocument=text)
    assert "may not dynamodb:PutItem" in wrong(guarded)


def test_an_action_whose_role_budgets_cannot_assume_is_found(guarded: Stage) -> None:
    iam = clients_of(guarded)("iam")
    name, properties = physical(guarded, "AWS::IAM::Role", "LaunchDenialRole")
    text = json.dumps(properties["AssumeRolePolicyDocument"])
    iam.update_assume_role_policy(
        RoleName=name, PolicyDocument=text.replace("budgets.amazonaws.com", "ec2.amazonaws.com")
    )
    prove_alerts(guarded)
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=text)
    said = wrong(guarded)
    assert "in the end it is EXECUTION_FAILURE" in said
    assert "budgets.amazonaws.com may not assume" in said


def test_a_schedule_tells_the_nodes_and_its_role_may(cloud: Cloud) -> None:
    stage = stage_of(cloud, BLOCK)
    prove_schedules(stage)
    said = right(stage)
    assert "sends AWS-RunShellScript to the nodes of block-week-Compute-" in said
    assert "at(2027-03-08T10:35:00)" in said


def test_a_schedule_for_nodes_of_another_name_is_found(cloud: Cloud) -> None:
    stage = stage_of(cloud, BLOCK)
    scheduler = clients_of(stage)("scheduler")
    name, properties = physical(stage, "AWS::Scheduler::Schedule")
    target = properties["Target"]
    kept = ("Description", "FlexibleTimeWindow", "ScheduleExpression", "ScheduleExpressionTimezone")
    wanted = {key: properties[key] for key in kept}
    others = target | {"Input": target["Input"].replace('"train"', '"trian"')}
    scheduler.update_schedule(Name=name, **wanted, Target=others)
    prove_schedules(stage)
    scheduler.update_schedule(Name=name, **wanted, Target=target)
    said = wrong(stage)
    assert "no Auto Scaling group gives its instances the tags" in said
    assert "may not ssm:SendCommand to arn:aws:ec2:" in said
