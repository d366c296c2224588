from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.golden_resources import resolved, resources_of
from tests.trnkit.emulation.moto_place import ACCOUNT, moto_place
from trnkit.emulation.resources.cost_explorer import AnomalyMonitor, AnomalySubscription
from trnkit.emulation.resources.resource import Place
from trnkit.emulation.services.cost import cost_explorer_extension

MONITOR = AnomalyMonitor()
SUBSCRIPTION = AnomalySubscription()
TOPIC = f"arn:aws:sns:us-east-1:{ACCOUNT}:alarms"
NO_MONITOR = f"arn:aws:ce::{ACCOUNT}:anomalymonitor/none"


@pytest.fixture
def place() -> Iterator[Place]:
    cost_explorer_extension.install()
    with moto_place("us-east-1") as found:
        yield found


def custom(**change: Any) -> dict[str, Any]:
    scope = {"Tags": {"Key": "team", "Values": ["ml"]}}
    given = {
        "MonitorName": "team",
        "MonitorType": "CUSTOM",
        "MonitorSpecification": json.dumps(scope),
        **change,
    }
    return {name: value for name, value in given.items() if value is not None}


def dimensional(**change: Any) -> dict[str, Any]:
    given = {"MonitorType": "DIMENSIONAL", "MonitorDimension": "SERVICE"}
    return custom(**{"MonitorSpecification": None, **given, **change})


def above(value: str = "500", key: str = "ANOMALY_TOTAL_IMPACT_ABSOLUTE") -> dict[str, Any]:
    match = ["GREATER_THAN_OR_EQUAL"]
    return {"Dimensions": {"Key": key, "MatchOptions": match, "Values": [value]}}


def subscription(monitor: str, **change: Any) -> dict[str, Any]:
    given = {
        "SubscriptionName": "alarms",
        "Frequency": "IMMEDIATE",
        "MonitorArnList": [monitor],
        "Subscribers": [{"Type": "SNS", "Address": TOPIC}],
        "ThresholdExpression": json.dumps(above()),
        **change,
    }
    return {name: value for name, value in given.items() if value is not None}


def told(place: Place, kind: Any, arn: str, written: dict[str, Any]) -> dict[str, Any]:
    answer = kind.read(place.clients, arn, written)
    assert answer is not None
    return {name: answer[name] for name in written}


@pytest.mark.parametrize("properties", resources_of("AWS::CE::AnomalyMonitor"))
def test_every_monitor_of_the_examples_is_read_back_as_written(place, properties):
    made = MONITOR.create(place, properties)
    assert made.physical_id == made.attributes["MonitorArn"]
    assert told(place, MONITOR, made.physical_id, properties) == properties


@pytest.mark.parametrize("properties", resources_of("AWS::CE::AnomalySubscription"))
def test_every_subscription_of_the_examples_is_read_back_as_written(place, properties):
    monitor = MONITOR.create(place, custom()).physical_id
    written = resolved(properties, lambda name: monitor if isinstance(name, list) else TOPIC)
    made = SUBSCRIPTION.create(place, written)
    assert told(place, SUBSCRIPTION, made.physical_id, written) == written
    ce = place.clients("ce")
    (found,) = ce.get_anomaly_subscriptions(MonitorArn=monitor)["AnomalySubscriptions"]
    assert found["SubscriptionArn"] == made.physical_id
    assert ce.get_anomaly_subscriptions(MonitorArn=NO_MONITOR)["AnomalySubscriptions"] == []


def test_a_monitor_is_renamed_in_place_and_deleted(place):
    old = custom(ResourceTags=[{"Key": "a", "Value": "1"}])
    made = MONITOR.create(place, old)
    new = old | {"MonitorName": "other"}
    assert MONITOR.update(place, made, old, new) == made
    assert told(place, MONITOR, made.physical_id, new) == new
    MONITOR.delete(place, made.physical_id, new)
    MONITOR.delete(place, made.physical_id, new)
    assert MONITOR.read(place.clients, made.physical_id, new) is None


def test_a_subscription_changes_in_place_and_is_deleted(place):
    monitor = MONITOR.create(place, custom()).physical_id
    old = subscription(monitor)
    made = SUBSCRIPTION.create(place, old)
    new = subscription(
        monitor,
        Frequency="DAILY",
        Subscribers=[{"Type": "EMAIL", "Address": "ml-platform@example.com"}],
        ThresholdExpression=None,
        Threshold="250",
    )
    assert SUBSCRIPTION.update(place, made, old, new) == made
    assert told(place, SUBSCRIPTION, made.physical_id, new) == new
    (found,) = place.clients("ce").get_anomaly_subscriptions()["AnomalySubscriptions"]
    assert "ThresholdExpression" not in found
    assert found["Subscribers"][0]["Status"] == "CONFIRMED"
    SUBSCRIPTION.delete(place, made.physical_id, new)
    SUBSCRIPTION.delete(place, made.physical_id, new)
    assert SUBSCRIPTION.read(place.clients, made.physical_id, new) is None


def test_a_document_that_differs_is_told_as_the_service_has_it(place):
    made = MONITOR.create(place, custom())
    other = custom(MonitorSpecification='{"Tags": {"Key": "other", "Values": ["ml"]}}')
    answer = MONITOR.read(place.clients, made.physical_id, other)
    assert answer is not None
    assert json.loads(answer["MonitorSpecification"])["Tags"]["Key"] == "team"


def test_an_account_has_one_monitor_of_services(place):
    MONITOR.create(place, dimensional())
    with pytest.raises(ClientError) as caught:
        MONITOR.create(place, dimensional(MonitorName="another"))
    error = caught.value.response["Error"]
    assert error["Code"] == "ValidationException"
    assert error["Message"] == "Limit exceeded on dimensional spend monitor creation"
    MONITOR.create(place, custom())
    MONITOR.create(place, dimensional(MonitorDimension="LINKED_ACCOUNT"))
    assert len(place.clients("ce").get_anomaly_monitors()["AnomalyMonitors"]) == 3


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        (custom(MonitorDimension="SERVICE"), "MonitorDimension cannot"),
        (custom(MonitorSpecification=None), "is required"),
        (custom(MonitorSpecification="{}"), "is required"),
        (custom(MonitorSpecification=json.dumps({"Tags": {"Key": "team"}})), "1 to 10"),
        (
            custom(
                MonitorSpecification=json.dumps(
                    {"Tags": {"Key": "team", "Values": [str(n) for n in range(11)]}}
                )
            ),
            "1 to 10",
        ),
        (
            custom(
                MonitorSpecification=json.dumps(
                    {"CostCategories": {"Key": "team", "Values": ["a", "b"]}}
                )
            ),
            "1 to 1 values",
        ),
        (custom(MonitorSpecification=json.dumps(above())), "LINKED_ACCOUNT"),
        (custom(MonitorSpecification=json.dumps({"Not": above()})), "one of"),
        (custom(MonitorType="OTHER"), "enum value set"),
        (dimensional(MonitorDimension=None), "MonitorDimension is required"),
        (dimensional(MonitorSpecification='{"Tags": {"Key": "a"}}'), "cannot be given"),
        (dimensional(MonitorDimension="TAG"), "must have Tags"),
    ],
)
def test_refuses_monitors(place, properties, words):
    with pytest.raises(ClientError, match=words):
        MONITOR.create(place, properties)
    assert place.clients("ce").get_anomaly_monitors()["AnomalyMonitors"] == []


def test_a_monitor_of_a_tag_names_its_key(place):
    written = dimensional(MonitorDimension="TAG", MonitorSpecification='{"Tags": {"Key": "a"}}')
    made = MONITOR.create(place, written)
    assert told(place, MONITOR, made.physical_id, written) == written


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"MonitorArnList": []}, "must not be empty"),
        ({"MonitorArnList": [NO_MONITOR]}, "No anomaly monitor"),
        ({"Subscribers": []}, "must not be empty"),
        ({"Frequency": "DAILY"}, "Frequency DAILY"),
        ({"Subscribers": [{"Type": "EMAIL", "Address": "a@example.com"}]}, "Frequency IMMEDIATE"),
        ({"Subscribers": [{"Type": "SNS", "Address": "a@example.com"}]}, "no address of type SNS"),
        ({"Frequency": "HOURLY"}, "enum value set"),
        ({"ThresholdExpression": None}, "cannot both be null"),
        ({"Threshold": 5}, "cannot both be given"),
        ({"ThresholdExpression": json.dumps(above(key="SERVICE"))}, "dimension SERVICE"),
        ({"ThresholdExpression": json.dumps(above("-1"))}, "between 0 and"),
        ({"ThresholdExpression": json.dumps(above("much"))}, "between 0 and"),
        ({"ThresholdExpression": json.dumps({"Not": above()})}, "And and Or"),
        (
            {
                "ThresholdExpression": json.dumps(
                    {
                        "Dimensions": {
                            "Key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
                            "MatchOptions": ["EQUALS"],
                            "Values": ["5"],
                        }
                    }
                )
            },
            "GREATER_THAN_OR_EQUAL",
        ),
    ],
)
def test_refuses_subscriptions(place, change, words):
    monitor = MONITOR.create(place, custom()).physical_id
    with pytest.raises(ClientError, match=words):
        SUBSCRIPTION.create(place, subscription(monitor, **change))
    assert place.clients("ce").get_anomaly_subscriptions()["AnomalySubscriptions"] == []


def test_a_refused_change_leaves_the_subscription(place):
    monitor = MONITOR.create(place, custom()).physical_id
    old = subscription(monitor)
    made = SUBSCRIPTION.create(place, old)
    with pytest.raises(ClientError, match="Frequency WEEKLY"):
        SUBSCRIPTION.update(place, made, old, old | {"Frequency": "WEEKLY"})
    assert told(place, SUBSCRIPTION, made.physical_id, old) == old


def test_refuses_more_subscriptions_than_an_account_has(place):
    monitor = MONITOR.create(place, custom()).physical_id
    for number in range(cost_explorer_extension.MOST_SUBSCRIPTIONS):
        SUBSCRIPTION.create(place, subscription(monitor, SubscriptionName=str(number)))
    with pytest.raises(ClientError, match="Limit exceeded"):
        SUBSCRIPTION.create(place, subscription(monitor))
