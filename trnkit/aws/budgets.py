"""AWS Budgets: which budgets an account has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from collections.abc import Mapping

DESCRIBE_BUDGETS = ReadOperation(
    service="budgets",
    name="DescribeBudgets",
    permission="budgets:ViewBudget",
    purpose="how many budgets there are, and whether those of an earlier deployment are",
)
_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetDescription:
    """A budget as it is.

    Attributes:
        name: Its name, unique in the account.
        cost_filters: What it counts, by the filter's name; empty when it counts everything, or
            has its filters in the newer form.
    """

    name: str
    cost_filters: Mapping[str, tuple[str, ...]]


class BudgetsGateway(Gateway):
    """Describes budgets, which belong to an account and not to a Region."""

    service = "budgets"
    operations = (DESCRIBE_BUDGETS,)

    def budgets(self, account_id: str) -> tuple[BudgetDescription, ...]:
        """Every budget of an account.

        Args:
            account_id: The account of the credentials; AWS shows no other's.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            told = self._ask_all(
                DESCRIBE_BUDGETS,
                "Budgets",
                AccountId=account_id,
                PaginationConfig={"PageSize": _PAGE},
            )
        except AwsFailure as failure:
            # Of an account that never had a budget.
            if failure.kind is FailureKind.NOT_FOUND:
                return ()
            raise
        return tuple(
            BudgetDescription(
                name=entry["BudgetName"],
                cost_filters={
                    name: tuple(values) for name, values in entry.get("CostFilters", {}).items()
                },
            )
            for entry in told
        )
