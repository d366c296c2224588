"""TRN920: the budgets fit into the account, and those of an earlier deployment are still there."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from trnkit.aws.budgets import DESCRIBE_BUDGETS, BudgetsGateway
from trnkit.aws.cloudformation import DESCRIBE_STACKS, LIST_STACK_RESOURCES
from trnkit.aws.failures import AwsFailure
from trnkit.aws.identities import without_identities
from trnkit.aws.organizations import DESCRIBE_ORGANIZATION
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.catalog import budget_limits
from trnkit.layout.budgets import budget_plans
from trnkit.layout.tags import CLUSTER_TAG, budget_region, budget_tag_filter
from trnkit.operations.preflight.answering import answers_of
from trnkit.operations.preflight.billing import caller_account, own_ids, pays_itself
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.aws.budgets import BudgetDescription
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_TYPE = "AWS::Budgets::Budget"
_PATH = ("budget",)
_OF_THIS_ACCOUNT = "--account-id $(aws sts get-caller-identity --query Account --output text)"
_LIST = f"aws budgets describe-budgets {_OF_THIS_ACCOUNT} --query 'Budgets[].BudgetName'"


def _run(account: AccountView) -> Iterator[CheckResult]:
    yield from answers_of(_budgets(account), _PATH)
    yield from _linked_accounts(account)


def _budgets(account: AccountView) -> Iterator[CheckResult]:
    own = own_ids(account, _TYPE)
    gateway = account.gateway(BudgetsGateway, budget_region(account.cluster))
    budgets = gateway.budgets(caller_account(account))
    problems = [*_gone(account, own, budgets), *_beside(account, own, budgets)]
    yield from problems
    yield _number(account, own, budgets)


def _gone(
    account: AccountView, own: frozenset[str], budgets: Sequence[BudgetDescription]
) -> Iterator[CheckResult]:
    """CloudFormation makes up the names: only what it made can be missing, and none can clash."""
    stack, region = f"{account.cluster.name}-Cost", budget_region(account.cluster)
    for name in sorted(own - {budget.name for budget in budgets}):
        yield warning(
            f"stack {stack} has made budget {without_identities(name)}, and it is gone: its alerts "
            "do not come, and an update that changes it fails",
            remedy=f"delete stack {stack}, which is made again with the next deployment",
            command=f"aws cloudformation delete-stack --region {region} --stack-name {stack}",
            path=_PATH,
        )


def _beside(
    account: AccountView, own: frozenset[str], budgets: Sequence[BudgetDescription]
) -> Iterator[CheckResult]:
    counted = budget_tag_filter(CLUSTER_TAG, account.cluster.name)
    for budget in budgets:
        if budget.name not in own and counted in budget.cost_filters.get("TagKeyValue", ()):
            yield warning(
                f"budget {without_identities(budget.name)} counts this cluster's tag as well, and "
                "is not of its stack: alerts come twice",
                remedy="delete it, where an earlier deployment left it behind",
                command=_deletion(budget.name),
                look=_LIST,
                path=_PATH,
            )


def _deletion(name: str) -> str | None:
    """None for a name that holds somebody's identity, which is told to nobody."""
    if name != without_identities(name):
        return None
    return f"aws budgets delete-budget {_OF_THIS_ACCOUNT} --budget-name {shlex.quote(name)}"


def _number(
    account: AccountView, own: frozenset[str], budgets: Sequence[BudgetDescription]
) -> CheckResult:
    most, wanted = budget_limits().budgets_per_management_account, budget_plans(account.cluster)
    others = sum(budget.name not in own for budget in budgets)
    if others + len(wanted) > most:
        return fail(
            f"the account has {count_of(others, 'budget')} beside this cluster's, which has "
            f"{len(wanted)}; AWS takes {most}",
            remedy="delete budgets that nobody needs",
            look=_LIST,
            path=_PATH,
        )
    return ok(
        f"the account has {count_of(others, 'budget')} beside this cluster's {len(wanted)}; "
        f"AWS takes {most}",
        evidence="CloudFormation makes up the names, so that none clashes",
        path=_PATH,
    )


def _linked_accounts(account: AccountView) -> Iterator[CheckResult]:
    for plan in budget_plans(account.cluster):
        if not plan.linked_accounts:
            continue
        path = (*plan.path, "linked_accounts")
        try:
            if set(plan.linked_accounts) == {caller_account(account)}:
                continue  # None other is counted.
            pays = pays_itself(account)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
            return
        if pays:
            yield ok(f"budget {plan.name} may count other accounts from here", path=path)
        else:
            yield fail(
                f"budget {plan.name} counts other accounts, and this one is not the organization's "
                "management account",
                remedy="remove linked_accounts, or deploy the budget in the management account",
                path=path,
            )


CHECK = PreflightCheck(
    id="TRN920",
    name="budgets",
    title="The budgets fit into the account, and those of an earlier deployment are still there",
    why="AWS takes a number of budgets of one account, and a filter over accounts in the "
    "management account only. A budget that was deleted by hand alerts nobody, and one that was "
    "left behind alerts twice.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/management-limits.html",
    needs=(
        DESCRIBE_BUDGETS,
        DESCRIBE_ORGANIZATION,
        DESCRIBE_STACKS,
        GET_CALLER_IDENTITY,
        LIST_STACK_RESOURCES,
    ),
    run=_run,
)
