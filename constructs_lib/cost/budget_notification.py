"""When a budget alerts, and what it counts: values of `BudgetAlarm`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from aws_cdk import aws_budgets as budgets

from constructs_lib.arguments import is_text, is_unresolved, number, one_of, text, text_list
from trnkit.catalog import budget_limits
from trnkit.config.values import Email
from trnkit.errors import ConstructError

_TYPES = ("ACTUAL", "FORECASTED")


class CostTag(NamedTuple):
    """A cost allocation tag: the key and the value that resources carry."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class BudgetNotification:
    """When to alert: at a percentage of the limit or at an amount, exactly one of them.

    Attributes:
        percent: Per cent of the limit.
        notification_type: `ACTUAL` for money spent, `FORECASTED` for AWS's forecast, which needs
            about five weeks of history and which budgets per day do not have.
        amount: An amount in the budget's currency.
        emails: Addresses for this notification, in place of the budget's. Empty takes those.

    Raises:
        ConstructError: A value of another kind.
    """

    percent: float | None = None
    notification_type: Literal["ACTUAL", "FORECASTED"] = "ACTUAL"
    amount: float | None = None
    emails: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        number("percent", self.percent, optional=True)
        number("amount", self.amount, optional=True)
        one_of("notification_type", self.notification_type, _TYPES)
        text_list("emails", self.emails, Email)

    @property
    def key(self) -> tuple[object, ...]:
        """What AWS Budgets tells notifications apart by."""
        return self.notification_type, self.percent, self.amount


def check_notifications(notifications: Sequence[BudgetNotification], time_unit: str) -> None:
    """Refuse notifications that AWS Budgets refuses.

    Raises:
        ConstructError: None or too many, two at the same threshold, one without a threshold or
            with two, or a forecast where there is none.
    """
    limits = budget_limits()
    most = limits.notifications_per_budget_model_maximum
    if not 1 <= len(notifications) <= most:
        raise ConstructError(
            f"notifications must have 1 to {most} entries, got {len(notifications)}"
        )
    if len({notification.key for notification in notifications}) < len(notifications):
        raise ConstructError("notifications must not have an entry twice; merge their emails")
    for notification in notifications:
        given = [n for n in (notification.percent, notification.amount) if n is not None]
        if len(given) != 1:
            raise ConstructError(
                f"a notification has either percent or amount, got {len(given)} of them"
            )
        if is_unresolved(given[0]):
            continue
        if not limits.threshold_minimum <= given[0] <= limits.threshold_maximum:
            raise ConstructError(
                f"a threshold must be {limits.threshold_minimum:g} to "
                f"{limits.threshold_maximum:g}, got {given[0]}"
            )
        forecast = notification.notification_type == "FORECASTED"
        if forecast and time_unit in limits.time_units_without_forecast:
            raise ConstructError(f"a {time_unit} budget takes no FORECASTED notification")


def check_cost_tag(tag: CostTag | None) -> None:
    """Refuse a tag of which no cost filter can be made.

    A filter is written `user:key$value`, so a dollar sign in the key would end it too early.

    Raises:
        ConstructError: Key or value is no text, too long, or ambiguous.
    """
    if tag is None:
        return
    text("cost_tag key", tag.key)
    if not is_text(tag.value):
        raise ConstructError(f"cost_tag value must be text, got {tag.value!r}")
    if tag.value:
        text("cost_tag value", tag.value)
    for part, value, most in (("key", tag.key, 128), ("value", tag.value, 256)):
        if not is_unresolved(value) and len(value) > most:
            raise ConstructError(f"cost_tag {part} must have at most {most} characters")
    if not is_unresolved(tag.key) and ("$" in tag.key or tag.key.startswith("aws:")):
        raise ConstructError(
            f"cost_tag key must be a tag of your own without $, which ends the key in a cost "
            f"filter, got {tag.key!r}"
        )


def check_addresses(emails: Sequence[str]) -> None:
    """Refuse more addresses than a notification takes, and one twice.

    Raises:
        ConstructError: They are none, too many, or not all different.
    """
    most = budget_limits().email_subscribers_per_notification
    if not 1 <= len(emails) <= most:
        raise ConstructError(f"emails must name 1 to {most} addresses, got {len(emails)}")
    if len(set(emails)) < len(emails):
        raise ConstructError("emails must not name an address twice")


def render_notification(
    notification: BudgetNotification, emails: Sequence[str], topic_arn: str
) -> Any:
    """The notification as CloudFormation has it, with its addresses and the topic."""
    data = budgets.CfnBudget
    is_amount = notification.amount is not None
    threshold = notification.amount if is_amount else notification.percent
    assert threshold is not None
    return data.NotificationWithSubscribersProperty(
        notification=data.NotificationProperty(
            comparison_operator="GREATER_THAN",
            notification_type=notification.notification_type,
            threshold=threshold,
            threshold_type="ABSOLUTE_VALUE" if is_amount else "PERCENTAGE",
        ),
        subscribers=[
            *(data.SubscriberProperty(subscription_type="EMAIL", address=a) for a in emails),
            data.SubscriberProperty(subscription_type="SNS", address=topic_arn),
        ],
    )
