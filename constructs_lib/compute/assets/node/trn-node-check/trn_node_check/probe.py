"""Touches a folder of a file system: run as a process of its own, which can be killed.

A dead file server blocks whoever touches it, for good. So this program does the touching, and
`mounts.py` waits for it as long as it likes. `probe.py visit PATH` looks into the folder, `probe.py
write PATH` also writes a small file to its disk, reads it back and deletes it, and `probe.py create
PATH` leaves out the disk. It prints one JSON object.
"""

# pathlib would take longer to load than all of this takes.
# ruff: noqa: PTH108, PTH116, PTH118
from __future__ import annotations

import errno
import json
import os
import sys

TEXT = b"trn-node-check\n" * 64


def visit(path: str) -> None:
    """Make an automount happen, and the server answer."""
    os.stat(path)
    with os.scandir(path) as entries:
        next(iter(entries), None)


def write(path: str, *, to_disk: bool) -> None:
    """Write, read back and delete a file that nobody else has."""
    name = os.path.join(path, f".trn-node-check-{os.urandom(8).hex()}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(name, flags, 0o600)
    try:
        os.write(descriptor, TEXT)
        if to_disk:
            os.fsync(descriptor)
        os.lseek(descriptor, 0, os.SEEK_SET)
        if os.read(descriptor, len(TEXT) + 1) != TEXT:
            raise OSError(errno.EIO, "the file reads back otherwise than it was written")
    finally:
        os.close(descriptor)
        os.unlink(name)


def main(arguments: list[str]) -> int:
    """Do one of the two, say what came of it."""
    kind, path = arguments
    step = "visit"
    try:
        visit(path)
        if kind != "visit":
            step = "write"
            write(path, to_disk=kind == "write")
    except OSError as error:
        name = errno.errorcode.get(error.errno or 0, "")
        print(json.dumps({"step": step, "error": name, "text": error.strerror or str(error)}))
        return 1
    print(json.dumps({"step": step, "error": None}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
