"""TRN916: the account's quotas have room for the network that the cluster makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_AVAILABILITY_ZONES
from trnkit.aws.ec2_network import DESCRIBE_SUBNETS, DESCRIBE_VPC_ENDPOINTS
from trnkit.aws.ec2_network_rules import (
    DESCRIBE_NETWORK_INTERFACES,
    DESCRIBE_SECURITY_GROUPS,
    Ec2NetworkRulesGateway,
)
from trnkit.aws.ec2_usage import DESCRIBE_ADDRESSES, DESCRIBE_NAT_GATEWAYS, Ec2UsageGateway
from trnkit.aws.ec2_vpc import DESCRIBE_VPCS, Ec2VpcGateway
from trnkit.aws.failures import AwsFailure
from trnkit.aws.service_quotas import GET_AWS_DEFAULT_SERVICE_QUOTA, GET_SERVICE_QUOTA
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.catalog import resource_quota
from trnkit.layout.resource_counts import InterfaceCounts, interface_counts, network_counts
from trnkit.layout.zones import compute_zone_id, zone_key
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.quota_room import Use, judge_use
from trnkit.operations.preflight.result import unanswered, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trnkit.aws.ec2_network import CountedEndpoint
    from trnkit.aws.owned_resources import OwnedResource
    from trnkit.config.yaml_reader import Path
    from trnkit.layout.resource_counts import NetworkCounts
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_NETWORK: Path = ("network",)
_NODES: Path = ("compute", "node_groups")
_EFA_ONLY = "efa-only"
_OF_INTERFACES = ("Interface", "GatewayLoadBalancer")
_USELESS = ("failed", "rejected", "expired")
"""States of endpoints about which AWS does not say whether they count."""


def _run(account: AccountView) -> Iterator[CheckResult]:
    counts = network_counts(account.cluster)
    for ask, path in _QUESTIONS:
        try:
            result = ask(account, counts)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
        else:
            if result is not None:
                yield result


def _vpcs(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.vpcs:
        return None
    mine = _mine(account, _all_vpcs(account))
    own = sum(account.is_own(vpc.tags) for vpc in mine)
    use = Use(wanted=counts.vpcs, own=own, others=len(mine) - own)
    return judge_use(account, resource_quota("vpcs"), use, path=_NETWORK)


def _addresses(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.elastic_ips:
        return None
    addresses = account.gateway(Ec2UsageGateway).addresses()
    others = [address for address in addresses if not account.is_own(address.tags)]
    ordinary = sum(address.is_ordinary for address in others)
    use = Use(
        wanted=counts.elastic_ips,
        own=len(addresses) - len(others),
        others=ordinary,
        others_perhaps=len(others) - ordinary,
        perhaps_why="of other pools or of services",
    )
    return judge_use(account, resource_quota("elastic-ips"), use, path=_NETWORK)


def _nat_gateways(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.nat_gateways:
        return None
    zone_id = compute_zone_id(account.cluster)
    if zone_id is None:
        return _no_zone("NAT gateways", _NETWORK)
    subnets = set(account.network.subnet_ids(zone_id))
    gateways = account.gateway(Ec2UsageGateway).nat_gateways()
    others = [gateway for gateway in gateways if not account.is_own(gateway.tags)]
    use = Use(
        wanted=counts.nat_gateways,
        own=len(gateways) - len(others),
        others=sum(gateway.subnet_id in subnets for gateway in others),
        others_perhaps=sum(gateway.subnet_id is None for gateway in others),
        perhaps_why="of all zones at once",
    )
    quota = resource_quota("nat-gateways")
    return judge_use(account, quota, use, path=_NETWORK, where=f"in {zone_id}")


def _gateway_endpoints(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.gateway_endpoints:
        return None
    mine = [
        each for each in _endpoints(account) if each.kind == "Gateway" and _is_mine(account, each)
    ]
    use = _endpoint_use(account, mine, counts.gateway_endpoints)
    return judge_use(account, resource_quota("gateway-endpoints"), use, path=_NETWORK)


def _interface_endpoints(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.interface_endpoints:
        return None
    existing = account.cluster.network.existing
    vpc_ids = {existing.vpc_id} if existing else _own_vpc_ids(account)
    there = [
        each
        for each in _endpoints(account)
        if each.kind in _OF_INTERFACES and each.vpc_id in vpc_ids
    ]
    use = _endpoint_use(account, there, counts.interface_endpoints)
    quota = resource_quota("interface-endpoints")
    return judge_use(account, quota, use, path=_NETWORK, where="in its VPC")


def _security_groups(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    if not counts.security_groups:
        return None
    mine = _mine(account, account.gateway(Ec2NetworkRulesGateway).owned_security_groups())
    own = len(_own(account, mine))
    use = Use(wanted=counts.security_groups, own=own, others=len(mine) - own)
    return judge_use(account, resource_quota("security-groups"), use, path=_NETWORK)


def _interfaces(account: AccountView, counts: NetworkCounts) -> CheckResult | None:
    wanted = interface_counts(account.cluster)
    zone_id = compute_zone_id(account.cluster)
    if zone_id is None:
        return _no_zone("network interfaces", _NODES)
    zones = {zone.zone_id: zone.zone_name for zone in account.zones()}
    if zone_id not in zones:
        return unknown(
            f"this account sees no zone {zone_id}, and its network interfaces were not counted",
            remedy=f"name a zone of the Region in `{'.'.join(zone_key(account.cluster))}`",
            path=_NODES,
        )
    there = account.gateway(Ec2NetworkRulesGateway).owned_interfaces(zones[zone_id])
    return judge_use(
        account,
        resource_quota("network-interfaces"),
        _interface_use(account, wanted, there, makes_vpc=bool(counts.vpcs)),
        path=_NODES,
        where=f"in {zone_id}",
    )


def _interface_use(
    account: AccountView,
    wanted: InterfaceCounts,
    there: tuple[OwnedResource, ...],
    *,
    makes_vpc: bool,
) -> Use:
    """Interfaces by whether they count: AWS does not say it of those that are EFA-only.

    In somebody else's VPC the interfaces of services are not told from others': those to come
    count as perhaps, since they may be there.
    """
    mine = _mine(account, there)
    own = _own(account, mine)
    own_plain = sum(each.kind != _EFA_ONLY for each in own)
    plain = sum(each.kind != _EFA_ONLY for each in mine)
    efa_only = len(mine) - plain - (len(own) - own_plain)
    of_services = 0 if makes_vpc else wanted.of_services
    kinds = {
        "EFA-only": wanted.efa_only or efa_only,
        "of services in the VPC": of_services,
        "of other accounts": len(there) - len(mine),
    }
    return Use(
        wanted=wanted.of_nodes + (wanted.of_services if makes_vpc else 0),
        own=own_plain,
        others=plain - own_plain,
        wanted_perhaps=wanted.efa_only + of_services,
        own_perhaps=len(own) - own_plain,
        others_perhaps=efa_only + len(there) - len(mine),
        perhaps_why=", ".join(kind for kind, count in kinds.items() if count),
        uncounted=_unknown_types(wanted.unknown_types) if wanted.unknown_types else None,
    )


def _endpoint_use(account: AccountView, there: list[CountedEndpoint], wanted: int) -> Use:
    own = [each for each in there if account.is_own(each.tags)]
    useless = sum(each.state in _USELESS for each in there if not account.is_own(each.tags))
    return Use(
        wanted=wanted,
        own=len(own),
        others=len(there) - len(own) - useless,
        others_perhaps=useless,
        perhaps_why="failed, expired or rejected",
    )


def _endpoints(account: AccountView) -> list[CountedEndpoint]:
    told = account.once("counted endpoints", account.network.counted_endpoints)
    return [each for each in told if each.state != "deleted"]


def _all_vpcs(account: AccountView) -> tuple[OwnedResource, ...]:
    return account.once("vpcs", account.gateway(Ec2VpcGateway).vpcs)


def _own_vpc_ids(account: AccountView) -> set[str | None]:
    return {vpc.vpc_id for vpc in _all_vpcs(account) if account.is_own(vpc.tags)}


def _own(account: AccountView, things: list[OwnedResource]) -> list[OwnedResource]:
    """What is the cluster's: by its tag, or because it is in a VPC of the cluster's."""
    vpc_ids = _own_vpc_ids(account)
    return [each for each in things if account.is_own(each.tags) or each.vpc_id in vpc_ids]


def _mine(account: AccountView, things: tuple[OwnedResource, ...]) -> list[OwnedResource]:
    """What the account itself has, and not one that a VPC is shared with, or that shares one."""
    return [each for each in things if _is_mine(account, each)]


def _is_mine(account: AccountView, thing: OwnedResource | CountedEndpoint) -> bool:
    return thing.owner in (None, account.caller(account.cluster.region).account)


def _no_zone(what: str, path: Path) -> CheckResult:
    return unknown(
        f"{what} count in one zone each, and nobody knows that of the nodes",
        remedy="name a zone of the Region in `network.availability_zone_id`",
        path=path,
    )


def _unknown_types(names: tuple[str, ...]) -> CheckResult:
    return unknown(
        f"nobody knows how many network interfaces {', '.join(names)} has",
        remedy="describe the type in instance_types_file",
        path=_NODES,
    )


_QUESTIONS: tuple[tuple[Callable[[AccountView, NetworkCounts], CheckResult | None], Path], ...] = (
    (_vpcs, _NETWORK),
    (_addresses, _NETWORK),
    (_nat_gateways, _NETWORK),
    (_gateway_endpoints, _NETWORK),
    (_interface_endpoints, _NETWORK),
    (_security_groups, _NETWORK),
    (_interfaces, _NODES),
)

CHECK = PreflightCheck(
    id="TRN916",
    name="network-quotas",
    title="The quotas of VPCs, addresses, gateways, endpoints, groups and interfaces have room",
    why="The deployment rolls back with VpcLimitExceeded or AddressLimitExceeded; without room for "
    "interfaces it succeeds and nodes are missing. Counted is what the account has in the Region, "
    "interfaces and NAT gateways in the zone of the nodes. What carries the cluster's tag is there "
    "already and does not count twice. Where AWS does not say whether something counts, as of "
    "EFA-only interfaces, a lack of room is a warning.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html",
    needs=(
        GET_CALLER_IDENTITY,
        GET_SERVICE_QUOTA,
        GET_AWS_DEFAULT_SERVICE_QUOTA,
        DESCRIBE_VPCS,
        DESCRIBE_ADDRESSES,
        DESCRIBE_NAT_GATEWAYS,
        DESCRIBE_SUBNETS,
        DESCRIBE_VPC_ENDPOINTS,
        DESCRIBE_SECURITY_GROUPS,
        DESCRIBE_NETWORK_INTERFACES,
        DESCRIBE_AVAILABILITY_ZONES,
    ),
    run=_run,
)
