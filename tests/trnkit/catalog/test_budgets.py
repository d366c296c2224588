"""Budget limits against the API's model and CloudFormation's schema; billing names."""

import re

import pytest

from trnkit import catalog


@pytest.fixture(scope="module")
def budgets():
    import botocore.session

    return botocore.session.get_session().get_service_model("budgets")


def test_enumerations_are_the_api_s(budgets):
    limits = catalog.budget_limits()
    for field, shape in {
        "time_units": "TimeUnit",
        "notification_types": "NotificationType",
        "threshold_types": "ThresholdType",
        "comparison_operators": "ComparisonOperator",
    }.items():
        assert list(getattr(limits, field)) == budgets.shape_for(shape).enum


def test_subscribers(budgets):
    limits = catalog.budget_limits()
    emails, topics = (
        limits.email_subscribers_per_notification,
        limits.sns_subscribers_per_notification,
    )
    assert (emails, topics) == (10, 1)
    assert emails + topics == budgets.shape_for("Subscribers").metadata["max"]
    assert limits.budget_name_maximum_length == budgets.shape_for("BudgetName").metadata["max"]
    assert limits.currency == "USD"


def test_the_number_of_notifications_is_disputed_inside_the_api(budgets):
    limits = catalog.budget_limits()
    model = budgets.shape_for("NotificationWithSubscribersList").metadata["max"]
    text = budgets.shape_for("CreateBudgetRequest").members["NotificationsWithSubscribers"]
    assert model == limits.notifications_per_budget_model_maximum == 10
    assert "up to five notifications" in re.sub(r"\s+", " ", text.documentation)
    assert limits.notifications_per_budget == 5


def test_thresholds_are_cloudformation_s_and_narrower_than_the_api_s(budgets):
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", "AWS::Budgets::Budget").schema
    threshold = schema["definitions"]["Notification"]["properties"]["Threshold"]
    limits = catalog.budget_limits()
    assert limits.threshold_minimum == threshold["minimum"]
    assert limits.threshold_maximum == threshold["maximum"]
    api = budgets.shape_for("NotificationThreshold").metadata
    (entry,) = (e for e in limits.disagreements if e.field == "threshold_maximum")
    assert entry.other_value == api["max"]


def test_disagreements_quote_the_limits():
    limits = catalog.budget_limits()
    fields = {entry.field for entry in limits.disagreements}
    assert fields == {"notifications_per_budget", "threshold_maximum", "currency"}
    for entry in limits.disagreements:
        assert getattr(limits, entry.field) == entry.value_here


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("EC2-Instances", "Amazon Elastic Compute Cloud - Compute"),
        ("ec2", "Amazon Elastic Compute Cloud - Compute"),
        ("Amazon Elastic Compute Cloud", "Amazon Elastic Compute Cloud - Compute"),
        ("FSx for Lustre", "Amazon FSx"),
        ("Amazon S3", "Amazon Simple Storage Service"),
        ("CloudWatch", "AmazonCloudWatch"),
        ("amazon fsx", "Amazon FSx"),
        ("Amazon FSX Lustre", "Amazon FSx"),
    ],
)
def test_nearest_billing_services(written, meant):
    nearest = catalog.nearest_billing_services(written)
    assert nearest[0] == meant
    assert len(nearest) <= 3
    assert catalog.find_billing_service(written) is None


def test_both_names_of_eks_are_suggested_because_neither_is_certain():
    names = catalog.nearest_billing_services("EKS")
    assert set(names) == {
        "Amazon Elastic Container Service for Kubernetes",
        "Amazon Elastic Kubernetes Service",
    }
    assert not any(catalog.find_billing_service(name).verified for name in names)


def test_nothing_near():
    assert catalog.nearest_billing_services("zzzzzz") == ()


def test_names_are_unique_and_no_console_name_is_a_billing_name():
    services = catalog.billing_services()
    names = [service.name for service in services]
    assert len(set(names)) == len(names)
    assert not set(names) & {name for service in services for name in service.console_names}
    for service in services:
        assert service.verified is not ("unconfirmed" in service.source)
