"""What nccom-test runs on, what trains there, and the bandwidth that an all-reduce should reach.

AWS promises no bandwidth of a collective. A floor is therefore a fraction, ours, of a number that
is public: the links of a chip, an EFA interface, or a measurement. It tells a broken node or a
fall back to TCP from a working one; it is no target.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, cast

from trnkit.catalog.tables import table

Scope = Literal["node", "fabric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BandwidthFloor:
    """The least bus bandwidth of a working all-reduce of 1 GiB.

    Attributes:
        instance_type: The EC2 name.
        scope: `node`: over all logical cores of one node; `fabric`: over several nodes.
        reference_gbps: The public number in Gbit/s; of one EFA interface where the scope is fabric.
        reference: What the number is, in words.
        fraction: Which part of it is asked for. An assumption of ours.
        published_gbps: A bus bandwidth in Gbit/s that somebody published; None: nobody did.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    instance_type: str
    scope: Scope
    reference_gbps: float
    reference: str
    fraction: float
    published_gbps: float | None
    source: tuple[str, ...]
    date: str

    def gbps(self, interfaces: int = 1) -> float:
        """The floor in Gbit/s.

        Args:
            interfaces: EFA interfaces of a node, where the scope is fabric.
        """
        count = interfaces if self.scope == "fabric" else 1
        return round(self.reference_gbps * count * self.fraction, 2)


@cache
def find_bandwidth_floor(instance_type: str, scope: Scope) -> BandwidthFloor | None:
    """Return the floor of an instance type; None where no public number leads to one.

    Args:
        instance_type: The EC2 name.
        scope: Within one node, or across several.
    """
    entry = cast("dict[str, Any]", table("collectives")["floors"]).get(instance_type, {}).get(scope)
    return BandwidthFloor(instance_type=instance_type, scope=scope, **entry) if entry else None


def multi_node_chips() -> tuple[str, ...]:
    """Return the chips that nccom-test runs on across nodes."""
    return table("collectives")["nccom_test"]["multi_node_chips"]


def xla_neuron_core_versions() -> tuple[int, ...]:
    """Return the NeuronCore generations that train over PyTorch/XLA only, not with TorchNeuron."""
    return table("collectives")["training"]["xla_neuron_core_versions"]
