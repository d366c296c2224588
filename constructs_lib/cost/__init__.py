"""Cost: budgets that reach somebody, alerts on unusual cost, and what counts it in minutes."""

from constructs_lib.cost.alert_subscription import AlertSubscription
from constructs_lib.cost.budget_alarm import BudgetAlarm
from constructs_lib.cost.budget_notification import BudgetNotification, CostTag
from constructs_lib.cost.cost_anomaly_monitor import CostAnomalyMonitor
from constructs_lib.cost.spend_watchdog import SpendWatchdog

__all__ = [
    "AlertSubscription",
    "BudgetAlarm",
    "BudgetNotification",
    "CostAnomalyMonitor",
    "CostTag",
    "SpendWatchdog",
]
