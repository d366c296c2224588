"""Karpenter: NodePool and the EC2NodeClass that it names.

Keys are those of https://karpenter.sh/docs/concepts/nodepools/ and /nodeclasses/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import instance_type_names, region_of_zone_id
from trnkit.rules.reading_documents.manifests import group_of, kind_of, name_of
from trnkit.rules.reading_documents.node_pools import (
    Efa,
    Market,
    NamedType,
    NodePool,
    Placement,
    PoolCapacity,
    PoolImage,
    PoolInterface,
    region_of_zone_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trnkit.rules.reading_documents.document_value import DocumentValue
    from trnkit.rules.reading_documents.node_pools import NodeClasses

_POOL_GROUP = "karpenter.sh"
_CLASS_GROUP = "karpenter.k8s.aws"
# The last one is EKS Auto Mode's.
FAMILY = ("karpenter.k8s.aws/instance-family", "eks.amazonaws.com/instance-family")
_SIZE = ("karpenter.k8s.aws/instance-size", "eks.amazonaws.com/instance-size")
INSTANCE_TYPE = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_ZONES = ("topology.kubernetes.io/zone", "topology.k8s.aws/zone-id")
_CAPACITY_TYPE = ("karpenter.sh/capacity-type",)
_MARKETS: dict[str, Market] = {
    "spot": "spot",
    "on-demand": "on-demand",
    "reserved": "reserved",
}


def recognises(manifest: DocumentValue) -> bool:
    """Whether a manifest is Karpenter's, in version 1 or the beta before it."""
    kinds = {_POOL_GROUP: "NodePool", _CLASS_GROUP: "EC2NodeClass"}
    return kinds.get(group_of(manifest)) == kind_of(manifest)


def node_classes(manifests: Sequence[DocumentValue]) -> dict[str, list[DocumentValue]]:
    """The specifications of every EC2NodeClass, by name."""
    found: dict[str, list[DocumentValue]] = {}
    for manifest in manifests:
        if (group_of(manifest), kind_of(manifest)) == (_CLASS_GROUP, "EC2NodeClass"):
            name = manifest["metadata"]["name"].text() or ""
            found.setdefault(name, []).append(manifest["spec"])
    return found


def read_pools(manifest: DocumentValue, classes: NodeClasses) -> Iterator[NodePool]:
    """The pool of a NodePool, with what its EC2NodeClass says when that is there too."""
    if kind_of(manifest) != "NodePool":
        return
    template = manifest["spec"]["template"]["spec"]
    node_class = _class_of(template["nodeClassRef"], classes)
    requirements = template["requirements"]
    zones = tuple(_values(requirements, _ZONES))
    yield NodePool(
        tool="Karpenter",
        name=f"NodePool {name_of(manifest)}",
        value=manifest,
        types=tuple(_types(requirements)),
        region=_region(zones) or manifest.document.region,
        zones=zones,
        subnets=node_class["subnetSelectorTerms"].items(),
        efa=_efa(node_class),
        placement=_placement(node_class),
        capacity=_capacity(requirements, node_class),
        image=_image(node_class),
        public_address=node_class["associatePublicIPAddress"],
        is_public=node_class["associatePublicIPAddress"].boolean() is True,
        http_tokens=node_class["metadataOptions"]["httpTokens"],
        hop_limit=node_class["metadataOptions"]["httpPutResponseHopLimit"],
        most_pods=node_class["kubelet"]["maxPods"],
        prefixes=node_class["ipPrefixCount"],
        minimum=manifest["spec"]["replicas"],
        maximum=manifest["spec"]["replicas"],
    )


def _class_of(reference: DocumentValue, classes: NodeClasses) -> DocumentValue:
    """The specification of the class that is referred to; absent unless there is one such."""
    group, name = reference["group"].text() or _CLASS_GROUP, reference["name"].text()
    found = classes.get(name or "", ())
    if name is None or group != _CLASS_GROUP or len(found) != 1:
        return reference.nothing()
    return found[0]


def _values(requirements: DocumentValue, keys: tuple[str, ...]) -> Iterator[DocumentValue]:
    """What a requirement lists as allowed."""
    for requirement in requirements.items():
        if requirement["key"].text() in keys and requirement["operator"].text() == "In":
            yield from requirement["values"].texts()


def _types(requirements: DocumentValue) -> Iterator[NamedType]:
    """Types by name; without any, those that families and sizes stand for."""
    named = tuple(_values(requirements, INSTANCE_TYPE))
    for value in named:
        yield NamedType(value.text() or "", value)
    sizes = {value.text() for value in _values(requirements, _SIZE)}
    for value in () if named else _values(requirements, FAMILY):
        family = value.text() or ""
        of_family = [name for name in instance_type_names() if name.partition(".")[0] == family]
        for name in of_family or [family]:
            if not sizes or name.partition(".")[2] in sizes:
                yield NamedType(name, value)


def _region(zones: Iterable[DocumentValue]) -> str | None:
    texts = [zone.text() or "" for zone in zones]
    regions = {region_of_zone_name(text) or region_of_zone_id(text) for text in texts}
    return regions.pop() if len(regions) == 1 else None


def _efa(node_class: DocumentValue) -> Efa:
    entries = node_class["networkInterfaces"]
    interfaces = tuple(
        PoolInterface(
            entry,
            entry["networkCardIndex"].integer(),
            entry["deviceIndex"].integer(),
            entry["interfaceType"].text(),
        )
        for entry in entries.items()
    )
    # Without a layout, nodes get EFA as pods ask for it.
    asked = any(entry.kind == "efa-only" for entry in interfaces) if interfaces else None
    return Efa(switch=entries, asked=asked, interfaces=interfaces)


def _placement(node_class: DocumentValue) -> Placement:
    selector = node_class["placementGroupSelector"]
    return Placement(value=selector, state="none" if selector.is_absent else "named")


def _capacity(requirements: DocumentValue, node_class: DocumentValue) -> PoolCapacity:
    kinds = tuple(_values(requirements, _CAPACITY_TYPE))
    markets: set[Market | None] = {_MARKETS.get(kind.text() or "") for kind in kinds}
    blocks = _values(requirements, ("karpenter.k8s.aws/capacity-reservation-type",))
    only = {kind.text() for kind in blocks}
    known = frozenset[Market](market for market in markets if market is not None)
    if only == {"capacity-block"}:
        known = frozenset[Market](("capacity-block",))
    return PoolCapacity(
        market=kinds[0] if kinds else requirements,
        markets=known if None not in markets else frozenset[Market](),
        kind_is_named=True,  # Karpenter asks EC2 of what kind a reservation is.
        targets=node_class["capacityReservationSelectorTerms"].items(),
        preference=node_class.nothing(),
        targets_are_known=not node_class.is_absent,
    )


def _image(node_class: DocumentValue) -> PoolImage:
    terms = node_class["amiSelectorTerms"]
    names = [
        term[key]
        for term in terms.items()
        for key in ("alias", "name", "ssmParameter")
        if term[key].text() is not None
    ]
    own = any(not term["id"].is_absent or not term["tags"].is_absent for term in terms.items())
    script = node_class["userData"]
    return PoolImage(
        family=node_class["amiFamily"],
        names=tuple(names),
        value=terms,
        is_own=own,
        scripts=() if script.is_absent else (script,),
    )
