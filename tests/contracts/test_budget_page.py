"""docs/budgets.md: its worked file is what the page says of it."""

from __future__ import annotations

import re

import pytest

from tests.synthesis import ROOT
from trnkit.config import read_cluster
from trnkit.findings import Severity
from trnkit.layout.budgets import budget_plans, thresholds_of
from trnkit.rules import check_cluster

PAGE = (ROOT / "docs/budgets.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cluster():
    (text,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.DOTALL | re.MULTILINE)
    return read_cluster(text, "budgets.yaml")


def test_the_worked_file_is_complete_and_nothing_warns_of_it(cluster):
    findings = check_cluster(cluster)
    assert not [f.message for f in findings if f.severity is not Severity.INFO]


def test_its_budgets_count_all_compute_storage_and_the_account(cluster):
    plans = {plan.name: plan for plan in budget_plans(cluster.config)}
    tag = ("trnkit-cluster", "pretrain")
    counted = {name: (plan.tag, plan.services) for name, plan in plans.items()}
    assert counted == {
        None: (tag, ()),
        "compute": (tag, ("Amazon Elastic Compute Cloud - Compute",)),
        "storage": (tag, ("Amazon FSx",)),
        "account": (None, ()),
    }


def test_the_page_says_when_a_budget_without_thresholds_alerts(cluster):
    default = thresholds_of(cluster.config.budget.further_budgets[0])
    assert [(t.notification_type, t.percent) for t in default] == [
        ("ACTUAL", 50),
        ("ACTUAL", 80),
        ("ACTUAL", 100),
        ("FORECASTED", 100),
    ]
    assert "50, 80 and 100 % spent and 100 % forecast" in PAGE
