"""A budget whose alerts arrive: addresses, a topic Budgets may publish to, and a key it may use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from aws_cdk import Stack
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from constructs import Construct

from constructs_lib.arguments import entries, instance, number, one_of, text, text_list
from constructs_lib.cost.alert_subscription import AlertSubscription, subscribe_once
from constructs_lib.cost.alert_topic import create_alert_topic, let_publish, wait_for_policy
from constructs_lib.cost.budget_notification import (
    BudgetNotification,
    CostTag,
    check_addresses,
    check_cost_tag,
    check_notifications,
    render_notification,
)
from trnkit.catalog import budgets_resource_type_available
from trnkit.config.budget import TimeUnit
from trnkit.config.values import AccountId, CurrencyCode, Email
from trnkit.errors import ConstructError
from trnkit.layout.tags import budget_tag_filter

_LEAST_LIMIT, _LARGEST_LIMIT = 0.01, 1e9
"""As in the cluster file: AWS counts in cents."""


class BudgetAlarm(Construct):
    """A cost budget with alerts by e-mail and through an SNS topic.

    Creates `AWS::Budgets::Budget` and, without a topic of the caller's, `AWS::SNS::Topic` with a
    policy that lets Budgets publish and `AWS::KMS::Key` that lets it encrypt (the AWS managed key
    of SNS cannot). The budget has no name of its own, so that a change that replaces it never
    clashes with the old one: CloudFormation changes neither addresses nor thresholds in place. With
    `delivery="topic"` the addresses are `AWS::SNS::Subscription` resources, and changing them
    leaves the budget alone.

    Every address must be confirmed once, by the link in a mail from AWS. The tag must be an active
    cost allocation tag in the payer account, which CloudFormation cannot do. Budgets see costs up
    to a day late: this is a back-stop, not a brake.

    Sources:
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html
        https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-email-recipients.html

    Example:
        >>> from aws_cdk import App, Environment, Stack
        >>> from constructs_lib.cost import BudgetAlarm, CostTag
        >>> stack = Stack(App(), "Cost", env=Environment(region="us-east-1"))
        >>> alarm = BudgetAlarm(
        ...     stack, "BudgetAlarm", limit_usd=5000, emails=["ml-platform@example.com"],
        ...     cost_tag=CostTag("trnkit-cluster", "pretrain"))
        >>> storage = BudgetAlarm(
        ...     stack, "StorageBudget", limit_usd=500, services=["Amazon FSx"],
        ...     emails=["storage-team@example.com"], topic=alarm.topic, key=alarm.key)
    """

    topic: sns.ITopic
    """The topic, for further subscriptions (chat, pager, automation) and further budgets."""

    key: kms.IKey | None
    """The topic's key; None when the topic is the caller's and the key was not given."""

    budget_name: str
    """The budget's name, as AWS made it up: what a budget action refers to."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        limit_usd: float,
        emails: Sequence[str] = (),
        notifications: Sequence[BudgetNotification] = (
            BudgetNotification(80),
            BudgetNotification(100),
        ),
        time_unit: Literal["DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY"] = "MONTHLY",
        cost_tag: CostTag | None = None,
        services: Sequence[str] = (),
        linked_accounts: Sequence[str] = (),
        currency: str = "USD",
        delivery: Literal["direct", "topic"] = "direct",
        topic: sns.ITopic | None = None,
        key: kms.IKey | None = None,
    ) -> None:
        """Create the budget.

        Args:
            scope: Parent; its stack must be in a region that has the budget resource type.
            construct_id: Id within the parent.
            limit_usd: Limit per time unit, in US dollars or in `currency`.
            emails: Addresses that hear of it. With `delivery="direct"` 1 to 10; with a topic of the
                caller's there may be none, whoever has subscribed to it hears.
            notifications: When to alert. Any of them may have addresses of its own.
            time_unit: Period after which the count restarts.
            cost_tag: Count only costs that carry this tag. None counts the whole account.
            services: Count only these services, by billing name (`Amazon FSx`). Empty counts all.
            linked_accounts: Count only these accounts, by their ids. Empty counts all that the
                account sees. AWS takes this filter in an organization's management account only.
            currency: What the account is billed in; AWS refuses any other.
            delivery: `direct`: Budgets writes to the addresses itself. `topic`: they subscribe to
                the topic.
            topic: A topic to use. None creates one. One that is imported by its ARN must let
                Budgets publish already; the policy of one of this app is extended.
            key: Encrypts the topic: the key of `topic`, or the one to create a topic with. None
                creates a key with the topic. An imported key must let Budgets use it already.

        Raises:
            ConstructError: No or too many subscribers or notifications, one twice, a limit below a
                cent, recipients where the topic has all, a region without budgets, or a value of
                another kind.
        """
        super().__init__(scope, construct_id)
        _check_region(Stack.of(self).region)
        number("limit_usd", limit_usd, least=_LEAST_LIMIT, most=_LARGEST_LIMIT)
        text_list("emails", emails, Email)
        entries("notifications", notifications, BudgetNotification)
        one_of("time_unit", time_unit, get_args(TimeUnit))
        instance("cost_tag", cost_tag, CostTag, optional=True)
        check_cost_tag(cost_tag)
        text_list("services", services)
        text_list("linked_accounts", linked_accounts, AccountId)
        text("currency", currency, CurrencyCode)
        one_of("delivery", delivery, ("direct", "topic"))
        _check_recipients(emails, notifications, delivery, topic)
        check_notifications(notifications, time_unit)
        self.topic, self.key = (topic, key) if topic else create_alert_topic(self, key)
        let_publish(self, "budgets", self.topic, self.key)
        direct = emails if delivery == "direct" else ()
        budget = budgets.CfnBudget(
            self,
            "Resource",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_type="COST",
                time_unit=time_unit,
                budget_limit=_spend(limit_usd, currency),
                cost_filters=_filters(cost_tag, services, linked_accounts) or None,
            ),
            notifications_with_subscribers=[
                render_notification(n, n.emails or direct, self.topic.topic_arn)
                for n in notifications
            ],
        )
        self.budget_name = budget.ref
        wait_for_policy(budget, self.topic)
        for address in emails if delivery == "topic" else ():
            self.subscribe(address)

    def subscribe(self, endpoint: str) -> AlertSubscription:
        """Let an endpoint hear what the topic says.

        Args:
            endpoint: As of `AlertSubscription`. Its construct id follows from it, so that another
                endpoint more or less leaves this one's subscription, and its confirmation, alone.

        Raises:
            ConstructError: It has none of the shapes, or has subscribed already.
        """
        return subscribe_once(self, self.topic, endpoint)


def _filters(
    cost_tag: CostTag | None, services: Sequence[str], linked_accounts: Sequence[str]
) -> dict[str, list[str]]:
    filters: dict[str, list[str]] = {}
    if cost_tag:
        filters["TagKeyValue"] = [budget_tag_filter(cost_tag.key, cost_tag.value)]
    if services:
        filters["Service"] = list(services)
    if linked_accounts:
        filters["LinkedAccount"] = list(linked_accounts)
    return filters


def _spend(limit: float, currency: str) -> budgets.CfnBudget.SpendProperty:
    return budgets.CfnBudget.SpendProperty(amount=limit, unit=currency)


def _check_region(region: str) -> None:
    if budgets_resource_type_available(region) is False:
        raise ConstructError(
            f"{region} has no AWS::Budgets::Budget; put the stack of this construct into us-east-1 "
            "(budgets are global)"
        )


def _check_recipients(
    emails: Sequence[str],
    notifications: Sequence[BudgetNotification],
    delivery: str,
    topic: sns.ITopic | None,
) -> None:
    if delivery == "topic":
        if any(notification.emails for notification in notifications):
            raise ConstructError(
                "with delivery='topic' a notification has no addresses of its own: whoever "
                "subscribes to the topic hears of every one"
            )
        if len(set(emails)) < len(emails):
            raise ConstructError("emails must not name an address twice")
        if not emails and topic is None:
            raise ConstructError("emails must name at least one address: nobody hears the topic")
        return
    lists = [notification.emails or tuple(emails) for notification in notifications]
    for addresses in [tuple(emails), *lists]:
        if addresses or topic is None:
            check_addresses(addresses)
