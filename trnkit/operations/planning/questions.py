"""Questions to AWS that are under way at once, with one end for all of them."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from trnkit.aws.failures import AwsFailure, late_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.aws.read_operation import ReadOperation
    from trnkit.operations.planning.market import Told

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pending(Generic[T]):
    """An answer that is on its way.

    Attributes:
        operation: What is asked.
        region: Where.
        about: What it is asked for.
    """

    operation: ReadOperation
    region: str
    about: str | None
    _end: float
    _future: Future[T]

    def told(self) -> Told[T]:
        """The answer, or the failure in its place; waits for it until the end of all questions."""
        try:
            return self._future.result(timeout=max(0.0, self._end - time.monotonic()))
        except TimeoutError:
            return self._late(under_way=True)
        except AwsFailure as failure:
            return failure

    def work(self, ask: Callable[[], T]) -> None:
        """Ask now, in the thread of the question."""
        try:
            if time.monotonic() >= self._end:
                raise self._late(under_way=False)
            self._future.set_result(ask())
        except BaseException as error:  # Raised again where the answer is wanted.
            self._future.set_exception(error)

    def _late(self, *, under_way: bool) -> AwsFailure:
        named = (self.operation.service, self.operation.name, self.region, self.about)
        return late_failure(*named, under_way=under_way)


class Questions:
    """Asks each question in a thread of its own.

    How many calls are under way is for the session to bound, by service and Region: a bound of
    threads would let a Region that hangs hold up the others.
    """

    def __init__(self, most_seconds: float) -> None:
        """Begin now.

        Args:
            most_seconds: After so long, whatever is unanswered has failed.
        """
        self._end = time.monotonic() + most_seconds

    def ask(
        self,
        operation: ReadOperation,
        region: str,
        ask: Callable[[], T],
        *,
        about: str | None = None,
    ) -> Pending[T]:
        """Ask, and do not wait.

        Args:
            operation: What is asked, for the message when no answer comes in time.
            region: Where.
            ask: Asks; may raise `AwsFailure`.
            about: What is asked for.
        """
        pending = Pending(operation, region, about, self._end, Future[T]())
        # A daemon: a call that hangs must not keep the process from ending.
        name = f"{operation.name} {region}"
        threading.Thread(target=pending.work, args=(ask,), name=name, daemon=True).start()
        return pending
