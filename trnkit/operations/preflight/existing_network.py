"""What several checks want to know of an existing network; each is asked once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trnkit.aws.ec2_network_rules import Ec2NetworkRulesGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.fsx import FsxGateway
from trnkit.layout.tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.aws.ec2_network import EndpointDescription, RouteTable, SubnetDescription
    from trnkit.aws.ec2_network_rules import GroupPermission, NetworkAcl, SecurityGroup
    from trnkit.aws.fsx import FileSystemDescription
    from trnkit.operations.preflight.account import AccountView


def seen_subnet(account: AccountView, subnet_id: str) -> SubnetDescription | None:
    """A subnet; None when the account sees none of this id."""
    try:
        return account.subnet(subnet_id)
    except AwsFailure as failure:
        if failure.kind is FailureKind.NOT_FOUND:
            return None
        raise


def seen_route_table(account: AccountView, subnet: SubnetDescription) -> RouteTable | None:
    """The route table of a subnet; None when the account does not see it."""
    return account.once(
        ("route-table", subnet.subnet_id),
        lambda: account.network.route_table(subnet.subnet_id, subnet.vpc_id),
    )


def listed_endpoints(account: AccountView, vpc_id: str) -> tuple[EndpointDescription, ...]:
    """The endpoints of a VPC that the account sees, in any state."""
    return account.once(("endpoints", vpc_id), lambda: account.network.endpoints(vpc_id))


def seen_endpoints(account: AccountView, vpc_id: str) -> tuple[EndpointDescription, ...]:
    """The endpoints of a VPC that work and that the account sees."""
    found = listed_endpoints(account, vpc_id)
    return tuple(endpoint for endpoint in found if endpoint.state == "available")


def seen_network_acl(account: AccountView, subnet_id: str) -> NetworkAcl | None:
    """The network ACL of a subnet; None when the account does not see it."""
    gateway = account.gateway(Ec2NetworkRulesGateway)
    return account.once(("network-acl", subnet_id), lambda: gateway.network_acl(subnet_id))


def seen_file_system(account: AccountView, file_system_id: str) -> FileSystemDescription | None:
    """A file system of FSx; None when the account has none of this id."""
    gateway = account.gateway(FsxGateway)
    try:
        return account.once(
            ("file-system", file_system_id), lambda: gateway.file_system(file_system_id)
        )
    except AwsFailure as failure:
        if failure.kind is FailureKind.NOT_FOUND:
            return None
        raise


def seen_security_groups(
    account: AccountView, group_ids: Iterable[str]
) -> dict[str, SecurityGroup]:
    """Security groups by id; those that the account does not see are left out."""
    wanted = tuple(sorted(set(group_ids)))
    gateway = account.gateway(Ec2NetworkRulesGateway)
    return account.once(("security-groups", wanted), lambda: gateway.security_groups(wanted))


def own_security_groups(account: AccountView) -> frozenset[str]:
    """Ids of the groups that the cluster has made, once it is deployed."""
    gateway, name = account.gateway(Ec2NetworkRulesGateway), account.cluster.name
    found = account.once(
        "own-security-groups", lambda: gateway.tagged_security_groups(CLUSTER_TAG, name)
    )
    return frozenset(found)


def with_blocks(
    account: AccountView, permissions: Iterable[GroupPermission]
) -> tuple[GroupPermission, ...]:
    """Permissions of security groups with the blocks of their prefix lists in place of these.

    Raises:
        AwsFailure: AWS does not say what a list holds.
    """
    gateway = account.gateway(Ec2NetworkRulesGateway)

    def blocks(name: str) -> tuple[str, ...]:
        return account.once(("prefix-list", name), lambda: gateway.prefix_list(name))

    return tuple(
        replace(
            permission,
            cidrs=(
                *permission.cidrs,
                *(block for name in permission.prefix_list_ids for block in blocks(name)),
            ),
            prefix_list_ids=(),
        )
        for permission in permissions
    )
