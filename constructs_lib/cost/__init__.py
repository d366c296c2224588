"""Cost: budgets that reach somebody, and alerts on unusual cost."""

from constructs_lib.cost.alert_subscription import AlertSubscription
from constructs_lib.cost.budget_alarm import BudgetAlarm
from constructs_lib.cost.budget_notification import BudgetNotification, CostTag
from constructs_lib.cost.chat_alerts import ChatAlerts, SlackChannel, TeamsChannel
from constructs_lib.cost.cost_anomaly_monitor import CostAnomalyMonitor

__all__ = [
    "AlertSubscription",
    "BudgetAlarm",
    "BudgetNotification",
    "ChatAlerts",
    "CostAnomalyMonitor",
    "CostTag",
    "SlackChannel",
    "TeamsChannel",
]
