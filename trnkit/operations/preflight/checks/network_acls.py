"""TRN912: network ACLs of an existing VPC let nodes call out, and reach their file systems."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import DESCRIBE_SUBNETS
from trnkit.aws.ec2_network_rules import DESCRIBE_NETWORK_ACLS
from trnkit.aws.failures import AwsFailure
from trnkit.aws.fsx import DESCRIBE_FILE_SYSTEMS
from trnkit.catalog import lustre_port_ranges, network_limits
from trnkit.operations.preflight.acl_judgement import passages, public_blocks
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.existing_network import (
    seen_file_system,
    seen_network_acl,
    seen_subnet,
)
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trnkit.aws.ec2_network import SubnetDescription
    from trnkit.aws.ec2_network_rules import NetworkAcl
    from trnkit.config import ExistingNetworkConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.acl_judgement import Passage
    from trnkit.operations.preflight.result import CheckResult

_HERE = ("network", "existing")
_COMPUTE = (*_HERE, "compute_subnet_id")
_HTTPS, _NFS = (443, 443), (2049, 2049)

_Ports = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Store:
    """File systems in a subnet that nodes mount.

    Attributes:
        subnet_id: The subnet.
        name: What the message calls them.
        ports: Where the servers listen.
        answers: Where their answers arrive at the nodes.
        path: Where the file says so.
    """

    subnet_id: str
    name: str
    ports: _Ports
    answers: _Ports
    path: Path


@dataclass(frozen=True, slots=True)
class _Traffic:
    """Traffic through the network ACL of a subnet.

    Attributes:
        subnet: Whose ACL.
        is_egress: Whether it leaves the subnet.
        ports: At the receiver.
        blocks: The addresses at the other end.
        peer: These in words; None is everywhere.
        lacks: What does not work without it.
        path: Where the file says so.
    """

    subnet: SubnetDescription
    is_egress: bool
    ports: _Ports
    blocks: tuple[IPv4Network, ...]
    peer: str | None
    lacks: str
    path: Path


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing = account.cluster.network.existing
    if existing is None:
        return
    compute = seen_subnet(account, existing.compute_subnet_id)
    if compute is None or compute.cidr is None:
        yield _unseen(existing.compute_subnet_id, _COMPUTE)
        return
    yield from _judge(account, _calls_out(compute), f"{compute.subnet_id} lets nodes call out")
    for store in (*_made(account, existing), *_existing(account)):
        if isinstance(store, _Store):
            yield from _mount(account, compute, store)
        else:
            yield store


def _mount(
    account: AccountView, compute: SubnetDescription, store: _Store
) -> Iterator[CheckResult]:
    if store.subnet_id == compute.subnet_id:
        yield ok(f"{store.name} is in the nodes' subnet, where no network ACL is asked")
        return
    try:
        storage = seen_subnet(account, store.subnet_id)
        if storage is None or storage.cidr is None:
            yield _unseen(store.subnet_id, store.path)
            return
        traffic = _between(compute, storage, store)
        yield from _judge(account, traffic, f"{storage.subnet_id} lets nodes mount {store.name}")
    except AwsFailure as failure:
        yield unanswered(failure, path=store.path)


def _made(account: AccountView, existing: ExistingNetworkConfig) -> Iterator[_Store]:
    """File systems that the cluster makes."""
    storage = account.cluster.storage
    subnet_id = existing.storage_subnet_id or existing.compute_subnet_id
    place = "storage_subnet_id" if existing.storage_subnet_id else "compute_subnet_id"
    path = (*_HERE, place)
    lustre = lustre_port_ranges()
    for config in storage.lustre_file_systems:
        yield _Store(subnet_id, f"file system {config.name}", lustre, lustre, path)
    if storage.home_file_system:
        answers = (network_limits().ephemeral_ports,)
        yield _Store(subnet_id, "the home file system", (_NFS,), answers, path)


def _existing(account: AccountView) -> Iterator[_Store | CheckResult]:
    lustre = lustre_port_ranges()
    for index, config in enumerate(account.cluster.storage.existing_lustre_file_systems):
        path = ("storage", "existing_lustre_file_systems", index, "file_system_id")
        try:
            found = seen_file_system(account, config.file_system_id)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
            continue
        if found is None or not found.subnet_ids:
            yield unknown(
                f"the account sees no subnet of {config.file_system_id}, so that its network ACL "
                "cannot be judged",
                remedy="ask the file system's owner which ports its subnet lets pass",
                path=path,
            )
        else:
            for subnet_id in found.subnet_ids:
                yield _Store(subnet_id, f"file system {config.name}", lustre, lustre, path)


def _calls_out(compute: SubnetDescription) -> Iterator[_Traffic]:
    public = public_blocks()
    ports = (network_limits().ephemeral_ports,)
    lacks = "nodes reach none of AWS's public addresses, S3's among them"
    yield _Traffic(compute, True, (_HTTPS,), public, None, lacks, _COMPUTE)
    lacks = "no answer from there reaches the nodes"
    yield _Traffic(compute, False, ports, public, None, lacks, _COMPUTE)


def _between(
    compute: SubnetDescription, storage: SubnetDescription, store: _Store
) -> Iterator[_Traffic]:
    """The four places at which a network ACL is asked."""
    lacks = f"nodes cannot mount {store.name}"
    for subnet, peer, of_servers in ((storage, compute, True), (compute, storage, False)):
        blocks = (IPv4Network(peer.cidr or "", strict=False),)
        for is_egress in (False, True):
            ports = store.ports if is_egress is not of_servers else store.answers
            yield _Traffic(subnet, is_egress, ports, blocks, peer.cidr, lacks, store.path)


def _judge(
    account: AccountView, all_traffic: Iterable[_Traffic], good: str
) -> Iterator[CheckResult]:
    problems: list[CheckResult] = []
    for traffic in all_traffic:
        acl = seen_network_acl(account, traffic.subnet.subnet_id)
        if acl is None:
            problems.append(_unseen(traffic.subnet.subnet_id, traffic.path))
            continue
        found = _passages(acl, traffic, traffic.blocks)
        # To everywhere one open block is enough: some refuse the addresses of wrongdoers.
        shut = [p for p in found if not (p.admits_all or (p.admits_some and not traffic.peer))]
        if shut:
            problems.append(_problem(account, acl, traffic, shut))
    yield from dict.fromkeys(problems)
    if not problems:
        yield ok(f"the network ACL of {good}")


def _passages(acl: NetworkAcl, traffic: _Traffic, blocks: tuple[IPv4Network, ...]) -> list[Passage]:
    return [
        passage
        for first, last in traffic.ports
        for passage in passages(acl, first, last, blocks, egress=traffic.is_egress)
    ]


def _problem(
    account: AccountView, acl: NetworkAcl, traffic: _Traffic, shut: Sequence[Passage]
) -> CheckResult:
    closed = _closed(traffic.ports, shut)
    told = [p for p in shut if any(first <= p.first <= last for first, last in closed)] or shut
    deniers = sorted({number for passage in told for number in passage.denied_by})
    entry = f"entry {deniers[0]} denies" if deniers else "no entry allows"
    way = f"{'out to' if traffic.is_egress else 'in from'} {traffic.peer or 'public addresses'}"
    where = f"{acl.acl_id} of {traffic.subnet.subnet_id}"
    say = fail if closed else warning
    if (
        closed
        and traffic.peer is None
        and all(
            passage.admits_some for passage in _passages(acl, traffic, (IPv4Network("0.0.0.0/0"),))
        )
    ):
        say = warning
        message = (
            f"{where} lets TCP {_words(closed)} {way} by no entry, and so is for nodes that reach "
            "all of AWS, S3 too, through interface endpoints"
        )
    elif closed:
        message = f"{where} lets no TCP {_words(closed)} {way}, {entry} it: {traffic.lacks}"
    else:
        ports = _words((passage.first, passage.last) for passage in shut)
        message = f"{where} lets TCP {ports} {way} only in part, {entry} the rest: some time out"
    block = traffic.peer or "0.0.0.0/0"
    return say(
        message,
        remedy=f"add an {'egress' if traffic.is_egress else 'ingress'} entry that allows TCP "
        f"{_words(traffic.ports)} {'to' if traffic.is_egress else 'from'} {block}"
        + (f", with a number below {deniers[0]}" if deniers else ""),
        look=f"aws ec2 describe-network-acls --region {account.cluster.region} "
        f"--network-acl-ids {acl.acl_id}",
        path=traffic.path,
    )


def _closed(ports: _Ports, shut: Sequence[Passage]) -> list[tuple[int, int]]:
    """The ranges of which nothing passes."""
    return [
        (first, last)
        for first, last in ports
        if sum(
            p.last - p.first + 1
            for p in shut
            if not p.admits_some and first <= p.first and p.last <= last
        )
        == last - first + 1
    ]


def _words(ranges: Iterable[tuple[int, int]]) -> str:
    texts = [f"{first}" if first == last else f"{first}-{last}" for first, last in ranges]
    return " and ".join(dict.fromkeys(texts[:3]))


def _unseen(subnet_id: str, path: Path) -> CheckResult:
    return unknown(
        f"the network ACL of {subnet_id} cannot be judged: the account does not see the subnet or "
        "its ACL",
        remedy="see what check subnets says, or ask the subnet's owner",
        path=path,
    )


CHECK = PreflightCheck(
    id="TRN912",
    name="network-acls",
    title="Network ACLs of an existing VPC let nodes call out and reach their file systems",
    why="A network ACL remembers no connection and is asked between subnets alone, so that all "
    "works inside a subnet, and calls and mounts time out although the security groups are right.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-network-acls.html",
    needs=(DESCRIBE_SUBNETS, DESCRIBE_NETWORK_ACLS, DESCRIBE_FILE_SYSTEMS),
    run=_run,
)
