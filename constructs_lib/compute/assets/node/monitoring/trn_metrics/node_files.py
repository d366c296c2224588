"""What files of the node say: EFA counters, the state of the boot, the node check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from . import families
from .exposition import Sample, labels_of
from .growth import Growth
from .values import mapping

STATES = ("booting", "ready", "failed")
MOST_DEVICES = 64
_PASSED = ("ok", "warning")
_MOST_BYTES = 1 << 20


class NodeFiles:
    """Reads the files anew at each call. Not for several threads at once."""

    def __init__(self, root: Path) -> None:
        """Args: root: folder that stands for `/`."""
        self._devices = root / "sys/class/infiniband"
        self._state = root / "run/trnkit/node-state"
        self._check = root / "run/trnkit/node-check.json"
        self._sums = {
            name: Growth(MOST_DEVICES * len(counters))
            for name, counters in families.NODE_EFA.items()
        }

    def samples(self) -> Iterator[Sample]:
        """EFA counters a device, then what `node_samples` has too, with a little more."""
        efa = self._efa()
        for device, counters in efa.items():
            for counter, value in counters.items():
                yield Sample(families.EFA[counter], labels_of({"device": device}), value)
        state = _first_word(self._state)
        for name in STATES if state in STATES else ():
            yield Sample(families.NODE_STATE, labels_of({"state": name}), float(name == state))
        ran = self._checked_at()
        if ran is not None:
            yield Sample(families.NODE_CHECK_TIME, (), ran)
        yield from self._node_samples(efa)

    def node_samples(self) -> list[Sample]:
        """One number a node for each thing."""
        return list(self._node_samples(self._efa()))

    def _node_samples(self, efa: dict[str, dict[str, float]]) -> Iterator[Sample]:
        state = _first_word(self._state)
        if state in STATES:
            yield Sample(families.NODE_READY, (), float(state == "ready"))
        passed = _check_passed(self._check)
        if passed is not None:
            yield Sample(families.NODE_CHECK_OK, (), float(passed))
        for name, of in families.NODE_EFA.items() if efa else ():
            for device, counters in efa.items():
                for counter in of:
                    if counter in counters:
                        self._sums[name].see((device, counter), counters[counter])
            yield Sample(families.NODE_EFA_FAMILIES[name], (), self._sums[name].total)

    def _efa(self) -> dict[str, dict[str, float]]:
        """Counters of each device that has any of those that EFA's driver shows."""
        found: dict[str, dict[str, float]] = {}
        paths = sorted(self._devices.iterdir()) if self._devices.is_dir() else []
        for device in paths[:MOST_DEVICES]:
            counters: dict[str, float] = {}
            for name in families.EFA:
                text = _first_word(device / "ports/1/hw_counters" / name)
                # isdecimal alone lets digits of other scripts pass.
                if text.isascii() and text.isdecimal():
                    counters[name] = float(text)
            if counters:
                found[device.name] = counters
        return found

    def _checked_at(self) -> float | None:
        try:
            return self._check.stat().st_mtime
        except OSError:
            return None


def _first_word(path: Path) -> str:
    """The first word of a small file; empty when it cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return (file.read(256).split() or [""])[0]
    except OSError:
        # A device may go between the listing and the reading; sysfs then says EIO or ENODEV.
        return ""


def _check_passed(path: Path) -> bool | None:
    """Whether the last node check passed; None when there is none, or it cannot be told."""
    try:
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES)
        document = mapping(json.loads(text))
    except (OSError, ValueError, RecursionError):
        return None
    verdict = document.get("verdict")
    return verdict in _PASSED if isinstance(verdict, str) else None
