"""All resource types of the emulated AWS of which more is known than their schema."""

from __future__ import annotations

from trnkit.emulation.resources import (
    addresses,
    auto_scaling,
    budget_actions,
    budgets,
    capacity,
    cost_explorer,
    efs,
    fsx,
    image_builder,
    launch_templates,
    network,
    routing,
    schedules,
    security_groups,
)
from trnkit.emulation.resources.readers import READERS
from trnkit.emulation.resources.resource import Readable, ResourceType

TYPES: tuple[ResourceType, ...] = (
    *network.TYPES,
    *routing.TYPES,
    *addresses.TYPES,
    *security_groups.TYPES,
    *launch_templates.TYPES,
    *capacity.TYPES,
    *auto_scaling.TYPES,
    *fsx.TYPES,
    *efs.TYPES,
    *budgets.TYPES,
    *budget_actions.TYPES,
    *cost_explorer.TYPES,
    *image_builder.TYPES,
    *schedules.TYPES,
)

READABLE: tuple[Readable, ...] = (*TYPES, *READERS)
"""All types that a service can be asked about: ours, and those that MiniStack makes itself."""
