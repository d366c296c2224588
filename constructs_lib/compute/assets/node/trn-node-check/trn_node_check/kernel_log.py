"""Hardware errors of Neuron chips in the kernel's log of this boot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .outcome import Outcome, failed, passed, skipped, unknown
from .process import LARGE_OUTPUT_BYTES

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

_ERROR = re.compile(r"NEURON_HW_ERR=(\w+)([^\n]*)")
_DEVICE = re.compile(r"\bnd-id=(\d+)")
_ACTION = re.compile(r"\baction=(\w+)")


def check_kernel_log(machine: Machine, expected: Expected) -> list[Outcome]:
    """No NEURON_HW_ERR since this boot."""
    if expected.neuron is None:
        return [skipped("no Neuron devices are expected")]
    wanted = "no NEURON_HW_ERR"
    text, trouble = _kernel_log(machine)
    if text is None:
        return [unknown(trouble, wanted, "run this check as root: sudo trn-node-check")]
    errors = list(_ERROR.finditer(text))
    if not errors:
        return [passed("no hardware error since boot", wanted)]
    kinds: dict[str, set[str]] = {}
    actions: set[str] = set()
    for error in errors:
        device = _DEVICE.search(error[2])
        kinds.setdefault(error[1], set()).add(device[1] if device else "?")
        actions |= {match[1] for match in _ACTION.finditer(error[2])}
    several = [f"{kind} on device {', '.join(sorted(ids))}" for kind, ids in kinds.items()]
    ends = "TERMINATE_INSTANCE" in actions or not actions
    remedy = "replace this instance" if ends else f"follow the log: {', '.join(sorted(actions))}"
    return [failed(f"{len(errors)} in the kernel log: {'; '.join(several[:4])}", wanted, remedy)]


def _kernel_log(machine: Machine) -> tuple[str | None, str]:
    """This boot's log, from the first that this user may read."""
    first = machine.run("dmesg", most=LARGE_OUTPUT_BYTES)
    if first.good:
        return first.output, ""
    # Members of adm and systemd-journal may read the journal where dmesg is for root alone.
    journal = ("journalctl", "--dmesg", "--boot", "--quiet", "--no-pager", "-o", "cat")
    second = machine.run(*journal, most=LARGE_OUTPUT_BYTES)
    if second.good and second.output.strip():
        return second.output, ""
    return None, first.trouble
