"""What the last boot said of its own steps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .machine import MOST_LOG_BYTES
from .outcome import Outcome, failed, passed, unknown, warned

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

LOG = "/var/log/trnkit-boot.log"
WHOLE = "boot"
"""The step that ends a boot."""
OWN = "node-check"
"""The step that is this program."""


def check_boot_log(machine: Machine, expected: Expected) -> list[Outcome]:
    """No step of the last boot failed, other than this check itself."""
    del expected
    wanted = "every step of the last boot ok"
    text = machine.text(LOG, most=MOST_LOG_BYTES, tail=True)
    if text is None:
        return [unknown(f"{LOG} does not exist", wanted, "read /var/log/cloud-init-output.log")]
    steps = last_boot(text)
    if not steps:
        return [unknown(f"{LOG} holds no step", wanted, "read /var/log/cloud-init-output.log")]
    # It failed because of what stands elsewhere in this report, and may have been put right.
    others = [step for step in steps if step["step"] not in (OWN, WHOLE)]
    wrong = [step for step in others if step["status"] == "failed"]
    if wrong:
        several = [f"{step['step']}: {step.get('detail') or 'failed'}"[:120] for step in wrong]
        remedy = "put it right, then `sudo systemctl restart trnkit-boot.service`"
        return [failed("; ".join(several[:3]), wanted, remedy)]
    odd = [step for step in others if step["status"] == "warning"]
    if odd:
        several = [f"{step['step']}: {step.get('detail') or 'warning'}"[:120] for step in odd]
        return [warned("; ".join(several[:3]), wanted, f"read {LOG}")]
    return [passed(f"{len(others)} steps of the last boot are ok", wanted)]


def last_boot(text: str) -> list[dict[str, Any]]:
    """The steps of the last boot, which may not have ended: what follows the one before it.

    That one may have been cut off without its last line; then the number of the attempt tells.
    """
    steps: list[dict[str, Any]] = []
    for line in text.splitlines():
        try:
            step = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(step, dict) and all(isinstance(step.get(k), str) for k in ("step", "status")):
            steps.append(step)
    ends = [number for number, step in enumerate(steps[:-1]) if step["step"] == WHOLE]
    last = steps[ends[-1] + 1 :] if ends else steps
    return [step for step in last if step.get("attempt") == last[-1].get("attempt")]
