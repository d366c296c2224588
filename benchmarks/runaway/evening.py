"""An evening on which a cluster is left running, with the functions of the spend guard as they are.

moto keeps EC2, Auto Scaling, DynamoDB, SNS and SQS. It keeps real time, so instances are made to
have been launched, and ended, on the evening. CloudWatch is answered here: what is sent is kept for
the alarms, and nodes say that their NeuronCores do nothing.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import boto3
from botocore.awsrequest import AWSResponse
from moto import mock_aws
from moto.ec2.models import ec2_backends

from benchmarks.runaway.alarms import Point
from constructs_lib.cost.guard_function import FOLDER

sys.path.insert(0, str(FOLDER))
try:
    from spend_guard.accounting import Change, Interval
    from spend_guard.enforcement_plan import Plan
    from spend_guard.enforcement_run import Run, Surroundings
    from spend_guard.enforcement_store import Store
    from spend_guard.ledger import Ledger
    from spend_guard.settings import Settings
    from spend_guard.table import GuardTable
    from spend_guard.watch import Clients, poll
finally:
    sys.path.remove(str(FOLDER))

if TYPE_CHECKING:
    from collections.abc import Mapping

ACCOUNT = "123456789012"  # moto's
_TABLE = "guard"
_AFTER_POLL = timedelta(seconds=30)
_MINUTE, _HOUR = timedelta(minutes=1), timedelta(hours=1)


@dataclass(frozen=True)
class Scene:
    """What is played.

    Attributes:
        cluster: Value of the tag `trnkit-cluster`.
        region: Its Region.
        group: The node group that is left running.
        instance_type: Its type.
        count: Its nodes.
        usd_per_hour: What one costs.
        began: When people went home; the nodes run, and do nothing from now on.
        until: When people come back.
        before_usd: Spent in the month before.
        settings: Of the watchdog and of the enforcer, as the template has them.
    """

    cluster: str
    region: str
    group: str
    instance_type: str
    count: int
    usd_per_hour: float
    began: datetime
    until: datetime
    before_usd: float
    settings: Mapping[str, str]


@dataclass
class Played:
    """What came of it.

    Attributes:
        points: What the watchdog published.
        spent: Moments, with what was counted by then.
        messages: Moments, with the subject of what the enforcer said.
        stopped: When the last node was scaled in; None: never.
    """

    points: list[Point] = field(default_factory=list)
    spent: list[tuple[datetime, float]] = field(default_factory=list)
    messages: list[tuple[datetime, str]] = field(default_factory=list)
    stopped: datetime | None = None


def play(scene: Scene) -> Played:
    """Poll by poll, from the evening to the morning after."""
    with mock_aws():
        return _Evening(scene).play()


class _CloudWatch:
    """Keeps what the watchdog sends, and says that no node uses a NeuronCore."""

    def __init__(self, evening: _Evening) -> None:
        self._evening = evening

    def put_metric_data(self, *, Namespace: str, MetricData: list[dict[str, Any]]) -> None:
        for datum in MetricData:
            names = frozenset((d["Name"], d["Value"]) for d in datum["Dimensions"])
            value = float(datum["Value"])
            point = Point(datum["MetricName"], names, self._evening.now, value)
            self._evening.played.points.append(point)

    def get_metric_data(
        self, *, MetricDataQueries: list[dict[str, Any]], StartTime: datetime, EndTime: datetime
    ) -> dict[str, Any]:
        first = max(StartTime, self._evening.scene.began)
        number = max(0, (EndTime - first) // _MINUTE)
        times = [first + n * _MINUTE for n in range(number)]
        return {
            "MetricDataResults": [
                {"Id": query["Id"], "Timestamps": times, "Values": [0.0] * number}
                for query in MetricDataQueries
            ]
        }


class _Evening:
    def __init__(self, scene: Scene) -> None:
        self.scene, self.played, self.now = scene, Played(), scene.began
        services = ("ec2", "autoscaling", "dynamodb", "sns", "sqs", "ssm")
        self._made = {name: boto3.client(name, region_name=scene.region) for name in services}
        self._made["cloudwatch"] = _CloudWatch(self)
        # moto has no reservations to describe; the cluster has none.
        self._made["ec2"].meta.events.register(
            "before-call.ec2.DescribeCapacityReservations", _none_reserved
        )
        self._made["dynamodb"].create_table(
            TableName=_TABLE,
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        self._table = GuardTable(self._made["dynamodb"], _TABLE)
        self._topic, self._queue = self._listen()
        self._launch()
        self._spend_before()

    def play(self) -> Played:
        settings = Settings.from_json(self.scene.settings["watchdog"])
        clients = Clients(self._made["ec2"], self._made["cloudwatch"], self._table)
        while self.now <= self.scene.until:
            with contextlib.redirect_stdout(io.StringIO()):
                seen = poll(settings, clients, ACCOUNT, self.now)
            self.played.spent.append((self.now, seen.month_to_date_usd))
            if "enforcer" in self.scene.settings:
                self._enforce(self.now + _AFTER_POLL)
            self.now += timedelta(minutes=settings.poll_minutes)
        return self.played

    def _enforce(self, moment: datetime) -> None:
        before = self._running()
        around = Surroundings(
            Plan.read(self.scene.settings["enforcer"]),
            Store(self._made["dynamodb"], _TABLE),
            self._made.__getitem__,
            self._topic,
            lambda: moment,
        )
        run = Run(around, "enforcer")
        run.go()
        assert not run.errors, run.errors
        ended = before - self._running()
        for instance_id in ended:
            told = f"User initiated ({moment:%Y-%m-%d %H:%M:%S} GMT)"
            ec2_backends[ACCOUNT][self.scene.region].get_instance(instance_id)._reason = told
        if ended:
            self.played.stopped = moment
        answer = self._made["sqs"].receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10)
        for message in answer.get("Messages", []):
            self.played.messages.append((moment, json.loads(message["Body"])["Subject"]))
            self._made["sqs"].delete_message(
                QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"]
            )

    def _listen(self) -> tuple[str, str]:
        """A topic, and a queue that hears it."""
        topic = self._made["sns"].create_topic(Name="alerts")["TopicArn"]
        queue = self._made["sqs"].create_queue(QueueName="pager")["QueueUrl"]
        self._made["sns"].subscribe(
            TopicArn=topic,
            Protocol="sqs",
            Endpoint=f"arn:aws:sqs:{self.scene.region}:{ACCOUNT}:pager",
        )
        return topic, queue

    def _launch(self) -> None:
        """The group, whose nodes began an hour before people went home."""
        scene, ec2 = self.scene, self._made["ec2"]
        image = ec2.describe_images()["Images"][0]["ImageId"]
        subnet = ec2.describe_subnets()["Subnets"][0]["SubnetId"]
        data = {"ImageId": image, "InstanceType": scene.instance_type}
        ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)
        tags = {"trnkit-cluster": scene.cluster, "trnkit-node-group": scene.group}
        self._made["autoscaling"].create_auto_scaling_group(
            AutoScalingGroupName="nodes",
            LaunchTemplate={"LaunchTemplateName": "nodes", "Version": "$Latest"},
            MinSize=0,
            MaxSize=scene.count,
            DesiredCapacity=scene.count,
            VPCZoneIdentifier=subnet,
            Tags=[
                {"Key": key, "Value": value, "PropagateAtLaunch": True, "ResourceId": "nodes"}
                for key, value in tags.items()
            ],
        )
        launched = f"{scene.began - _HOUR:%Y-%m-%dT%H:%M:%S}.000Z"
        for instance_id in self._running():
            ec2_backends[ACCOUNT][scene.region].get_instance(instance_id).launch_time = launched

    def _spend_before(self) -> None:
        """What the month had cost by the evening, as intervals of nodes that have ended."""
        scene = self.scene
        rate = Decimal(str(scene.usd_per_hour))
        hours = (Decimal(str(scene.before_usd)) / rate / scene.count).quantize(Decimal("0.01"))
        first = scene.began.replace(day=2, hour=8)
        changes = [
            Change(
                "begin",
                Interval(
                    what=f"i-{number:017x}",
                    begun=first,
                    instance_type=scene.instance_type,
                    purchase="on-demand",
                    node_group=scene.group,
                    rate=rate,
                    ended=first + timedelta(hours=float(hours)),
                ),
                None,
            )
            for number in range(scene.count)
        ]
        ledger = Ledger(self._table)
        month = f"{scene.began:%Y-%m}"
        wrong = ledger.write(changes, month, ledger.first_seen(scene.began))
        assert not wrong, wrong

    def _running(self) -> set[str]:
        wanted = [{"Name": "instance-state-name", "Values": ["running"]}]
        answer = self._made["ec2"].describe_instances(Filters=wanted)
        return {
            instance["InstanceId"]
            for launch in answer["Reservations"]
            for instance in launch["Instances"]
        }


def _none_reserved(**_: Any) -> Any:
    http = AWSResponse("https://aws.example.com", 200, {}, None)
    return http, {"CapacityReservations": [], "ResponseMetadata": {}}
