"""Queues and their policies, as SQS tells them."""

from __future__ import annotations

from typing import Any

from trnkit.emulation.resources.absence import unless_gone
from trnkit.emulation.resources.readers.asking import all_named, document
from trnkit.emulation.resources.resource import Clients, Proof, Properties, own_tags

_QUEUE = {
    "ContentBasedDeduplication": "ContentBasedDeduplication",
    "DeduplicationScope": "DeduplicationScope",
    "DelaySeconds": "DelaySeconds",
    "FifoQueue": "FifoQueue",
    "FifoThroughputLimit": "FifoThroughputLimit",
    "KmsDataKeyReusePeriodSeconds": "KmsDataKeyReusePeriodSeconds",
    "KmsMasterKeyId": "KmsMasterKeyId",
    "MaximumMessageSize": "MaximumMessageSize",
    "MessageRetentionPeriod": "MessageRetentionPeriod",
    "ReceiveMessageWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds",
    "SqsManagedSseEnabled": "SqsManagedSseEnabled",
    "VisibilityTimeout": "VisibilityTimeout",
}
_DOCUMENTS = ("RedriveAllowPolicy", "RedrivePolicy")


class Queue:
    """``AWS::SQS::Queue`` by GetQueueAttributes and ListQueueTags."""

    name = "AWS::SQS::Queue"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """Its attributes and tags."""
        attributes = _attributes(clients, physical_id)
        if attributes is None:
            return None
        told = all_named(attributes, _QUEUE)
        told["QueueName"] = attributes["QueueArn"].rpartition(":")[2]
        told |= {name: document(attributes.get(name)) for name in _DOCUMENTS}
        tags = clients("sqs").list_queue_tags(QueueUrl=physical_id).get("Tags", {})
        return told | {"Tags": own_tags(tags)}


class QueuePolicy:
    """``AWS::SQS::QueuePolicy`` by GetQueueAttributes."""

    name = "AWS::SQS::QueuePolicy"
    proof = Proof.SERVICE

    def read(
        self, clients: Clients, physical_id: str, properties: Properties
    ) -> dict[str, Any] | None:
        """The queues that there are, and the policy that each of them has."""
        queues: list[str] = []
        policies: list[Any] = []
        for queue in properties.get("Queues") or ():
            attributes = _attributes(clients, queue)
            if attributes is not None and attributes.get("Policy"):
                queues.append(queue)
                policies.append(document(attributes["Policy"]))
        if not queues:
            return None
        same = all(policy == policies[0] for policy in policies)
        return {"Queues": queues, "PolicyDocument": policies[0] if same else policies}


def _attributes(clients: Clients, queue: str) -> dict[str, str] | None:
    sqs, everything = clients("sqs"), ["All"]
    answer = unless_gone(
        lambda: sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=everything),
        "NonExistentQueue",
        "QueueDoesNotExist",
    )
    return None if answer is None else answer["Attributes"]


READERS = (Queue(), QueuePolicy())
