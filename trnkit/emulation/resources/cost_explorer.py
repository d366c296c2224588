"""Monitors and subscriptions of Cost Anomaly Detection."""

from __future__ import annotations

import json
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.api_requests import request_of
from trnkit.emulation.resources.resource import (
    Clients,
    Made,
    Place,
    Proof,
    Properties,
    own_tags,
)
from trnkit.emulation.resources.service_answers import properties_told, tags_told


class AnomalyMonitor:
    """``AWS::CE::AnomalyMonitor`` by CreateAnomalyMonitor."""

    name = "AWS::CE::AnomalyMonitor"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        ce = place.clients("ce")
        members = {
            "AnomalyMonitor": {name: properties[name] for name in _MONITOR if name in properties},
            "ResourceTags": own_tags(properties.get("ResourceTags")) or None,
        }
        request = request_of(ce, "CreateAnomalyMonitor", members)
        return _monitored(ce, ce.create_anomaly_monitor(**request)["MonitorArn"])

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change the name."""
        ce = place.clients("ce")
        ce.update_anomaly_monitor(MonitorArn=made.physical_id, MonitorName=new["MonitorName"])
        return _monitored(ce, made.physical_id)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        ce = place.clients("ce")
        unless_gone(lambda: ce.delete_anomaly_monitor(MonitorArn=physical_id), _NO_MONITOR)

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By GetAnomalyMonitors and ListTagsForResource."""
        ce = clients("ce")
        answer = unless_gone(
            lambda: ce.get_anomaly_monitors(MonitorArnList=[physical_id]), _NO_MONITOR
        )
        if answer is None:
            return None
        (monitor,) = answer["AnomalyMonitors"]
        told = {name: monitor[name] for name in _MONITOR if name in monitor}
        return _told(ce, physical_id, properties, told, "MonitorSpecification")


_MONITOR = ("MonitorName", "MonitorType", "MonitorDimension", "MonitorSpecification")
_NO_MONITOR = "UnknownMonitorException"


def _monitored(ce: Any, arn: str) -> Made:
    (monitor,) = ce.get_anomaly_monitors(MonitorArnList=[arn])["AnomalyMonitors"]
    names = ("MonitorArn", "CreationDate", "LastEvaluatedDate", "LastUpdatedDate")
    attributes = {name: monitor[name] for name in names if name in monitor}
    return Made(
        arn, attributes | {"DimensionalValueCount": monitor.get("DimensionalValueCount", 0)}
    )


class AnomalySubscription:
    """``AWS::CE::AnomalySubscription`` by CreateAnomalySubscription."""

    name = "AWS::CE::AnomalySubscription"
    proof = Proof.SERVICE

    def create(self, place: Place, properties: Properties) -> Made:
        """Make it."""
        ce = place.clients("ce")
        given = {name: properties[name] for name in _SUBSCRIPTION if name in properties}
        members = {
            "AnomalySubscription": given,
            "ResourceTags": own_tags(properties.get("ResourceTags")) or None,
        }
        request = request_of(ce, "CreateAnomalySubscription", members)
        arn = ce.create_anomaly_subscription(**request)["SubscriptionArn"]
        return _subscribed(place, arn)

    def update(self, place: Place, made: Made, old: Properties, new: Properties) -> Made:
        """Change everything but tags."""
        ce = place.clients("ce")
        given = {name: new[name] for name in _SUBSCRIPTION if name in new}
        members = given | {"SubscriptionArn": made.physical_id}
        ce.update_anomaly_subscription(**request_of(ce, "UpdateAnomalySubscription", members))
        return _subscribed(place, made.physical_id)

    def delete(self, place: Place, physical_id: str, properties: Properties) -> None:
        """Delete it."""
        ce = place.clients("ce")
        unless_gone(
            lambda: ce.delete_anomaly_subscription(SubscriptionArn=physical_id), _NO_SUBSCRIPTION
        )

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """By GetAnomalySubscriptions and ListTagsForResource."""
        ce = clients("ce")
        answer = unless_gone(
            lambda: ce.get_anomaly_subscriptions(SubscriptionArnList=[physical_id]),
            _NO_SUBSCRIPTION,
        )
        if answer is None:
            return None
        (subscription,) = answer["AnomalySubscriptions"]
        told = {name: subscription[name] for name in _SUBSCRIPTION if name in subscription}
        return _told(ce, physical_id, properties, told, "ThresholdExpression")


_SUBSCRIPTION = (
    "SubscriptionName",
    "MonitorArnList",
    "Subscribers",
    "Threshold",
    "ThresholdExpression",
    "Frequency",
)
_NO_SUBSCRIPTION = "UnknownSubscriptionException"


def _subscribed(place: Place, arn: str) -> Made:
    return Made(arn, {"SubscriptionArn": arn, "AccountId": place.account})


def _told(
    ce: Any, arn: str, properties: Properties, told: dict[str, Any], document: str
) -> dict[str, Any]:
    """Properties as told; one of them is a document in JSON in the template."""
    if document in told:
        words = properties.get(document)
        same = isinstance(words, str) and _parsed(words) == told[document]
        told[document] = words if same else json.dumps(told[document])
    tags = ce.list_tags_for_resource(ResourceArn=arn).get("ResourceTags")
    return properties_told(properties, told) | {
        "ResourceTags": tags_told(properties.get("ResourceTags"), tags)
    }


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


TYPES = (AnomalyMonitor(), AnomalySubscription())
