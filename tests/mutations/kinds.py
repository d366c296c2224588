"""Every kind of mistake, by subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.mutations.cost import COST
from tests.mutations.network import NETWORK
from tests.mutations.nodes import NODES
from tests.mutations.storage import STORAGE

if TYPE_CHECKING:
    from tests.mutations.kind import Kind

BY_SUBJECT: dict[str, tuple[Kind, ...]] = {
    "Network": NETWORK,
    "Nodes": NODES,
    "Storage": STORAGE,
    "Cost": COST,
}
KINDS: tuple[Kind, ...] = tuple(kind for kinds in BY_SUBJECT.values() for kind in kinds)
