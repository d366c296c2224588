"""Budgets and Cost Explorer beyond moto."""
