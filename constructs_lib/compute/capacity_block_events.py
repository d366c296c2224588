"""Tells a topic when a Capacity Block begins and when it is about to end."""

from __future__ import annotations

import json
from collections.abc import Sequence

from aws_cdk import aws_events as events
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import flag, same_region, text, text_list
from constructs_lib.cost.alert_topic import let_publish, wait_for_policy
from trnkit.config.values import CapacityReservationId

BLOCK_EVENTS = (
    "Capacity Block Delivered",
    "Capacity Block Expiration Warning",
    # As earlier versions of the page name them, and still its translations.
    "Capacity Block Reservation Delivered",
    "Capacity Block Reservation Expiration Warning",
)
INTERRUPTION_EVENTS = (
    "EC2 Capacity Reservation Instance Interruption Warning",
    "EC2 Spot Instance Interruption Warning",
)
_EVERY_EVENT = {"kind": "$.detail-type", "region": "$.region"}


class CapacityBlockEvents(Construct):
    """A rule that sends what EC2 says of Capacity Blocks to an alert topic.

    Creates `AWS::Events::Rule`, and another one for warnings of single instances when they are
    asked for. EC2 says when a block is delivered, and 40 minutes before its end that it expires;
    by then a group with a schedule is nearly empty, and whoever is still running hears of it.

    The message is a notification as Amazon Q Developer in chat applications takes it from
    programs: other text that is no event of AWS's would be dropped there without a word.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-monitor.html
        https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html
        https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from aws_cdk import aws_sns as sns
        >>> from constructs_lib.compute import CapacityBlockEvents
        >>> stack = Stack(App(), "Guard")
        >>> told = CapacityBlockEvents(
        ...     stack, "CapacityBlockEvents", topic=sns.Topic(stack, "Alerts"),
        ...     cluster_name="block-week", capacity_reservation_ids=["cr-0123456789abcdef0"])
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topic: sns.ITopic,
        cluster_name: str,
        key: kms.IKey | None = None,
        capacity_reservation_ids: Sequence[str] = (),
        instance_interruptions: bool = False,
    ) -> None:
        """Create the rules.

        Args:
            scope: Parent; its stack must be in the Region of the blocks.
            construct_id: Id within the parent.
            topic: The topic, in the same Region: EventBridge has no targets in another one. One of
                this app is extended; one that is imported by its ARN must let
                `events.amazonaws.com` publish already.
            cluster_name: Named in each message.
            key: The topic's key. An imported one must let that service use it already, without a
                condition on the source.
            capacity_reservation_ids: The blocks to hear of. Empty: every block of the account in
                the Region, which it must be where only a resource group of them is known.
            instance_interruptions: Whether each instance that EC2 takes back is told, too, of any
                cluster in the Region: 64 messages for a block of 64.

        Raises:
            ConstructError: The topic is in another Region, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        text("cluster_name", cluster_name)
        text_list("capacity_reservation_ids", capacity_reservation_ids, CapacityReservationId)
        flag("instance_interruptions", instance_interruptions)
        same_region(self, topic=topic)
        let_publish(self, "events", topic, key)
        self._rule(
            "Resource",
            topic,
            pattern={
                "source": ["aws.ec2"],
                "detail-type": list(BLOCK_EVENTS),
                **_detail(capacity_reservation_ids),
            },
            paths={"reservation": "$.detail.capacity-reservation-id", "end": "$.detail.end-date"},
            cluster=cluster_name,
            words="Reservation <reservation> in <region>, which ends at <end>.",
        )
        if instance_interruptions:
            self._rule(
                "InstanceInterruptions",
                topic,
                pattern={"source": ["aws.ec2"], "detail-type": list(INTERRUPTION_EVENTS)},
                paths={"instance": "$.detail.instance-id"},
                cluster=cluster_name,
                words="EC2 takes back the instance <instance> in <region>.",
            )

    def _rule(
        self,
        construct_id: str,
        topic: sns.ITopic,
        *,
        pattern: dict[str, object],
        paths: dict[str, str],
        cluster: str,
        words: str,
    ) -> None:
        rule = events.CfnRule(
            self,
            construct_id,
            description=f"Tells the alert topic of {cluster} what EC2 says",
            event_pattern=pattern,
            targets=[
                events.CfnRule.TargetProperty(
                    id="AlertTopic",
                    arn=topic.topic_arn,
                    input_transformer=events.CfnRule.InputTransformerProperty(
                        input_paths_map=_EVERY_EVENT | paths,
                        input_template=_message(f"<kind>: cluster {cluster}", words),
                    ),
                )
            ],
        )
        wait_for_policy(rule, topic)


def _detail(reservations: Sequence[str]) -> dict[str, object]:
    if not reservations:
        return {}
    return {"detail": {"capacity-reservation-id": list(reservations)}}


def _message(title: str, words: str) -> str:
    """What chat applications show and mailboxes can read."""
    content = {"textType": "client-markdown", "title": title, "description": words}
    return json.dumps({"version": "1.0", "source": "custom", "content": content})
