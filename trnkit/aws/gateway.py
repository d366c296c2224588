"""How every gateway asks: declared operations only, all pages, errors sorted in one place."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from botocore import xform_name
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from trnkit.aws.failures import (
    credentials_failure,
    failure_from,
    is_of_files,
    unusable_failure,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.read_operation import ReadOperation
    from trnkit.aws.session import AwsSession

# Of the files of credentials botocore raises what the system says.
_NO_ANSWER = (ClientError, BotoCoreError, ResponseParserError, OSError)


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
        operations: All that the gateway may ask.
    """

    service: ClassVar[str]
    operations: ClassVar[tuple[ReadOperation, ...]]

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region

    def _ask(
        self, operation: ReadOperation, *, about: str | None = None, **parameters: Any
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
        self._session.note_answer()
        return _Answer(answer, partial(self._lacking, operation, about))

    def _ask_all(
        self,
        operation: ReadOperation,
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
        pages = iter(client.get_paginator(xform_name(operation.name)).paginate(**parameters))
        try:
            while True:
                self._session.refuse_when_late(operation, self._region)
                with self._session.turn(self.service, self._region):
                    page = next(pages, None)
                if page is None:
                    return found
                self._session.note_answer()
                found += page.get(member, ())
        except _NO_ANSWER as error:
            raise self._failure(error, operation, about) from None

    def _client_for(self, operation: ReadOperation, about: str | None) -> Any:
        if operation not in self.operations:
            raise ValueError(f"{operation.name} is not declared by {type(self).__name__}")
        self._session.refuse_when_late(operation, self._region, about=about)
        return self._session.client(self.service, self._region)

    def _lacking(self, operation: ReadOperation, about: str | None, member: str) -> AwsFailure:
        return unusable_failure(
            self.service, operation.name, self._region, about, lacking=f"it has no {member}"
        )

    def _failure(self, error: Exception, operation: ReadOperation, about: str | None) -> Exception:
        if is_of_files(error) or (
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
