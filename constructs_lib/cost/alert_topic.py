"""A topic that AWS's cost services and alarms may publish to, and the key they may use for it.

Sources:
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
    https://docs.aws.amazon.com/cost-management/latest/userguide/ad-SNS.html
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Notify_Users_Alarm_Changes.html
    https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import same_region, text, text_list
from constructs_lib.cost.alert_subscription import AlertSubscription, subscribe_once


class _Publisher(NamedTuple):
    principal: str
    sid_prefix: str
    source_arn: str | None
    sends_account: bool = True


_PUBLISHERS = {
    "budgets": _Publisher(
        "budgets.amazonaws.com", "Budgets", "arn:{partition}:budgets::{account}:*"
    ),
    # The guide shows the condition on the account; the form of the ARN is not shown there.
    "anomalies": _Publisher("costalerts.amazonaws.com", "CostAlerts", None),
    # Of EventBridge and encrypted topics the guide says that conditions on the source fail.
    "events": _Publisher("events.amazonaws.com", "Events", None, sends_account=False),
    "alarms": _Publisher(
        "cloudwatch.amazonaws.com",
        "CloudWatchAlarms",
        "arn:{partition}:cloudwatch:{region}:{account}:alarm:*",
    ),
}


class AlertTopic(Construct):
    """A topic that passes alerts on, encrypted with a key that AWS's services may be let use.

    Creates `AWS::SNS::Topic`, `AWS::SNS::TopicPolicy`, which takes TLS only, `AWS::KMS::Key` where
    none is given, and `AWS::SNS::Subscription` for each endpoint. Who publishes is let in by the
    construct that makes it publish: `BudgetAlarm`, `SpendWatchdog`, `CapacityBlockEvents`.

    Sources:
        https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html
        https://docs.aws.amazon.com/sns/latest/dg/sns-create-subscribe-endpoint-to-topic.html

    Example:
        >>> from aws_cdk import App, Stack
        >>> from constructs_lib.cost import AlertTopic
        >>> stack = Stack(App(), "Guard")
        >>> alerts = AlertTopic(
        ...     stack, "AlertTopic", endpoints=["ml-platform@example.com"])
        >>> pager = alerts.subscribe("https://alerts.example.com/spend")
    """

    topic: sns.ITopic
    """The topic."""

    key: kms.IKey
    """Its key."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoints: Sequence[str] = (),
        topic_name: str | None = None,
        key: kms.IKey | None = None,
    ) -> None:
        """Create the topic.

        Args:
            scope: Parent.
            construct_id: Id within the parent.
            endpoints: Who hears what it says, as of `AlertSubscription`.
            topic_name: Its name; another one makes another topic, to which everybody must
                subscribe again. None leaves it to CloudFormation.
            key: Encrypts it; of the same Region. None creates one.

        Raises:
            ConstructError: An endpoint of no known shape or twice, or a value of another kind.
        """
        super().__init__(scope, construct_id)
        text_list("endpoints", endpoints)
        text("topic_name", topic_name, optional=True)
        same_region(self, key=key)
        self.topic, self.key = create_alert_topic(self, key, topic_name)
        for endpoint in endpoints:
            self.subscribe(endpoint)

    def subscribe(self, endpoint: str) -> AlertSubscription:
        """Let an endpoint hear what the topic says.

        Args:
            endpoint: As of `AlertSubscription`. Its construct id follows from it, so that another
                endpoint more or less leaves this one's subscription, and its confirmation, alone.

        Raises:
            ConstructError: It has none of the shapes, or has subscribed already.
        """
        return subscribe_once(self, self.topic, endpoint)


def create_alert_topic(
    scope: Construct, key: kms.IKey | None, topic_name: str | None = None
) -> tuple[sns.ITopic, kms.IKey]:
    """Create a topic that takes TLS only, encrypted with a key, by default one of its own.

    The AWS managed key of SNS will not do: its policy, which cannot be changed, lets no cost
    service in.
    """
    if key is None:
        own = kms.Key(
            scope,
            "Key",
            description="Encrypts budget alerts on their way through SNS",
            enable_key_rotation=True,
            # It guards alerts in transit, which nobody reads afterwards: nothing is lost with it.
            removal_policy=RemovalPolicy.DESTROY,
        )
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        key = cast("kms.IKey", own)
    topic = sns.Topic(scope, "Topic", topic_name=topic_name, master_key=key, enforce_ssl=True)
    return cast("sns.ITopic", topic), key


def let_publish(
    scope: Construct,
    publisher: Literal["budgets", "anomalies", "alarms", "events"],
    topic: sns.ITopic,
    key: kms.IKey | None,
) -> None:
    """Let a service publish to a topic and use its key, for this account only where it says which.

    CDK cannot change the policy of a topic or key that the app only refers to; such a one must
    say so already.
    """
    stack = Stack.of(scope)
    service = _PUBLISHERS[publisher]
    own_account: dict[str, dict[str, str]] = (
        {"StringEquals": {"aws:SourceAccount": stack.account}} if service.sends_account else {}
    )
    principal = cast("iam.IPrincipal", iam.ServicePrincipal(service.principal))
    conditions = dict(own_account)
    if service.source_arn:
        arn = service.source_arn.format(
            partition=stack.partition, region=stack.region, account=stack.account
        )
        conditions["ArnLike"] = {"aws:SourceArn": arn}
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            sid=f"{service.sid_prefix}MayPublish",
            principals=[principal],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions=conditions,
        )
    )
    if key is not None:
        key.add_to_resource_policy(
            iam.PolicyStatement(
                sid=f"{service.sid_prefix}MayEncrypt",
                principals=[principal],
                actions=["kms:GenerateDataKey*", "kms:Decrypt"],
                resources=["*"],
                conditions=own_account,
            )
        )


def wait_for_policy(construct: Construct, topic: sns.ITopic) -> None:
    """Make a resource after the topic's policy: made before, it would start with a refusal."""
    policy = topic.node.try_find_child("Policy")
    if policy is not None:
        construct.node.add_dependency(policy)
