"""Questions to AWS that are under way at once, with one end for all of them.

A question that breaks, which is a mistake of ours, costs its own answer and not the others'.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Generic, TypeVar

from trnkit.aws.failures import AwsFailure, broken_failure, late_failure
from trnkit.errors import is_debugging

if TYPE_CHECKING:
    from collections.abc import Callable

    from trnkit.aws.read_operation import ReadOperation
    from trnkit.operations.planning.market import Told

T = TypeVar("T")


class Pending(Generic[T]):
    """An answer that is on its way."""

    def __init__(
        self,
        operation: ReadOperation,
        region: str,
        about: str | None,
        *,
        ask: Callable[[], T],
        end: float,
    ) -> None:
        """Begin to ask.

        Args:
            operation: What is asked.
            region: Where.
            about: What it is asked for.
            ask: Asks.
            end: When nobody waits any more, on the monotonic clock.
        """
        self._named = operation.service, operation.name, region, about
        self._end, self._ask = end, ask
        self._future: Future[T] = Future()
        # A daemon: a call that hangs must not keep the process from ending.
        name = f"{operation.name} {region}"
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def told(self) -> Told[T]:
        """The answer, or the failure in its place; waits for it until the end of all questions."""
        try:
            return self._future.result(timeout=max(0.0, self._end - time.monotonic()))
        except TimeoutError:
            return late_failure(*self._named, under_way=True)
        except AwsFailure as failure:
            return failure
        except MemoryError:
            raise
        except Exception as error:
            if is_debugging():
                raise
            return broken_failure(*self._named, error=error)

    def answer(self) -> T:
        """The answer.

        Raises:
            AwsFailure: There is none.
        """
        told = self.told()
        if isinstance(told, AwsFailure):
            raise told
        return told

    def _work(self) -> None:
        try:
            if time.monotonic() >= self._end:
                raise late_failure(*self._named)
            self._future.set_result(self._ask())
        except BaseException as error:  # Whoever waits for the answer must hear of it.
            self._future.set_exception(error)


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
        return Pending(operation, region, about, ask=ask, end=self._end)
