from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.trnkit.emulation.golden_resources import resolved, resources_of
from tests.trnkit.emulation.moto_place import ACCOUNT, moto_place
from trnkit.emulation.resources.budgets import Budget
from trnkit.emulation.resources.resource import Place
from trnkit.emulation.services.cost import budgets_extension
from trnkit.emulation.services.cost.budgets_extension import inject_spend

BUDGET = Budget()
TOPIC = f"arn:aws:sns:us-east-1:{ACCOUNT}:alarms"
MAIL = {"SubscriptionType": "EMAIL", "Address": "ml-platform@example.com"}
SNS = {"SubscriptionType": "SNS", "Address": TOPIC}


@pytest.fixture
def place() -> Iterator[Place]:
    budgets_extension.install()
    with moto_place("us-east-1") as found:
        yield found


def alert(threshold: float = 80, *subscribers: dict[str, str], **change: Any) -> dict[str, Any]:
    notification = {
        "NotificationType": "ACTUAL",
        "ComparisonOperator": "GREATER_THAN",
        "Threshold": threshold,
        **change,
    }
    return {"Notification": notification, "Subscribers": [*(subscribers or (MAIL,))]}


def monthly(*alerts: dict[str, Any], **budget: Any) -> dict[str, Any]:
    """Properties of an ordinary budget; members that are None are left out."""
    given = {
        "BudgetType": "COST",
        "TimeUnit": "MONTHLY",
        "BudgetLimit": {"Amount": 1000, "Unit": "USD"},
        **budget,
    }
    kept = {name: value for name, value in given.items() if value is not None}
    return {"Budget": kept, "NotificationsWithSubscribers": [*alerts]}


def kept(place: Place, properties: dict[str, Any]) -> dict[str, Any]:
    """A budget as the service tells it after it was made."""
    made = BUDGET.create(place, properties)
    told = BUDGET.read(place.clients, made.physical_id, properties)
    assert told is not None
    return told


def refused(place: Place, properties: dict[str, Any]) -> tuple[str, str]:
    budgets = place.clients("budgets")
    before = budgets.describe_budgets(AccountId=ACCOUNT).get("Budgets")
    with pytest.raises(ClientError) as caught:
        BUDGET.create(place, properties)
    assert budgets.describe_budgets(AccountId=ACCOUNT).get("Budgets") == before
    return caught.value.response["Error"]["Code"], caught.value.response["Error"]["Message"]


@pytest.mark.parametrize("properties", resources_of("AWS::Budgets::Budget"))
def test_every_budget_of_the_examples_is_read_back_as_written(place, properties):
    written = resolved(properties, lambda _: TOPIC)
    made = BUDGET.create(place, written)
    told = BUDGET.read(place.clients, made.physical_id, written)
    assert told is not None
    assert {name: told[name] for name in written} == written


def test_ref_is_the_name_and_a_name_is_made_when_there_is_none(place):
    assert BUDGET.create(place, monthly(BudgetName="mine")).physical_id == "mine"
    made = BUDGET.create(place, monthly())
    assert made.physical_id.startswith("stack-Logical-")
    budget = place.clients("budgets").describe_budget(
        AccountId=ACCOUNT, BudgetName=made.physical_id
    )["Budget"]
    assert budget["BudgetLimit"] == {"Amount": "1000", "Unit": "USD"}
    assert budget["CostTypes"]["IncludeTax"] is True


def test_all_other_members_are_kept(place):
    expression = {"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}
    written = monthly(
        BudgetLimit=None,
        PlannedBudgetLimits={"1796083200": {"Amount": "10", "Unit": "USD"}},
        FilterExpression=expression,
        Metrics=["NetUnblendedCost"],
        TimePeriod={"Start": "1796083200", "End": "2030-01-01T00:00:00Z"},
    )
    made = BUDGET.create(place, written)
    told = BUDGET.read(place.clients, made.physical_id, written)
    assert told is not None
    assert told["Budget"] == written["Budget"]
    moved = monthly(TimePeriod={"Start": "1796083201"})
    again = BUDGET.read(place.clients, made.physical_id, moved)
    assert again is not None
    assert again["Budget"]["TimePeriod"]["Start"].startswith("2026-12-01")


def test_a_document_may_be_text(place):
    written = monthly(CostFilters='{"Service": ["Amazon FSx"]}')
    made = BUDGET.create(place, written)
    answer = place.clients("budgets").describe_budget(
        AccountId=ACCOUNT, BudgetName=made.physical_id
    )
    assert answer["Budget"]["CostFilters"] == {"Service": ["Amazon FSx"]}


def test_notifications_and_subscribers_are_told_by_the_service(place):
    made = BUDGET.create(place, monthly(alert(80, MAIL, SNS), alert(100, MAIL)))
    budgets = place.clients("budgets")
    ids = {"AccountId": ACCOUNT, "BudgetName": made.physical_id}
    found = budgets.describe_notifications_for_budget(**ids)["Notifications"]
    assert [(one["Threshold"], one["NotificationState"]) for one in found] == [
        (80, "OK"),
        (100, "OK"),
    ]
    assert found[0]["ThresholdType"] == "PERCENTAGE"
    answer = budgets.describe_subscribers_for_notification(**ids, Notification=found[0])
    assert answer["Subscribers"] == [MAIL, SNS]


def test_subscribers_and_notifications_change_by_their_own_calls(place):
    made = BUDGET.create(place, monthly(alert(80)))
    budgets = place.clients("budgets")
    ids = {"AccountId": ACCOUNT, "BudgetName": made.physical_id}
    first = alert(80)["Notification"]
    budgets.create_subscriber(**ids, Notification=first, Subscriber=SNS)
    other = {**MAIL, "Address": "oncall@example.com"}
    budgets.update_subscriber(**ids, Notification=first, OldSubscriber=MAIL, NewSubscriber=other)
    answer = budgets.describe_subscribers_for_notification(**ids, Notification=first)
    assert answer["Subscribers"] == [SNS, other]
    budgets.delete_subscriber(**ids, Notification=first, Subscriber=SNS)
    with pytest.raises(ClientError, match="doesn't exist"):
        budgets.delete_subscriber(**ids, Notification=first, Subscriber=SNS)
    second = alert(90)["Notification"]
    budgets.update_notification(**ids, OldNotification=first, NewNotification=second)
    budgets.create_notification(**ids, Notification=first, Subscribers=[MAIL])
    budgets.delete_notification(**ids, Notification=second)
    (left,) = budgets.describe_notifications_for_budget(**ids)["Notifications"]
    assert left["Threshold"] == 80


def test_limit_and_tags_change_in_place(place):
    old = monthly(alert(80, MAIL)) | {"ResourceTags": [{"Key": "a", "Value": "1"}]}
    made = BUDGET.create(place, old)
    new = monthly(alert(80, MAIL), BudgetLimit={"Amount": "2000.5", "Unit": "USD"})
    new |= {"ResourceTags": [{"Key": "b", "Value": "2"}]}
    assert BUDGET.update(place, made, old, new) == made
    told = BUDGET.read(place.clients, made.physical_id, new)
    assert told == new
    BUDGET.delete(place, made.physical_id, new)
    BUDGET.delete(place, made.physical_id, new)
    assert BUDGET.read(place.clients, made.physical_id, new) is None


def test_refuses_a_name_that_is_taken(place):
    BUDGET.create(place, monthly(BudgetName="mine"))
    code, words = refused(place, monthly(BudgetName="mine"))
    assert code == "DuplicateRecordException"
    assert words == "Error creating budget: mine - the budget already exists."


@pytest.mark.parametrize(
    ("budget", "code", "words"),
    [
        ({"BudgetName": "a:b"}, "InvalidParameterException", "characters"),
        ({"BudgetName": "a\\b"}, "InvalidParameterException", "characters"),
        ({"BudgetName": "a/action/b"}, "InvalidParameterException", "characters"),
        ({"BudgetName": "Ä"}, "InvalidParameterException", "characters"),
        ({"BudgetName": "a" * 101}, "ValidationException", "less than or equal to 100"),
        ({"TimeUnit": "WEEKLY"}, "ValidationException", "enum value set"),
        ({"BudgetLimit": None}, "InvalidParameterException", "Budget Limit"),
        (
            {"PlannedBudgetLimits": {"1796083200": {"Amount": "1", "Unit": "USD"}}},
            "InvalidParameterException",
            "Only one of",
        ),
        ({"CostFilters": {"Servise": ["a"]}}, "InvalidParameterException", "Servise"),
        ({"CostFilters": {"Service": []}}, "InvalidParameterException", "no values"),
        ({"CostFilters": {"TagKeyValue": ["team$ml"]}}, "InvalidParameterException", "user:key"),
        ({"CostFilters": {"TagKeyValue": ["user:team"]}}, "InvalidParameterException", "user:key"),
        (
            {"CostFilters": {"Service": ["a"]}, "Metrics": ["UnblendedCost"]},
            "InvalidParameterException",
            "together",
        ),
        (
            {"BudgetType": "USAGE", "CostTypes": {"IncludeTax": True}},
            "InvalidParameterException",
            "CostTypes",
        ),
        ({"BudgetType": "RI_UTILIZATION"}, "InvalidParameterException", "must be 100"),
        (
            {"TimePeriod": {"Start": "2030-01-01", "End": "2029-01-01"}},
            "InvalidParameterException",
            "come before",
        ),
        ({"TimePeriod": {"End": "2090-01-01"}}, "InvalidParameterException", "06/15/87"),
        ({"TimeUnit": "CUSTOM"}, "InvalidParameterException", "start and an end"),
        (
            {"TimeUnit": "CUSTOM", "TimePeriod": {"Start": "2027-01-01", "End": "2031-01-01"}},
            "InvalidParameterException",
            "three years",
        ),
    ],
)
def test_refuses_budgets(place, budget, code, words):
    told = refused(place, monthly(**budget))
    assert told[0] == code
    assert words in told[1]


def test_every_older_filter_of_the_documents_is_known(place):
    names = "AZ InstanceType LinkedAccount Operation PurchaseType Region Service UsageType"
    further = "BillingEntity LegalEntityName InvoicingEntity RecordType Tenancy CostCategory"
    filters = {name: ["a"] for name in f"{names} {further} UsageTypeGroup Platform".split()}
    written = monthly(CostFilters=filters)
    assert kept(place, written)["Budget"]["CostFilters"] == filters


@pytest.mark.parametrize(
    ("alerts", "budget", "code"),
    [
        ([alert(n) for n in range(10, 16)], {}, "CreationLimitExceededException"),
        ([alert(n) for n in range(10, 21)], {}, "ValidationException"),
        ([alert(80), alert(80)], {}, "DuplicateRecordException"),
        (
            [alert(80), alert(80, ThresholdType="PERCENTAGE")],
            {},
            "DuplicateRecordException",
        ),
        ([alert(0)], {}, "InvalidParameterException"),
        ([alert(1_000_001)], {}, "InvalidParameterException"),
        ([alert(80, NotificationType="GUESSED")], {}, "ValidationException"),
        (
            [alert(80, NotificationType="FORECASTED")],
            {"TimeUnit": "DAILY"},
            "InvalidParameterException",
        ),
        ([alert(80, SNS, {**SNS, "Address": f"{TOPIC}2"})], {}, "CreationLimitExceededException"),
        (
            [alert(80, *({**MAIL, "Address": f"a{n}@example.com"} for n in range(11)))],
            {},
            "CreationLimitExceededException",
        ),
        ([alert(80, MAIL, MAIL)], {}, "DuplicateRecordException"),
        ([alert(80, {**MAIL, "Address": "nobody"})], {}, "InvalidParameterException"),
        ([alert(80, {**SNS, "Address": "alarms"})], {}, "InvalidParameterException"),
        (
            [alert(80, {**SNS, "Address": "arn:aws:sns:us-east-1:123456789012:alarms"})],
            {},
            "InvalidParameterException",
        ),
    ],
)
def test_refuses_notifications(place, alerts, budget, code):
    assert refused(place, monthly(*alerts, **budget))[0] == code


def test_accepts_as_many_notifications_and_subscribers_as_documented(place):
    mails = [{**MAIL, "Address": f"a{n}@example.com"} for n in range(10)]
    five = monthly(*(alert(n, *mails, SNS) for n in range(50, 55)))
    notified = kept(place, five)["NotificationsWithSubscribers"]
    assert [len(entry["Subscribers"]) for entry in notified] == [11] * 5
    large = alert(2_000_000, ThresholdType="ABSOLUTE_VALUE")
    for written in (monthly(large), monthly(alert(1_000_000), TimeUnit="DAILY")):
        assert len(kept(place, written)["NotificationsWithSubscribers"]) == 1


def test_the_direct_calls_are_refused_as_well(place):
    made = BUDGET.create(place, monthly(*(alert(n) for n in range(50, 55))))
    budgets = place.clients("budgets")
    ids = {"AccountId": ACCOUNT, "BudgetName": made.physical_id}
    with pytest.raises(ClientError, match="up to 5"):
        budgets.create_notification(
            **ids, Notification=alert(90)["Notification"], Subscribers=[MAIL]
        )
    with pytest.raises(ClientError, match="already exists"):
        budgets.create_subscriber(**ids, Notification=alert(50)["Notification"], Subscriber=MAIL)
    forecast = alert(90, NotificationType="FORECASTED")
    other = BUDGET.create(place, monthly(forecast)).physical_id
    daily = {"BudgetName": other, "BudgetType": "COST", "TimeUnit": "DAILY"}
    daily["BudgetLimit"] = {"Amount": "1", "Unit": "USD"}
    with pytest.raises(ClientError, match="forecasted"):
        budgets.update_budget(AccountId=ACCOUNT, NewBudget=daily)
    with pytest.raises(ClientError, match="doesn't exist"):
        budgets.describe_notifications_for_budget(AccountId=ACCOUNT, BudgetName="none")


def test_injected_spend_tells_whose_threshold_is_passed(place):
    absolute = alert(700, SNS, ThresholdType="ABSOLUTE_VALUE")
    forecast = alert(100, SNS, NotificationType="FORECASTED")
    made = BUDGET.create(place, monthly(alert(50, MAIL, SNS), alert(80), absolute, forecast))
    name = made.physical_id

    assert inject_spend(ACCOUNT, name, 500) == ()
    (first,) = inject_spend(ACCOUNT, name, 501, 1000)
    assert first.notification["Threshold"] == 50
    assert first.subscribers == (MAIL, SNS)
    assert first.is_new

    passed = inject_spend(ACCOUNT, name, 701, 1001)
    assert [(one.notification["Threshold"], one.is_new) for one in passed] == [
        (50, False),
        (700, True),
        (100, True),
    ]
    budgets = place.clients("budgets")
    ids = {"AccountId": ACCOUNT, "BudgetName": name}
    spend = budgets.describe_budget(**ids)["Budget"]["CalculatedSpend"]
    assert spend["ActualSpend"] == {"Amount": "701", "Unit": "USD"}
    assert spend["ForecastedSpend"] == {"Amount": "1001", "Unit": "USD"}
    states = budgets.describe_notifications_for_budget(**ids)["Notifications"]
    assert [one["NotificationState"] for one in states] == ["ALARM", "OK", "ALARM", "ALARM"]


@pytest.mark.parametrize(
    ("operator", "spent", "passed"),
    [("LESS_THAN", 499, 1), ("LESS_THAN", 500, 0), ("EQUAL_TO", 500, 1), ("EQUAL_TO", 501, 0)],
)
def test_injected_spend_is_compared_as_the_notification_says(place, operator, spent, passed):
    made = BUDGET.create(place, monthly(alert(50, ComparisonOperator=operator)))
    assert len(inject_spend(ACCOUNT, made.physical_id, spent)) == passed


def test_a_changed_budget_forgets_its_spend(place):
    old = monthly(alert(50))
    made = BUDGET.create(place, old)
    inject_spend(ACCOUNT, made.physical_id, 900)
    BUDGET.update(place, made, old, monthly(alert(50), BudgetLimit={"Amount": 5, "Unit": "USD"}))
    answer = place.clients("budgets").describe_budget(
        AccountId=ACCOUNT, BudgetName=made.physical_id
    )
    assert answer["Budget"]["CalculatedSpend"]["ActualSpend"]["Amount"] == "0"
