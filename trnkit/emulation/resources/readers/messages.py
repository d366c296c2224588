"""Topics, their policies and subscriptions, as SNS tells them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document, named
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_OFF = {"ContentBasedDeduplication": "false", "FifoTopic": "false"}
_TOPIC = (
    "DisplayName",
    "FifoThroughputScope",
    "KmsMasterKeyId",
    "SignatureVersion",
    "TracingConfig",
)
_SUBSCRIPTION = (
    "Endpoint",
    "FilterPolicyScope",
    "Protocol",
    "RawMessageDelivery",
    "SubscriptionRoleArn",
    "TopicArn",
)
_SUBSCRIPTION_DOCUMENTS = ("DeliveryPolicy", "FilterPolicy", "RedrivePolicy", "ReplayPolicy")


class Topic:
    """``AWS::SNS::Topic`` by GetTopicAttributes and ListSubscriptionsByTopic."""

    name = "AWS::SNS::Topic"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its attributes and tags, and of its subscriptions those that its template lists."""
        sns = clients("sns")
        attributes = _attributes(clients, physical_id)
        if attributes is None:
            return None
        told = _OFF | all_named(attributes, {name: name for name in _TOPIC})
        told |= named(attributes, {name: name for name in _OFF})
        told["TopicName"] = physical_id.rsplit(":", 1)[-1]
        given = [_line(line) for line in properties.get("Subscription") or ()]
        if given:
            pages = sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=physical_id)
            lines = [_line(line) for page in pages for line in page["Subscriptions"]]
            told["Subscription"] = [line for line in lines if line in given]
        tags = sns.list_tags_for_resource(ResourceArn=physical_id)["Tags"]
        return told | {"Tags": own_tags(tags)}


class TopicPolicy:
    """``AWS::SNS::TopicPolicy`` by GetTopicAttributes."""

    name = "AWS::SNS::TopicPolicy"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """The topics that there are, and the policy that each of them has."""
        topics: list[str] = []
        policies: list[Any] = []
        for topic in properties.get("Topics") or ():
            attributes = _attributes(clients, topic)
            if attributes is not None and attributes.get("Policy"):
                topics.append(topic)
                policies.append(document(attributes["Policy"]))
        if not topics:
            return None
        same = all(policy == policies[0] for policy in policies)
        return {"Topics": topics, "PolicyDocument": policies[0] if same else policies}


class Subscription:
    """``AWS::SNS::Subscription`` by GetSubscriptionAttributes."""

    name = "AWS::SNS::Subscription"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Where it goes and what it lets through."""
        sns = clients("sns")
        answer = unless_gone(lambda: sns.get_subscription_attributes(SubscriptionArn=physical_id))
        if answer is None:
            return None
        attributes = answer["Attributes"]
        told = all_named(attributes, {name: name for name in _SUBSCRIPTION})
        documents = {name: attributes.get(name) or None for name in _SUBSCRIPTION_DOCUMENTS}
        return told | {name: document(text) for name, text in documents.items()}


def _attributes(clients: Clients, topic: str) -> dict[str, str] | None:
    answer = unless_gone(lambda: clients("sns").get_topic_attributes(TopicArn=topic))
    return None if answer is None else answer["Attributes"]


def _line(line: Mapping[str, Any]) -> dict[str, Any]:
    return {name: line.get(name) for name in ("Protocol", "Endpoint")}


READERS = (Topic(), TopicPolicy(), Subscription())
