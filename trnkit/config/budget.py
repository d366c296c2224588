"""`budget`: who hears of spending, and when."""

from __future__ import annotations

from typing import Literal

from trnkit.config.values import Email, Number, Section, Text, setting

TimeUnit = Literal["DAILY", "MONTHLY", "QUARTERLY", "ANNUALLY"]


class BudgetThreshold(Section):
    """One alert of a budget."""

    notification_type: Literal["ACTUAL", "FORECASTED"] = setting(
        "ACTUAL",
        description="`ACTUAL`: money spent. `FORECASTED`: AWS's forecast, which needs about five "
        "weeks of history and is silent before.",
    )
    percent: Number = setting(
        ge=0.1, le=1000, example=80, description="Per cent of the limit at which to alert."
    )


class BudgetConfig(Section):
    """An AWS Budget over the cluster's own cost, with alerts by e-mail and through a topic."""

    limit_usd: Number = setting(
        gt=0,
        le=1e9,
        example=50_000,
        description="Limit in US dollars per time unit.",
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
    services: tuple[Text, ...] = setting(
        (),
        max_length=20,
        example=["Amazon FSx"],
        description="Count only these services, by their billing names. Left out: all.",
    )
    thresholds: tuple[BudgetThreshold, ...] = setting(
        (
            BudgetThreshold(percent=50),
            BudgetThreshold(percent=80),
            BudgetThreshold(percent=100),
            BudgetThreshold(notification_type="FORECASTED", percent=100),
        ),
        min_length=1,
        description="When to alert. Left out: at 50, 80 and 100 % spent and 100 % forecast.",
    )
    emails: tuple[Email, ...] = setting(
        min_length=1,
        example=["ml-platform@example.com"],
        description="Addresses that AWS Budgets writes to, 1 to 10; nothing has to be confirmed. "
        "Changing them replaces the budget, whose new instance alerts afresh.",
    )
