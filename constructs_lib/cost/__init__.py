"""Cost: budgets that reach somebody, what counts spending in minutes, and what stops it."""

from constructs_lib.cost.alert_subscription import AlertSubscription
from constructs_lib.cost.alert_topic import AlertTopic
from constructs_lib.cost.budget_alarm import BudgetAlarm
from constructs_lib.cost.budget_notification import BudgetNotification, CostTag
from constructs_lib.cost.chat_alerts import ChatAlerts, SlackChannel, TeamsChannel
from constructs_lib.cost.cost_anomaly_monitor import CostAnomalyMonitor
from constructs_lib.cost.launch_denial import LaunchDenial
from constructs_lib.cost.spend_enforcer import SpendEnforcer
from constructs_lib.cost.spend_watchdog import SpendWatchdog

__all__ = [
    "AlertSubscription",
    "AlertTopic",
    "BudgetAlarm",
    "BudgetNotification",
    "ChatAlerts",
    "CostAnomalyMonitor",
    "CostTag",
    "LaunchDenial",
    "SlackChannel",
    "SpendEnforcer",
    "SpendWatchdog",
    "TeamsChannel",
]
