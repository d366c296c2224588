"""What check budgets is asked with."""

from __future__ import annotations

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import ACCOUNT, OWN, Refusal
from tests.trnkit.operations.preflight.situations import Situation

BUDGET = {
    "BudgetName": "pretrain-Cost-BudgetAlarm-1ABCDEFGHIJKL",
    "TimeUnit": "MONTHLY",
    "BudgetType": "COST",
    "CostFilters": {"TagKeyValue": ["user:trnkit-cluster$pretrain"]},
}
OWN_BUDGET = ("BudgetAlarmC846D4BF", "AWS::Budgets::Budget", BUDGET["BudgetName"])
ORGANIZATION = {"Organization": {"MasterAccountId": ACCOUNT}}
ACCOUNTS = {
    "name": "team",
    "limit_usd": 9.0,
    "scope": "account",
    "linked_accounts": ["123456789012"],
}


def own_stack(told, region):
    """The stack that was asked for, of this cluster."""
    entry = {
        "StackName": told["StackName"],
        "StackStatus": "UPDATE_COMPLETE",
        "CreationTime": "2026-11-01T00:00:00Z",
        "Tags": OWN,
    }
    return {"Stacks": [entry]}


def made(*resources, status="CREATE_COMPLETE"):
    """Resources of a stack: logical id, type and physical id of each."""
    entries = [
        {
            "LogicalResourceId": logical_id,
            "ResourceType": kind,
            "LastUpdatedTimestamp": "2026-11-01T00:00:00Z",
            "ResourceStatus": status,
        }
        | ({"PhysicalResourceId": physical_id} if physical_id else {})
        for logical_id, kind, physical_id in resources
    ]
    return {"StackResourceSummaries": entries}


def with_budget(cluster=make_cluster, **keys):
    """A cluster whose `budget` says this too."""
    whole = cluster().model_dump(exclude_unset=True)
    return type(cluster()).model_validate(whole | {"budget": whole["budget"] | keys})


SITUATION = Situation(
    empty=("ok", "the account has 0 budgets beside this cluster's 1; AWS takes 20000"),
    cluster=with_budget(further_budgets=[ACCOUNTS]),
    empty_cluster=make_cluster(),
    whole={
        "DescribeBudgets": {"Budgets": [BUDGET]},
        "DescribeStacks": own_stack,
        "ListStackResources": made(OWN_BUDGET),
    },
    well={
        "DescribeBudgets": {"Budgets": []},
        "ListStackResources": {"StackResourceSummaries": []},
        "DescribeOrganization": ORGANIZATION,
    },
    nothing={"DescribeOrganization": Refusal("AWSOrganizationsNotInUseException")},
)
