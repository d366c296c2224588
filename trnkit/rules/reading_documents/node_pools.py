"""Where nodes come from, in one shape for every format: what instances, where, with what.

A reader fills in what its format says. What it leaves to somebody else (Karpenter chooses the zone,
a launch template holds the image) is absent or None, and rules say nothing about it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.catalog import InstanceType
    from trnkit.rules.reading_documents.document_value import DocumentValue

NodeClasses: TypeAlias = "Mapping[str, Sequence[DocumentValue]]"
PlacementState = Literal["none", "new", "named"]
Market = Literal["on-demand", "spot", "reserved", "capacity-block"]
_NEURON = re.compile(r"(ml\.)?(trn|inf)[0-9][a-z0-9-]*(\.[a-z0-9-]{1,40})?")
_ZONE_NAME = re.compile("([a-z]{2,4}(?:-[a-z]+)+-[0-9]{1,2})[a-z]")


def is_neuron_type(name: str) -> bool:
    """Whether a name has the shape of a Trainium or Inferentia type, known or not."""
    return _NEURON.fullmatch(name) is not None


def region_of_zone_name(name: str) -> str | None:
    """The Region of a zone name such as `us-east-2c`."""
    found = _ZONE_NAME.fullmatch(name)
    return found[1] if found else None


@dataclass(frozen=True, slots=True)
class NamedType:
    """An instance type that a document names, or that a family in it stands for.

    Attributes:
        name: The type.
        value: Where it is named.
    """

    name: str
    value: DocumentValue


@dataclass(frozen=True, slots=True)
class PoolInterface:
    """A network interface that a document lays out itself.

    Attributes:
        value: The entry.
        card: Its network card, when known.
        device: Its device index, when known.
        kind: `interface`, `efa`, `efa-only`, when known.
    """

    value: DocumentValue
    card: int | None
    device: int | None
    kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Efa:
    """Whether nodes get EFA.

    Attributes:
        switch: The setting.
        asked: True or False when the format decides it in the pool; None when pods do.
        interfaces: The layout, when the document has one.
    """

    switch: DocumentValue
    asked: bool | None
    interfaces: tuple[PoolInterface, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The placement group of the nodes.

    Attributes:
        value: The setting that decides.
        state: `new`: the tool makes a cluster placement group; `named`: an existing one.
        implied: Whether the tool makes one although nothing in the document says so.
    """

    value: DocumentValue
    state: PlacementState
    implied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolCapacity:
    """How the nodes are bought.

    Attributes:
        market: The setting that names the market; absent for the tool's own choice.
        markets: The ways that the nodes may be bought; empty when that is not known.
        kind_is_named: Whether the format tells Capacity Blocks from other reservations, and this
            document does.
        targets: Reservations that it names.
        targets_are_known: Whether it is known that these are all.
        preference: A preference over reservations.
        mixed: What asks for several types in one group, when something does.
    """

    market: DocumentValue
    markets: frozenset[Market]
    kind_is_named: bool
    targets: tuple[DocumentValue, ...]
    preference: DocumentValue
    targets_are_known: bool = True
    mixed: DocumentValue | None = None

    @property
    def is_block(self) -> bool:
        """Whether the nodes certainly come from a Capacity Block."""
        return self.markets == frozenset[Market](("capacity-block",))


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolImage:
    """What the nodes boot.

    Attributes:
        family: The family of the image.
        names: Aliases, names and parameters by which images are chosen.
        value: Where an image would be given.
        is_own: Whether the user gives an image whose content is not known.
        scripts: What runs on the node at its start.
    """

    family: DocumentValue
    names: tuple[DocumentValue, ...]
    value: DocumentValue
    is_own: bool
    scripts: tuple[DocumentValue, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool:
    """A group of nodes.

    Attributes:
        tool: The tool whose document it is.
        name: As messages begin: `node group train`.
        value: Its entry.
        types: Instance types that it may start.
        region: Its Region, when known.
        zones: Zones that it names, by name or id.
        subnets: Subnets that it names.
        efa: Whether the nodes get EFA.
        placement: The placement group.
        capacity: How the nodes are bought.
        image: What they boot.
        public_address: A setting by which nodes get, or do not get, a public address.
        is_public: Whether the nodes are certainly to have a public address.
        http_tokens: Whether instance metadata needs a token.
        hop_limit: How far instance metadata reaches.
        most_pods: A limit of pods on a node.
        prefixes: A setting by which nodes get blocks of addresses.
        minimum: Fewest nodes.
        maximum: Most nodes.
    """

    tool: Literal["Karpenter", "eksctl", "ParallelCluster"]
    name: str
    value: DocumentValue
    types: tuple[NamedType, ...]
    region: str | None
    zones: tuple[DocumentValue, ...]
    subnets: tuple[DocumentValue, ...]
    efa: Efa
    placement: Placement
    capacity: PoolCapacity
    image: PoolImage
    public_address: DocumentValue
    is_public: bool
    http_tokens: DocumentValue
    hop_limit: DocumentValue
    most_pods: DocumentValue
    prefixes: DocumentValue
    minimum: DocumentValue
    maximum: DocumentValue

    @property
    def neuron_types(self) -> tuple[NamedType, ...]:
        """The Trainium and Inferentia types among its types."""
        return tuple(named for named in self.types if is_neuron_type(named.name))

    @property
    def is_neuron(self) -> bool:
        """Whether every node is certainly a Neuron node."""
        return bool(self.types) and len(self.neuron_types) == len(self.types)

    def key(self, value: DocumentValue) -> str:
        """The name of a setting as messages have it: its way below the pool, or the whole way."""
        own = self.value.path
        inside = value.path[: len(own)] == own and len(value.path) > len(own)
        return format_path(value.path[len(own) :] if inside else value.path)

    @property
    def known_types(self) -> tuple[InstanceType, ...]:
        """What the catalogue says of its types; empty unless it knows every one."""
        found = [find_instance_type(named.name) for named in self.types]
        known = tuple(kind for kind in found if kind is not None)
        return known if len(known) == len(found) else ()
