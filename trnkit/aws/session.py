"""Clients of AWS services, all with the same time limits and retries.

Credentials, profile, proxies and endpoints come from where the AWS CLI has them too.
"""

from __future__ import annotations

from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from trnkit import __version__
from trnkit.aws.failures import failure_from

_CONFIG = Config(
    connect_timeout=5,
    read_timeout=20,
    # Slows down by itself when AWS throttles.
    retries={"mode": "adaptive", "total_max_attempts": 5},
    user_agent_extra=f"trnkit/{__version__}",
)


class AwsSession:
    """Makes a client of each service and Region once; not for several threads."""

    def __init__(self) -> None:
        """Take credentials and settings from the environment and the AWS CLI's files."""
        self._session: Any = None
        self._clients: dict[tuple[str, str], Any] = {}

    def client(self, service: str, region: str) -> Any:
        """A client of boto3.

        Args:
            service: As boto3 calls it, for example `ssm`.
            region: The Region it talks to.

        Raises:
            AwsError: Profile, settings or Region cannot be used.
        """
        key = (service, region)
        try:
            if self._session is None:
                self._session = boto3.Session()
            if key not in self._clients:
                made = self._session.client(service, region_name=region, config=_CONFIG)
                self._clients[key] = made
        except (BotoCoreError, ValueError) as error:
            raise failure_from(error, service=service, operation="connect", region=region) from None
        return self._clients[key]
