"""What a compatibility test of a node group runs over: nodes, ranks, EFA, framework, floors.

Sources:
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog import (
    find_bandwidth_floor,
    find_instance_type,
    multi_node_chips,
    xla_neuron_core_versions,
)
from trnkit.config.yaml_reader import clipped
from trnkit.layout.nodes import interfaces_of, neuron_cores

if TYPE_CHECKING:
    from trnkit.catalog import BandwidthFloor, InstanceType
    from trnkit.config import ClusterConfig, NodeGroupConfig

Stack = Literal["xla", "native"]


class SmokeTargetError(ValueError):
    """The group cannot be tested so; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeTarget:
    """What is tested.

    Attributes:
        cluster: Name of the cluster.
        region: Where it is.
        node_group: Name of the group.
        kind: The catalogue's entry of the instance type.
        nodes: How many nodes take part.
        devices: Neuron devices of one node.
        ranks_per_node: Logical NeuronCores of one node, each a rank.
        logical_neuroncore_size: Physical NeuronCores per logical one (LNC).
        efa_interfaces: EFA interfaces of one node.
        stack: The framework of the training step.
        alone: Why there is no run across nodes; None when there is one.
        node_floor: What an all-reduce within a node should reach; None when unknown.
        fabric_floor: The same across nodes.
    """

    cluster: str
    region: str
    node_group: str
    kind: InstanceType
    nodes: int
    devices: int
    ranks_per_node: int
    logical_neuroncore_size: int
    efa_interfaces: int
    stack: Stack
    alone: str | None
    node_floor: BandwidthFloor | None
    fabric_floor: BandwidthFloor | None


def smoke_target(
    cluster: ClusterConfig,
    group: NodeGroupConfig,
    *,
    nodes: int | None = None,
    stack: Stack | None = None,
) -> SmokeTarget:
    """Say what a test of a node group runs over.

    Args:
        cluster: The cluster.
        group: One of its groups.
        nodes: How many nodes take part; None for all.
        stack: The framework; None for the one that trains on the type.

    Raises:
        SmokeTargetError: The group has too few nodes, or its type's cores are not known.
    """
    count = _count(group, nodes)
    kind = find_instance_type(group.instance_type)
    cores = kind and neuron_cores(kind, group.logical_neuroncore_size)
    if kind is None or cores is None:
        raise SmokeTargetError(f"the NeuronCores of {group.instance_type} are not known")
    efa = sum(interface.is_efa for interface in interfaces_of(group) or ())
    alone = _why_alone(kind, count, efa)
    return SmokeTarget(
        cluster=cluster.name,
        region=cluster.region,
        node_group=group.name,
        kind=kind,
        nodes=count,
        devices=cores.devices,
        ranks_per_node=cores.logical,
        logical_neuroncore_size=cores.logical_size,
        efa_interfaces=efa,
        stack=stack or stack_of(kind),
        alone=alone,
        node_floor=find_bandwidth_floor(kind.name, "node"),
        fabric_floor=None if alone else find_bandwidth_floor(kind.name, "fabric"),
    )


def stack_of(kind: InstanceType) -> Stack:
    """The framework that trains on a type: PyTorch/XLA before Trainium2, else TorchNeuron."""
    return "xla" if kind.neuron_core_version in xla_neuron_core_versions() else "native"


def _count(group: NodeGroupConfig, nodes: int | None) -> int:
    if group.count == 0:
        raise SmokeTargetError(f"node group {group.name} has count 0, so there is nothing to test")
    if nodes is not None and nodes > group.count:
        shown = clipped(str(nodes), 12)
        raise SmokeTargetError(
            f"--nodes {shown} is more than node group {group.name} has: its count is {group.count}"
        )
    return nodes or group.count


def _why_alone(kind: InstanceType, nodes: int, efa: int) -> str | None:
    if nodes == 1:
        return "there is one node"
    # A chip that nobody has described yet gets the benefit of the doubt.
    if kind.chip_name is not None and kind.chip_name not in multi_node_chips():
        return f"nccom-test runs on one node of {kind.name} only"
    return None if efa else "the nodes have no EFA interface, without which nccom-test refuses"
