"""What the checks of money know alike: the cost stack as deployed before, and who pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.organizations import OrganizationsGateway
from trnkit.layout.tags import budget_region

if TYPE_CHECKING:
    from trnkit.aws.cloudformation import StackResource
    from trnkit.operations.preflight.account import AccountView


def own_cost_resources(account: AccountView) -> tuple[StackResource, ...]:
    """What the cluster's cost stack has made, as it was deployed before.

    Returns:
        Nothing when there is no such stack, or the stack of that name is somebody else's.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    cluster = account.cluster
    name, region = f"{cluster.name}-Cost", budget_region(cluster)
    stack = account.stack(name, region)
    if stack is None or not account.is_own(stack.tags):
        return ()
    gateway = account.cloudformation(region)
    return account.once(("resources", region, name), lambda: gateway.resources(name))


def own_ids(account: AccountView, kind: str) -> frozenset[str]:
    """The names or ARNs of what the cost stack has made of one type.

    Args:
        account: The account.
        kind: The CloudFormation type.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    made = own_cost_resources(account)
    return frozenset(resource.physical_id for resource in made if resource.type == kind)


def caller_account(account: AccountView) -> str:
    """The account of the credentials.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    return account.caller(account.cluster.region).account


def pays_itself(account: AccountView) -> bool:
    """Whether the account is its organization's management account, or is in none.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    gateway = account.gateway(OrganizationsGateway, budget_region(account.cluster))
    payer = account.once("management account", gateway.management_account)
    return payer in (None, caller_account(account))
