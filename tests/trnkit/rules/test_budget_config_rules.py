"""Budgets of cluster files that went wrong for real people, each beside the nearest right one."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import json

import pytest

from tests.trnkit.rules.judging import judge_cluster, of_rule, severities
from trnkit.config import read_cluster
from trnkit.rules import check_cluster

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TOPIC = "arn:aws:sns:us-east-2:111122223333:alerts"
MONITOR = "arn:aws:ce::111122223333:anomalymonitor/0123abcd"
QUEUE, FUNCTION = (
    "arn:aws:sqs:us-east-2:111122223333:q",
    "arn:aws:lambda:us-east-2:111122223333:function:f",
)
HOOK = "https://alerts.example.com/budget"


def budget(text: str) -> str:
    return f"budget: {{{text}}}"


def further(*texts: str, more: str = "") -> str:
    entries = ", ".join(f"{{name: team-{n}, limit_usd: 9, {text}}}" for n, text in enumerate(texts))
    return budget(f"further_budgets: [{entries}]{more}")


def thresholds(*texts: str, more: str = "") -> str:
    return budget(f"thresholds: [{', '.join(f'{{{text}}}' for text in texts)}]{more}")


def people(number: int, name: str = "p") -> str:
    return f"emails: [{', '.join(f'{name}{n}@example.com' for n in range(number))}]"


def fleet(
    limit: object, *groups: tuple[str, int], region: str = "us-west-2", more: str = ""
) -> str:
    entries = ", ".join(
        f"{{name: group{n}, instance_type: {kind}, count: {count}}}"
        for n, (kind, count) in enumerate(groups)
    )
    return f"region: {region}\ncompute: {{node_groups: [{entries}]}}\nbudget: {{limit_usd: {limit}{more}}}"


def anomaly(text: str, more: str = "") -> str:
    return budget(f"anomaly_detection: {{{text}}}{more}")


def existing_topic(account: str) -> str:
    return f"account: '{account}'\nbudget: {{topic_arn: '{TOPIC}'}}"


ELEVEN = [f"percent: {n}" for n in range(1, 12)]
TABLE: list[tuple[str, str, str, list[str]]] = [
    ("BUD-10 amount and percent", "TRN401", thresholds("percent: 80", "amount_usd: 80"), []),
    ("BUD-10 amounts", "TRN401", thresholds("amount_usd: 80", "amount_usd: 80"), E),
    ("BUD-10 other recipients are merged", "TRN401", thresholds("percent: 80", "percent: 80, emails: [b@example.com]"), []),
    ("BUD-10 the same recipients", "TRN401", thresholds("percent: 80, emails: [b@example.com]", "percent: 80, emails: [B@example.com, b@example.com]"), []),
    ("BUD-10 the same recipients, written out", "TRN401", thresholds("percent: 80", "percent: 80, emails: [ml-platform@example.com]"), E),
    ("BUD-10 by topic", "TRN401", thresholds("percent: 80", "percent: 80, emails: [b@example.com]", more=", delivery: topic"), E),
    ("BUD-10 further", "TRN401", further("thresholds: [{percent: 80}, {percent: 80}]"), E),
    ("8.1 merged count as one", "TRN401", thresholds(*[f"percent: {n}, emails: [{who}@example.com]" for n in range(10, 60, 10) for who in "ab"]), []),
    ("8.1 further, eleven", "TRN401", further(f"thresholds: [{', '.join(f'{{{text}}}' for text in ELEVEN)}]"), E),
    ("BUD-04 eleven by topic", "TRN402", budget(f"delivery: topic, {people(11)}"), []),
    ("BUD-04 eleven of a further budget", "TRN402", further(people(11)), E),
    ("BUD-04 ten of each", "TRN402", further(people(10), people(10, "q")), []),
    ("BUD-04 eleven of a threshold", "TRN402", thresholds(f"percent: 80, {people(11)}"), E),
    ("BUD-04 eleven when merged", "TRN402", thresholds(f"percent: 80, {people(6)}", f"percent: 80, {people(5, 'q')}"), E),
    ("BUD-04 ten when merged", "TRN402", thresholds(f"percent: 80, {people(6)}", f"percent: 80, {people(5)}"), []),
    ("BUD-04 further, twice", "TRN402", further("emails: [a@example.com, A@example.com]"), W),
    ("BUD-02 further, console name", "TRN403", further("services: [EC2-Instances]"), E),
    ("BUD-02 further, billing name", "TRN403", further("services: [Amazon FSx]"), []),
    ("BUD-10 another tag", "TRN406", further("scope: tag, tag: {key: team, value: ml}"), I + I),
    ("BUD-10 the same tag", "TRN406", further("services: [Amazon FSx]", "scope: account"), I),
    ("BUD-10 only the further one", "TRN406", further("scope: cluster", more=", scope: account"), I),
    ("8.1 less than a day", "TRN410", fleet(8255, ("trn1.32xlarge", 16)), W),
    ("8.1 a day", "TRN410", fleet(8256, ("trn1.32xlarge", 16)), []),
    ("8.1 two groups", "TRN410", fleet(1000, ("trn1.32xlarge", 1), ("trn1n.32xlarge", 1)), W),
    ("8.1 part of the fleet is enough", "TRN410", fleet(500, ("trn1.32xlarge", 1), ("trn2.48xlarge", 1)), W),
    ("8.6 no list price", "TRN410", fleet(1, ("trn2.48xlarge", 16), region="us-east-2"), []),
    ("8.6 no price of that region", "TRN410", fleet(1, ("trn1.32xlarge", 16), region="eu-north-1"), []),
    ("8.1 no nodes", "TRN410", fleet(1, ("trn1.32xlarge", 0)), []),
    ("8.1 another currency", "TRN410", fleet(1, ("trn1.32xlarge", 16), more=", currency: CNY, currency_confirmed: true"), []),
    ("threshold, both", "TRN411", thresholds("percent: 80, amount_usd: 80"), E),
    ("threshold, neither", "TRN411", thresholds("notification_type: ACTUAL"), E),
    ("threshold, further", "TRN411", further("thresholds: [{notification_type: ACTUAL}]"), E),
    ("threshold, one each", "TRN411", thresholds("percent: 80", "amount_usd: 80"), []),
    ("daily, by default", "TRN412", budget("time_unit: DAILY"), []),
    ("daily, forecast", "TRN412", thresholds("percent: 80, notification_type: FORECASTED", more=", time_unit: DAILY"), E),
    ("daily, further", "TRN412", further("time_unit: DAILY, thresholds: [{percent: 80, notification_type: FORECASTED}]"), E),
    ("monthly, forecast", "TRN412", thresholds("percent: 80, notification_type: FORECASTED"), []),
    ("BUD-14 USD", "TRN413", budget("currency: USD"), []),
    ("BUD-14 EUR", "TRN413", budget("currency: EUR"), E),
    ("BUD-14 CNY", "TRN413", budget("currency: CNY"), E),
    ("BUD-14 CNY confirmed", "TRN413", budget("currency: CNY, currency_confirmed: true"), []),
    ("BUD-14 AUD confirmed", "TRN413", budget("currency: AUD, currency_confirmed: true"), I),
    ("names apart", "TRN414", further("scope: account", "scope: account"), []),
    ("names alike", "TRN414", budget("further_budgets: [{name: one, limit_usd: 1}, {name: one, limit_usd: 2}]"), E),
    ("scope tag", "TRN414", further("scope: tag, tag: {key: team, value: ml}"), []),
    ("scope tag without a tag", "TRN414", further("scope: tag"), E),
    ("tag without the scope", "TRN414", further("tag: {key: team, value: ml}"), E),
    ("by topic", "TRN415", budget("delivery: topic"), []),
    ("by topic, threshold", "TRN415", thresholds("percent: 80, emails: [b@example.com]", more=", delivery: topic"), E),
    ("by topic, further", "TRN415", further("emails: [b@example.com]", more=", delivery: topic"), E),
    ("by topic, summaries", "TRN415", anomaly("threshold_usd: 1, emails: [b@example.com]", more=", delivery: topic"), []),
    ("direct, threshold", "TRN415", thresholds("percent: 80, emails: [b@example.com]"), []),
    ("BUD-07 by topic", "TRN416", budget("delivery: topic"), I),
    ("BUD-07 direct", "TRN416", budget("delivery: direct"), []),
    ("BUD-05 existing topic", "TRN417", budget(f"topic_arn: '{TOPIC}'"), I),
    ("BUD-05 its account", "TRN417", existing_topic("111122223333"), I),
    ("BUD-05 another account", "TRN417", existing_topic("123456789012"), E),
    ("hook", "TRN418", budget(f"topic_subscribers: ['{HOOK}']"), []),
    ("queue and function", "TRN418", budget(f"topic_subscribers: ['{QUEUE}', '{FUNCTION}']"), I + I),
    ("hook twice", "TRN418", budget(f"topic_subscribers: ['{HOOK}', '{HOOK}']"), E),
    ("accounts", "TRN419", further("linked_accounts: ['111122223333', '123456789012']"), I),
    ("account twice", "TRN419", further("linked_accounts: ['111122223333', '111122223333']"), E),
    ("dollars", "TRN420", anomaly("threshold_usd: 100"), []),
    ("per cent", "TRN420", anomaly("threshold_percent: 40"), []),
    ("no threshold", "TRN420", anomaly("frequency: WEEKLY"), E),
    ("at once", "TRN420", anomaly("threshold_usd: 1, frequency: IMMEDIATE"), []),
    ("at once, by mail", "TRN420", anomaly("threshold_usd: 1, frequency: IMMEDIATE, emails: [a@example.com]"), E),
    ("existing", "TRN420", anomaly(f"threshold_usd: 1, monitor: existing, monitor_arn: '{MONITOR}'"), []),
    ("existing, which?", "TRN420", anomaly("threshold_usd: 1, monitor: existing"), E),
    ("not existing", "TRN420", anomaly(f"threshold_usd: 1, monitor_arn: '{MONITOR}'"), E),
    ("odd address", "TRN420", anomaly("threshold_usd: 1, emails: ['a/b@example.com']"), E),
    ("odd address of the budget", "TRN420", anomaly("threshold_usd: 1", more=", emails: ['a/b@example.com']"), E),
    ("odd address, at once", "TRN420", anomaly("threshold_usd: 1, frequency: IMMEDIATE", more=", emails: ['a/b@example.com']"), []),
    ("new monitor", "TRN421", anomaly("threshold_usd: 1"), I),
    ("services", "TRN421", anomaly("threshold_usd: 1, monitor: services"), I),
    ("known monitor", "TRN421", anomaly(f"threshold_usd: 1, monitor: existing, monitor_arn: '{MONITOR}'"), []),
    ("no anomaly detection", "TRN421", "", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_a_budget_is_judged(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


@pytest.mark.parametrize(
    ("rule_id", "overlay", "parts"),
    [
        ("TRN401", thresholds("amount_usd: 80", "amount_usd: 80"), ["ACTUAL 80 USD", "budget.thresholds[0]"]),
        ("TRN402", thresholds(f"percent: 80, {people(6)}", f"percent: 80, {people(5, 'q')}"), ["budget.thresholds has 11 addresses at one threshold"]),
        ("TRN402", further(people(11)), ["budget.further_budgets[0].emails has 11 addresses", "takes 10"]),
        ("TRN410", fleet(8000, ("trn1.32xlarge", 16)), ["limit_usd is 8000", "cost 8256.00 in 24 hours"]),
        ("TRN412", thresholds("percent: 80, notification_type: FORECASTED", more=", time_unit: DAILY"), ["budget.thresholds[0] is FORECASTED"]),
        ("TRN413", budget("currency: EUR"), ["EUR", "USD", "currency_confirmed: true"]),
        ("TRN417", existing_topic("123456789012"), ["111122223333", "123456789012"]),
        ("TRN418", budget(f"topic_subscribers: ['{FUNCTION}']"), ["aws lambda add-permission", FUNCTION]),
        ("TRN418", budget(f"topic_subscribers: ['{QUEUE}']"), ["sqs:SendMessage"]),
        ("TRN421", anomaly("threshold_usd: 1, monitor: services"), ["has 1 such monitor"]),
    ],
)  # fmt: skip
def test_the_finding_says_what_was_got_and_what_to_do(rule_id: str, overlay: str, parts: list[str]):
    (finding,) = of_rule(rule_id, judge_cluster(overlay))
    said = f"{finding.message}; {finding.hint}"
    assert [part for part in parts if part not in said] == []


def test_the_price_is_shown_with_its_date():
    (finding,) = of_rule("TRN410", judge_cluster(fleet(8000, ("trn1.32xlarge", 16))))
    assert finding.evidence == (
        "16 x trn1.32xlarge x 21.5 USD/h x 24 h = 8256.00 (us-west-2 on-demand, 2026-11-30)"
    )


@pytest.mark.parametrize(
    ("more", "services"),
    [
        ("", ["budgets.amazonaws.com"]),
        (
            ", anomaly_detection: {threshold_usd: 1, frequency: IMMEDIATE}",
            ["budgets.amazonaws.com", "costalerts.amazonaws.com"],
        ),
        (", anomaly_detection: {threshold_usd: 1}", ["budgets.amazonaws.com"]),
    ],
)
def test_bud_05_the_statement_an_existing_topic_needs(more: str, services: list[str]):
    (finding,) = of_rule("TRN417", judge_cluster(budget(f"topic_arn: '{TOPIC}'{more}")))
    assert json.loads(finding.evidence or "") == {
        "Effect": "Allow",
        "Principal": {"Service": services},
        "Action": "sns:Publish",
        "Resource": TOPIC,
        "Condition": {"StringEquals": {"aws:SourceAccount": "111122223333"}},
    }
    assert "alias/aws/sns" in (finding.hint or "")


def test_a_finding_points_at_the_budget_it_is_about():
    text = (
        "name: pretrain\nregion: us-east-2\n"
        "compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1}]}\n"
        "budget:\n  limit_usd: 5\n  emails: [a@example.com]\n  further_budgets:\n"
        "    - name: storage\n      limit_usd: 9\n      services: [FSx]\n"
    )
    (finding,) = of_rule("TRN403", check_cluster(read_cluster(text, "cluster.yaml")))
    assert (finding.line, finding.path) == (10, "budget.further_budgets[0].services[0]")
