"""TRN913: the security groups that the file names let through what nodes need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import DESCRIBE_SUBNETS
from trnkit.aws.ec2_network_rules import (
    DESCRIBE_NETWORK_INTERFACES,
    DESCRIBE_SECURITY_GROUP_VPC_ASSOCIATIONS,
    DESCRIBE_SECURITY_GROUPS,
    GET_MANAGED_PREFIX_LIST_ENTRIES,
    Ec2NetworkRulesGateway,
)
from trnkit.aws.failures import AwsFailure
from trnkit.aws.fsx import DESCRIBE_FILE_SYSTEMS
from trnkit.layout.nodes import uses_efa
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.existing_network import seen_file_system, seen_security_groups
from trnkit.operations.preflight.group_judgement import (
    Admission,
    lets_call_out,
    missing_self_rules,
)
from trnkit.operations.preflight.imported_groups import (
    MAIN_PATH,
    groups_of,
    imported_groups,
    main_group,
)
from trnkit.operations.preflight.lustre_group_judgement import judge_lustre_groups
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.aws.ec2_network_rules import SecurityGroup
    from trnkit.config import ExistingNetworkConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.imported_groups import ImportedGroup
    from trnkit.operations.preflight.result import CheckResult

_HTTPS = 443


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing, named = account.cluster.network.existing, imported_groups(account.cluster)
    if existing is None or not named:
        return
    seen = seen_security_groups(account, [group.group_id for group in named])
    problems: list[CheckResult] = []
    for group in named:
        problems += _there(account, existing, group, seen)
    problems += _main(account, seen)
    problems += _interfaces(account)
    problems += judge_lustre_groups(account, seen)
    yield from dict.fromkeys(problems)
    if not problems:
        names = ", ".join(list(dict.fromkeys(group.group_id for group in named))[:3])
        yield ok(f"the security groups of the file let through what nodes need: {names}")


def _there(
    account: AccountView,
    existing: ExistingNetworkConfig,
    group: ImportedGroup,
    seen: Mapping[str, SecurityGroup],
) -> Iterator[CheckResult]:
    """Whether a group exists, and can be used where it is to be."""
    found, region = seen.get(group.group_id), account.cluster.region
    if found is None:
        message = f"this account sees no security group {group.group_id} in {region}"
        if group.is_of_nodes or group.is_changed:
            yield fail(
                message,
                remedy="name a security group of this account and Region",
                look=f"aws ec2 describe-security-groups --region {region} --filters "
                f"Name=vpc-id,Values={existing.vpc_id}",
                path=group.path,
            )
        else:
            yield unknown(
                message,
                remedy="ask its owner whether it lets the nodes in by Lustre's ports",
                path=group.path,
            )
    elif group.is_of_nodes and found.vpc_id != existing.vpc_id:
        try:
            gateway = account.gateway(Ec2NetworkRulesGateway)
            others = gateway.vpcs_of_security_group(group.group_id)
        except AwsFailure as failure:
            yield unanswered(failure, path=group.path)
            return
        if existing.vpc_id not in others:
            yield fail(
                f"{group.group_id} is in {found.vpc_id}, and the nodes are in {existing.vpc_id}",
                remedy=f"name a security group of {existing.vpc_id}",
                path=group.path,
            )


def _main(account: AccountView, seen: Mapping[str, SecurityGroup]) -> Iterator[CheckResult]:
    """Whether nodes reach each other through EFA, and call out, with groups that they are given."""
    cluster, main = account.cluster, main_group(account.cluster)
    if main is None:
        return
    for node_group in cluster.compute.node_groups:
        groups = [seen[each] for each in groups_of(cluster, node_group) if each in seen]
        if len(groups) < len(groups_of(cluster, node_group)):
            continue
        names = " and ".join(group.group_id for group in groups[:3])
        if uses_efa(node_group) and (missing := missing_self_rules(groups)):
            yield fail(
                f"{names} {'has' if len(groups) == 1 else 'have'} no rule for all traffic "
                f"{' and none '.join(missing)} itself, so that EFA does not work; rules over "
                "address blocks, 0.0.0.0/0 too, do not count",
                remedy=f"add {' and '.join(_kind(each) for each in missing)} of protocol -1 that "
                f"{'names' if len(missing) == 1 else 'name'} {main} itself",
                command=" && ".join(_self_rule(account, main, way) for way in missing),
                path=MAIN_PATH,
            )
        called = lets_call_out(groups, _HTTPS)
        if called is not Admission.YES:
            say, whom = (fail, "nobody") if called is Admission.NO else (warning, "itself alone")
            yield say(
                f"{names} {'lets' if len(groups) == 1 else 'let'} nodes call {whom} by TCP "
                f"{_HTTPS}: they boot with the help of S3 and Auto Scaling",
                remedy=f"add an egress rule for TCP {_HTTPS} to 0.0.0.0/0, or to the endpoints and "
                "S3's prefix list",
                command=f"aws ec2 authorize-security-group-egress --region {cluster.region} "
                f"--group-id {main} --ip-permissions "
                f"'IpProtocol=tcp,FromPort={_HTTPS},ToPort={_HTTPS},"
                "IpRanges=[{CidrIp=0.0.0.0/0}]'",
                path=MAIN_PATH,
            )


def _kind(way: str) -> str:
    return "an ingress rule" if way.startswith("in") else "an egress rule"


def _self_rule(account: AccountView, group_id: str, way: str) -> str:
    verb = "ingress" if way.startswith("in") else "egress"
    return (
        f"aws ec2 authorize-security-group-{verb} --region {account.cluster.region} --group-id "
        f"{group_id} --ip-permissions 'IpProtocol=-1,UserIdGroupPairs=[{{GroupId={group_id}}}]'"
    )


def _interfaces(account: AccountView) -> Iterator[CheckResult]:
    """Whether existing file systems are in the groups that the file says."""
    gateway = account.gateway(Ec2NetworkRulesGateway)
    for index, config in enumerate(account.cluster.storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index, "security_group_id")
        try:
            found = seen_file_system(account, config.file_system_id)
            ids = found.network_interface_ids if found else ()
            told = gateway.groups_of_interfaces(ids)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
            continue
        if not ids or len(told) < len(ids):
            yield unknown(
                f"the account does not see the network interfaces of {config.file_system_id}, and "
                f"so not whether {config.security_group_id} is their security group",
                remedy="ask the file system's owner",
                path=path,
            )
            continue
        without = [groups for groups in told.values() if config.security_group_id not in groups]
        if without:
            names = " and ".join(sorted({group for groups in without for group in groups})[:3])
            yield fail(
                f"interfaces of {config.file_system_id} are in {names or 'no security group'}, and "
                f"the file says {config.security_group_id}",
                remedy="name the file system's own security group",
                look=f"aws ec2 describe-network-interfaces --region {account.cluster.region} "
                f"--network-interface-ids {' '.join(ids[:3])}",
                path=path,
            )


CHECK = PreflightCheck(
    id="TRN913",
    name="security-groups",
    title="The security groups that the file names let through what nodes need",
    why="EFA passes only by rules for all traffic from a group to itself, both ways; rules over "
    "address blocks do not count. Lustre hangs where its ports are closed, and EC2 refuses a rule "
    "that is there already.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    needs=(
        DESCRIBE_SECURITY_GROUPS,
        DESCRIBE_SECURITY_GROUP_VPC_ASSOCIATIONS,
        GET_MANAGED_PREFIX_LIST_ENTRIES,
        DESCRIBE_SUBNETS,
        DESCRIBE_FILE_SYSTEMS,
        DESCRIBE_NETWORK_INTERFACES,
    ),
    run=_run,
)
