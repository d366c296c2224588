"""eksctl: the node groups of a ClusterConfig.

Keys are those of https://docs.aws.amazon.com/eks/latest/eksctl/schema.html.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.rules.reading_documents.manifests import group_of, kind_of
from trnkit.rules.reading_documents.node_pools import (
    Efa,
    Market,
    NamedType,
    NodePool,
    Placement,
    PlacementState,
    PoolCapacity,
    PoolImage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.node_pools import NodeClasses

_TARGET_KEYS = (
    # Go's decoder takes keys in any case, and people write both.
    "capacityReservationID",
    "capacityReservationId",
    "capacityReservationResourceGroupARN",
    "capacityReservationResourceGroupArn",
)
_SCRIPTS = ("preBootstrapCommands", "overrideBootstrapCommand")


def recognises(manifest: DocumentValue) -> bool:
    """Whether a manifest is eksctl's."""
    return group_of(manifest) == "eksctl.io" and kind_of(manifest) == "ClusterConfig"


def read_pools(manifest: DocumentValue, _classes: NodeClasses) -> Iterator[NodePool]:
    """Every node group of a cluster."""
    for key in ("nodeGroups", "managedNodeGroups"):
        for index, group in enumerate(manifest[key].items()):
            yield _pool(manifest, group, index, is_managed=key == "managedNodeGroups")


def _pool(
    cluster: DocumentValue, group: DocumentValue, index: int, *, is_managed: bool
) -> NodePool:
    target = _target(group["capacityReservation"])
    return NodePool(
        tool="eksctl",
        name=f"node group {group['name'].text() or index}",
        value=group,
        types=_types(group),
        region=cluster["metadata"]["region"].text() or cluster.document.region,
        zones=group["availabilityZones"].items(),
        subnets=group["subnets"].items(),
        efa=_efa(group),
        placement=_placement(group, is_managed=is_managed),
        capacity=_capacity(group, target),
        image=_image(group),
        public_address=group["privateNetworking"],
        is_public=_is_public(cluster, group),
        http_tokens=group.nothing(),
        hop_limit=group.nothing(),
        most_pods=group["maxPodsPerNode"],
        prefixes=group.nothing(),
        minimum=group["minSize"],
        maximum=group["maxSize"] if group["desiredCapacity"].is_absent else _larger(group),
    )


def _larger(group: DocumentValue) -> DocumentValue:
    most, now = group["maxSize"], group["desiredCapacity"]
    return now if (now.integer() or 0) > (most.integer() or 0) else most


def _efa(group: DocumentValue) -> Efa:
    """Off unless switched on; a launch template of the user's own may have it too."""
    switch = group["efaEnabled"]
    absent = False if group["launchTemplate"].is_absent else None
    return Efa(switch=switch, asked=absent if switch.is_absent else switch.boolean())


def _types(group: DocumentValue) -> tuple[NamedType, ...]:
    lists = (group["instanceTypes"], group["instancesDistribution"]["instanceTypes"])
    values = [group["instanceType"], *(item for entries in lists for item in entries.items())]
    return tuple(
        NamedType(value.text() or "", value)
        for value in values
        if not value.is_absent and value.text() != "mixed"
    )


def _placement(group: DocumentValue, *, is_managed: bool) -> Placement:
    """Eksctl makes a group of its own for EFA; in managed groups not beside a reservation."""
    named = group["placement"]["groupName"]
    if not group["placement"].is_absent:
        state: PlacementState = "none" if named.is_absent else "named"
        return Placement(value=named, state=state)
    reserved = not group["capacityReservation"].is_absent
    makes_one = group["efaEnabled"].boolean() is True and not (is_managed and reserved)
    return Placement(
        value=group["efaEnabled"], state="new" if makes_one else "none", implied=makes_one
    )


def _target(reservation: DocumentValue) -> DocumentValue | None:
    target = reservation["capacityReservationTarget"]
    found = (target[key] for key in _TARGET_KEYS if not target[key].is_absent)
    return next(found, None)


def _capacity(group: DocumentValue, target: DocumentValue | None) -> PoolCapacity:
    options, distribution = group["instanceMarketOptions"], group["instancesDistribution"]
    reservation = group["capacityReservation"]
    filled_in = (reservation, reservation["capacityReservationTarget"])
    market, spot = options["marketType"], group["spot"]
    markets: frozenset[Market]
    if not market.is_absent:
        both: tuple[Market, ...] = (
            ("capacity-block", "spot") if spot.boolean() else ("capacity-block",)
        )
        markets = frozenset(both if market.text() == "capacity-block" else ())
    elif spot.boolean() is True:
        market, markets = spot, frozenset(("spot",))
    elif (not spot.is_absent and spot.boolean() is None) or not distribution.is_absent:
        markets = frozenset()
    else:
        markets = frozenset(("on-demand",))
    return PoolCapacity(
        market=market,
        markets=markets,
        kind_is_named=not market.is_absent,
        targets=() if target is None else (target,),
        preference=reservation["capacityReservationPreference"],
        # A launch template of the user's own may name one too.
        targets_are_known=group["launchTemplate"].is_absent
        and not any(value.is_placeholder for value in filled_in),
        mixed=None if distribution.is_absent else distribution,
    )


def _image(group: DocumentValue) -> PoolImage:
    image, template = group["ami"], group["launchTemplate"]
    chosen = image.text() in ("auto", "auto-ssm")
    scripts = [group[key] for key in _SCRIPTS if not group[key].is_absent]
    own = not template.is_absent or not (image.is_absent or chosen)
    return PoolImage(
        family=group["amiFamily"], names=(), value=image, is_own=own, scripts=tuple(scripts)
    )


def _is_public(cluster: DocumentValue, group: DocumentValue) -> bool:
    """Whether eksctl puts the nodes into its public subnets."""
    private = group["privateNetworking"]
    if not (private.is_absent or private.boolean() is False):
        return False
    family = cluster["kubernetesNetworkConfig"]["ipFamily"]
    if not family.is_absent and family.text() != "IPv4":
        return False  # With IPv6, nodes in public subnets have addresses that are public.
    no_public = cluster["privateCluster"]["enabled"]
    own_subnets = cluster["vpc"]["subnets"]
    if not own_subnets.is_absent and own_subnets["public"].is_absent:
        return False
    others = (group["subnets"], group["launchTemplate"], group["outpostARN"])
    return no_public.is_absent and all(value.is_absent for value in others)
