"""The budgets of a cluster file, each with its YAML path."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import BudgetConfig, BudgetThreshold, ClusterConfig, FurtherBudgetConfig
    from trnkit.config.yaml_reader import Path


def budget_sections(
    cluster: ClusterConfig,
) -> Iterator[tuple[Path, BudgetConfig | FurtherBudgetConfig]]:
    """Every budget and its path, the main one first."""
    yield ("budget",), cluster.budget
    for index, budget in enumerate(cluster.budget.further_budgets):
        yield ("budget", "further_budgets", index), budget


def budget_thresholds(cluster: ClusterConfig) -> Iterator[tuple[Path, BudgetThreshold]]:
    """Every threshold of every budget and its path."""
    for path, budget in budget_sections(cluster):
        for index, threshold in enumerate(budget.thresholds):
            yield (*path, "thresholds", index), threshold


def email_lists(cluster: ClusterConfig) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """Every list of addresses that is written, and its path."""
    for path, budget in budget_sections(cluster):
        yield (*path, "emails"), budget.emails
    for path, threshold in budget_thresholds(cluster):
        yield (*path, "emails"), threshold.emails
    if cluster.budget.anomaly_detection:
        path = ("budget", "anomaly_detection", "emails")
        yield path, cluster.budget.anomaly_detection.emails
