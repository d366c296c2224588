"""How a service of moto's refuses, with AWS's code and message."""

from __future__ import annotations

from typing import NoReturn

from moto.core.exceptions import JsonRESTError


def refuse(code: str, message: str, status: int = 400) -> NoReturn:
    """Refuse the request that is being answered.

    Args:
        code: The error code, such as ``InvalidParameterException``.
        message: The message.
        status: The HTTP status.

    Raises:
        JsonRESTError: Always; moto makes the answer of it.
    """
    error = JsonRESTError(code, message)
    error.code = status
    raise error
