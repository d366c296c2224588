"""Finding the processes that the site named, and signalling them without hurting any other.

A process is held by a descriptor before it is looked at, so that a number which another process has
got in the meantime is never signalled.
"""

from __future__ import annotations

import os
import pwd
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from trn_node_check.files import NotOrdinaryError, TooLargeError, read_bytes
from trn_node_check.process import run_process

from .journal import Step

if TYPE_CHECKING:
    from .settings import Target

_MOST_BYTES = 64 * 1024
_OPTIONS = 4
"""How many options of Python's may stand before `-m`."""
_UNIT_SECONDS = 10.0


class TargetError(Exception):
    """It cannot be told which process is meant."""


def signal_target(target: Target, environment: dict[str, str], *, dry_run: bool) -> Step:
    """Send a target its signal; what does not handle it is left alone."""
    name = f"signal:{target.name}"
    try:
        numbers = _numbers(target, environment)
    except TargetError as error:
        return Step(name, "failed", str(error))
    sent: list[int] = []
    spared: list[int] = []
    for number in numbers:
        handled = _signal(target, number, dry_run=dry_run)
        if handled is not None:
            (sent if handled else spared).append(number)
    said = f"{target.signal.name} to {_list(sent)}" if sent else ""
    if spared:
        spare = f"{_list(spared)} would end of {target.signal.name}, which it does not handle"
        return Step(name, "warning", "; ".join(filter(None, (said, f"{spare}: not sent"))))
    if not sent:
        return Step(name, "skipped", f"no process is {target.selector} {target.value}")
    return Step(name, "planned" if dry_run else "ok", said)


def _list(numbers: list[int]) -> str:
    return "process " + ", ".join(map(str, numbers))


def _signal(target: Target, number: int, *, dry_run: bool) -> bool | None:
    """Whether the process got it; None for one that has gone or is another's."""
    try:
        held = os.pidfd_open(number)
    except OSError:
        return None
    try:
        if not _is_meant(target, number):
            return None
        if target.only_if_handled and not _handles(number, target.signal):
            return False
        if not dry_run:
            signal.pidfd_send_signal(held, target.signal)
        return True
    except ProcessLookupError:
        return None
    finally:
        os.close(held)


def _numbers(target: Target, environment: dict[str, str]) -> list[int]:
    if target.selector == "unit":
        return _of_unit(target.value, environment)
    if target.selector == "pidfile":
        return _of_file(target.value)
    own = {1, os.getpid(), os.getppid()}
    found = (int(entry) for entry in os.listdir("/proc") if entry.isdecimal())  # noqa: PTH208
    return sorted(number for number in found if number not in own and _is_meant(target, number))


def _of_unit(unit: str, environment: dict[str, str]) -> list[int]:
    command = ["systemctl", "show", "--property=MainPID", "--value", "--", unit]
    answer = run_process(command, name="systemctl", environment=environment, seconds=_UNIT_SECONDS)
    if not answer.good:
        raise TargetError(answer.trouble)
    text = answer.output.strip()
    if not text.isdecimal():
        raise TargetError(f"systemctl says no main process of {unit}: {text}")
    return [int(text)] if int(text) > 1 else []


def _of_file(place: str) -> list[int]:
    try:
        # Held while its owner and its text are read, so that both are of one file.
        held = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        try:
            owner = os.fstat(held).st_uid
            text = read_bytes(Path(f"/proc/self/fd/{held}"), _MOST_BYTES).decode("ascii").strip()
        finally:
            os.close(held)
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError, TooLargeError, NotOrdinaryError) as error:
        raise TargetError(f"{place} cannot be read: {error or type(error).__name__}") from error
    if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) <= 1:
        raise TargetError(f"{place} holds no process number")
    number = int(text)
    # Whoever may write the file must not have root signal what is another's.
    if owner != os.geteuid() and _user_number(number) not in (owner, None):
        raise TargetError(f"{place} names process {number}, which is not of the file's owner")
    return [number]


def _is_meant(target: Target, number: int) -> bool:
    if target.user is not None and _user(number) != target.user:
        return False
    return target.selector != "process" or target.value in _names(number)


def _names(number: int) -> set[str]:
    """What a process is called: by the kernel, by its program, by the program that Python runs."""
    kernel = _read(number, "comm").decode("utf-8", "replace").strip()
    line = _read(number, "cmdline").decode("utf-8", "replace")
    first, *words = [word.rpartition("/")[2] for word in line.split("\0")]
    names = {kernel, first}
    if first.startswith("python"):
        if "-m" in words[:_OPTIONS]:
            names.add(words[words.index("-m") + 1])
        else:
            names.update([word for word in words if not word.startswith("-")][:1])
    return names - {""}


def _user(number: int) -> str | None:
    found = _user_number(number)
    try:
        return None if found is None else pwd.getpwuid(found).pw_name
    except KeyError:
        return None


def _user_number(number: int) -> int | None:
    """Whom a process is of; None when it has gone."""
    found = re.search(rb"^Uid:\s+\d+\s+(\d+)", _read(number, "status"), re.MULTILINE)
    return int(found[1]) if found else None


def _handles(number: int, wanted: signal.Signals) -> bool:
    """Whether it catches or ignores a signal, or has it blocked to wait for it."""
    status = _read(number, "status")
    bit = 1 << (wanted - 1)
    for field in (b"SigCgt", b"SigIgn", b"SigBlk"):
        found = re.search(rb"^" + field + rb":\s+([0-9a-f]+)", status, re.MULTILINE)
        if found and int(found[1], 16) & bit:
            return True
    return False


def _read(number: int, name: str) -> bytes:
    """A file of a process; empty when it has gone."""
    try:
        return read_bytes(Path(f"/proc/{number}/{name}"), _MOST_BYTES)
    except (OSError, TooLargeError, NotOrdinaryError):
        return b""
