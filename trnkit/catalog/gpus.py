"""Instances with GPUs, to compare prices with: nothing that a cluster here can be built of.

They stand apart from `instance_types`, so that no rule and no construct takes one for a node type.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from trnkit.catalog.disagreements import Disagreement, disagreements_from
from trnkit.catalog.prices import InstancePrice, price_from
from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuInstance:
    """An EC2 instance type with GPUs.

    Attributes:
        name: The EC2 name of the type.
        accelerator: What one of its GPUs is called.
        accelerators: How many it has.
        memory_gib_per_accelerator: Memory of one in GiB, as EC2 tells it.
        network_gbps: Network of the instance in Gbit/s.
        dense_bf16_tflops: Peak of one in TFLOP/s of BF16, without sparsity.
        dense_fp8_tflops: The same of FP8; None where it has no such arithmetic.
        disagreements: Where sources differ.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    accelerator: str
    accelerators: int
    memory_gib_per_accelerator: float
    network_gbps: float
    dense_bf16_tflops: float
    dense_fp8_tflops: float | None
    disagreements: tuple[Disagreement, ...]
    source: tuple[str, ...]
    date: str


@cache
def gpu_instances() -> tuple[GpuInstance, ...]:
    """Return the types with GPUs that AWS sells in place of Trainium for training."""
    return tuple(_instance(entry) for entry in table("gpu_instances")["gpu_instances"])


@cache
def gpu_prices() -> tuple[InstancePrice, ...]:
    """Return their prices, also those known not to be published."""
    return tuple(price_from(entry) for entry in table("gpu_instances")["gpu_prices"])


def find_gpu_instance(name: str) -> GpuInstance | None:
    """Return a type with GPUs, or None when the catalogue does not know it."""
    return next((entry for entry in gpu_instances() if entry.name == name), None)


def _instance(entry: dict[str, Any]) -> GpuInstance:
    values = dict(entry)
    disagreements = disagreements_from(values.pop("disagreements"))
    return GpuInstance(disagreements=disagreements, **values)
