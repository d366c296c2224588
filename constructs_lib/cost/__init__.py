"""Cost: budgets that reach somebody."""

from constructs_lib.cost.budget_alarm import BudgetAlarm, BudgetNotification, CostTag

__all__ = ["BudgetAlarm", "BudgetNotification", "CostTag"]
