"""Budgets, anomaly monitors, keys and topics that their services refuse."""

from __future__ import annotations

import json
from functools import partial

from tests.rehearsal.mutant import Mutant, add, all_of, drop, put

_cost = partial(Mutant, stack="Cost")

_BUDGET, _MONITOR, _WATCH = (
    "AWS::Budgets::Budget",
    "AWS::CE::AnomalyMonitor",
    "AWS::CE::AnomalySubscription",
)
_KEY, _TOPIC = "AWS::KMS::Key", "AWS::SNS::Topic"
_FIRST = "NotificationsWithSubscribers.0"
_COST = "https://docs.aws.amazon.com/aws-cost-management/latest/APIReference"
_BUDGETS = f"{_COST}/API_budgets_CreateBudget.html"
_GUIDE = "https://docs.aws.amazon.com/cost-management/latest/userguide"
_LIMITS = f"{_GUIDE}/management-limits.html"
_SNS = "https://docs.aws.amazon.com/sns/latest/api"
_KMS = "https://docs.aws.amazon.com/kms/latest/APIReference"

MUTANTS = (
    _cost(
        id="budget-without-a-limit",
        change=drop(_BUDGET, "Budget.BudgetLimit"),
        says="please provide one of the followings: Budget Limit",
        source=_BUDGETS,
    ),
    _cost(
        id="budget-for-an-hour",
        change=put(_BUDGET, "Budget.TimeUnit", "HOURLY"),
        says="Member must satisfy enum value set: [DAILY, MONTHLY, QUARTERLY",
        source=f"{_COST}/API_budgets_Budget.html",
    ),
    _cost(
        id="budget-of-an-unknown-filter",
        change=put(_BUDGET, "Budget.CostFilters", {"Cluster": ["pretrain"]}),
        says="Unknown cost filter: Cluster",
        source=f"{_GUIDE}/budgets-create-filters.html",
    ),
    _cost(
        id="budget-of-a-tag-without-its-prefix",
        change=put(_BUDGET, "Budget.CostFilters.TagKeyValue", ["trnkit-cluster=pretrain"]),
        says="is not of the form user:key$value",
        source=f"{_GUIDE}/budgets-create-filters.html",
    ),
    _cost(
        id="budget-that-ends-before-it-starts",
        change=put(_BUDGET, "Budget.TimePeriod", {"Start": "1893456000", "End": "1861920000"}),
        says="The start date must come before the end date",
        source=f"{_COST}/API_budgets_TimePeriod.html",
    ),
    _cost(
        id="budget-of-a-day-with-a-forecast",
        example="several-budgets",
        change=put("FurtherBudgetburst", f"{_FIRST}.Notification.NotificationType", "FORECASTED"),
        says="cannot have forecasted notifications",
        # Seen, in no page of AWS's.
        source="https://github.com/JiRaska/open-bank-oss/pull/226",
    ),
    _cost(
        id="alert-that-nobody-gets",
        change=put(_BUDGET, f"{_FIRST}.Subscribers", []),
        says="NotificationsWithSubscribers[0].Subscribers",
        source=f"{_COST}/API_budgets_NotificationWithSubscribers.html",
    ),
    _cost(
        id="alert-to-eleven-people",
        change=put(
            _BUDGET,
            f"{_FIRST}.Subscribers",
            [{"SubscriptionType": "EMAIL", "Address": f"a{n}@example.com"} for n in range(11)],
        ),
        says="CreationLimitExceededException",
        source=f"{_GUIDE}/budgets-best-practices.html",
    ),
    _cost(
        id="alert-to-no-address",
        change=put(_BUDGET, f"{_FIRST}.Subscribers.0.Address", "ml-platform"),
        says="is not an e-mail address",
        source=f"{_COST}/API_budgets_Subscriber.html",
    ),
    _cost(
        id="alert-to-a-topic-of-another-account",
        change=put(
            _BUDGET, f"{_FIRST}.Subscribers.1.Address", "arn:aws:sns:us-east-1:123456789012:alerts"
        ),
        says="is not in the budget's account",
        source=f"{_GUIDE}/budgets-sns-policy.html",
    ),
    _cost(
        id="alert-at-nothing",
        change=put(_BUDGET, f"{_FIRST}.Notification.Threshold", 0),
        says="#/NotificationsWithSubscribers/0/Notification/Threshold: 0 is less than the minimum",
        source=f"{_COST}/API_budgets_Notification.html",
    ),
    _cost(
        id="the-same-alert-twice",
        change=put(_BUDGET, f"{_FIRST}.Notification.Threshold", 80),
        says="DuplicateRecordException",
        source=f"{_COST}/API_budgets_CreateNotification.html",
    ),
    _cost(
        id="monitor-of-everything-and-something",
        example="several-budgets",
        change=put(_MONITOR, "MonitorDimension", "SERVICE"),
        says="MonitorDimension cannot be given for a CUSTOM monitor",
        source=f"{_COST}/API_AnomalyMonitor.html",
    ),
    _cost(
        id="monitor-of-nothing",
        example="several-budgets",
        change=drop(_MONITOR, "MonitorSpecification"),
        says="MonitorSpecification is required for a CUSTOM monitor",
        source=f"{_COST}/API_AnomalyMonitor.html",
    ),
    _cost(
        id="monitor-of-a-service-by-hand",
        example="several-budgets",
        change=put(
            _MONITOR,
            "MonitorSpecification",
            json.dumps({"Dimensions": {"Key": "SERVICE", "Values": ["Amazon FSx"]}}),
        ),
        says="The only dimension of a CUSTOM monitor is LINKED_ACCOUNT",
        source=f"{_COST}/API_AnomalyMonitor.html",
    ),
    _cost(
        id="anomalies-at-once-by-mail",
        example="several-budgets",
        change=put(
            _WATCH, "Subscribers", [{"Type": "EMAIL", "Address": "ml-platform@example.com"}]
        ),
        says="supports only subscribers of type SNS",
        source=f"{_COST}/API_AnomalySubscription.html",
    ),
    _cost(
        id="anomalies-of-any-size",
        example="several-budgets",
        change=drop(_WATCH, "ThresholdExpression"),
        says="Threshold and ThresholdExpression cannot both be null",
        source=f"{_COST}/API_AnomalySubscription.html",
        by=frozenset({"create"}),
    ),
    _cost(
        id="anomalies-of-no-monitor",
        example="several-budgets",
        change=put(
            _WATCH, "MonitorArnList", ["arn:aws:ce::111122223333:anomalymonitor/" + "0" * 36]
        ),
        says="UnknownMonitorException",
        source=f"{_COST}/API_CreateAnomalySubscription.html",
    ),
    _cost(
        id="key-that-locks-its-owner-out",
        change=put(
            _KEY,
            "KeyPolicy.Statement.0.Principal",
            {"Service": "budgets.amazonaws.com"},
        ),
        says="The new key policy will not allow you to update the key policy in the future",
        source=f"{_KMS}/API_CreateKey.html",
    ),
    _cost(
        id="key-that-goes-after-three-days",
        change=put(_KEY, "PendingWindowInDays", 3),
        says="Properties validation failed for resource of type AWS::KMS::Key",
    ),
    _cost(
        id="rotation-of-an-asymmetric-key",
        change=all_of(put(_KEY, "KeySpec", "RSA_2048"), put(_KEY, "KeyUsage", "ENCRYPT_DECRYPT")),
        says="UnsupportedOperationException",
        source=f"{_KMS}/API_EnableKeyRotation.html",
    ),
    _cost(
        id="topic-name-with-a-dot",
        change=put(_TOPIC, "TopicName", "budget.alerts"),
        says="Invalid parameter: Topic Name",
        source=f"{_SNS}/API_CreateTopic.html",
    ),
    _cost(
        id="first-in-first-out-topic-of-another-name",
        change=all_of(put(_TOPIC, "FifoTopic", True), put(_TOPIC, "TopicName", "alerts")),
        says="Fifo Topic names must end with .fifo",
        source=f"{_SNS}/API_CreateTopic.html",
    ),
    _cost(
        id="topic-policy-without-an-effect",
        change=drop("AWS::SNS::TopicPolicy", "PolicyDocument.Statement.0.Effect"),
        says="Invalid parameter: Policy Error",
        source=f"{_SNS}/API_SetTopicAttributes.html",
    ),
    _cost(
        id="subscription-by-an-unknown-protocol",
        example="several-budgets",
        change=put("AWS::SNS::Subscription", "Protocol", "pager"),
        says="Invalid parameter: Does not support this protocol string",
        source=f"{_SNS}/API_Subscribe.html",
    ),
    _cost(
        id="subscription-to-no-topic",
        example="several-budgets",
        change=put(
            "AWS::SNS::Subscription", "TopicArn", "arn:aws:sns:us-east-2:111122223333:nowhere"
        ),
        says="Topic does not exist",
        source=f"{_SNS}/API_Subscribe.html",
    ),
    _cost(
        id="log-group-that-keeps-for-13-days",
        change=add("Log", "AWS::Logs::LogGroup", {"RetentionInDays": 13}),
        says="#/RetentionInDays: 13 is not one of",
        source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    ),
)
