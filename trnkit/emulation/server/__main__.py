"""The process of the emulated AWS: ``python -m trnkit.emulation.server SETTINGS``.

SETTINGS is a file with a JSON object: ``account``, ``folder`` (a temporary one, for its state), and
``seeds``. It listens on a free port of 127.0.0.1 and writes one line of JSON with that port to
standard output. When its standard input is closed, whoever started it is gone, however that went:
then it ends the groups of processes that were named to it there, a line ``+ID`` each (``-ID`` takes
one back), removes the folder, and ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

_TIDYING_ROUNDS = 4
_TIDYING_PAUSE = 0.5


def main() -> None:
    """Serve until standard input ends or a signal comes."""
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    # First of all: whoever started this may die while it starts.
    threading.Thread(target=_watch, args=(Path(settings["folder"]),), daemon=True).start()
    try:
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    except OSError as error:
        reason = error.strerror or error
        sys.exit(f"no port of 127.0.0.1 can be opened: {reason}")
    port = listener.getsockname()[1]
    _prepare_environment(settings, port)
    asyncio.run(_serve(settings, listener, port))


def _prepare_environment(settings: dict[str, Any], port: int) -> None:
    """What MiniStack and moto read when they are imported."""
    folder = settings["folder"]
    os.environ.update(
        {
            "AUTH": "false",
            "BIND_HOST": "127.0.0.1",
            "DOCKER_HOST": f"unix://{folder}/no-docker.sock",
            "GATEWAY_PORT": str(port),
            "IOT_MTLS_ENABLED": "0",  # it would listen on port 8883 of every interface
            "LAMBDA_EXECUTOR": "local",
            "LOG_LEVEL": "WARNING",
            "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
            "MINISTACK_ACCOUNT_ID": settings["account"],
            "MINISTACK_HOST": "127.0.0.1",
            "PERSIST_STATE": "0",
            "S3_DATA_DIR": f"{folder}/s3",
            "SFTP_ENABLED": "0",
            "STATE_DIR": f"{folder}/state",
            "TMPDIR": folder,
        }
    )


async def _serve(settings: dict[str, Any], listener: socket.socket, port: int) -> None:
    application = _application(settings)

    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    from trnkit.emulation.resources import registry_schema

    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.keep_alive_timeout = 75
    config.loglevel = "WARNING"
    config.graceful_timeout = 0.5
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    print(json.dumps({"port": port, "pid": os.getpid()}), flush=True)
    # Needed with the first stack and slow to import; the first command takes longer to come.
    threading.Thread(target=registry_schema.prepare, daemon=True).start()
    with contextlib.suppress(asyncio.CancelledError):
        await serve(application, config, shutdown_trigger=ended.wait)  # type: ignore[arg-type]
    # Threads of Lambda functions and of deferred work do not keep the process.
    sys.stdout.flush()
    os._exit(0)


def _application(settings: dict[str, Any]) -> Any:
    """Put everything together, without looking for garbage: almost all that is made here stays."""
    gc.disable()

    from trnkit.emulation.server import starting

    application = starting.prepare(settings)
    gc.freeze()
    gc.enable()
    return application


def _watch(folder: Path) -> None:
    """Wait for the end of standard input, which only the death of the starter brings."""
    groups: set[int] = set()
    for line in _lines(sys.stdin.fileno()):
        (groups.add if line.startswith(b"+") else groups.discard)(int(line[1:]))
    for group in groups:
        _kill_group(group)
    # A synthesis that is still at work may write once more.
    for _ in range(_TIDYING_ROUNDS):
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(_TIDYING_PAUSE)
    shutil.rmtree(folder, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        _kill_group(os.getpid())  # with Lambda functions that still run
    os._exit(0)


def _lines(descriptor: int) -> Generator[bytes]:
    """Lines as they come; Python's own reader has a lock that a process cannot end with."""
    rest = b""
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 4096):
            *whole, rest = (rest + part).split(b"\n")
            yield from whole


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
