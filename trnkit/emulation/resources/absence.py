"""How services say that something is not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trnkit.emulation.borrowed import errors

_PARTS_OF_CODES = ("404", ".Malformed", "DoesNotExist", "NoSuch", "NotFound")
"""By one of these most services say it in the error's code."""


def unless_gone(call: Callable[[], Any], *told: str) -> Any:
    """What a call gives, None when the service says that the thing does not exist.

    Other errors of the service come through: they are no answer.

    Args:
        call: The call.
        told: Parts of code or message by which this service says so; none: the usual codes.
    """
    of_service, _ = errors()
    try:
        return call()
    except of_service as error:
        answer = getattr(error, "response", {}).get("Error", {})
        code = str(answer.get("Code", ""))
        said = f"{code}: {answer.get('Message', '')}" if told else code
        if any(part in said for part in told or _PARTS_OF_CODES):
            return None
        raise
