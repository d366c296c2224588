"""What AWS Budgets accepts, and what billing calls the services."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLimits:
    """Limits of AWS Budgets.

    Attributes:
        email_subscribers_per_notification: E-mail addresses of one notification.
        sns_subscribers_per_notification: SNS topics of one notification.
        notifications_per_budget: Notifications of one budget that are safe to use.
        notifications_per_budget_model_maximum: What the API's model allows; see disagreements.
        threshold_minimum: Smallest threshold, in percent or in the budget's currency.
        threshold_maximum: Largest threshold.
        time_units: Values of TimeUnit.
        time_units_without_forecast: Those whose budgets take no FORECASTED notification.
        forecast_history_weeks: About how many weeks of history a forecast needs.
        notification_types: Values of NotificationType.
        threshold_types: Values of ThresholdType.
        comparison_operators: Values of ComparisonOperator.
        cost_filters: Names of CostFilters.
        currency: The unit of a cost budget.
        currencies_elsewhere: Units where AWS bills in another currency, as in China.
        budget_name_maximum_length: Characters in a budget's name.
        actions_per_budget: Budget actions of one budget.
        budgets_per_management_account: Budgets that an account which pays its own bill may have.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    email_subscribers_per_notification: int
    sns_subscribers_per_notification: int
    notifications_per_budget: int
    notifications_per_budget_model_maximum: int
    threshold_minimum: float
    threshold_maximum: float
    time_units: tuple[str, ...]
    time_units_without_forecast: tuple[str, ...]
    forecast_history_weeks: int
    notification_types: tuple[str, ...]
    threshold_types: tuple[str, ...]
    comparison_operators: tuple[str, ...]
    cost_filters: tuple[str, ...]
    currency: str
    currencies_elsewhere: tuple[str, ...]
    budget_name_maximum_length: int
    actions_per_budget: int
    budgets_per_management_account: int
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingService:
    """One value of the billing dimension SERVICE.

    Attributes:
        name: The value a budget filter needs. Any other text matches nothing, in silence.
        console_names: Names that consoles and people use instead.
        verified: Whether a source shows the exact value; if not, look it up in the account's Cost
            Explorer before trusting a filter on it.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    console_names: tuple[str, ...]
    verified: bool
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyLimits:
    """What AWS Cost Anomaly Detection takes.

    Attributes:
        frequencies: Values of an anomaly subscription's Frequency.
        topic_frequencies: Those that go to an SNS topic, and to nothing else; the others go to
            e-mail addresses, and to nothing else.
        service_monitors_per_account: Monitors over all AWS services that an account may have.
        values_per_monitor: Tag values or accounts that a custom monitor may name.
        custom_monitors_per_management_account: Monitors over tags, accounts and cost categories
            that a management account may have; other accounts have none.
        threshold_maximum: Largest value of a threshold, in dollars or per cent.
        email_pattern: Regular expression that a subscriber's address matches as a whole.
        history_days: Days of a service's cost that are needed before an anomaly is seen in it.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    frequencies: tuple[str, ...]
    topic_frequencies: tuple[str, ...]
    service_monitors_per_account: int
    values_per_monitor: int
    custom_monitors_per_management_account: int
    threshold_maximum: float
    email_pattern: str
    history_days: int
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertTopicFacts:
    """What SNS does with who subscribes to a topic.

    Attributes:
        unconfirmed_hours: Hours after which it drops a subscription that nobody confirmed.
        confirmed_protocols: Those whose subscriptions the owner of the endpoint confirms.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    unconfirmed_hours: int
    confirmed_protocols: tuple[str, ...]
    source: tuple[str, ...]
    date: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CostExplorerFacts:
    """How late Cost Explorer knows a tag; what a question costs is among the prices.

    Attributes:
        tag_days: Days after which a tag that is in use appears among the cost allocation tags, and
            after which an activated one counts, at the latest.
        note: What the sources leave open.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    tag_days: int
    note: str
    source: tuple[str, ...]
    date: str


@cache
def alert_topic_facts() -> AlertTopicFacts:
    """Return what is known of subscriptions to topics."""
    return AlertTopicFacts(**table("budgets")["alert_topics"])


@cache
def cost_explorer_facts() -> CostExplorerFacts:
    """Return what is known of questions to Cost Explorer."""
    return CostExplorerFacts(**table("budgets")["cost_explorer"])


@cache
def budget_limits() -> BudgetLimits:
    """Return the limits of AWS Budgets."""
    values: dict[str, Any] = dict(table("budgets")["limits"])
    disagreements = disagreements_from(values.pop("disagreements"))
    return BudgetLimits(disagreements=disagreements, **values)


@cache
def anomaly_limits() -> AnomalyLimits:
    """Return the limits of AWS Cost Anomaly Detection."""
    values: dict[str, Any] = dict(table("budgets")["anomaly_limits"])
    disagreements = disagreements_from(values.pop("disagreements"))
    return AnomalyLimits(disagreements=disagreements, **values)


@cache
def billing_services() -> tuple[BillingService, ...]:
    """Return the billing names in the catalogue. Billing knows many more than these."""
    return tuple(BillingService(**entry) for entry in table("budgets")["billing_services"])


def find_billing_service(name: str) -> BillingService | None:
    """Return the service with exactly this billing name, or None when it is not known."""
    return next((service for service in billing_services() if service.name == name), None)


def nearest_billing_services(name: str) -> tuple[str, ...]:
    """Return billing names that were probably meant.

    Args:
        name: What somebody wrote, for example `EC2-Instances`.

    Returns:
        At most three billing names, the likeliest first; () when nothing resembles it.
    """
    wanted = name.strip().casefold()
    spellings = {
        spelling.casefold(): service.name
        for service in reversed(billing_services())
        for spelling in (*service.console_names, service.name)
    }
    exact = [
        service.name
        for service in billing_services()
        if wanted in {spelling.casefold() for spelling in (service.name, *service.console_names)}
    ]
    if exact:
        return tuple(exact[:3])
    # Imported here because only a mistake needs it.
    from difflib import get_close_matches

    close = get_close_matches(wanted, spellings, n=6)
    return tuple(dict.fromkeys(spellings[spelling] for spelling in close))[:3]
