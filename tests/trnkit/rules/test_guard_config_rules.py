"""Watchdogs and enforcement that would watch or stop nothing, each beside the nearest right one."""

# One case a line, however long.
# ruff: noqa: E501

from __future__ import annotations

import json
import re

import pytest

from tests.trnkit.rules.judging import judge_cluster, of_rule, severities
from trnkit.config import read_cluster
from trnkit.rules import check_cluster

E, W, I = ["error"], ["warning"], ["info"]  # noqa: E741
TRN1 = "region: us-west-2\ncompute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 2%s}]}\n"
TOPIC = "arn:aws:sns:%s:111122223333:alerts"


def guard(text: str, more: str = "") -> str:
    return f"budget: {{watchdog: {{{text}}}{more}}}\n"


def priced(text: str, group: str = "") -> str:
    """Two trn1.32xlarge in us-west-2: 43.00 USD an hour at list price."""
    return TRN1 % group + guard(text)


def stages(text: str, more: str = "") -> str:
    return guard(f"enforcement: {{{text}}}{more}")


def idle(text: str, more: str = "") -> str:
    return guard(f"idle_shutdown: {{{text}}}{more}")


def monthly(limit: int, more: str = "", group: str = "") -> str:
    """The same two, 43.00 USD an hour, with a limit a month."""
    return TRN1 % group + f"budget: {{limit_usd: {limit}{more}}}\n"


SPOT = ", capacity: {type: spot%s}"
BLOCK = ", capacity: {type: capacity-block, capacity_reservation_id: cr-0123456789abcdef0, start: '2027-03-01T11:30:00Z', end: '2027-03-08T11:30:00Z'}"
INLINE, SILENT = (
    "compute: {boot: {delivery: inline}}\n",
    "observability: {cloudwatch_agent: false}\n",
)
TWO = "compute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1}, {name: serve, instance_type: trn1.2xlarge, count: 1}]}\n"
UNKNOWN = "compute: {node_groups: [{name: one, instance_type: trn2u.48xlarge, count: %s}, {name: two, instance_type: trn2u.48xlarge, count: 1}]}\n"
EVERY = "protected_node_groups: [train]"

CHAT = "budget: {chat: {%s}}"
SLACK = "slack: {workspace_id: T0123ABCD, channel_id: C0123ABCD}"
TABLE: list[tuple[str, str, str, list[str]]] = [
    ("a channel", "TRN425", CHAT % SLACK, []),
    ("no channel", "TRN425", CHAT % "", E),
    ("no chat", "TRN425", "", []),
    ("a month", "TRN426", guard("poll_minutes: 5"), []),
    ("a quarter", "TRN426", guard("poll_minutes: 5", ", time_unit: QUARTERLY"), E),
    ("a day", "TRN426", guard("poll_minutes: 5", ", time_unit: DAILY"), E),
    ("a quarter and a limit", "TRN426", guard("month_limit_usd: 9", ", time_unit: QUARTERLY"), []),
    ("euros", "TRN426", guard("poll_minutes: 5", ", currency: EUR"), E),
    ("euros and a limit", "TRN426", guard("month_limit_usd: 9", ", currency: EUR"), []),
    ("some services", "TRN426", guard("poll_minutes: 5", ", services: [Amazon FSx]"), E),
    ("an account", "TRN426", guard("poll_minutes: 5", ", scope: account"), []),
    ("no watchdog", "TRN426", "budget: {time_unit: QUARTERLY}", []),
    ("protected", "TRN427", stages(EVERY), []),
    ("misspelt", "TRN427", stages("protected_node_groups: [trian]"), E),
    ("misspelt, idle", "TRN427", idle("protected_node_groups: [trian, train]"), E),
    ("misspelt in both", "TRN427", stages("protected_node_groups: [trian]", ", idle_shutdown: {protected_node_groups: [trian]}"), E + E),
    ("all protected", "TRN428", stages(EVERY), W),
    ("all protected, and people denied", "TRN428", stages(f"{EVERY}, deny_role_names: [ml-engineers]"), []),
    ("all may be idle", "TRN428", idle(EVERY), W),
    ("all protected, and idle", "TRN428", stages(EVERY, ", idle_shutdown: {minutes: 30}"), W + W),
    ("one protected, the other idle", "TRN428", TWO + stages("protected_node_groups: [serve]", ", idle_shutdown: {protected_node_groups: [train]}"), W),
    ("one protected by enforcement", "TRN428", TWO + stages("protected_node_groups: [serve]", ", idle_shutdown: {minutes: 30}"), []),
    ("one may be idle, enforcement may touch it", "TRN428", TWO + stages("mode: approval", ", idle_shutdown: {protected_node_groups: [train]}"), []),
    ("one of two protected", "TRN428", TWO + stages(EVERY), []),
    ("both protected", "TRN428", TWO + stages("protected_node_groups: [serve, train]"), W),
    ("a block alone", "TRN428", priced("enforcement: {mode: approval}", BLOCK), W),
    ("a block alone, protected", "TRN428", priced(f"enforcement: {{{EVERY}}}", BLOCK), W),
    ("none protected", "TRN428", stages("mode: approval"), []),
    ("grace of a poll", "TRN429", guard("poll_minutes: 15, enforcement: {mode: automatic, grace_minutes: 15}"), []),
    ("less grace", "TRN429", guard("poll_minutes: 15, enforcement: {mode: automatic, grace_minutes: 14}"), W),
    ("no grace, with approval", "TRN429", stages("mode: approval, grace_minutes: 0"), []),
    ("no grace, dry", "TRN429", stages("grace_minutes: 0"), []),
    ("no grace, idle", "TRN429", stages("grace_minutes: 0", ", idle_shutdown: {mode: automatic}"), W),
    ("no grace, both", "TRN429", stages("mode: automatic, grace_minutes: 0", ", idle_shutdown: {mode: automatic}"), W),
    ("no grace, idle with approval", "TRN429", stages("grace_minutes: 0", ", idle_shutdown: {mode: approval}"), []),
    ("idle with the grace of no section", "TRN429", idle("mode: automatic"), []),
    ("grace by default", "TRN429", stages("mode: automatic"), []),
    ("idle", "TRN430", idle("minutes: 30"), []),
    ("idle without agent", "TRN430", SILENT + idle("minutes: 30"), E),
    ("idle inline", "TRN430", INLINE + idle("minutes: 30"), E),
    ("both ways", "TRN430", SILENT + idle("minutes: 30", ", idle_alert_minutes: 30"), E + E),
    ("neither asked", "TRN430", SILENT + guard("poll_minutes: 5"), []),
    ("a price", "TRN431", priced("poll_minutes: 5"), []),
    ("no price", "TRN431", UNKNOWN % 1 + guard("poll_minutes: 5"), W),
    ("no price, no node of the first", "TRN431", UNKNOWN % 0 + guard("poll_minutes: 5"), W),
    ("prices of other Regions", "TRN431", "region: eu-north-1\n" + TWO + guard("poll_minutes: 5"), []),
    ("no price, no watchdog", "TRN431", UNKNOWN % 1, []),
    ("spot without a price, on-demand known", "TRN431", priced("poll_minutes: 5", SPOT % ""), []),
    ("spot, nothing known", "TRN431", "compute: {node_groups: [{name: train, instance_type: trn2u.48xlarge, count: 1, capacity: {type: spot}}]}\n" + guard("poll_minutes: 5"), W),
    ("spot with a maximum", "TRN431", "compute: {node_groups: [{name: train, instance_type: trn2u.48xlarge, count: 1, capacity: {type: spot, max_price_usd: 40}}]}\n" + guard("poll_minutes: 5"), []),
    ("spot", "TRN432", priced("poll_minutes: 5", SPOT % ""), I),
    ("spot with a maximum", "TRN432", priced("poll_minutes: 5", SPOT % ", max_price_usd: 9"), I),
    ("on demand", "TRN432", priced("poll_minutes: 5"), []),
    ("spot, no watchdog", "TRN432", TRN1 % SPOT % "", []),
    ("rate above", "TRN433", priced("spend_rate_usd_per_hour: 44"), []),
    ("rate below", "TRN433", priced("spend_rate_usd_per_hour: 42"), W),
    ("rate below, spot", "TRN433", priced("spend_rate_usd_per_hour: 42", SPOT % ""), []),
    ("rate below, block", "TRN433", priced("spend_rate_usd_per_hour: 42", BLOCK), []),
    ("rate below, by prices of other Regions", "TRN433", priced("spend_rate_usd_per_hour: 42").replace("us-west-2", "eu-north-1"), []),
    ("rate far above", "TRN433", priced("spend_rate_usd_per_hour: 44000"), W),
    ("rate far above, not all known", "TRN433", UNKNOWN % 1 + guard("spend_rate_usd_per_hour: 44000"), []),
    ("enforced rate below", "TRN433", priced("enforcement: {at_spend_rate_usd_per_hour: 42}"), W),
    ("enforced rate above", "TRN433", priced("enforcement: {at_spend_rate_usd_per_hour: 400}"), []),
    ("enforced rate out of reach", "TRN433", priced("enforcement: {at_spend_rate_usd_per_hour: 700}"), W),
    ("told", "TRN434", stages("checkpoint_minutes: 20"), []),
    ("inline", "TRN434", INLINE + stages("mode: approval"), I),
    ("inline, written", "TRN434", INLINE + stages("checkpoint_minutes: 20"), W),
    ("inline, not told", "TRN434", INLINE + stages("checkpoint_minutes: 0"), []),
    ("people denied, dry", "TRN435", stages("deny_role_names: [a, b]"), W),
    ("people denied", "TRN435", stages("mode: automatic, deny_role_names: [a, b]"), []),
    ("people denied for an account", "TRN435", guard("enforcement: {mode: automatic, deny_role_names: [a]}", ", scope: account"), I),
    ("nobody denied", "TRN435", stages("mode: dry-run"), []),
    ("per cent", "TRN436", guard("alert_percent: [1, 80, 1000]"), []),
    ("nothing per cent", "TRN436", guard("alert_percent: [0, -5, 1001]"), E + E + E),
    ("published", "TRN438", guard("poll_minutes: 5"), []),
    ("templates alone", "TRN438", INLINE + guard("poll_minutes: 5"), W),
    ("inline without", "TRN438", INLINE, []),
    ("own topic", "TRN439", guard("poll_minutes: 5"), I),
    ("shared topic", "TRN439", guard("poll_minutes: 5", ", delivery: topic"), []),
    ("budget elsewhere", "TRN439", guard("poll_minutes: 5", ", delivery: topic, region: us-east-1"), I),
    ("their topic", "TRN439", guard("poll_minutes: 5", f", delivery: topic, topic_arn: '{TOPIC % 'us-east-2'}'"), []),
    ("their topic elsewhere", "TRN439", guard("poll_minutes: 5", f", delivery: topic, topic_arn: '{TOPIC % 'us-east-1'}'"), I),
    ("half of a month", "TRN448", monthly(15000), I),
    ("half of a month, watched", "TRN448", monthly(15000, ", watchdog: {}"), I),
    ("another limit of a month", "TRN448", monthly(99000, ", watchdog: {month_limit_usd: 15000}"), I),
    ("the shortest month", "TRN448", monthly(28896), []),
    ("a dollar less", "TRN448", monthly(28895), I),
    ("the shortest month, and what else is counted", "TRN448", monthly(28896, ", watchdog: {}"), I),
    ("less than a day, which TRN410 tells", "TRN448", monthly(900), []),
    ("less than a day, watched", "TRN448", monthly(900, ", watchdog: {}"), I),
    ("half of a quarter", "TRN448", monthly(15000, ", time_unit: QUARTERLY"), []),
    ("euros", "TRN448", monthly(15000, ", currency: EUR"), []),
    ("some services", "TRN448", monthly(15000, ", services: [Amazon FSx]"), []),
    ("an account", "TRN448", monthly(15000, ", scope: account"), I),
    ("no price", "TRN448", UNKNOWN % 1, []),
    ("prices of other Regions", "TRN448", monthly(15000).replace("us-west-2", "eu-north-1"), []),
    ("spot", "TRN448", monthly(1500, "", SPOT % ""), []),
    ("a block, which is paid", "TRN448", monthly(1500, "", BLOCK), []),
    ("seen in time", "TRN410", priced("poll_minutes: 5") .replace("budget: {", "budget: {limit_usd: 9, "), []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule_id", "overlay", "expected"),
    [row[1:] for row in TABLE],
    ids=[f"{row[1]} {row[0]}" for row in TABLE],
)
def test_a_guard_is_judged(rule_id: str, overlay: str, expected: list[str]):
    assert severities(rule_id, judge_cluster(overlay)) == expected


@pytest.mark.parametrize(
    ("rule_id", "overlay", "parts"),
    [
        ("TRN426", guard("poll_minutes: 5", ", time_unit: QUARTERLY"), ["time_unit QUARTERLY", "month_limit_usd"]),
        ("TRN426", guard("poll_minutes: 5", ", currency: EUR"), ["in EUR", "prices are in USD"]),
        ("TRN427", stages("protected_node_groups: [trian]"), ["protected_node_groups[0] is trian", "did you mean train?"]),
        ("TRN428", TWO + stages("protected_node_groups: [serve]", ", idle_shutdown: {protected_node_groups: [train]}"), ["budget.watchdog.idle_shutdown.protected_node_groups and budget.watchdog.enforcement.protected_node_groups together have every node group"]),
        ("TRN429", stages("grace_minutes: 0", ", idle_shutdown: {mode: automatic}"), ["what idle_shutdown plans at one", "grace_minutes is 0"]),
        ("TRN433", priced("enforcement: {at_spend_rate_usd_per_hour: 700}"), ["more than 10 times the 43.", "nothing reaches it"]),
        ("TRN431", UNKNOWN % 1 + stages("mode: approval"), ["trn2u.48xlarge costs in us-east-2 (on-demand)", "enforcement begins too late", "`trn2u.48xlarge on-demand`", "budget.prices_file"]),
        ("TRN432", priced("poll_minutes: 5", SPOT % ""), ["at 21.5 USD an hour, the on-demand price"]),
        ("TRN432", priced("poll_minutes: 5", SPOT % ", max_price_usd: 9"), ["at 9 USD an hour, its max_price_usd"]),
        ("TRN433", priced("spend_rate_usd_per_hour: 42"), ["spend_rate_usd_per_hour is 42", "at least 43.00 USD"]),
        ("TRN448", monthly(15000), ["budget.limit_usd is 15000", "at least 43.00 USD an hour", "is passed after 14.5 days at the latest"]),
        ("TRN448", monthly(1500, ", watchdog: {}"), ["43.21 USD an hour", "is passed after 34.7 hours at the latest"]),
        ("TRN448", monthly(15000, ", watchdog: {enforcement: {mode: automatic}}"), ["is passed after 14.5 days at the latest, and enforcement begins then"]),
        ("TRN448", monthly(15000, ", watchdog: {enforcement: {mode: approval, at_month_to_date_percent: 80}}"), ["passed after 14.5 days at the latest, and enforcement begins after 11.6 days"]),
        ("TRN448", monthly(15000, ", watchdog: {enforcement: {}}"), ["enforcement begins then, as a dry run"]),
        ("TRN448", monthly(9, ", watchdog: {month_limit_usd: 15000}"), ["budget.watchdog.month_limit_usd is 15000"]),
        ("TRN439", guard("poll_minutes: 5", f", topic_arn: '{TOPIC % 'us-east-2'}'"), ["in us-east-2", "whoever hears budget.topic_arn does not"]),
    ],
)  # fmt: skip
def test_the_finding_says_what_was_got_and_what_to_do(rule_id: str, overlay: str, parts: list[str]):
    (finding,) = of_rule(rule_id, judge_cluster(overlay))
    said = f"{finding.message}; {finding.hint}"
    assert [part for part in parts if part not in said] == []


@pytest.mark.parametrize(
    ("region", "group", "more"),
    [
        ("us-west-2", "", ["cloudwatch.amazonaws.com"]),
        ("us-west-2", BLOCK, ["cloudwatch.amazonaws.com", "events.amazonaws.com"]),
        ("us-east-1", BLOCK, []),
    ],
)
def test_a_topic_that_exists_lets_in_who_speaks_for_the_watchdog(
    region: str, group: str, more: list[str]
):
    topic = f"budget: {{delivery: topic, topic_arn: '{TOPIC % region}', watchdog: {{}}}}"
    (finding,) = of_rule("TRN417", judge_cluster(TRN1 % group + topic))
    statements = [json.loads(text) for text in re.split("(?<=}) (?={)", finding.evidence or "")]
    services = [name for s in statements for name in s["Principal"]["Service"]]
    assert services == ["budgets.amazonaws.com", *more]
    # No condition holds for EventBridge and an encrypted topic.
    assert ["Condition" in s for s in statements] == [True, False][: 1 + (len(more) > 1)]


@pytest.mark.parametrize(
    ("percents", "found"), [("33.3333333, 33.3333334", 1), ("33.3333, 33.3334", 0)]
)
def test_alarms_are_named_by_their_share(percents: str, found: int):
    text = (
        "name: pretrain\nregion: us-west-2\ncompute: {node_groups: [{name: train, "
        "instance_type: trn1.32xlarge, count: 1}]}\nbudget: {limit_usd: 9000, emails: "
        f"[a@example.com], watchdog: {{alert_percent: [{percents}]}}}}\n"
    )
    findings = check_cluster(read_cluster(text, "cluster.yaml"))
    assert len(of_rule("TRN436", findings)) == found
