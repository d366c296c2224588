"""TRN915: endpoints of an existing VPC let nodes through, and those of the file can be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.ec2_network import (
    DESCRIBE_ROUTE_TABLES,
    DESCRIBE_SUBNETS,
    DESCRIBE_VPC_ENDPOINTS,
)
from trnkit.aws.ec2_network_rules import (
    DESCRIBE_SECURITY_GROUPS,
    GET_MANAGED_PREFIX_LIST_ENTRIES,
)
from trnkit.aws.failures import AwsFailure
from trnkit.aws.identities import without_identities
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.layout.endpoints import interface_endpoints_of
from trnkit.operations.preflight.bucket_requests import bucket_requests
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.endpoint_clashes import endpoint_clashes
from trnkit.operations.preflight.existing_network import (
    own_security_groups,
    seen_endpoints,
    seen_route_table,
    seen_security_groups,
    seen_subnet,
    with_blocks,
)
from trnkit.operations.preflight.group_judgement import Admission, admission, permissions_of
from trnkit.operations.preflight.imported_groups import groups_of, main_group
from trnkit.operations.preflight.node_services import node_services
from trnkit.operations.preflight.policy_judgement import PolicyRequest, Verdict, judge_policy
from trnkit.operations.preflight.result import fail, ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trnkit.aws.ec2_network import EndpointDescription, RouteTable, SubnetDescription
    from trnkit.aws.ec2_network_rules import GroupPermission
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.policy_judgement import PolicyAnswer
    from trnkit.operations.preflight.result import CheckResult

_PATH = ("network", "existing", "vpc_id")
_HTTPS = 443
_S3 = "s3"


@dataclass(frozen=True, slots=True)
class _Need:
    """A request that an endpoint must let through.

    Attributes:
        action: As IAM action.
        resource: Its ARN; `*` in it is not known.
        lacks: What does not work without it.
        is_needed: Whether nodes cannot work without it.
    """

    action: str
    resource: str
    lacks: str
    is_needed: bool

    @property
    def request(self) -> PolicyRequest:
        """Without who asks, and from where: what a policy says of these is not known."""
        return PolicyRequest(requester=None, action=self.action, resource=self.resource)


def _run(account: AccountView) -> Iterator[CheckResult]:
    existing = account.cluster.network.existing
    if existing is None:
        return
    problems: list[CheckResult] = [] if existing.shared else [*endpoint_clashes(account, existing)]
    compute = seen_subnet(account, existing.compute_subnet_id)
    if compute is None:
        yield from problems
        yield unknown(
            f"the endpoints that serve {existing.compute_subnet_id} cannot be judged: the account "
            "does not see it",
            remedy="see what check subnets says",
            path=_PATH,
        )
        return
    if existing.shared:
        yield unknown(
            f"the endpoints of {existing.vpc_id} are its owner's, and no other account sees their "
            "policies",
            remedy="ask the VPC's owner whether they let S3 and Auto Scaling through",
            path=_PATH,
        )
        return
    table = seen_route_table(account, compute)
    if table is None:
        yield from problems
        yield unknown(
            f"the account sees no route table of {compute.subnet_id}, and so not which endpoints "
            "serve it",
            remedy="ask the subnet's owner for its routes",
            path=_PATH,
        )
        return
    endpoints = list(_in_use(account, compute, table))
    for endpoint, service in endpoints:
        try:
            problems += _one(account, compute, endpoint, service)
        except AwsFailure as failure:
            problems.append(unanswered(failure, path=_PATH))
    yield from problems
    if not problems:
        names = ", ".join(service for _, service in endpoints) or "none, so that nothing is between"
        yield ok(f"endpoints of {existing.vpc_id} that nodes use let them through: {names}")


def _one(
    account: AccountView, compute: SubnetDescription, endpoint: EndpointDescription, service: str
) -> Iterator[CheckResult]:
    # The first is what nodes cannot work without, if there is anything.
    needs = sorted(_needs(account, service), key=lambda need: not need.is_needed)
    if needs:
        yield from _policy(account, endpoint, service, needs)
        yield from _groups(account, compute, endpoint, service, needs[0])


def _in_use(
    account: AccountView, compute: SubnetDescription, table: RouteTable
) -> Iterator[tuple[EndpointDescription, str]]:
    """The endpoints through which nodes reach what they need, each with its service."""
    region, found = account.cluster.region, seen_endpoints(account, compute.vpc_id)
    by_routes = [e for e in found if e.serves_by_routes(_S3, region, table.route_table_id)]
    for endpoint in by_routes:
        yield endpoint, _S3
    made_here = interface_endpoints_of(account.cluster)
    called = [name for name in node_services(account.cluster) if name not in made_here]
    for endpoint in found:
        for service in (*called, *(() if by_routes else (_S3,))):
            if endpoint.serves_by_name(service, region):
                yield endpoint, service


def _needs(account: AccountView, service: str) -> Iterator[_Need]:
    cluster = account.cluster
    if service != _S3:
        asked = node_services(cluster)[service]
        yield _Need(asked.action, "*", asked.lacks, asked.is_needed)
        return
    account_id = cluster.account or account.caller(cluster.region).account
    for request in bucket_requests(cluster, account_id):
        resource = request.resource(cluster.region)
        yield _Need(request.action, resource, request.lacks, request.is_needed)


def _policy(
    account: AccountView, endpoint: EndpointDescription, service: str, needs: Sequence[_Need]
) -> Iterator[CheckResult]:
    """What a policy does with requests that are needed, and with the others."""
    name = f"{endpoint.endpoint_id} ({service})"
    look = (
        f"aws ec2 describe-vpc-endpoints --region {account.cluster.region} --vpc-endpoint-ids "
        f"{endpoint.endpoint_id} --query 'VpcEndpoints[].PolicyDocument' --output text"
    )
    if endpoint.policy is None:
        yield unknown(
            f"AWS does not say what the policy of {name} lets through",
            remedy="look at the endpoint's policy",
            look=look,
            path=_PATH,
        )
        return
    for is_needed in (True, False):
        some = [need for need in needs if need.is_needed is is_needed]
        told = [(need, judge_policy(endpoint.policy, need.request)) for need in some]
        if told:
            need, answer = min(told, key=lambda each: each[1].verdict)
            wanted = f"allow {need.action} on {_shown(account, need)}"
            yield from _objection(need, answer, name, wanted, look)


def _objection(
    need: _Need, answer: PolicyAnswer, name: str, wanted: str, look: str
) -> Iterator[CheckResult]:
    """The first request that a policy refuses, else the first of which it does not tell."""
    because = without_identities(answer.because)
    if answer.verdict is Verdict.DENIED:
        say = fail if need.is_needed else warning
        yield say(
            f"the policy of {name} refuses {need.action} to nodes, {because}: {need.lacks}",
            remedy=f"let the policy {wanted}",
            look=look,
            path=_PATH,
        )
    elif answer.verdict is Verdict.UNKNOWN:
        yield unknown(
            f"whether the policy of {name} lets {need.action} of nodes through hangs on what AWS "
            f"does not tell, {because}; if not, {need.lacks}",
            remedy=f"make sure that it lets nodes through, or let it {wanted}",
            look=look,
            path=_PATH,
        )


def _shown(account: AccountView, need: _Need) -> str:
    """The resource without the account's id, unless the file itself has it."""
    if account.cluster.account is not None or need.resource == "*":
        return need.resource
    return need.resource.replace(account.caller(account.cluster.region).account, "ACCOUNT")


def _groups(
    account: AccountView,
    compute: SubnetDescription,
    endpoint: EndpointDescription,
    service: str,
    need: _Need,
) -> Iterator[CheckResult]:
    """Whether the security groups of an endpoint with interfaces let the nodes in."""
    if endpoint.is_gateway:
        return
    cluster = account.cluster
    ids = endpoint.security_group_ids
    seen = seen_security_groups(account, ids)
    name = f"{endpoint.endpoint_id} ({service})"
    groups = " and ".join(ids[:3])
    if not ids or len(seen) < len(set(ids)):
        yield unknown(
            f"the account does not see the security groups of {name}",
            remedy=f"ask the endpoint's owner whether they let TCP {_HTTPS} in from the nodes",
            path=_PATH,
        )
        return
    own = frozenset[str]() if main_group(cluster) else own_security_groups(account)
    permissions = permissions_of(seen.values(), egress=False)
    worst = _worst(account, permissions, own, compute.cidr)
    if worst is Admission.MAYBE:
        allowed = [p for p in permissions if p.admits_tcp(_HTTPS, _HTTPS)]
        worst = _worst(account, with_blocks(account, allowed), own, compute.cidr)
    if worst is Admission.YES:
        return
    remedy = f"add an ingress rule for TCP {_HTTPS} from {compute.cidr or 'the nodes'} to {ids[0]}"
    command = (
        f"aws ec2 authorize-security-group-ingress --region {cluster.region} --group-id {ids[0]} "
        f"--protocol tcp --port {_HTTPS} --cidr {compute.cidr}"
    )
    if worst is Admission.MAYBE:
        yield unknown(
            f"whether {groups} of {name} let TCP {_HTTPS} in from the nodes cannot be judged: the "
            "block of their subnet is not known",
            remedy=f"make sure of it, or {remedy}",
            path=_PATH,
        )
        return
    some = "only from part of the nodes' subnet" if worst is Admission.PART else "from no node"
    say = fail if need.is_needed and worst is Admission.NO else warning
    yield say(
        f"{groups} of {name} let TCP {_HTTPS} in {some}: {need.lacks}",
        remedy=remedy,
        command=command if compute.cidr else None,
        path=_PATH,
    )


def _worst(
    account: AccountView,
    permissions: Iterable[GroupPermission],
    own: frozenset[str],
    cidr: str | None,
) -> Admission:
    """How the node group fares that is let in the least."""
    allowed, cluster = tuple(permissions), account.cluster
    return min(
        admission(
            allowed, _HTTPS, _HTTPS, group_ids={*groups_of(cluster, node_group), *own}, cidr=cidr
        )
        for node_group in cluster.compute.node_groups
    )


CHECK = PreflightCheck(
    id="TRN915",
    name="endpoint-policies",
    title="Endpoints of an existing VPC let nodes through, and those of the file can be made",
    why="Private DNS and routes lead nodes to an endpoint whether or not it lets them through. Its "
    "policy may refuse the bucket of their boot scripts, and its security group their subnet; they "
    "then time out or are denied, and are replaced again and again. EC2 refuses a second endpoint "
    "with the same private names, and a second gateway endpoint for S3 in a route table.",
    source="https://docs.aws.amazon.com/vpc/latest/privatelink/vpc-endpoints-access.html",
    needs=(
        DESCRIBE_SUBNETS,
        DESCRIBE_VPC_ENDPOINTS,
        DESCRIBE_ROUTE_TABLES,
        DESCRIBE_SECURITY_GROUPS,
        GET_MANAGED_PREFIX_LIST_ENTRIES,
        GET_CALLER_IDENTITY,
    ),
    run=_run,
)
