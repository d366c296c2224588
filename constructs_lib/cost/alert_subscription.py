"""Somebody who hears what a topic says: an address, a web hook, a function or a queue."""

from __future__ import annotations

from aws_cdk import Stack, Token
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import is_text, is_unresolved, text
from trnkit.config.values import Email
from trnkit.errors import ConstructError
from trnkit.layout.alert_endpoints import Protocol, arn_region, protocol_of, subscriber_id


class AlertSubscription(Construct):
    """A subscription to an alert topic; the protocol follows from the endpoint's shape.

    Creates `AWS::SNS::Subscription`. Who owns an e-mail address must click a link before anything
    arrives, and a web hook must answer the same question. It does not change what belongs to the
    endpoint: a queue's policy and a function's permission must let `sns.amazonaws.com` in.

    Sources:
        https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sns-subscription.html
        https://docs.aws.amazon.com/sns/latest/dg/sns-create-subscribe-endpoint-to-topic.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from aws_cdk import aws_sns as sns
        >>> from constructs_lib.cost import AlertSubscription
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> pager = AlertSubscription(
        ...     stack, "Pager", topic=sns.Topic(stack, "Alerts"),
        ...     endpoint="https://alerts.example.com/budget")
        >>> pager.protocol
        'https'
    """

    protocol: Protocol
    """What SNS calls the kind of endpoint."""

    def __init__(
        self, scope: Construct, construct_id: str, *, topic: sns.ITopic, endpoint: str
    ) -> None:
        """Create the subscription.

        Args:
            scope: Parent.
            construct_id: Id within the parent. SNS asks again for every new subscription, so it
                should follow from the endpoint and not from its place in a list.
            topic: The topic, of this app or imported by its ARN.
            endpoint: An e-mail address, an `https://` address, or the ARN of a Lambda function or
                of a standard SQS queue. For a function or queue of the same app take CDK's
                `aws_sns_subscriptions`, which sets their policies too.

        Raises:
            ConstructError: The endpoint has none of these shapes, or is not known before deploying.
        """
        super().__init__(scope, construct_id)
        known = is_text(endpoint) and not is_unresolved(endpoint)
        protocol = protocol_of(endpoint) if known else None
        if protocol is None:
            raise ConstructError(
                "endpoint must be an e-mail address, an https:// address, or the ARN of a Lambda "
                f"function or of a standard SQS queue, got {endpoint!r}"
            )
        if protocol == "email":
            text("endpoint", endpoint, Email)
        self.protocol = protocol
        topic_arn = topic.topic_arn
        sns.CfnSubscription(
            self,
            "Resource",
            topic_arn=topic_arn,
            protocol=protocol,
            endpoint=endpoint,
            region=_other_region(topic_arn, Stack.of(self).region),
        )


def subscribe_once(scope: Construct, topic: sns.ITopic, endpoint: str) -> AlertSubscription:
    """A subscription below a construct, whose id follows from the endpoint.

    Raises:
        ConstructError: The endpoint has no known shape, or has subscribed already.
    """
    text("endpoint", endpoint)
    construct_id = subscriber_id(endpoint)
    if scope.node.try_find_child(construct_id):
        raise ConstructError(f"endpoint must subscribe once, got {endpoint!r} again")
    return AlertSubscription(scope, construct_id, topic=topic, endpoint=endpoint)


def _other_region(topic_arn: str, stack_region: str) -> str | None:
    """The topic's Region where it is known and not the stack's, which CloudFormation assumes."""
    if Token.is_unresolved(topic_arn) or Token.is_unresolved(stack_region):
        return None
    region = arn_region(topic_arn)
    return None if region == stack_region else region
