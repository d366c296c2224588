"""Clients of AWS that answer or fail in bounded time, and what a failure is called."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

ASKING_ERRORS = (ClientError, BotoCoreError)
"""What a call raises when AWS refuses, throttles, or cannot be reached."""

_CONFIG = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"mode": "standard", "total_max_attempts": 3},
    max_pool_connections=16,
)


def client(service: str) -> Any:
    """A client of a service in the function's Region."""
    return boto3.client(service, config=_CONFIG)


def fault(call: str, error: Exception) -> str:
    """What failed, in few words: the call and AWS's code, never a request's contents."""
    if isinstance(error, ClientError):
        return f"{call}: {error.response.get('Error', {}).get('Code', 'no code')}"
    return f"{call}: {type(error).__name__}"


def error_code(error: Exception) -> str:
    """AWS's code of a refusal; empty when no answer came."""
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", ""))
    return ""
