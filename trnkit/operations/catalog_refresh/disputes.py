"""What AWS is known to state wrongly, or otherwise than other sources: said, and never taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trnkit.catalog import InstanceType

_API = "ec2-api"
_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDispute:
    """A fact on which the catalogue does not follow AWS's answer.

    Attributes:
        field: The attribute of the catalogue's entry.
        shipped: What the catalogue says, and goes on to say.
        live: What AWS says now; None when it is silent.
        note: Why the catalogue says what it says.
        still: Whether AWS still says what it said when the catalogue was made.
    """

    field: str
    shipped: object
    live: object
    note: str
    still: bool


def known_disputes(
    known: InstanceType, entry: Mapping[str, Any], kind: InstanceType
) -> tuple[KnownDispute, ...]:
    """Every fact of a type on which sources are known to disagree, with AWS's answer of now.

    Args:
        known: The catalogue's entry.
        entry: AWS's answer.
        kind: The same, as it is read.
    """
    found: list[KnownDispute] = []
    for one in known.disagreements:
        stated = _STATED.get(one.field)
        live = stated(entry) if stated else getattr(kind, one.field)
        found.append(
            KnownDispute(
                field=one.field,
                shipped=one.value_here,
                live=live,
                note=one.note,
                still=one.other_source != _API or live == one.other_value,
            )
        )
    return tuple(found)


def is_known_dispute(known: InstanceType, field: str, live: object) -> bool:
    """Whether a value is the one that some source is known to state instead of the catalogue's."""
    return any(one.field == field and one.other_value == live for one in known.disagreements)


def _device(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    devices = (entry.get("NeuronInfo") or {}).get("NeuronDevices") or [{}]
    return devices[0]


def _memory_gib(entry: Mapping[str, Any]) -> float | None:
    mib = (_device(entry).get("MemoryInfo") or {}).get("SizeInMiB")
    return None if mib is None else mib / _MIB_PER_GIB


def _card_performance(entry: Mapping[str, Any]) -> str | None:
    cards = (entry.get("NetworkInfo") or {}).get("NetworkCards") or [{}]
    return cards[0].get("NetworkPerformance")


def _name(entry: Mapping[str, Any]) -> str | None:
    return _device(entry).get("Name")


def _count(entry: Mapping[str, Any]) -> int | None:
    return _device(entry).get("Count")


def _cores(entry: Mapping[str, Any]) -> int | None:
    return (_device(entry).get("CoreInfo") or {}).get("Count")


def _core_version(entry: Mapping[str, Any]) -> int | None:
    return (_device(entry).get("CoreInfo") or {}).get("Version")


# What reading a description leaves out or replaces, because it is wrong: here it is what AWS said.
_STATED: dict[str, Callable[[Mapping[str, Any]], object]] = {
    "device_memory_gib_per_chip": _memory_gib,
    "chip_name": _name,
    "chips": _count,
    "neuron_cores_per_chip": _cores,
    "neuron_core_version": _core_version,
    "network_performance": _card_performance,
}
