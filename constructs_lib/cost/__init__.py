"""Cost: budgets that reach somebody, alerts on unusual cost, and what counts it in minutes."""

from constructs_lib.cost.alert_subscription import AlertSubscription
from constructs_lib.cost.alert_topic import AlertTopic
from constructs_lib.cost.budget_alarm import BudgetAlarm
from constructs_lib.cost.budget_notification import BudgetNotification, CostTag
from constructs_lib.cost.chat_alerts import ChatAlerts, SlackChannel, TeamsChannel
from constructs_lib.cost.cost_anomaly_monitor import CostAnomalyMonitor
from constructs_lib.cost.spend_watchdog import SpendWatchdog

__all__ = [
    "AlertSubscription",
    "AlertTopic",
    "BudgetAlarm",
    "BudgetNotification",
    "ChatAlerts",
    "CostAnomalyMonitor",
    "CostTag",
    "SlackChannel",
    "SpendWatchdog",
    "TeamsChannel",
]
