"""A refused connection is told at once, and whatever may pass is tried again."""

from __future__ import annotations

import socket
import time

import pytest

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.refused_connections import try_no_refused_connection_again
from trnkit.aws.session import AwsSession
from trnkit.aws.sts import StsGateway


@pytest.fixture
def unused(monkeypatch):
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    return address


@pytest.mark.parametrize("name", ["AWS_ENDPOINT_URL", "HTTPS_PROXY"])
def test_nobody_waits_where_a_connection_is_refused(name, unused, monkeypatch):
    monkeypatch.setenv(name, unused)
    session = AwsSession()
    session.client("sts", "us-east-2")
    start = time.monotonic()
    with pytest.raises(AwsFailure) as raised:
        StsGateway(session, "us-east-2").caller()
    taken = time.monotonic() - start
    assert raised.value.kind is FailureKind.UNREACHABLE
    assert taken < 5  # A connection that nobody refuses takes longer to fail.


def test_it_is_connected_to_once(unused, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", unused)
    client = AwsSession().client("sts", "us-east-2")
    sent = []
    client.meta.events.register("before-send", lambda **_: sent.append(1))
    with pytest.raises(Exception, match="Could not connect"):
        client.get_caller_identity()
    assert len(sent) == 1


@pytest.mark.parametrize(
    "error",
    [None, TimeoutError("slow"), ConnectionResetError(104, "reset"), OSError(101, "unreachable")],
)
def test_what_may_pass_is_left_to_botocore(error):
    hooks = []

    class Events:
        register_first = staticmethod(lambda name, hook: hooks.append(hook))

    class Client:
        meta = type("Meta", (), {"events": Events})

    try_no_refused_connection_again(Client)
    (hook,) = hooks
    assert hook(caught_exception=error, response=None, attempts=1) is None
