"""What a node group's nodes are: interfaces, logical NeuronCores, image and its root device.

Sources:
    https://awsdocs-neuron.readthedocs-hosted.com (logical NeuronCore configuration)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, operating_systems, root_device_name
from trnkit.layout.capacity import uses_capacity_block
from trnkit.layout.efa import EfaPlanError, InterfacePlan, plan_interfaces

if TYPE_CHECKING:
    from trnkit.catalog import InstanceType
    from trnkit.config import LockedImage, NodeGroupConfig

DEFAULT_IMAGE_PARAMETER = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"


@dataclass(frozen=True, slots=True)
class NeuronCores:
    """NeuronCores of one node.

    Attributes:
        devices: Chips, as `/dev/neuron*`.
        physical: Cores in silicon; what the EC2 API counts.
        logical: Cores that frameworks, Slurm and Kubernetes see at `logical_size`.
        logical_size: Physical cores per logical one (LNC).
    """

    devices: int
    physical: int
    logical: int
    logical_size: int


@dataclass(frozen=True, slots=True)
class ImagePlan:
    """What a node boots.

    Attributes:
        ami_id: A fixed image, of the file or of its lock, or None.
        ssm_parameter: A parameter, or None; without `ami_id`, EC2 resolves it at each launch.
        operating_system: As in the parameters' names, e.g. `ubuntu-24.04`.
        root_device_name: The image's name for its root device.
    """

    ami_id: str | None
    ssm_parameter: str | None
    operating_system: str
    root_device_name: str


def image_of(group: NodeGroupConfig) -> ImagePlan:
    """The image of a group's nodes; without one in the file, the newest Neuron base image.

    With a lock it is the one that stands there, with the root device that AWS told.
    """
    locked = locked_image(group)
    ami_id = group.image.ami_id if group.image else None
    parameter = group.image.ssm_parameter if group.image else None
    if not ami_id and not parameter:
        parameter = DEFAULT_IMAGE_PARAMETER
    named = group.image.operating_system if group.image else None
    system = named or (parameter and system_in_name(parameter)) or "ubuntu-24.04"
    root = (locked and locked.root_device_name) or root_device_name(system) or "/dev/sda1"
    return ImagePlan(locked.ami_id if locked else ami_id, parameter, system, root)


def system_in_name(parameter: str) -> str | None:
    """The operating system that a parameter's name says; None when it says none."""
    return next((name for name in operating_systems() if name in parameter), None)


def image_parameter(group: NodeGroupConfig) -> str | None:
    """The parameter that names a group's image; None with a fixed image."""
    if group.image and group.image.ami_id:
        return None
    return (group.image and group.image.ssm_parameter) or DEFAULT_IMAGE_PARAMETER


def locked_image(group: NodeGroupConfig) -> LockedImage | None:
    """What the group's lock holds for its parameter and region; None without lock or entry."""
    images = group.image.locked_images if group.image else None
    parameter = image_parameter(group)
    return images.get(parameter) if images and parameter else None


def uses_placement_group(group: NodeGroupConfig) -> bool:
    """Whether the nodes get a new cluster placement group.

    As the file says; else EFA nodes of a type that takes it, but never nodes of a Capacity Block
    (EC2 refuses it) or of a reservation (which was not made in the new group, so that its instances
    could not start there).
    """
    if uses_capacity_block(group) or group.placement.group_name:
        return False
    if group.placement.cluster is not None:
        return group.placement.cluster and group.count > 0
    if group.capacity.type == "on-demand-reservation":
        return False
    known = find_instance_type(group.instance_type)
    takes = known is not None and "cluster" in (known.placement_strategies or ())
    return takes and group.count > 0 and uses_efa(group)


def interfaces_of(group: NodeGroupConfig) -> tuple[InterfacePlan, ...] | None:
    """The interfaces of each node, or None when the type is unknown or cannot carry them."""
    known = find_instance_type(group.instance_type)
    if known is None:
        return None
    try:
        return plan_interfaces(known, layout=group.efa.layout, efa_interfaces=group.efa.interfaces)
    except EfaPlanError:
        return None


def uses_efa(group: NodeGroupConfig) -> bool:
    """Whether the group's nodes have an EFA device."""
    return any(interface.is_efa for interface in interfaces_of(group) or ())


def neuron_cores(
    instance_type: InstanceType, logical_size: int | None = None
) -> NeuronCores | None:
    """Count a node's cores.

    Args:
        instance_type: A catalogue entry.
        logical_size: Physical cores per logical one; None takes the type's default.

    Returns:
        None when the catalogue does not know the type's chips.

    Raises:
        ValueError: The type does not support that size.
    """
    chips, physical = instance_type.chips, instance_type.neuron_cores
    sizes = instance_type.logical_neuroncore_sizes
    default = instance_type.default_logical_neuroncore_size
    size = default if logical_size is None else logical_size
    if chips is None or physical is None or size is None or not sizes:
        return None
    if size not in sizes:
        allowed = " or ".join(map(str, sizes))
        raise ValueError(
            f"{instance_type.name} groups {allowed} cores to a logical one, not {size}"
        )
    return NeuronCores(chips, physical, physical // size, size)
