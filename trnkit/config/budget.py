"""`budget`: who hears of spending, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

from pydantic import PrivateAttr

from trnkit.config.spend_guard import ChatConfig, WatchdogConfig
from trnkit.config.values import (
    AccountId,
    AnomalyMonitorArn,
    Bool,
    CurrencyCode,
    Email,
    GroupName,
    Number,
    Section,
    TagKey,
    TagValue,
    Text,
    TopicArn,
    TopicEndpoint,
    setting,
)

if TYPE_CHECKING:
    from trnkit.config.prices_file import PricesFile

TimeUnit = Literal["DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY"]


class BudgetThreshold(Section):
    """One alert of a budget: at a percentage of the limit, or at an amount."""

    notification_type: Literal["ACTUAL", "FORECASTED"] = setting(
        "ACTUAL",
        change="replaces",
        description="`ACTUAL`: money spent. `FORECASTED`: AWS's forecast, which needs about five "
        "weeks of history and is silent before; budgets per day have none.",
    )
    percent: Number | None = setting(
        None,
        ge=0.1,
        le=1000,
        change="replaces",
        example=80,
        description="Per cent of the limit at which to alert. Exactly one of `percent` and "
        "`amount_usd`.",
    )
    amount_usd: Number | None = setting(
        None,
        ge=0.1,
        le=1e9,
        change="replaces",
        example=40_000,
        description="Amount at which to alert, in US dollars (or in `currency`).",
    )
    emails: tuple[Email, ...] = setting(
        (),
        change="replaces",
        example=["finance@example.com"],
        description="Addresses for this alert alone, in place of the budget's. Alerts at the same "
        "threshold are merged. Left out: the budget's. With `delivery: direct` only.",
    )


_THRESHOLDS = (
    BudgetThreshold(percent=50),
    BudgetThreshold(percent=80),
    BudgetThreshold(percent=100),
    BudgetThreshold(notification_type="FORECASTED", percent=100),
)


class CostTagConfig(Section):
    """A cost allocation tag, which the payer account must have activated."""

    key: TagKey = setting(example="team", description="Key of the tag, without `user:`.")
    value: TagValue = setting(example="ml-platform", description="Its value.")


class FurtherBudgetConfig(Section):
    """A budget beside the cluster's main one: per service, per team, per account."""

    name: GroupName = setting(
        change="replaces",
        example="storage",
        description="What this budget is called here; AWS makes up the budget's own name, so that "
        "a changed budget never clashes with the old one.",
    )
    limit_usd: Number = setting(
        ge=0.01,
        le=1e9,
        example=2_000,
        description="Limit in US dollars (or in `currency`) per time unit.",
    )
    time_unit: TimeUnit = setting("MONTHLY", description="Period after which the count restarts.")
    scope: Literal["cluster", "account", "tag"] = setting(
        "cluster",
        description="`cluster`: cost carrying the cluster's tag. `account`: everything in the "
        "account. `tag`: cost carrying the tag that `tag` names.",
    )
    tag: CostTagConfig | None = setting(
        None, description="The tag to count, with `scope: tag` and no other."
    )
    services: tuple[Text, ...] = setting(
        (),
        max_length=20,
        example=["Amazon FSx"],
        description="Count only these services, by their billing names. Left out: all.",
    )
    linked_accounts: tuple[AccountId, ...] = setting(
        (),
        max_length=20,
        example=["111122223333"],
        description="Count only these accounts of the organization. Works in the management "
        "account only. Left out: all that the account sees.",
    )
    thresholds: tuple[BudgetThreshold, ...] = setting(
        _THRESHOLDS,
        min_length=1,
        change="replaces",
        description="When to alert. Left out: at 50, 80 and 100 % spent and 100 % forecast.",
    )
    emails: tuple[Email, ...] = setting(
        (),
        change="replaces",
        example=["storage-team@example.com"],
        description="Addresses for this budget, in place of the main one's. Left out: those. With "
        "`delivery: direct` only.",
    )


class AnomalyDetectionConfig(Section):
    """AWS Cost Anomaly Detection: alerts when cost leaves its usual course, at any limit."""

    monitor: Literal["cluster", "services", "existing"] = setting(
        "cluster",
        change="replaces",
        description="`cluster`: a monitor over the cluster's tag, which only the organization's "
        "management account can make. `services`: a monitor over all AWS services of the account, "
        "of which an account has at most one. `existing`: the monitor that `monitor_arn` names.",
    )
    monitor_arn: AnomalyMonitorArn | None = setting(
        None,
        example="arn:aws:ce::111122223333:anomalymonitor/0123abcd-0000-4000-8000-000000000000",
        description="The monitor to subscribe to, with `monitor: existing` and no other. `aws ce "
        "get-anomaly-monitors` prints those of the account.",
    )
    threshold_usd: Number | None = setting(
        None,
        gt=0,
        le=1e10,
        example=500,
        description="Smallest impact that alerts, in US dollars above what was expected. At least "
        "one of the two thresholds; an anomaly must reach both where both are written.",
    )
    threshold_percent: Number | None = setting(
        None,
        gt=0,
        le=1e10,
        example=40,
        description="Smallest impact that alerts, in per cent above what was expected.",
    )
    frequency: Literal["IMMEDIATE", "DAILY", "WEEKLY"] = setting(
        "DAILY",
        description="`IMMEDIATE`: each anomaly at once, through the alert topic and by no direct "
        "mail. `DAILY`, `WEEKLY`: a summary by e-mail.",
    )
    emails: tuple[Email, ...] = setting(
        (),
        example=["finops@example.com"],
        description="Addresses of the summaries. Left out: those of the budget.",
    )


class BudgetConfig(Section):
    """An AWS Budget over the cluster's own cost, with alerts by e-mail and through a topic."""

    limit_usd: Number = setting(
        ge=0.01,
        le=1e9,
        example=50_000,
        description="Limit in US dollars (or in `currency`) per time unit.",
    )
    time_unit: TimeUnit = setting("MONTHLY", description="Period after which the count restarts.")
    scope: Literal["cluster", "account"] = setting(
        "cluster",
        description="`cluster`: cost carrying the cluster's tag, which the payer account must have "
        "activated as a cost allocation tag. `account`: everything in the account.",
    )
    region: Text | None = setting(
        None,
        change="replaces",
        example="us-east-1",
        description="Region of the budget's stack; budgets themselves are global. Left out: the "
        "cluster's region, or us-east-1 where that one lacks the budget resource type.",
    )
    currency: CurrencyCode = setting(
        "USD",
        example="CNY",
        description="Currency of every limit and amount in this section, whatever the key is "
        "called. AWS Budgets takes that of the account's bill: US dollars nearly everywhere.",
    )
    currency_confirmed: Bool = setting(
        False,
        description="Write `true` to say that AWS bills the account in the `currency` above.",
    )
    services: tuple[Text, ...] = setting(
        (),
        max_length=20,
        example=["Amazon FSx"],
        description="Count only these services, by their billing names. Left out: all.",
    )
    thresholds: tuple[BudgetThreshold, ...] = setting(
        _THRESHOLDS,
        min_length=1,
        change="replaces",
        description="When to alert. Left out: at 50, 80 and 100 % spent and 100 % forecast (which "
        "a budget per day does not have).",
    )
    emails: tuple[Email, ...] = setting(
        min_length=1,
        change="replaces",
        example=["ml-platform@example.com"],
        description="Addresses that hear of the alerts, with `delivery: direct` 1 to 10. Each must "
        "be confirmed once, by the link in a mail that AWS sends to it.",
    )
    delivery: Literal["direct", "topic"] = setting(
        "direct",
        change="replaces",
        description="`direct`: AWS Budgets writes to the addresses itself; changing them replaces "
        "the budget, whose new instance alerts afresh. `topic`: the addresses subscribe to the "
        "alert topic; changing them leaves the budget alone.",
    )
    topic_arn: TopicArn | None = setting(
        None,
        change="replaces",
        example="arn:aws:sns:us-east-2:111122223333:cost-alerts",
        description="An alert topic that exists already, in the same account; its policy, and that "
        "of its key, must let AWS Budgets in. Left out: a topic and a key of the stack.",
    )
    topic_subscribers: tuple[TopicEndpoint, ...] = setting(
        (),
        max_length=20,
        example=["https://alerts.example.com/budget"],
        description="What else hears of the alerts, through the topic: `https://` addresses, ARNs "
        "of Lambda functions and of standard SQS queues.",
    )
    further_budgets: tuple[FurtherBudgetConfig, ...] = setting(
        (), max_length=20, description="Budgets beside this one, with the same topic."
    )
    anomaly_detection: AnomalyDetectionConfig | None = setting(
        None, description="Alerts on unusual cost. Left out: none."
    )
    prices_file: Text | None = setting(
        None,
        example="prices.yaml",
        description="A file of prices that count before the catalogue's: negotiated ones, or what "
        "`trnkit prices refresh` wrote; relative to this file. Its content is part of the input: "
        "nothing is fetched.",
    )
    watchdog: WatchdogConfig | None = setting(
        None,
        description="A count of what runs, every few minutes, with alerts within minutes where a "
        "budget hears a day later. Left out: none.",
    )
    chat: ChatConfig | None = setting(
        None, description="The alerts in a chat channel, too. Left out: none."
    )
    _prices: PricesFile | None = PrivateAttr(default=None)

    @property
    def prices(self) -> PricesFile | None:
        """What `prices_file` says; None: there is none, or it was not read."""
        return self._prices

    def with_prices(self, prices: PricesFile | None) -> Self:
        """The same budget, with what its file of prices says."""
        copy = self.model_copy()
        copy._prices = prices
        return copy
