"""A budget whose alerts arrive: addresses, a topic Budgets may publish to, and a key it may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from trnkit.catalog import budget_limits, budgets_resource_type_available
from trnkit.errors import ConstructError
from trnkit.layout.tags import budget_tag_filter

_BUDGETS = "budgets.amazonaws.com"


class CostTag(NamedTuple):
    """A cost allocation tag: the key and the value that resources carry."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class BudgetNotification:
    """When to alert.

    Attributes:
        percent: Per cent of the limit.
        notification_type: `ACTUAL` for money spent, `FORECASTED` for AWS's forecast, which needs
            about five weeks of history.
    """

    percent: float
    notification_type: Literal["ACTUAL", "FORECASTED"] = "ACTUAL"


class BudgetAlarm(Construct):
    """A cost budget with alerts by e-mail and through an SNS topic.

    Creates `AWS::Budgets::Budget`, `AWS::SNS::Topic` with a policy that lets Budgets publish, an
    `AWS::KMS::Key` that lets it encrypt (the AWS managed key of SNS cannot). The budget has no
    name of its own, so that a change that replaces it never clashes with the old one.

    The tag must be an active cost allocation tag in the payer account, which CloudFormation cannot
    do. Budgets see costs up to a day late: this is a back-stop, not a brake.

    Sources:
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.cost import BudgetAlarm, CostTag
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> alarm = BudgetAlarm(
        ...     stack, "BudgetAlarm", limit_usd=5000, emails=["ml-platform@example.com"],
        ...     cost_tag=CostTag("trnkit-cluster", "pretrain"))
    """

    topic: sns.ITopic
    """The topic, for further subscriptions (chat, pager, automation)."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        limit_usd: float,
        emails: Sequence[str],
        notifications: Sequence[BudgetNotification] = (
            BudgetNotification(80),
            BudgetNotification(100),
        ),
        time_unit: Literal["DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY"] = "MONTHLY",
        cost_tag: CostTag | None = None,
        services: Sequence[str] = (),
    ) -> None:
        """Create the budget.

        Args:
            scope: Parent; its stack must be in a region that has the budget resource type.
            construct_id: Id within the parent.
            limit_usd: Limit in US dollars per time unit.
            emails: Addresses Budgets writes to, 1 to 10.
            notifications: When to alert.
            time_unit: Period after which the count restarts.
            cost_tag: Count only costs that carry this tag. None counts the whole account.
            services: Count only these services, by billing name (`Amazon FSx`). Empty counts all.

        Raises:
            ConstructError: No or too many subscribers or notifications, one twice, a limit that is
                not positive, or a region without budgets.
        """
        super().__init__(scope, construct_id)
        region = Stack.of(self).region
        _check_region(region)
        _check_subscribers(emails)
        _check_notifications(notifications)
        if not limit_usd > 0:
            raise ConstructError(f"limit_usd must be more than 0, got {limit_usd}")
        key = kms.Key(
            self,
            "Key",
            description="Encrypts budget alerts on their way through SNS",
            enable_key_rotation=True,
            # It guards alerts in transit, which nobody reads afterwards: nothing is lost with it.
            removal_policy=RemovalPolicy.DESTROY,
        )
        # The casts are for type checkers: CDK's classes name some parameters unlike its interfaces.
        topic = sns.Topic(self, "Topic", master_key=cast("kms.IKey", key), enforce_ssl=True)
        self._let_budgets_publish(topic, key)
        filters: dict[str, list[str]] = {}
        if cost_tag:
            filters["TagKeyValue"] = [budget_tag_filter(cost_tag.key, cost_tag.value)]
        if services:
            filters["Service"] = list(services)
        data = budgets.CfnBudget
        budget = data(
            self,
            "Resource",
            budget=data.BudgetDataProperty(
                budget_type="COST",
                time_unit=time_unit,
                budget_limit=data.SpendProperty(amount=limit_usd, unit=budget_limits().currency),
                cost_filters=filters or None,
            ),
            notifications_with_subscribers=[
                _notification(notification, emails, topic.topic_arn)
                for notification in notifications
            ],
        )
        # A budget made before the policy would start with a topic that refuses it.
        budget.node.add_dependency(topic.node.find_child("Policy"))
        self.topic = cast("sns.ITopic", topic)

    def _let_budgets_publish(self, topic: sns.Topic, key: kms.Key) -> None:
        stack = Stack.of(self)
        conditions = {
            "StringEquals": {"aws:SourceAccount": stack.account},
            "ArnLike": {
                "aws:SourceArn": f"arn:{stack.partition}:budgets::{stack.account}:*",
            },
        }
        principal = cast("iam.IPrincipal", iam.ServicePrincipal(_BUDGETS))
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                sid="BudgetsMayPublish",
                principals=[principal],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions=conditions,
            )
        )
        key.add_to_resource_policy(
            iam.PolicyStatement(
                sid="BudgetsMayEncrypt",
                principals=[principal],
                actions=["kms:GenerateDataKey*", "kms:Decrypt"],
                resources=["*"],
                conditions={"StringEquals": {"aws:SourceAccount": stack.account}},
            )
        )


def _notification(notification: BudgetNotification, emails: Sequence[str], topic_arn: str) -> Any:
    data = budgets.CfnBudget
    return data.NotificationWithSubscribersProperty(
        notification=data.NotificationProperty(
            comparison_operator="GREATER_THAN",
            notification_type=notification.notification_type,
            threshold=notification.percent,
            threshold_type="PERCENTAGE",
        ),
        subscribers=[
            *(data.SubscriberProperty(subscription_type="EMAIL", address=a) for a in emails),
            data.SubscriberProperty(subscription_type="SNS", address=topic_arn),
        ],
    )


def _check_region(region: str) -> None:
    if budgets_resource_type_available(region) is False:
        raise ConstructError(
            f"{region} has no AWS::Budgets::Budget; put the stack of this construct into us-east-1 "
            "(budgets are global)"
        )


def _check_subscribers(emails: Sequence[str]) -> None:
    most = budget_limits().email_subscribers_per_notification
    if not 1 <= len(emails) <= most:
        raise ConstructError(f"emails must name 1 to {most} addresses, got {len(emails)}")
    if len(set(emails)) < len(emails):
        raise ConstructError("emails must not name an address twice")


def _check_notifications(notifications: Sequence[BudgetNotification]) -> None:
    most = budget_limits().notifications_per_budget_model_maximum
    if not 1 <= len(notifications) <= most:
        raise ConstructError(
            f"notifications must have 1 to {most} entries, got {len(notifications)}"
        )
    if len(set(notifications)) < len(notifications):
        raise ConstructError("notifications must not have an entry twice")
