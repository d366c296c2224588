"""Bounds of the budget section beyond the main budget."""

import pytest

from trnkit.config import read_cluster
from trnkit.errors import ConfigurationError

ARN = "arn:aws:ce::111122223333:anomalymonitor/0123abcd-0000-4000-8000-000000000000"
TOPIC = "arn:aws:sns:us-east-2:111122223333:alerts"
FURTHER = "further_budgets: [{{name: storage, limit_usd: 9, {}}}]"
ANOMALY = "anomaly_detection: {{{}}}"


def read(budget):
    text = (
        "name: pretrain\nregion: us-east-2\n"
        "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]}\n"
        f"budget: {{limit_usd: 100, emails: [a@example.com], {budget}}}\n"
    )
    return read_cluster(text, "cluster.yaml").config.budget


def entries(number, text):
    return "[" + ", ".join(text.format(n) for n in range(number)) + "]"


@pytest.mark.parametrize(
    "budget",
    [
        "currency: CNY",
        "delivery: topic",
        f"topic_arn: '{TOPIC}'",
        "topic_arn: 'arn:aws-cn:sns:cn-north-1:111122223333:a_b-c'",
        "topic_subscribers: ['https://alerts.example.com', 'https://a.example.com:8443/x?y=z']",
        "topic_subscribers: ['arn:aws:lambda:us-east-2:111122223333:function:pager:live']",
        "topic_subscribers: ['arn:aws:sqs:us-east-2:111122223333:alerts']",
        "thresholds: [{amount_usd: 0.1}, {amount_usd: 1000000000}]",
        "thresholds: [{percent: 80, emails: [b@example.com]}]",
        f"further_budgets: {entries(20, '{{name: team-{}, limit_usd: 1}}')}",
        FURTHER.format("scope: tag, tag: {key: team, value: ''}"),
        FURTHER.format("linked_accounts: ['012345678901', 123456789012]"),
        FURTHER.format("time_unit: DAILY, emails: []"),
        ANOMALY.format("threshold_usd: 10000000000"),
        ANOMALY.format("threshold_percent: 0.5, frequency: WEEKLY"),
        ANOMALY.format(f"threshold_usd: 1, monitor: existing, monitor_arn: '{ARN}'"),
        "anomaly_detection: null",
    ],
)
def test_it_takes(budget):
    assert read(budget)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("currency: EURO", "budget.currency must be three capital letters"),
        ("currency: eur", "budget.currency must be three capital letters"),
        ("currency_confirmed: 'yes'", "budget.currency_confirmed must be"),
        ("delivery: mail", "budget.delivery must be"),
        ("topic_arn: alerts", "budget.topic_arn must be the ARN of a standard SNS topic"),
        (f"topic_arn: '{TOPIC}.fifo'", "budget.topic_arn must be the ARN of a standard SNS topic"),
        (f"topic_subscribers: ['{TOPIC}']", "budget.topic_subscribers[0] must be an https://"),
        ("topic_subscribers: ['http://alerts.example.com']", "must be an https://"),
        ("topic_subscribers: ['a@example.com']", "must be an https://"),
        (
            "topic_subscribers: ['arn:aws:sqs:us-east-2:111122223333:alerts.fifo']",
            "must be an https://",
        ),
        ("thresholds: [{amount_usd: 0}]", "budget.thresholds[0].amount_usd must be at least 0.1"),
        ("thresholds: [{amount_usd: 2e9}]", "budget.thresholds[0].amount_usd must be at most"),
        (
            f"further_budgets: {entries(21, '{{name: team-{}, limit_usd: 1}}')}",
            "budget.further_budgets must have at most 20 entries",
        ),
        (FURTHER.format("scope: team"), "further_budgets[0].scope must be"),
        (FURTHER.format("tag: {key: 'aws:x', value: y}"), "further_budgets[0].tag.key must be"),
        (FURTHER.format("linked_accounts: ['12345']"), "linked_accounts[0] must be 12 digits"),
        (FURTHER.format("thresholds: []"), "thresholds must have at least one entry"),
        (ANOMALY.format("threshold_usd: 0"), "anomaly_detection.threshold_usd must be more than 0"),
        (ANOMALY.format("frequency: HOURLY"), "anomaly_detection.frequency must be"),
        (ANOMALY.format("monitor_arn: 'arn:aws:ce:x'"), "monitor_arn must be the ARN of a Cost"),
    ],
)
def test_it_refuses(budget, message):
    with pytest.raises(ConfigurationError) as caught:
        read(budget)
    assert message in str(caught.value)
