"""`budget.watchdog`, `budget.chat`: who sees spending within minutes, and what stops it."""

from __future__ import annotations

from typing import Annotated, Literal

from trnkit.config.spend_values import (
    RoleName,
    SlackChannelId,
    SlackWorkspaceId,
    TeamsChannelId,
    Uuid,
)
from trnkit.config.values import Bool, EachOnce, GroupName, Int, Number, Section, setting

EnforcementMode = Literal["dry-run", "approval", "automatic"]


class SlackChannelConfig(Section):
    """A Slack channel; its workspace must have let Amazon Q Developer in, once, in the console."""

    workspace_id: SlackWorkspaceId = setting(
        change="replaces",
        example="T0123ABCD",
        description="The workspace, as the console of Amazon Q Developer in chat applications "
        "shows it once it is let in.",
    )
    channel_id: SlackChannelId = setting(
        change="in place", example="C0123ABCD", description="The channel, from its link."
    )


class TeamsChannelConfig(Section):
    """A channel of Microsoft Teams; the team must have been let in, once, in the console."""

    tenant_id: Uuid = setting(
        change="replaces",
        example="01234567-89ab-4000-8000-0123456789ab",
        description="The tenant of the team.",
    )
    team_id: Uuid = setting(
        change="replaces", example="11234567-89ab-4000-8000-0123456789ab", description="The team."
    )
    channel_id: TeamsChannelId = setting(
        change="in place",
        description="The channel, from its link, decoded: `19:` first, `@thread.tacv2` last.",
    )


class ChatConfig(Section):
    """Alerts in a chat channel, through Amazon Q Developer in chat applications."""

    slack: SlackChannelConfig | None = setting(None, description="A Slack channel.")
    teams: TeamsChannelConfig | None = setting(None, description="A Microsoft Teams channel.")


class EnforcementConfig(Section):
    """What stops spending when people do not: in stages, with time to object, never storage."""

    mode: EnforcementMode = setting(
        "dry-run",
        description="`dry-run`: says what it would do and calls nothing that changes anything. "
        "`approval`: does it once somebody has approved. `automatic`: does it after the grace "
        "time.",
    )
    at_month_to_date_percent: Number = setting(
        100,
        ge=1,
        le=1000,
        example=110,
        description="Per cent of the month's limit, spent as the watchdog counts it, at which the "
        "stages begin.",
    )
    at_spend_rate_usd_per_hour: Number | None = setting(
        None,
        gt=0,
        le=1e7,
        example=700,
        description="Rate at which they begin, too, whatever is spent. Left out: none.",
    )
    grace_minutes: Int = setting(
        60,
        ge=0,
        le=10_080,
        description="Time between the warning and the first thing that is done, in which the plan "
        "can be called off.",
    )
    checkpoint_minutes: Int = setting(
        10,
        ge=0,
        le=120,
        description="Time between telling nodes to write a checkpoint and scaling them in. 0: "
        "they are not told.",
    )
    protected_node_groups: Annotated[tuple[GroupName, ...], EachOnce] = setting(
        (),
        max_length=40,
        example=["serve"],
        description="Node groups that are never touched, whatever is spent; `idle_shutdown` spares "
        "them, too.",
    )
    deny_role_names: Annotated[tuple[RoleName, ...], EachOnce] = setting(
        (),
        max_length=20,
        example=["ml-engineers"],
        description="IAM roles of the account that lose the right to launch instances while the "
        "budget's limit is passed (AWS Budgets attaches a policy to them). A service-linked role, "
        "such as that of Auto Scaling, takes no policy: groups are suspended instead.",
    )


class IdleShutdownConfig(Section):
    """Scaling in node groups whose NeuronCores do nothing."""

    mode: EnforcementMode = setting("dry-run", description="As `enforcement.mode`.")
    minutes: Int = setting(
        60,
        ge=10,
        le=1440,
        description="How long no node of a group may have used a NeuronCore. Then come "
        "`grace_minutes` and `checkpoint_minutes` of `enforcement`, which are 60 and 10 where that "
        "section is not there: by default 130 minutes from the last use to no nodes, and the "
        "polls between.",
    )
    below_utilization_percent: Number = setting(
        1,
        ge=0,
        le=50,
        description="Mean use of a node's NeuronCores up to which it counts as idle.",
    )
    protected_node_groups: Annotated[tuple[GroupName, ...], EachOnce] = setting(
        (),
        max_length=40,
        example=["serve"],
        description="Node groups that may be idle, beside those that enforcement protects.",
    )


class WatchdogConfig(Section):
    """A function that counts running instances times their prices, every few minutes."""

    poll_minutes: Int = setting(
        5,
        ge=1,
        le=15,
        description="How often it counts. What is spent is never under-counted by more than this.",
    )
    month_limit_usd: Number | None = setting(
        None,
        ge=0.01,
        le=1e9,
        example=50_000,
        description="What the cluster may cost in a calendar month (UTC). Left out: the budget's "
        "limit, where that is per month; another budget needs this.",
    )
    alert_percent: Annotated[tuple[Number, ...], EachOnce] = setting(
        (50, 80, 100),
        max_length=10,
        description="Per cent of the month's limit, spent as the watchdog counts it, at which it "
        "alerts.",
    )
    spend_rate_usd_per_hour: Number | None = setting(
        None,
        gt=0,
        le=1e7,
        example=400,
        description="Rate above which it alerts. Left out: what all node groups at their full "
        "size, storage and network cost, plus a tenth, where the price of every node is known; "
        "else no alert on the rate.",
    )
    unused_block_minutes: Int = setting(
        30,
        ge=5,
        le=1440,
        description="How long instances of a Capacity Block or a reservation may stand unused "
        "before it alerts.",
    )
    idle_alert_minutes: Int | None = setting(
        None,
        ge=10,
        le=1440,
        example=60,
        description="How long a group's nodes may do nothing before it alerts. Left out: no alert.",
    )
    enforcement: EnforcementConfig | None = setting(
        None, description="What it does about it. Left out: it alerts and does nothing."
    )
    idle_shutdown: IdleShutdownConfig | None = setting(
        None, description="Scaling in what does nothing. Left out: nothing is scaled in."
    )
    retain_ledger: Bool = setting(
        True,
        description="Whether the table of what was counted and done stays when the stack goes.",
    )
