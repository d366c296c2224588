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


def test_time_units_without_a_forecast_are_time_units():
    limits = catalog.budget_limits()
    assert limits.time_units_without_forecast == ("DAILY",)
    assert set(limits.time_units_without_forecast) < set(limits.time_units)
    assert limits.currency not in limits.currencies_elsewhere


def test_anomaly_limits_are_the_api_s_and_the_schema_s():
    import botocore.session
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    limits = catalog.anomaly_limits()
    api = botocore.session.get_session().get_service_model("ce")
    assert list(limits.frequencies) == api.shape_for("AnomalySubscriptionFrequency").enum
    assert set(limits.topic_frequencies) < set(limits.frequencies)
    text = re.sub(
        r"<[^>]+>|\s+",
        " ",
        api.shape_for("AnomalySubscription").documentation
        + " ".join(
            str(member.documentation)
            for member in api.shape_for("AnomalySubscription").members.values()
        ),
    )
    assert "between 0 and 10,000,000,000" in text
    assert limits.threshold_maximum == 10_000_000_000
    assert "up to 10 tag values" in str(
        api.shape_for("AnomalyMonitor").members["MonitorSpecification"].documentation
    )
    assert limits.values_per_monitor == 10
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema(
        "us-east-1", "AWS::CE::AnomalySubscription"
    ).schema
    pattern = schema["definitions"]["Subscriber"]["properties"]["Address"]["pattern"]
    assert pattern.startswith(f"(^{limits.email_pattern}$)|")


def test_anomaly_resources_exist_wherever_budgets_do():
    """So that the budget's stack may hold both."""
    from cfnlint.helpers import REGIONS
    from cfnlint.schema import ResourceNotFoundError
    from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

    def registered(resource_type, region):
        try:
            PROVIDER_SCHEMA_MANAGER.get_resource_schema(region, resource_type)
        except ResourceNotFoundError:
            return False
        return True

    with_budgets = [name for name in REGIONS if registered("AWS::Budgets::Budget", name)]
    assert len(with_budgets) > 20
    for name in with_budgets:
        assert registered("AWS::CE::AnomalyMonitor", name), name
        assert registered("AWS::CE::AnomalySubscription", name), name


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


def test_quotas_of_the_account_are_those_of_the_page_of_quotas():
    assert catalog.budget_limits().budgets_per_management_account == 20_000
    assert catalog.anomaly_limits().custom_monitors_per_management_account == 500
    assert catalog.anomaly_limits().service_monitors_per_account == 1


def test_who_confirms_a_subscription_and_until_when():
    facts = catalog.alert_topic_facts()
    assert facts.unconfirmed_hours == 48
    assert facts.confirmed_protocols == ("email", "https")


def test_a_question_to_cost_explorer_has_a_price():
    price = catalog.find_service_price("cost-explorer-requests", "us-east-1")
    assert price is not None
    assert price.usd_per_unit == 0.01


def test_only_spot_s_role_does_not_come_to_callers_of_the_api():
    roles = {role.service: role for role in catalog.service_linked_roles()}
    assert [s for s, role in roles.items() if not role.made_for_api_callers] == [
        "spot.amazonaws.com"
    ]
    assert catalog.service_linked_role("fsx.amazonaws.com").name == "AWSServiceRoleForAmazonFSx"
