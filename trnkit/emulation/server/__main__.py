"""The process of the emulated AWS: ``python -m trnkit.emulation.server SETTINGS``.

SETTINGS is a file with a JSON object: ``account``, ``folder`` for its state, and ``seeds``. It
listens on a free port of 127.0.0.1, writes one line of JSON with that port to standard output, and
ends when its standard input is closed: whoever started it is gone then, however that went.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path
from typing import Any


def main() -> None:
    """Serve until standard input ends or a signal comes."""
    settings = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
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
            "LAMBDA_EXECUTOR": "local",
            "LOG_LEVEL": "WARNING",
            "MOTO_EC2_LOAD_DEFAULT_AMIS": "false",
            "MINISTACK_ACCOUNT_ID": settings["account"],
            "MINISTACK_HOST": "127.0.0.1",
            "PERSIST_STATE": "0",
            "S3_DATA_DIR": f"{folder}/s3",
            "SFTP_ENABLED": "0",
            "TMPDIR": folder,
        }
    )


async def _serve(settings: dict[str, Any], listener: socket.socket, port: int) -> None:
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    from trnkit.emulation.server import starting

    application = starting.prepare(settings)
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.keep_alive_timeout = 75
    config.loglevel = "WARNING"
    config.graceful_timeout = 0.5
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ended.set)
    threading.Thread(target=_watch, args=(loop, ended), daemon=True).start()
    print(json.dumps({"port": port, "pid": os.getpid()}), flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await serve(application, config, shutdown_trigger=ended.wait)  # type: ignore[arg-type]
    # Threads of Lambda functions and of deferred work do not keep the process.
    sys.stdout.flush()
    os._exit(0)


def _watch(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Wait for the end of standard input, which only the death of the starter brings."""
    with contextlib.suppress(OSError, ValueError):
        while sys.stdin.buffer.read(4096):
            pass
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(ended.set)
    # A loop that is stuck in a request does not end by an event.
    threading.Timer(2.0, lambda: os._exit(0)).start()


if __name__ == "__main__":
    main()
