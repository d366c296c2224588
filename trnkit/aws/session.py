"""Clients of AWS services, all with the same time limits and retries.

Credentials, profile, proxies and endpoints come from where the AWS CLI has them too.
"""

from __future__ import annotations

import contextlib
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, NoCredentialsError

from trnkit import __version__
from trnkit.aws.credential_values import refuse_unusable_credentials
from trnkit.aws.failures import credentials_failure, failure_from, late_failure
from trnkit.aws.foreign_replies import refuse_foreign_replies
from trnkit.aws.refused_connections import try_no_refused_connection_again
from trnkit.hidden_values import hide

if TYPE_CHECKING:
    from collections.abc import Generator

    from trnkit.aws.change_operation import Operation

CALLS_AT_ONCE = 16
"""Of one service in one Region, where AWS counts them: more would be throttled, and no faster."""
CALLS_AT_ONCE_IN_ALL = 96
_IDLE_CONNECTIONS = 4
"""Kept for each service and Region. Open files are few: 256 for a process of a Mac."""

_CONFIG = Config(
    connect_timeout=5,
    read_timeout=20,
    max_pool_connections=_IDLE_CONNECTIONS,
    # Waits up to 1 s, 2 s, 4 s and 8 s. "adaptive" lets a client that was throttled once send a
    # call every two seconds at first, which doubles the time of a command that asks a little
    # of everything (benchmarks/ask_regions.py).
    retries={"mode": "standard", "total_max_attempts": 5},
    user_agent_extra=f"trnkit/{__version__}",
)
_ONCE = _CONFIG.merge(
    # A function may wait for another run of itself, and must not be run twice for one wish.
    Config(read_timeout=150, retries={"mode": "standard", "total_max_attempts": 1})
)
_CONFIGS = {"lambda": _ONCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialsInUse:
    """Where the credentials come from; nothing of them.

    Attributes:
        method: As botocore calls it, for example `env`, `sso`, `assume-role-with-web-identity`.
        temporary: Whether they have a session token, and so an end.
    """

    method: str
    temporary: bool


class AwsSession:
    """Makes a client of each service and Region once; several threads may use it."""

    def __init__(self, *, most_seconds: float | None = None) -> None:
        """Take credentials and settings from the environment and the AWS CLI's files.

        Args:
            most_seconds: After so long nothing more is asked; None is no limit.
        """
        self._session: Any = None
        self._clients: dict[tuple[str, str], Any] = {}
        self._making = threading.Lock()
        self._turns: dict[tuple[str, str], threading.BoundedSemaphore] = {}
        self._turns_in_all = threading.BoundedSemaphore(CALLS_AT_ONCE_IN_ALL)
        self._end = None if most_seconds is None else time.monotonic() + most_seconds
        self._answered = threading.Event()

    def client(self, service: str, region: str) -> Any:
        """A client of boto3.

        Args:
            service: As boto3 calls it, for example `ssm`.
            region: The Region it talks to.

        Raises:
            AwsError: Profile, settings or Region cannot be used.
        """
        key = (service, region)
        with self._making:
            try:
                if self._session is None:
                    self._session = boto3.Session()
                if key not in self._clients:
                    made = self._session.client(
                        service, region_name=region, config=_CONFIGS.get(service, _CONFIG)
                    )
                    refuse_foreign_replies(made)
                    try_no_refused_connection_again(made)
                    _ = urlsplit(made.meta.endpoint_url).port  # Or the first call would raise.
                    self._clients[key] = made
            except (BotoCoreError, ValueError, OSError) as error:
                raise failure_from(
                    error, service=service, operation="connect", region=region
                ) from None
            return self._clients[key]

    def credentials(self, region: str) -> CredentialsInUse:
        """Where the credentials come from.

        Args:
            region: For the message, when there are none.

        Raises:
            AwsError: There are none, they cannot be had, or they cannot be sent.
        """
        with self._making:
            try:
                if self._session is None:
                    self._session = boto3.Session()
                found = self._session.get_credentials()
                if found is None:
                    raise NoCredentialsError
                frozen = found.get_frozen_credentials()
            except Exception as error:  # Of botocore, of a file, of a program that prints anything.
                raise credentials_failure(error, region) from None
        hide((frozen.access_key, frozen.secret_key, frozen.token))
        refuse_unusable_credentials(frozen, str(found.method), region)
        return CredentialsInUse(method=str(found.method), temporary=bool(frozen.token))

    @contextlib.contextmanager
    def turn(self, service: str, region: str) -> Generator[None]:
        """One of the calls that may be under way at once.

        A Region that hangs keeps its own turns and no more, so that the others go on.

        Args:
            service: As boto3 calls it.
            region: The Region that is asked.
        """
        # One step of CPython's, so that two threads get the same.
        own = self._turns.setdefault((service, region), threading.BoundedSemaphore(CALLS_AT_ONCE))
        with own, self._turns_in_all:
            yield

    def close(self) -> None:
        """Give back the connections: whoever writes a report next needs open files, too."""
        with self._making:
            for client in self._clients.values():
                client.close()

    @property
    def default_region(self) -> str | None:
        """The Region that environment or profile name, for when nothing else does."""
        with self._making:
            try:
                if self._session is None:
                    self._session = boto3.Session()
            except BotoCoreError:
                return None  # Whoever asks AWS next says what is wrong with the settings.
            return self._session.region_name

    @property
    def answered(self) -> bool:
        """Whether AWS has accepted the credentials at all, were it to say no."""
        return self._answered.is_set()

    def note_answer(self) -> None:
        """Remember that AWS has accepted the credentials."""
        self._answered.set()

    def refuse_when_late(
        self, operation: Operation, region: str, *, about: str | None = None
    ) -> None:
        """Ask nothing more when the time is over.

        Raises:
            AwsFailure: It is.
        """
        if self._end is not None and time.monotonic() >= self._end:
            raise late_failure(operation.service, operation.name, region, about)
