"""The function as Lambda calls it, against moto: instances go and come back, messages arrive."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.core.models import responses_mock
from spend_guard import enforce
from spend_guard.enforcement_plan import Group, Plan
from spend_guard.moments import month_of
from spend_guard.observation import GroupObservation, Observation
from spend_guard.table import GuardTable

REGION = "us-east-2"
CHAT = "https://chat.example.com/sns"
PLAN = Plan(
    cluster="pretrain",
    poll_minutes=5,
    groups=(
        Group(name="train", purchase="on-demand"),
        Group(name="serve", purchase="on-demand"),
    ),
    mode="automatic",
    at_usd=1000.0,
    at_spend_rate_usd_per_hour=None,
    grace_minutes=15,
    checkpoint_minutes=10,
    protected_node_groups=("serve",),
    idle_mode=None,
    idle_minutes=60,
    idle_protected_node_groups=(),
)


class Cloud:
    """What is in moto, and the clock."""

    def __init__(self, monkeypatch):
        self.now = datetime(2026, 11, 6, 18, 0, tzinfo=UTC)
        self.monkeypatch, self.spent = monkeypatch, 1200.0
        self.dynamodb, self.sqs = boto3.client("dynamodb"), boto3.client("sqs")
        self.autoscaling, self.ec2 = boto3.client("autoscaling"), boto3.client("ec2")
        monkeypatch.setattr(enforce, "utc_now", lambda: self.now)
        self._table()
        self._topic()
        self._groups()
        self.plan(PLAN)

    def plan(self, plan):
        self.monkeypatch.setenv("TRNKIT_SETTINGS", json.dumps(asdict(plan)))

    def _table(self):
        self.dynamodb.create_table(
            TableName="guard",
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        self.monkeypatch.setenv("TRNKIT_TABLE", "guard")

    def _topic(self):
        sns = boto3.client("sns")
        topic = sns.create_topic(Name="alerts")["TopicArn"]
        self.queue = self.sqs.create_queue(QueueName="inbox")["QueueUrl"]
        asked = self.sqs.get_queue_attributes(QueueUrl=self.queue, AttributeNames=["QueueArn"])
        endpoint = asked["Attributes"]["QueueArn"]
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=endpoint)
        self.monkeypatch.setenv("TRNKIT_TOPIC", topic)

    def _groups(self):
        subnet = self.ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        image = self.ec2.register_image(Name="nodes")["ImageId"]
        self.ec2.create_launch_template(
            LaunchTemplateName="nodes",
            LaunchTemplateData={"ImageId": image, "InstanceType": "trn1.32xlarge"},
        )
        for name, size in (("train", 4), ("serve", 2)):
            tags = {"trnkit-cluster": "pretrain", "trnkit-node-group": name}
            self.autoscaling.create_auto_scaling_group(
                AutoScalingGroupName=f"{name}-1A2B3C",
                LaunchTemplate={"LaunchTemplateName": "nodes"},
                MinSize=0,
                MaxSize=size,
                DesiredCapacity=size,
                VPCZoneIdentifier=subnet,
                Tags=[{"Key": k, "Value": v, "PropagateAtLaunch": True} for k, v in tags.items()],
            )

    def running(self, group):
        found = self.ec2.describe_instances(
            Filters=[
                {"Name": "tag:trnkit-node-group", "Values": [group]},
                {"Name": "instance-state-name", "Values": ["pending", "running"]},
            ]
        )
        return sum(len(reservation["Instances"]) for reservation in found["Reservations"])

    def suspended(self, group):
        asked = self.autoscaling.describe_auto_scaling_groups(
            AutoScalingGroupNames=[f"{group}-1A2B3C"]
        )
        (told,) = asked["AutoScalingGroups"]
        return [process["ProcessName"] for process in told["SuspendedProcesses"]]

    def see(self):
        groups = {name: GroupObservation(self.running(name)) for name in ("train", "serve")}
        seen = Observation(self.now, month_of(self.now), self.spent, 100.0, 0, groups)
        GuardTable(self.dynamodb, "guard").put_observation(seen)

    def poll(self, times=1):
        for _ in range(times):
            self.now += timedelta(minutes=5)
            self.see()
            enforce.handler({"source": "aws.events"}, None)

    def say(self, action):
        return enforce.handler({"action": action, "by": "ana"}, None)

    def inbox(self):
        """Subjects that arrived, in their order, taken out of the queue."""
        return [message["Subject"].partition("] ")[2] for message in self.received()]

    def received(self):
        """Notifications that arrived, in their order, taken out of the queue."""
        found = []
        while True:
            got = self.sqs.receive_message(QueueUrl=self.queue, MaxNumberOfMessages=10)
            if "Messages" not in got:
                return found
            for message in got["Messages"]:
                found.append(json.loads(message["Body"]))
                self.sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])


@pytest.fixture
def cloud(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    monkeypatch.setenv("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")  # Hundreds, and none is needed.
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    enforce.client.cache_clear()
    with mock_aws():
        yield Cloud(monkeypatch)
    enforce.client.cache_clear()


def test_an_evening_from_the_warning_to_the_release(cloud):
    assert (cloud.running("train"), cloud.running("serve")) == (4, 2)
    cloud.poll()
    assert cloud.inbox() == ["spending: nodes will be stopped, not before 2026-11-06T18:20:00Z"]
    cloud.poll(2)
    assert (cloud.suspended("train"), cloud.running("train"), cloud.inbox()) == ([], 4, [])
    cloud.poll()
    assert (cloud.suspended("train"), cloud.running("train")) == (["Launch"], 4)
    cloud.poll()
    assert cloud.inbox()[-1].startswith("spending: nodes told to write a checkpoint by")
    commands = boto3.client("ssm").list_commands()["Commands"]
    assert [command["DocumentName"] for command in commands] == ["AWS-RunShellScript"]
    cloud.poll(2)
    assert (cloud.running("train"), cloud.running("serve"), cloud.suspended("serve")) == (0, 2, [])
    assert cloud.inbox() == ["spending: scaled in to zero", "spending: held"]
    status = cloud.say("status")["status"]
    assert (status["stage"], status["held"]["train"]["before"]["desired"]) == ("held", 4)
    released = cloud.say("release")
    assert (released["done"], released["text"]) == (True, "released: spending")
    assert (cloud.running("train"), cloud.suspended("train")) == (4, [])
    assert cloud.inbox() == ["released"]
    cloud.poll(3)
    assert (cloud.running("train"), cloud.inbox()) == (4, [])
    trail = cloud.say("audit")["trail"]
    assert [entry["what"] for entry in reversed(trail)] == [
        "warned",
        "stages begin",
        "deny",
        "checkpoint",
        "scale-in",
        "held",
        "release",
        "allow",
    ]


def test_a_queue_gets_the_text_and_a_chat_what_it_shows(cloud):
    posted = []

    def take(request):
        posted.append(json.loads(request.body))
        return 200, {}, ""

    responses_mock.add_callback("POST", CHAT, callback=take)
    boto3.client("sns").subscribe(
        TopicArn=os.environ["TRNKIT_TOPIC"], Protocol="https", Endpoint=CHAT
    )
    cloud.poll()
    (queued,) = cloud.received()
    (shown,) = [one for one in posted if one["Type"] == "Notification"]
    assert queued["Message"].startswith("$1,200.00 is spent in 2026-11, and $1,000.00 is the limit")
    notification = json.loads(shown["Message"])
    assert (notification["version"], notification["source"]) == ("1.0", "custom")
    assert notification["content"] == {
        "textType": "client-markdown",
        "title": queued["Subject"],
        "description": queued["Message"],
    }


def test_a_dry_run_leaves_instances_alone(cloud):
    cloud.plan(Plan(**{**{n: getattr(PLAN, n) for n in PLAN.__slots__}, "mode": "dry-run"}))
    cloud.poll(12)
    assert (cloud.running("train"), cloud.suspended("train")) == (4, [])
    assert cloud.inbox()[-1] == "spending: would be held"
    assert boto3.client("ssm").list_commands()["Commands"] == []


def test_two_polls_at_once_do_it_once(cloud):
    cloud.poll(3)
    store = enforce.Store(cloud.dynamodb, "guard")
    store.take("another", cloud.now)
    cloud.now += timedelta(minutes=1)
    cloud.see()
    assert enforce.handler({}, None) == {"done": False, "text": "another run is under way"}
    cloud.now += timedelta(minutes=4)  # Whoever died with the lease has lost it by now.
    cloud.see()
    assert enforce.handler({}, None) == {"done": True}
    assert cloud.suspended("train") == ["Launch"]
    with pytest.raises(enforce.LostLeaseError):
        store.save(store.look(), "another")


def test_a_state_that_was_written_since_is_not_written_over(cloud):
    store = enforce.Store(cloud.dynamodb, "guard")
    kept = store.take("mine", cloud.now)
    saved = store.save(kept, "mine")
    assert (saved.version, store.look().version) == (1, 1)
    with pytest.raises(enforce.LostLeaseError):
        store.save(kept, "mine")


def test_a_poll_that_fails_in_part_fails_and_has_done_the_rest(cloud, monkeypatch):
    cloud.poll(3)
    real = enforce.client("autoscaling")

    def throttled(**_):
        raise ClientError({"Error": {"Code": "Throttling", "Message": "Rate"}}, "Suspend")

    monkeypatch.setattr(real, "suspend_processes", throttled)
    with pytest.raises(enforce.EnforcementError, match=r"deny train: .*Throttling"):
        cloud.poll()
    assert "spending: not yet launches denied" in cloud.inbox()
    monkeypatch.undo()
    monkeypatch.setattr(enforce, "utc_now", lambda: cloud.now)
    monkeypatch.setenv("TRNKIT_SETTINGS", json.dumps(asdict(PLAN)))


@pytest.mark.parametrize("action", ["delete", "", 7, "terminate"])
def test_what_is_no_action_changes_nothing(cloud, action):
    answer = enforce.handler({"action": action, "by": "ana"}, None)
    assert answer["done"] is False
    assert "must be one of" in answer["text"]
    assert "Item" not in cloud.dynamodb.get_item(
        TableName="guard", Key={"pk": {"S": "guard"}, "sk": {"S": "enforcement"}}
    )


def test_settings_that_cannot_be_read_fail_loudly(cloud, monkeypatch):
    from spend_guard.enforcement_plan import SettingsError

    monkeypatch.setenv("TRNKIT_SETTINGS", '{"cluster": "pretrain"}')
    with pytest.raises(SettingsError):
        enforce.handler({}, None)
