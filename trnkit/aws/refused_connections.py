"""Connections that are refused: somebody answers at once that nobody listens there.

botocore takes that for a fault of the moment and tries again, for up to 15 seconds a call. AWS's
own endpoints refuse no connection; a wrong AWS_ENDPOINT_URL, a stopped proxy or a firewall does,
and goes on to.
"""

from __future__ import annotations

from typing import Any

_LONGEST_CHAIN = 10


def try_no_refused_connection_again(client: Any) -> None:
    """Let a client of boto3 raise the error of a refused connection at once.

    Args:
        client: Any client.
    """
    # Before botocore's own, which waits and then tries again.
    client.meta.events.register_first("needs-retry", _raise_refused)


def _raise_refused(caught_exception: Exception | None = None, **_: Any) -> None:
    if caught_exception is not None and _is_refused(caught_exception):
        raise caught_exception


def _is_refused(error: BaseException) -> bool:
    """Whether it is somewhere in the chain of botocore's, urllib3's and the system's errors."""
    seen: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if seen is None or isinstance(seen, ConnectionRefusedError):
            break
        within = getattr(seen, "kwargs", {}).get("error")
        seen = within if isinstance(within, BaseException) else seen.__cause__ or seen.__context__
    return isinstance(seen, ConnectionRefusedError)
