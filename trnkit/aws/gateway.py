"""How every gateway asks: declared operations only, all pages, errors sorted in one place.

A value that nobody can read costs the answer that it stands in, and no other: whether botocore
stumbles over it or the gateway, the answer is one that cannot be used.
"""

from __future__ import annotations

import threading
from functools import partial, wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar

from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from trnkit.aws.failures import (
    credentials_failure,
    failure_from,
    is_of_files,
    lacks_files,
    unusable_failure,
)
from trnkit.aws.identities import without_identities
from trnkit.errors import is_debugging

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.aws.change_operation import ChangeOperation, Operation
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.read_operation import ReadOperation
    from trnkit.aws.session import AwsSession

# Of the files of credentials botocore raises what the system says.
_NO_ANSWER = (ClientError, BotoCoreError, ResponseParserError, OSError)
_UNREADABLE = (
    ValueError,
    TypeError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RecursionError,
)
_READERS = ("botocore.parsers", "trnkit.aws.foreign_replies")
_MOST_WORDS = 100
_GIVERS = ("botocore.credentials", "botocore.tokens")


class _Answer(dict[str, Any]):
    """An answer of which a member may be missing: who needs it has no answer, and no KeyError."""

    def __init__(self, told: dict[str, Any], lacking: Callable[[str], AwsFailure]) -> None:
        super().__init__(told)
        self._lacking = lacking

    def __missing__(self, member: str) -> Any:
        raise self._lacking(member)


class Gateway:
    """One service in one Region.

    Attributes:
        service: Service as boto3 calls it.
        operations: All that the gateway may ask and that only reads.
        changes: What it may ask that changes something; of all but one gateway nothing.
    """

    service: ClassVar[str]
    operations: ClassVar[tuple[ReadOperation, ...]]
    changes: ClassVar[tuple[ChangeOperation, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        """Let each question of a gateway fail as unanswered where its answer cannot be read."""
        super().__init_subclass__(**more)
        for name, member in list(vars(cls).items()):
            if isinstance(member, FunctionType) and not name.startswith("_"):
                setattr(cls, name, _reading(member))

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region
        # What this thread was answered last, and has not read to the end.
        self._told = threading.local()

    def _ask(
        self, operation: Operation, *, about: str | None = None, **parameters: Any
    ) -> dict[str, Any]:
        """One answer.

        Args:
            operation: One of the gateway's.
            about: What is asked for, for the message of a failure.
            parameters: Of the operation, by the API's names.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        client = self._client_for(operation, about)
        try:
            with self._session.turn(self.service, self._region):
                answer = getattr(client, xform_name(operation.name))(**parameters)
        except _NO_ANSWER as error:
            raise self._failure(error, operation, about) from None
        except _UNREADABLE as error:
            if failure := self._not_read(error, operation, about):
                raise failure from error
            raise
        self._session.note_answer()
        self._told.last = operation, about
        return _Answer(answer, partial(self._lacking, operation, about))

    def _ask_all(
        self,
        operation: Operation,
        member: str,
        *,
        about: str | None = None,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        """The members of every page.

        Args:
            operation: One of the gateway's that has pages.
            member: The key of the answer that holds them.
            about: What is asked for, for the message of a failure.
            parameters: Of the operation, by the API's names.

        Raises:
            AwsFailure: AWS gave no answer to one of the pages; a part is no answer.
        """
        client = self._client_for(operation, about)
        found: list[dict[str, Any]] = []
        try:
            paginator = client.get_paginator(xform_name(operation.name))
            pages = iter(paginator.paginate(**parameters))
            while True:
                self._session.refuse_when_late(operation, self._region)
                with self._session.turn(self.service, self._region):
                    page = next(pages, None)
                if page is None:
                    return found
                self._session.note_answer()
                self._told.last = operation, about
                found += page.get(member, ())
        except _NO_ANSWER as error:
            raise self._failure(error, operation, about) from None
        except _UNREADABLE as error:
            if failure := self._not_read(error, operation, about):
                raise failure from error
            raise

    def _client_for(self, operation: Operation, about: str | None) -> Any:
        if operation not in (*self.operations, *self.changes):
            raise ValueError(f"{operation.name} is not declared by {type(self).__name__}")
        self._session.refuse_when_late(operation, self._region, about=about)
        return self._session.client(self.service, self._region)

    def _lacking(self, operation: Operation, about: str | None, member: str) -> AwsFailure:
        return unusable_failure(
            self.service, operation.name, self._region, about, lacking=f"it has no {member}"
        )

    def _not_read(
        self, error: Exception, operation: Operation, about: str | None
    ) -> AwsFailure | None:
        """The failure that an error of a call means; None for a mistake of ours in asking."""
        modules = _modules(error)
        if not modules.isdisjoint(_GIVERS):
            return credentials_failure(error, self._region)
        return None if modules.isdisjoint(_READERS) else self._unusable(error, operation, about)

    def _unusable(self, error: Exception, operation: Operation, about: str | None) -> AwsFailure:
        words = without_identities(" ".join(str(error).split()))
        words = words if len(words) <= _MOST_WORDS else f"{words[: _MOST_WORDS - 3]}..."
        lacking = f"it cannot be read: {type(error).__name__}: {words}"
        return unusable_failure(self.service, operation.name, self._region, about, lacking=lacking)

    def _failure(self, error: Exception, operation: Operation, about: str | None) -> Exception:
        if (is_of_files(error) and not lacks_files(error)) or (
            isinstance(error, ClientError) and error.operation_name != operation.name
        ):
            # The client wanted credentials first, and was given none.
            return credentials_failure(error, self._region)
        failure = failure_from(
            error,
            service=self.service,
            operation=operation.name,
            region=self._region,
            about=about,
            permission=operation.permission,
        )
        # A bare status, as of a HEAD request, does not tell whether the credentials were accepted.
        if failure.kind.is_answer and not (failure.code or "").isdigit():
            self._session.note_answer()
        return failure


def _reading(question: Callable[..., Any]) -> Callable[..., Any]:
    """A question of a gateway that fails as unanswered when its answer cannot be read.

    What breaks before anything was answered is a mistake of ours, and stays one.
    """

    @wraps(question)
    def ask(self: Gateway, *arguments: Any, **named: Any) -> Any:
        before = getattr(self._told, "last", None)  # pyright: ignore[reportPrivateUsage]
        self._told.last = None  # pyright: ignore[reportPrivateUsage]
        try:
            return question(self, *arguments, **named)
        except _UNREADABLE as error:
            told: Any = self._told.last  # pyright: ignore[reportPrivateUsage]
            if told is None or is_debugging():
                raise
            raise self._unusable(error, *told) from error  # pyright: ignore[reportPrivateUsage]
        finally:
            self._told.last = self._told.last or before  # pyright: ignore[reportPrivateUsage]

    return ask


def _modules(error: Exception) -> set[str]:
    """The modules that were at work when an error was raised."""
    found: set[str] = set()
    step = error.__traceback__
    while step is not None:
        found.add(str(step.tb_frame.f_globals.get("__name__")))
        step = step.tb_next
    return found
