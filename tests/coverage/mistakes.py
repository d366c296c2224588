"""Every kind of mistake, by subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.coverage.hosts import CDK, HOSTS, IMAGES
from tests.coverage.nodes import CAPACITY, INTERFACES, NETWORK
from tests.coverage.storage_and_cost import COST, STORAGE

if TYPE_CHECKING:
    from tests.coverage.mistake import Mistake

BY_SUBJECT: dict[str, tuple[Mistake, ...]] = {
    "EFA interfaces and launch templates": INTERFACES,
    "Security groups, subnets, zones, endpoints": NETWORK,
    "Capacity and reservations": CAPACITY,
    "FSx for Lustre": STORAGE,
    "Budgets and cost tags": COST,
    "Images and user data": IMAGES,
    "Schedulers, roles, keys and metrics": HOSTS,
    "The CDK and pipelines": CDK,
}
MISTAKES: tuple[Mistake, ...] = tuple(m for listed in BY_SUBJECT.values() for m in listed)
