"""The HTTP server: reads a request, remembers it, lets it go wrong by rule, or answers.

A thread a connection, and connections are kept: how long a command takes is decided by what it
asks at once, as with AWS.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
import time
import traceback
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tests.aws_server.faults import Fault, Rule, faulty_reply
from tests.aws_server.wire import (
    Question,
    Reply,
    UnreadableRequestError,
    hold_to_shape,
    prepare,
    question_of,
    read_as_botocore_does,
    refusal_in_words_of,
    reply_with,
)
from tests.trnkit.operations.preflight.fake_account import Refusal

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, as it was answered.

    Attributes:
        question: What it asked.
        began: When it was read, as `time.monotonic` counts.
        ended: When the answer was sent, or the client was gone.
        fault: What went wrong with it, by rule.
        connection: Number of the connection that it came through.
    """

    question: Question
    began: float
    ended: float
    fault: Fault | None
    connection: int

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.began


class AwsServer:
    """An AWS on 127.0.0.1.

    Attributes:
        endpoint: What AWS_ENDPOINT_URL names.
        answers: What it says itself; all else comes from `behind`.
        latency: Seconds that every answer takes.
        rules: What goes wrong.
        calls: What was asked, in the order of the answers.
        begun: What was asked, in the order of the questions, with what has no answer yet.
        problems: What no client should have seen: a request that cannot be read, an answer that
            AWS could not give. A test that leaves one here has failed.
    """

    def __init__(self, answers: Mapping[str, Any], behind: str) -> None:
        """Start to serve.

        Args:
            answers: By `service.Operation`, a value, a `Refusal`, or a function of the parameters
                and the Region.
            behind: Endpoint of the emulated AWS, for operations that `answers` does not have.
        """
        prepare()
        self.answers, self._behind = answers, urlsplit(behind).netloc
        self.latency, self.rules = 0.0, list[Rule]()
        self.calls, self.problems = list[Call](), list[str]()
        self.begun = list[Question]()
        self.ended = threading.Event()
        self._forwarded: dict[Any, Reply] = {}
        self._server = _Server(("127.0.0.1", 0), self)
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        """End, with whatever still hangs."""
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()

    @contextlib.contextmanager
    def wrong(self, *rules: Rule, latency: float = 0.0) -> Generator[list[Call]]:
        """Let things go wrong for the time of a `with` block; yields the calls of that time."""
        self.calls, self.begun = [], []
        self.rules, self.latency = list(rules), latency
        try:
            yield self.calls
        finally:
            self.rules, self.latency = [], 0.0

    def reply(self, question: Question, request: tuple[str, str, dict[str, str], bytes]) -> Reply:
        """What AWS answers."""
        name = f"{question.service}.{question.operation}"
        if name not in self.answers:
            return self._reply_from_behind(question, request)
        answer = self.answers[name]
        if callable(answer):
            answer = answer(question.parameters, question.region)
        if isinstance(answer, Refusal):
            return refusal_in_words_of(question, answer.code, answer.message, answer.status)
        return reply_with(question, answer)

    def _reply_from_behind(
        self, question: Question, request: tuple[str, str, dict[str, str], bytes]
    ) -> Reply:
        """From the emulated AWS, which nothing changes meanwhile: the same answer is asked once."""
        method, path, headers, body = request
        key = (question.service, question.region, method, path, body)
        if key not in self._forwarded:
            connection = http.client.HTTPConnection(self._behind, timeout=60)
            with contextlib.closing(connection):
                connection.request(method, path, body, headers)
                answered = connection.getresponse()
                told = {"Content-Type": answered.headers.get("Content-Type", "text/plain")}
                reply = Reply(answered.status, told, answered.read())
            if reply.status == 200:
                hold_to_shape(question, read_as_botocore_does(question, reply))
            elif reply.status >= 500 or reply.status == 404:
                raise AssertionError(f"the emulated AWS has no answer: {reply.body[:200]!r}")
            self._forwarded[key] = reply
        return self._forwarded[key]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], aws: AwsServer) -> None:
        self.aws, self.connections = aws, 0
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone away, as one does that was interrupted, is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        self.server.connections += 1
        self._number = self.server.connections
        super().setup()

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def _serve(self) -> None:
        aws, began = self.server.aws, time.monotonic()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = (self.command, self.path, dict(self.headers.items()), body)
        try:
            question = question_of(*request)
        except UnreadableRequestError as error:
            aws.problems.append(str(error))
            self._send(Reply(400, {"Content-Type": "text/plain"}, str(error).encode()))
            return
        aws.begun.append(question)
        fault = next((rule.fault for rule in aws.rules if rule.hits(question)), None)
        try:
            if aws.latency:
                time.sleep(aws.latency)
            self._answer(question, request, fault)
        finally:
            told = Call(
                question=question,
                began=began,
                ended=time.monotonic(),
                fault=fault,
                connection=self._number,
            )
            aws.calls.append(told)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = _serve

    def _answer(
        self,
        question: Question,
        request: tuple[str, str, dict[str, str], bytes],
        fault: Fault | None,
    ) -> None:
        aws = self.server.aws
        if fault is Fault.HANG:
            self._hang()
            return
        if fault is Fault.CUT:
            self._cut()
            return
        reply = faulty_reply(fault, question) if fault else None
        if reply is None:
            try:
                reply = aws.reply(question, request)
            except Exception as error:
                aws.problems.append(f"{question.service} {question.operation}: {error}")
                aws.problems.append(traceback.format_exc())
                reply = refusal_in_words_of(question, "TestServerProblem", str(error), 500)
        if fault in (Fault.CUT_SHORT, Fault.HALF):
            half = Reply(reply.status, reply.headers, reply.body[: len(reply.body) // 2])
            if fault is Fault.CUT_SHORT:
                self._send(half, length=len(reply.body))
                self._cut()
                return
            reply = half
        self._send(reply)

    def _send(self, reply: Reply, *, length: int | None = None) -> None:
        """Headers and body in one piece: two would wait for each other on the way."""
        told = {**reply.headers, "Content-Length": str(length or len(reply.body))}
        lines = [f"HTTP/1.1 {reply.status} {http.client.responses.get(reply.status, 'Answer')}"]
        lines += [f"{name}: {value}" for name, value in told.items()]
        head = "\r\n".join(lines) + "\r\n\r\n"
        body = b"" if self.command == "HEAD" else reply.body
        self.wfile.write(head.encode("latin-1") + body)

    def _hang(self) -> None:
        """Say nothing until the client goes away."""
        self.close_connection = True
        self.connection.settimeout(0.1)
        while not self.server.aws.ended.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1, socket.MSG_PEEK):
                    return

    def _cut(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def operations_of(calls: Sequence[Call]) -> set[tuple[str, str]]:
    """Services and operations that were asked."""
    return {(call.question.service, call.question.operation) for call in calls}
