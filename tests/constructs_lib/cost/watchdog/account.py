"""An account in moto with a cluster, and the watchdog's own code run against it.

moto knows no Capacity Reservations: the account's own are answered in their place. It keeps real
time, so instances are made to have been launched, and ended, when a test says.
"""

from __future__ import annotations

import functools
import json
import sys
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse
from moto.ec2.models import ec2_backends

from constructs_lib.cost.guard_function import FOLDER

sys.path.insert(0, str(FOLDER))
try:
    from spend_guard import accounting, idleness, ledger, moments, observation, sighting, watch
    from spend_guard.settings import Settings
    from spend_guard.table import GuardTable
finally:
    sys.path.remove(str(FOLDER))

__all__ = ["accounting", "idleness", "ledger", "moments", "observation", "sighting", "watch"]

ACCOUNT, REGION = "123456789012", "us-east-2"
TABLE = "guard-table"
IMAGE = "ami-12c6146b"  # one that moto has
NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
SETTINGS = {
    "cluster": "pretrain",
    "poll_minutes": 5,
    "fixed_usd_per_hour": 0,
    "rates": [
        {"instance_type": "trn1.32xlarge", "purchase": "on-demand", "usd_per_hour": 21.5},
        {"instance_type": "trn1.32xlarge", "purchase": "spot", "usd_per_hour": 8},
        {"instance_type": "trn2.48xlarge", "purchase": "capacity-block", "usd_per_hour": 36},
        {"instance_type": "trn2.48xlarge", "purchase": "on-demand"},
    ],
    "groups": [{"name": "train"}, {"name": "serve"}],
    "idle_below_percent": 1,
    "node_metrics_namespace": "trnkit",
    "namespace": "trnkit/spend",
}
CONTEXT = SimpleNamespace(
    invoked_function_arn=f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:watchdog"
)


def minutes(number: float) -> timedelta:
    return timedelta(minutes=number)


def settings(**changes: Any) -> Any:
    return Settings.from_json(json.dumps(SETTINGS | changes))


class Faulty:
    """Answers of AWS's that fail: the n-th call of an operation, or every one."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._rules: dict[str, tuple[Any, set[int] | None]] = {}
        self._counts: dict[str, int] = {}

    def fail(self, operation: str, error: Any, *numbers: int) -> None:
        """Fail calls of an operation (`*`: of any), by their numbers from 1; none given: all."""
        self._rules[operation] = (error, set(numbers) or None)
        self._counts.clear()

    def heal(self) -> None:
        self._rules.clear()

    def before(self, model: Any, params: dict[str, Any]) -> Any:
        name = model.name
        self.calls.append((f"{model.service_model.service_name}:{name}", params))
        self._counts[name] = number = self._counts.get(name, 0) + 1
        error, numbers = self._rules.get(name) or self._rules.get("*") or (None, {-1})
        if error is None or (numbers is not None and number not in numbers):
            return None
        if isinstance(error, Exception):
            raise error
        http = AWSResponse("https://aws.example.com", 400, {}, None)
        return http, {"Error": {"Code": error, "Message": "made up"}, "ResponseMetadata": {}}


class Account:
    """The account; `clock` is what the watchdog takes for now."""

    def __init__(self) -> None:
        self.faults = Faulty()
        self.clock = NOON
        self.reservations: list[dict[str, Any]] = []
        self._hooks: list[tuple[Any, str, Any]] = []
        self.ec2, self.cloudwatch = _client("ec2"), _client("cloudwatch")
        self.dynamodb, self.auto_scaling = _client("dynamodb"), _client("autoscaling")
        self.clients = watch.Clients(
            ec2=_client("ec2", "theirs"),
            cloudwatch=_client("cloudwatch", "theirs"),
            table=GuardTable(_client("dynamodb", "theirs"), TABLE),
        )
        for client in (self.clients.ec2, self.clients.cloudwatch, self.clients.table.dynamodb):
            self._hook(client, "before-call", self._before)
        self.dynamodb.create_table(
            TableName=TABLE,
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
            KeySchema=[
                {"AttributeName": "pk", "KeyType": "HASH"},
                {"AttributeName": "sk", "KeyType": "RANGE"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )

    def on(self, event: str, handler: Any) -> None:
        """Change what EC2 is asked by the watchdog, or what it answers."""
        self._hook(self.clients.ec2, event, handler)

    def close(self) -> None:
        for client, event, handler in self._hooks:
            client.meta.events.unregister(event, handler)
        self._hooks.clear()

    def _hook(self, client: Any, event: str, handler: Any) -> None:
        client.meta.events.register(event, handler)
        self._hooks.append((client, event, handler))

    def _before(self, model: Any, params: dict[str, Any], **_: Any) -> Any:
        """A fault comes before an answer."""
        answer = self.faults.before(model, params)
        if answer is None and model.name == "DescribeCapacityReservations":
            http = AWSResponse("https://aws.example.com", 200, {}, None)
            active = [one for one in self.reservations if one["State"] == "active"]
            return http, {"CapacityReservations": active, "ResponseMetadata": {}}
        return answer

    def launch(
        self,
        number: int = 1,
        *,
        ago: float = 0,
        instance_type: str = "trn1.32xlarge",
        tags: dict[str, str] | None = None,
        lifecycle: str | None = None,
    ) -> list[str]:
        """Instances that were launched some minutes before the clock."""
        given = {"trnkit-cluster": "pretrain", "trnkit-node-group": "train"}
        answer = self.ec2.run_instances(
            ImageId=IMAGE,
            InstanceType=instance_type,
            MinCount=number,
            MaxCount=number,
            TagSpecifications=[
                {
                    "ResourceType": "instance",
                    "Tags": [
                        {"Key": k, "Value": v} for k, v in (given if tags is None else tags).items()
                    ],
                }
            ],
            **({"InstanceMarketOptions": {"MarketType": lifecycle}} if lifecycle else {}),
        )
        ids = [one["InstanceId"] for one in answer["Instances"]]
        for instance_id in ids:
            self.launched(instance_id, self.clock - minutes(ago))
        return ids

    def launched(self, instance_id: str, when: datetime) -> None:
        """Make an instance one that was launched, or started, then."""
        self._of_moto(instance_id).launch_time = when.strftime("%Y-%m-%dT%H:%M:%S.000Z")

    def ended(self, instance_id: str, when: datetime | None) -> None:
        """Make an instance one that left `running` then; None: EC2 does not say when."""
        told = f"User initiated ({when:%Y-%m-%d %H:%M:%S} GMT)" if when else ""
        self._of_moto(instance_id)._reason = told

    def stop(self, instance_id: str, *, ago: float | None = 0) -> None:
        self.ec2.stop_instances(InstanceIds=[instance_id])
        self.ended(instance_id, None if ago is None else self.clock - minutes(ago))

    def start(self, instance_id: str, *, ago: float = 0) -> None:
        self.ec2.start_instances(InstanceIds=[instance_id])
        self.launched(instance_id, self.clock - minutes(ago))

    def terminate(self, instance_id: str, *, ago: float | None = 0) -> None:
        self.ec2.terminate_instances(InstanceIds=[instance_id])
        self.ended(instance_id, None if ago is None else self.clock - minutes(ago))

    def vanish(self, instance_id: str) -> None:
        """EC2 shows a terminated instance no more."""
        for launch in ec2_backends[ACCOUNT][REGION].reservations.values():
            launch.instances = [one for one in launch.instances if one.id != instance_id]

    def _of_moto(self, instance_id: str) -> Any:
        return ec2_backends[ACCOUNT][REGION].get_instance(instance_id)

    def reserve(self, unused: int, **more: Any) -> dict[str, Any]:
        """A Capacity Reservation of this account for the cluster."""
        told = {
            "CapacityReservationId": f"cr-{len(self.reservations):017x}",
            "OwnerId": ACCOUNT,
            "InstanceType": "trn1.32xlarge",
            "State": "active",
            "ReservationType": "default",
            "AvailableInstanceCount": unused,
            "TotalInstanceCount": max(unused, 8),
            "StartDate": self.clock - timedelta(days=3),
            "CreateDate": self.clock - timedelta(days=3),
            "Tags": [{"Key": "trnkit-cluster", "Value": "pretrain"}],
        } | more
        self.reservations.append(told)
        return told

    def poll(self, after: float = 0, **changes: Any) -> Any:
        """A poll some minutes later."""
        self.clock += minutes(after)
        return watch.poll(settings(**changes), self.clients, ACCOUNT, self.clock)

    def end_event(self, instance_id: str, state: str, when: datetime) -> bool:
        """EC2 tells of an instance's state, by EventBridge."""
        event = {
            "source": "aws.ec2",
            "detail-type": "EC2 Instance State-change Notification",
            "time": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "detail": {"instance-id": instance_id, "state": state},
        }
        return watch.note_end(event, self.clients.table, self.clock)["ended"]

    def use(self, instance_id: str, ratio: float, *, last: int, group: str = "train") -> None:
        """What a node sends of its NeuronCores, once a minute, in the last minutes."""
        for ago in range(last):
            self.cloudwatch.put_metric_data(
                Namespace="trnkit",
                MetricData=[
                    {
                        "MetricName": "trn_node_neuroncore_utilization_ratio",
                        "Dimensions": [
                            {"Name": "ClusterName", "Value": "pretrain"},
                            {"Name": "NodeGroup", "Value": group},
                            {"Name": "InstanceId", "Value": instance_id},
                        ],
                        "Timestamp": self.clock - minutes(ago + 1),
                        "Value": ratio,
                    }
                ],
            )

    def metric(self, name: str, group: str | None = None) -> float | None:
        """The latest value of a metric of the watchdog."""
        dimensions = [{"Name": "ClusterName", "Value": "pretrain"}]
        if group:
            dimensions.append({"Name": "NodeGroup", "Value": group})
        answer = self.cloudwatch.get_metric_statistics(
            Namespace="trnkit/spend",
            MetricName=name,
            Dimensions=dimensions,
            StartTime=self.clock,
            EndTime=self.clock + minutes(1),
            Period=60,
            Statistics=["Maximum"],
        )
        points = answer["Datapoints"]
        return points[0]["Maximum"] if points else None

    def rows(self, month: str = "2026-11") -> dict[str, dict[str, str]]:
        """The ledger of a month."""
        found = GuardTable(self.dynamodb, TABLE).query(f"ledger#{month}")
        return {row["sk"]: row for row in found}


@functools.cache
def _client(service: str, _whose: str = "ours") -> Any:
    """Made once: that takes longer than most tests."""
    return boto3.client(service, region_name=REGION)
