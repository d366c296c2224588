"""Modules of other projects, some without types and some entered by names that they keep private.

One door for them all: who looks for what the emulated AWS rests on, looks for calls of `module`.
"""

from __future__ import annotations

import importlib
from typing import Any


def module(name: str) -> Any:
    """Import a module by its full name."""
    return importlib.import_module(name)


def errors() -> tuple[type[Exception], type[Exception]]:
    """Botocore's errors: of a service, and of parameters that no service was asked about."""
    exceptions = module("botocore.exceptions")
    return exceptions.ClientError, exceptions.ParamValidationError


def of_clients() -> tuple[type[Exception], ...]:
    """All errors of botocore's clients: what a service answered, and that none answered."""
    exceptions = module("botocore.exceptions")
    return exceptions.ClientError, exceptions.BotoCoreError, exceptions.HTTPClientError
