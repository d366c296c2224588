"""TRN914: an existing VPC resolves names, and its subnets give the addresses that nodes want."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import DESCRIBE_SUBNETS
from trnkit.aws.ec2_vpc import (
    DESCRIBE_DHCP_OPTIONS,
    DESCRIBE_VPC_ATTRIBUTE,
    DESCRIBE_VPCS,
    Ec2VpcGateway,
)
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.layout.endpoints import interface_endpoints_of
from trnkit.layout.nodes import interfaces_of
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.existing_network import seen_subnet
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trnkit.aws.ec2_network import SubnetDescription
    from trnkit.aws.ec2_vpc import VpcDescription
    from trnkit.config import ExistingNetworkConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

    _Judge = Callable[[AccountView, ExistingNetworkConfig], Iterator[CheckResult]]

_HERE = ("network", "existing")
_VPC, _COMPUTE = (*_HERE, "vpc_id"), (*_HERE, "compute_subnet_id")
_AMAZON = ("AmazonProvidedDNS", "169.254.169.253")
_NO_OPTIONS = "default"
_OPTIONS = {"enableDnsSupport": "support", "enableDnsHostnames": "hostnames"}


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing = account.cluster.network.existing
    if existing is None:
        return
    problems: list[CheckResult] = []
    judges: tuple[tuple[_Judge, Path], ...] = ((_vpc, _VPC), (_subnets, _COMPUTE))
    for judge, path in judges:
        try:
            problems += judge(account, existing)
        except AwsFailure as failure:
            problems.append(unanswered(failure, path=path))
    yield from problems
    if not problems:
        yield ok(f"{existing.vpc_id} resolves names and has the addresses asked for", path=_VPC)


def _vpc(account: AccountView, existing: ExistingNetworkConfig) -> Iterator[CheckResult]:
    gateway, vpc_id = account.gateway(Ec2VpcGateway), existing.vpc_id
    vpc = _seen(gateway, vpc_id)
    if vpc is None:
        region = account.cluster.region
        yield fail(
            f"this account sees no VPC {vpc_id} in {region}",
            remedy="name a VPC of this account and Region, or have its subnets shared",
            look=f"aws ec2 describe-vpcs --region {region}",
            path=_VPC,
        )
        return
    servers = _servers(gateway, vpc)
    values = {
        "enableDnsSupport": gateway.resolves_names(vpc_id),
        "enableDnsHostnames": gateway.names_hosts(vpc_id),
    }
    if None in values.values():
        yield unknown(
            f"AWS does not say whether {vpc_id} resolves names",
            remedy="look at its attributes enableDnsSupport and enableDnsHostnames",
            path=_VPC,
        )
    else:
        off = [name for name, value in values.items() if not value]
        yield from _attributes(account, vpc_id, off, asks_amazon=_is_amazons(servers, vpc))
    yield from _dns_servers(account, vpc, servers)


def _seen(gateway: Ec2VpcGateway, vpc_id: str) -> VpcDescription | None:
    try:
        return gateway.vpc(vpc_id)
    except AwsFailure as failure:
        if failure.kind is FailureKind.NOT_FOUND:
            return None
        raise


def _attributes(
    account: AccountView, vpc_id: str, off: list[str], *, asks_amazon: bool
) -> Iterator[CheckResult]:
    """What is wrong when names are not resolved, or hosts have none."""
    if not off:
        return
    made = interface_endpoints_of(account.cluster)
    if "enableDnsSupport" in off and asks_amazon:
        say, lacks = fail, "nodes resolve no name at all"
    elif made:
        say = fail
        lacks = f"EC2 refuses the endpoint of {made[0]} with private DNS, which the file makes"
    elif account.cluster.storage.home_file_system:
        say, lacks = warning, "EFS asks for it where its names are mounted"
    else:
        return
    command = f"aws ec2 modify-vpc-attribute --region {account.cluster.region} --vpc-id {vpc_id}"
    yield say(
        f"{' and '.join(off)} of {vpc_id} {'is' if len(off) == 1 else 'are'} off: {lacks}",
        remedy=f"switch {' and '.join(off)} on",
        # EC2 takes one of them at a time.
        command=" && ".join(f"{command} --enable-dns-{_OPTIONS[each]}" for each in off),
        path=_VPC,
    )


def _servers(gateway: Ec2VpcGateway, vpc: VpcDescription) -> tuple[str, ...] | None:
    """The DNS servers that nodes are told; None when nobody says."""
    if vpc.dhcp_options_id is None:
        return None
    if vpc.dhcp_options_id == _NO_OPTIONS:
        return ()
    try:
        return gateway.dns_servers(vpc.dhcp_options_id)
    except AwsFailure as failure:
        # Options of the VPC's owner are not another account's to see.
        if failure.kind is FailureKind.NOT_FOUND:
            return None
        raise


def _is_amazons(servers: tuple[str, ...] | None, vpc: VpcDescription) -> bool:
    """Whether the first of the servers is Amazon's; the others are asked when it is silent."""
    if not servers:
        return False
    # Its address in a VPC is two above the first of the primary block.
    primary = vpc.cidrs[:1]
    own = {str(IPv4Network(cidr, strict=False).network_address + 2) for cidr in primary}
    return servers[0] in {*_AMAZON, *own}


def _dns_servers(
    account: AccountView, vpc: VpcDescription, servers: tuple[str, ...] | None
) -> Iterator[CheckResult]:
    look = f"aws ec2 describe-dhcp-options --region {account.cluster.region}"
    if vpc.dhcp_options_id != _NO_OPTIONS:
        look += f" --dhcp-options-ids {vpc.dhcp_options_id}"
    if servers is None:
        yield unknown(
            f"the account does not see which DNS servers {vpc.vpc_id} tells nodes",
            remedy="ask the VPC's owner for its DHCP options",
            path=_VPC,
        )
    elif not servers:
        yield warning(
            f"the DHCP options of {vpc.vpc_id} name no DNS server",
            remedy="give the VPC options with AmazonProvidedDNS",
            look=look,
            path=_VPC,
        )
    elif not _is_amazons(servers, vpc) and (names := _private_names(account)):
        yield warning(
            f"nodes in {vpc.vpc_id} ask DNS server {servers[0]} and not Amazon's, for the names of "
            f"{' and '.join(names)} too",
            remedy="make sure that it forwards names of amazonaws.com to the VPC's own resolver",
            look=look,
            path=_VPC,
        )


def _private_names(account: AccountView) -> list[str]:
    """What the file has whose names only the VPC's resolver is sure to know."""
    storage = account.cluster.storage
    lustre = (*storage.lustre_file_systems, *storage.existing_lustre_file_systems)
    names = {
        "interface endpoints": interface_endpoints_of(account.cluster),
        "Lustre file systems": lustre,
        "the home file system": storage.home_file_system,
    }
    return [name for name, there in names.items() if there]


def _subnets(account: AccountView, existing: ExistingNetworkConfig) -> Iterator[CheckResult]:
    compute = seen_subnet(account, existing.compute_subnet_id)
    if compute is None:
        yield _unseen(existing.compute_subnet_id, _COMPUTE)
        return
    yield from _unasked_addresses(account, compute)
    if account.cluster.network.ip_address_type == "dualstack" and not compute.ipv6_cidrs:
        yield _without_ipv6(account, compute, "nodes ask for an IPv6 address", _COMPUTE)
    home = account.cluster.storage.home_file_system
    if home is None or home.ip_address_type == "ipv4":
        return
    storage_id = existing.storage_subnet_id or existing.compute_subnet_id
    path = (*_HERE, "storage_subnet_id") if existing.storage_subnet_id else _COMPUTE
    storage = seen_subnet(account, storage_id)
    if storage is None:
        yield _unseen(storage_id, path)
    elif not storage.ipv6_cidrs:
        yield _without_ipv6(account, storage, "the home file system asks for one", path)


def _unasked_addresses(account: AccountView, compute: SubnetDescription) -> Iterator[CheckResult]:
    """Addresses that the subnet gives to interfaces which cannot take them."""
    plans = [interfaces_of(group) or () for group in account.cluster.compute.node_groups]
    command = (
        f"aws ec2 modify-subnet-attribute --region {account.cluster.region} --subnet-id "
        f"{compute.subnet_id}"
    )
    if compute.gives_public_ipv4 and any(len(plan) > 1 for plan in plans):
        # The launch templates made here refuse it for each interface that has addresses.
        yield warning(
            f"{compute.subnet_id} gives public addresses, which EC2 gives to no instance with "
            "several interfaces: nodes of this file refuse theirs, and have no way out by them",
            remedy="name a private subnet, whose default route leads to a NAT gateway",
            look=f"aws ec2 describe-subnets --region {account.cluster.region} --filters "
            f"Name=vpc-id,Values={compute.vpc_id} Name=map-public-ip-on-launch,Values=false",
            path=_COMPUTE,
        )
    if compute.gives_ipv6 and any(not i.has_ip_address for plan in plans for i in plan):
        yield warning(
            f"{compute.subnet_id} gives an IPv6 address to each interface, and EFA-only ones take "
            "none: whether EC2 starts the nodes is not documented",
            remedy="switch it off; nodes of a dual-stack cluster ask for their address themselves",
            command=f"{command} --no-assign-ipv6-address-on-creation",
            path=_COMPUTE,
        )


def _without_ipv6(
    account: AccountView, subnet: SubnetDescription, lacks: str, path: Path
) -> CheckResult:
    return fail(
        f"{subnet.subnet_id} has no IPv6 block, and {lacks}",
        remedy="give the VPC and the subnet IPv6 blocks, or leave `ip_address_type` out",
        look=f"aws ec2 describe-subnets --region {account.cluster.region} --subnet-ids "
        f"{subnet.subnet_id}",
        path=path,
    )


def _unseen(subnet_id: str, path: Path) -> CheckResult:
    return unknown(
        f"the settings of {subnet_id} cannot be judged: the account does not see it",
        remedy="see what check subnets says",
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN914",
    name="vpc-settings",
    title="An existing VPC resolves names, and its subnets give the addresses that nodes want",
    why="Nodes without DNS fetch nothing and mount nothing; EC2 refuses private names of endpoints "
    "where the VPC does not resolve names; and it refuses an IPv6 address in a subnet without a "
    "block, and a public one for an instance with several interfaces.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/AmazonDNS-concepts.html",
    needs=(DESCRIBE_VPCS, DESCRIBE_VPC_ATTRIBUTE, DESCRIBE_DHCP_OPTIONS, DESCRIBE_SUBNETS),
    run=_run,
)
