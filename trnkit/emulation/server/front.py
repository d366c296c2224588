"""One address for all services: a request goes where its signature says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from trnkit.emulation.server import moto_bridge

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LONGEST_BODY = 16 * 1024 * 1024
"""Bytes of a request that moto's services take; theirs are far shorter."""


Control = Callable[[bytes], bytes]
"""What answers a request to the emulated AWS itself, beside its services."""


def application(others: Application, controls: Mapping[str, Control]) -> Application:
    """The ASGI application of the emulated AWS.

    Args:
        others: What answers requests to all services that moto does not hold.
        controls: By path, what answers requests to the emulation itself.
    """

    async def serve(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await others(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1")
            for name, value in scope["headers"]
        }
        if scope["path"] in controls:
            await _control(controls[scope["path"]], receive, send)
            return
        signed = moto_bridge.signed_for(headers.get("authorization", ""))
        if signed is None or signed[0] not in moto_bridge.SERVICES:
            await others(scope, receive, send)
            return
        body = await _body(receive)
        if body is None:
            await _answer(send, 413, {"content-type": "text/plain"}, b"the request is too long")
            return
        query = scope.get("query_string", b"").decode("latin-1")
        raw: bytes = scope.get("raw_path") or scope["path"].encode()
        path = raw.decode("latin-1").partition("?")[0] + (f"?{query}" if query else "")
        status, told, content = await asyncio.to_thread(
            moto_bridge.answer, *signed, scope["method"], path, headers, body
        )
        await _answer(send, status, told, content)

    return serve


async def _control(control: Control, receive: Receive, send: Send) -> None:
    body = await _body(receive) or b""
    try:
        answer = control(body)
    except (KeyError, ValueError) as error:
        await _answer(send, 400, {"content-type": "text/plain"}, str(error).encode())
        return
    await _answer(send, 200, {"content-type": "application/json"}, answer)


async def _body(receive: Receive) -> bytes | None:
    parts: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        part = message.get("body", b"")
        length += len(part)
        if length > LONGEST_BODY:
            return None
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


async def _answer(send: Send, status: int, headers: dict[str, str], body: bytes) -> None:
    kept = {k: v for k, v in headers.items() if k not in {"content-length", "connection"}}
    kept["content-length"] = str(len(body))
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(k.encode("latin-1"), v.encode("latin-1")) for k, v in kept.items()],
        }
    )
    await send({"type": "http.response.body", "body": body})
