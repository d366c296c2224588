"""/etc/trnkit/drain.conf: what the site wants signalled, and how long hooks may take."""

from __future__ import annotations

import configparser
import os
import re
import signal
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trn_node_check.files import NotOrdinaryError, TooLargeError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = "/etc/trnkit/drain.conf"
MOST_BYTES = 256 * 1024
HOOK_SECONDS = 60
_MOST_HOOK_SECONDS = 3600
_SELECTORS = ("unit", "process", "pidfile")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:-]{0,99}")
_NEVER = frozenset({signal.SIGKILL, signal.SIGSTOP})


class SettingsError(Exception):
    """The file says something that cannot be done."""


class Target(NamedTuple):
    """What gets a signal.

    Attributes:
        name: What the file calls it.
        selector: `unit`: the main process of a systemd unit. `process`: every process of that
            name. `pidfile`: the process whose number the file holds.
        value: The unit, the name or the file.
        user: Only processes of this user; None for any.
        signal: What it gets.
        only_if_handled: Whether a process that would die of the signal is left alone.
    """

    name: str
    selector: str
    value: str
    user: str | None
    signal: signal.Signals
    only_if_handled: bool


class DrainSettings(NamedTuple):
    """What the file says.

    Attributes:
        hook_seconds: Longest time of one hook.
        wall: Whether people who are logged in are told.
        targets: What is signalled, in order. None unless the site names some: the default action
            of most signals ends a process.
    """

    hook_seconds: int = HOOK_SECONDS
    wall: bool = True
    targets: tuple[Target, ...] = ()


def is_roots_alone(found: os.stat_result) -> bool:
    """Whether nobody else than the user of this program, root on a node, can write a file."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read_settings(root: str) -> DrainSettings:
    """What the file says, or the defaults without one.

    Raises:
        SettingsError: It cannot be read, or says what is not known here.
    """
    path = Path(root + PLACE)
    try:
        # What it names is signalled by root: whoever may write it might signal anything.
        if not is_roots_alone(path.stat()):
            raise SettingsError(f"not read: {PLACE} can be written by others than root")
        text = read_bytes(path, MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        return DrainSettings()
    except (OSError, UnicodeDecodeError, TooLargeError, NotOrdinaryError) as error:
        raise SettingsError(f"{PLACE} cannot be read: {error or type(error).__name__}") from error
    parser = configparser.ConfigParser(interpolation=None, default_section="")
    try:
        parser.read_string(text, source=PLACE)
    except configparser.Error as error:
        raise SettingsError(" ".join(str(error).split())) from error
    settings = DrainSettings()
    targets: list[Target] = []
    for section in parser.sections():
        found = parser[section]
        kind, _, name = section.partition(" ")
        if section == "drain":
            settings = _general(found)
        elif kind == "signal" and _NAME.fullmatch(name):
            targets.append(_target(name, found))
        else:
            raise SettingsError(f"[{section}] must be [drain] or [signal NAME]")
    return settings._replace(targets=tuple(targets))


def _general(found: Mapping[str, str]) -> DrainSettings:
    _refuse_others("drain", found, ("hook_seconds", "wall"))
    text = found.get("hook_seconds", str(HOOK_SECONDS))
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_HOOK_SECONDS:
        raise SettingsError(f"hook_seconds must be 1 to {_MOST_HOOK_SECONDS}, got {text}")
    return DrainSettings(int(text), _yes_or_no("wall", found.get("wall", "yes")))


def _target(name: str, found: Mapping[str, str]) -> Target:
    place = f"signal {name}"
    _refuse_others(place, found, (*_SELECTORS, "user", "signal", "only_if_handled"))
    given = [selector for selector in _SELECTORS if found.get(selector)]
    if len(given) != 1:
        raise SettingsError(f"[{place}] needs exactly one of unit, process and pidfile")
    value = found[given[0]]
    if given[0] == "pidfile" and not value.startswith("/"):
        raise SettingsError(f"pidfile of [{place}] must be a path from /, got {value}")
    if given[0] == "unit" and not _NAME.fullmatch(value):
        raise SettingsError(f"unit of [{place}] must be the name of a unit, got {value}")
    return Target(
        name,
        given[0],
        value,
        found.get("user"),
        _signal(place, found.get("signal", "SIGUSR1")),
        _yes_or_no("only_if_handled", found.get("only_if_handled", "yes")),
    )


def _signal(place: str, text: str) -> signal.Signals:
    name = text.upper()
    name = name if name.startswith("SIG") else f"SIG{name}"
    try:
        found = signal.Signals[name]
    except KeyError:
        raise SettingsError(f"signal of [{place}] is no signal: {text}") from None
    if found in _NEVER:
        raise SettingsError(f"signal of [{place}] is {name}, of which no program can write a file")
    return found


def _yes_or_no(name: str, text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise SettingsError(f"{name} must be yes or no, got {text}")
    return known[text.lower()]


def _refuse_others(place: str, found: Mapping[str, str], known: tuple[str, ...]) -> None:
    others = [key for key in found if key not in known]
    if others:
        raise SettingsError(f"[{place}] has no {others[0]}; it has {', '.join(known)}")
