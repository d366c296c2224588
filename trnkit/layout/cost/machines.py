"""Instance types as a comparison of prices needs them, and how well they are assumed used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trnkit.catalog.price_book import InstancePurchase

ASSUMED_UTILISATION = 0.4
"""Share of peak compute that training is assumed to reach, on every kind of accelerator alike. No
measurement: only the differences that a user gives say something about a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """An instance type with accelerators. None is unknown, never zero.

    Attributes:
        instance_type: EC2 instance type.
        accelerator: What its accelerators are called.
        accelerators: How many it has.
        bf16_tflops: Dense BF16 peak of one accelerator in TFLOP/s.
        memory_gib: Memory of one accelerator in GiB.
        network_gbps: Network of the instance in Gbit/s.
        offered: Whether the Region has it.
        block_offered: Whether the Region sells it in Capacity Blocks.
        not_sold: Ways to buy that AWS does not have for it.
        block_step: Instances that a Capacity Block is sold in: those of an UltraServer, or one.
        block_maximum: Instances that one Capacity Block holds.
        disputed: Of which of these figures sources differ, in words.
        source: Keys of the catalogue's sources.
        date: Day on which its figures were last compared with them; None of an undated description.
    """

    instance_type: str
    accelerator: str
    accelerators: int | None
    bf16_tflops: float | None
    memory_gib: float | None
    network_gbps: float | None
    offered: bool | None
    not_sold: tuple[InstancePurchase, ...]
    block_step: int
    block_maximum: int | None
    disputed: tuple[str, ...]
    source: tuple[str, ...]
    date: str | None
    block_offered: bool | None = None

    @property
    def family(self) -> str:
        """The part of the name before the dot, for example `p6-b200`."""
        return self.instance_type.partition(".")[0]

    @property
    def peak_tflops(self) -> float | None:
        """Dense BF16 peak of an instance in TFLOP/s."""
        return _times(self.accelerators, self.bf16_tflops)

    @property
    def total_memory_gib(self) -> float | None:
        """Memory of all its accelerators in GiB."""
        return _times(self.accelerators, self.memory_gib)

    @property
    def network_per_accelerator_gbps(self) -> float | None:
        """Network for each accelerator in Gbit/s, where all use it at once."""
        if self.network_gbps is None or not self.accelerators:
            return None
        return self.network_gbps / self.accelerators


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Share of the peak that training reaches (model FLOPs utilisation), by kind of instance.

    Attributes:
        default: Of every kind that nobody told.
        told: Family (`p5`) or instance type (`p5.48xlarge`), and its share.
    """

    default: float = ASSUMED_UTILISATION
    told: tuple[tuple[str, float], ...] = ()

    def of(self, instance_type: str) -> float:
        """The share that a type reaches; what was told of it counts before its family's."""
        told = dict(self.told)
        family = instance_type.partition(".")[0]
        return told.get(instance_type, told.get(family, self.default))

    @property
    def is_equal(self) -> bool:
        """Whether every kind has the same."""
        return all(share == self.default for _, share in self.told)


def _times(number: int | None, each: float | None) -> float | None:
    return None if number is None or each is None else number * each
