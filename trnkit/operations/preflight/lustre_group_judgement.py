"""Whether security groups let nodes mount the Lustre file systems that exist already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.catalog import lustre_port_ranges
from trnkit.operations.preflight.existing_network import (
    own_security_groups,
    seen_subnet,
    with_blocks,
)
from trnkit.operations.preflight.group_judgement import Admission, admission, permissions_of
from trnkit.operations.preflight.imported_groups import (
    groups_kept_by_others,
    groups_of,
    main_group,
)
from trnkit.operations.preflight.result import fail, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from trnkit.aws.ec2_network_rules import GroupPermission, SecurityGroup
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_OURS = "Lustre"
"""What the rules that a deployment makes say of themselves."""
_TCP = "6"


def judge_lustre_groups(
    account: AccountView, seen: Mapping[str, SecurityGroup]
) -> Iterator[CheckResult]:
    """What is wrong with the groups of existing Lustre file systems.

    Where the deployment adds the rules, they must not be there yet; where somebody else keeps
    them, they must.

    Args:
        account: The account.
        seen: The security groups of the file that the account sees.
    """
    cluster, main = account.cluster, main_group(account.cluster)
    theirs = groups_kept_by_others(cluster)
    judged: set[str] = set()
    for index, config in enumerate(cluster.storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index, "security_group_id")
        group = seen.get(config.security_group_id)
        if group is None or group.group_id in judged:
            continue
        judged.add(group.group_id)
        ours = seen.get(main) if main else None
        if ours is not None:
            yield from _repeated(account, ours, group.group_id, path)
            if group.group_id not in {*theirs, ours.group_id}:
                yield from _repeated(account, group, ours.group_id, path)
        if group.group_id in theirs:
            try:
                yield from _kept_by_others(account, group, path)
            except AwsFailure as failure:
                yield unanswered(failure, path=path)


def _repeated(
    account: AccountView, group: SecurityGroup, peer: str, path: Path
) -> Iterator[CheckResult]:
    """Rules that a deployment makes, and somebody else has made already."""
    for permission in group.permissions:
        is_same = permission.protocol == _TCP and (
            (permission.first, permission.last) in lustre_port_ranges()
        )
        if is_same and peer in permission.group_ids and permission.descriptions[peer] != _OURS:
            kind = "egress" if permission.is_egress else "ingress"
            ports = _words((permission.first, permission.last))
            to = "to" if permission.is_egress else "from"
            yield fail(
                f"{group.group_id} has the {kind} rule for TCP {ports} {to} {peer} already, and "
                "EC2 refuses the deployment's, which is the same",
                remedy="remove the rule, or set `change_security_group: false` where it is the "
                "file system's group",
                command=f"aws ec2 revoke-security-group-{kind} --region {account.cluster.region} "
                f"--group-id {group.group_id} --ip-permissions 'IpProtocol=tcp,"
                f"FromPort={permission.first},ToPort={permission.last},"
                f"UserIdGroupPairs=[{{GroupId={peer}}}]'",
                path=path,
            )


def _kept_by_others(
    account: AccountView, group: SecurityGroup, path: Path
) -> Iterator[CheckResult]:
    """Whether a group that the deployment leaves alone lets all nodes in."""
    cluster = account.cluster
    existing = cluster.network.existing
    compute = seen_subnet(account, existing.compute_subnet_id) if existing else None
    made = frozenset[str]() if main_group(cluster) else own_security_groups(account)
    cidr = compute.cidr if compute else None
    for node_group in cluster.compute.node_groups:
        peers = {*groups_of(cluster, node_group), *made}
        permissions = [
            permission
            for permission in permissions_of([group], egress=False)
            if any(permission.is_about_tcp(*ports) for ports in lustre_port_ranges())
        ]
        told = _each(permissions, peers, cidr)
        if Admission.MAYBE in told.values():
            told = _each(with_blocks(account, permissions), peers, cidr)
        worst = min(told.values())
        if worst is not Admission.YES:
            ports = " and ".join(_words(each) for each, how in told.items() if how is worst)
            is_made = bool(main_group(cluster) or made)
            yield _closed(account, group, ports, worst, path, is_made=is_made)
            return


def _each(
    permissions: Iterable[GroupPermission], peers: Collection[str], cidr: str | None
) -> dict[tuple[int, int], Admission]:
    """How each of Lustre's port ranges fares."""
    allowed = tuple(permissions)
    return {
        ports: admission(allowed, *ports, group_ids=peers, cidr=cidr)
        for ports in lustre_port_ranges()
    }


def _closed(
    account: AccountView,
    group: SecurityGroup,
    ports: str,
    worst: Admission,
    path: Path,
    *,
    is_made: bool,
) -> CheckResult:
    remedy = f"add ingress rules for TCP {ports} from the nodes' security group"
    look = (
        f"aws ec2 describe-security-groups --region {account.cluster.region} --group-ids "
        f"{group.group_id}"
    )
    if worst is Admission.MAYBE:
        return unknown(
            f"whether {group.group_id} lets TCP {ports} in from the nodes cannot be judged: the "
            "block of their subnet is not known",
            remedy=f"make sure of it, or {remedy}",
            look=look,
            path=path,
        )
    if worst is Admission.PART:
        return warning(
            f"{group.group_id} lets TCP {ports} in only from part of the nodes' subnet, or only to "
            "some of the ports: some mounts hang",
            remedy=remedy,
            look=look,
            path=path,
        )
    if not is_made:
        return warning(
            f"{group.group_id} does not let TCP {ports} in from the nodes, whose security group is "
            "yet to be made: every mount hangs until its owner adds that",
            remedy=f"deploy the Network stack first, then {remedy} (output NodeSecurityGroupId)",
            look=look,
            path=path,
        )
    return fail(
        f"{group.group_id} does not let TCP {ports} in from the nodes, and change_security_group "
        "is off: every mount hangs",
        remedy=remedy,
        look=look,
        path=path,
    )


def _words(ports: tuple[int, int]) -> str:
    first, last = ports
    return f"{first}" if first == last else f"{first}-{last}"
