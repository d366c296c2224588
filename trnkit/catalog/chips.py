"""What each kind of Neuron chip is, for types that the catalogue has no entry for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True)
class Chip:
    """One kind of Neuron chip; None and an empty tuple mean unknown.

    Attributes:
        name: The chip's name in DescribeInstanceTypes.
        neuron_cores: Physical NeuronCores on one chip.
        neuron_core_version: Generation of the NeuronCore.
        logical_neuroncore_sizes: Physical cores that one logical core may have.
        default_logical_neuroncore_size: The size the runtime takes when nobody chooses.
        device_memory_gib: Real memory of one chip in GiB.
        dense_bf16_tflops: Peak of one chip in TFLOP/s of BF16, without sparsity.
        dense_fp8_tflops: The same of 8-bit floats: FP8, configurable FP8 or MXFP8.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    name: str
    neuron_cores: int | None
    neuron_core_version: int | None
    logical_neuroncore_sizes: tuple[int, ...]
    default_logical_neuroncore_size: int | None
    device_memory_gib: int | None
    dense_bf16_tflops: float | None
    dense_fp8_tflops: float | None
    source: tuple[str, ...]
    date: str


@cache
def chip(name: str) -> Chip | None:
    """Return a kind of Neuron chip.

    Args:
        name: The chip's name in DescribeInstanceTypes, for example `Trainium2`.

    Returns:
        The chip, or None when the catalogue does not know it.
    """
    entry: dict[str, Any] | None = table("instance_types")["chips"].get(name)
    if entry is None:
        return None
    return Chip(
        name=name,
        neuron_cores=entry["neuron_cores_per_chip"],
        neuron_core_version=entry["neuron_core_version"],
        logical_neuroncore_sizes=entry["logical_neuroncore_sizes"] or (),
        default_logical_neuroncore_size=entry["default_logical_neuroncore_size"],
        device_memory_gib=entry["device_memory_gib"],
        dense_bf16_tflops=entry["dense_bf16_tflops"],
        dense_fp8_tflops=entry["dense_fp8_tflops"],
        source=entry["source"],
        date=entry["date"],
    )
