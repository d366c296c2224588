"""TRN451: every notification of a budget reaches somebody, and no more than it may."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trnkit.catalog import budget_limits
from trnkit.findings import Severity
from trnkit.rules.judging.wording import count
from trnkit.rules.reading.budget_resources import BUDGET, BudgetResource, budgets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in budgets(stack_set):
        if found.notifications is None:
            continue
        if found.notifications or not _has_action(found, stack_set):
            yield from _number(found, found.notifications)
        for notification in found.notifications:
            yield from _subscribers(found, notification)
            yield from _repeats(found, notification)


def _has_action(found: BudgetResource, stack_set: StackSet) -> bool:
    """Whether an action of the budget tells somebody, or may do so."""
    own = properties_of(found.resource)["Budget"]["BudgetName"]
    of = stack_set.derive(_budgets_of_actions)
    if None in of or found.resource in of or own.text() in of:
        return True
    return own.is_unknown and any(isinstance(budget, str) for budget in of)


def _budgets_of_actions(stack_set: StackSet) -> set[Resource | str | None]:
    """The budgets, or their names, whose actions tell somebody; None for one not known."""
    found: set[Resource | str | None] = set()
    for action in stack_set.resources("AWS::Budgets::BudgetsAction"):
        properties = properties_of(action)
        name = properties["BudgetName"]
        if properties["Subscribers"].entries() != () and not name.is_absent:
            found.add(name.referred(BUDGET) or name.text())
    return found


def _repeats(found: BudgetResource, notification: TemplateValue) -> Iterator[Violation]:
    """Addresses that stand twice among the subscribers of one notification."""
    seen: set[str] = set()
    for entry in notification["Subscribers"].entries() or ():
        address = entry["Address"]
        text = address.text()
        if entry["SubscriptionType"].text() != "EMAIL" or text is None:
            continue
        if text.lower() in seen:
            yield Violation(
                message=f"{found.name}: a notification goes to {text} twice",
                hint="remove one of them",
                resource=found.resource,
                path=address.path,
                severity=Severity.WARNING,
            )
        seen.add(text.lower())


def _number(found: BudgetResource, notifications: tuple[TemplateValue, ...]) -> Iterator[Violation]:
    limits, number = budget_limits(), len(notifications)
    safe, most = limits.notifications_per_budget, limits.notifications_per_budget_model_maximum
    path = ("Properties", "NotificationsWithSubscribers")
    if number == 0:
        yield Violation(
            message=f"{found.name}: has no notifications, so nobody hears of it",
            hint="add NotificationsWithSubscribers",
            resource=found.resource,
            path=path,
            severity=Severity.WARNING,
        )
    elif number > safe:
        limit = (
            f"a budget takes {most}" if number > most else f"AWS names {safe} and {most} as limit"
        )
        yield Violation(
            message=f"{found.name}: has {number} notifications; {limit}",
            hint=f"keep {safe} of them",
            resource=found.resource,
            path=path,
            severity=Severity.ERROR if number > most else Severity.WARNING,
            evidence=f"catalogue, notifications of a budget ({limits.date})",
        )


def _subscribers(found: BudgetResource, notification: TemplateValue) -> Iterator[Violation]:
    subscribers = notification["Subscribers"]
    entries = subscribers.entries()
    if entries is None:
        return
    limits = budget_limits()
    kinds = Counter(entry["SubscriptionType"].text() for entry in entries)
    topics, emails = kinds["SNS"], kinds["EMAIL"]
    most_topics = limits.sns_subscribers_per_notification
    most_emails = limits.email_subscribers_per_notification
    problems = {
        "nobody; AWS Budgets wants at least 1 subscriber": not entries,
        f"{count(topics, 'topic')}; a notification takes {most_topics}": topics > most_topics,
        f"{emails} addresses; a notification takes {most_emails}": emails > most_emails,
    }
    for problem, is_so in problems.items():
        if is_so:
            yield Violation(
                message=f"{found.name}: a notification goes to {problem}",
                hint="let one topic or mailing list pass it on" if entries else "add a subscriber",
                resource=found.resource,
                path=subscribers.path,
                evidence=f"catalogue, subscribers of a notification ({limits.date})",
            )


_HEAD = """\
Resources:
  Budget:
    Type: AWS::Budgets::Budget
    Properties:
      Budget: {BudgetType: COST, TimeUnit: MONTHLY, BudgetLimit: {Amount: 100, Unit: USD}}
      NotificationsWithSubscribers:
        - Notification: {NotificationType: ACTUAL, ComparisonOperator: GREATER_THAN, Threshold: 80}
          Subscribers:
            - {SubscriptionType: SNS, Address: "arn:aws:sns:us-east-1:111122223333:one"}
"""

RULE = TemplateRule(
    id="TRN451",
    title="every budget notification has subscribers within AWS's limits",
    severity=Severity.ERROR,
    why="A notification takes one topic and ten addresses. With more, the deployment fails "
    "half-way and leaves a budget that must be deleted by hand.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-best-practices.html",
    good=_HEAD,
    bad=_HEAD
    + '            - {SubscriptionType: SNS, Address: "arn:aws:sns:us-east-1:111122223333:two"}\n',
    check=_check,
)
