"""Environment variables as the node's files set them for logins, services and containers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from .machine import MOST_WRITTEN_BYTES

if TYPE_CHECKING:
    from .machine import Machine

ENVIRONMENT_FILE = "/etc/environment"
PROFILES = "/etc/profile.d"
SYSTEMD_FOLDERS = ("/etc/systemd/system.conf.d", "/usr/lib/systemd/system.conf.d")
HERE = "this process"


class Setting(NamedTuple):
    """A variable, its value, and the file that sets it."""

    name: str
    value: str
    place: str


def settings(machine: Machine, *names: str) -> list[Setting]:
    """Where variables are set, and to what: files first, then this process.

    Raises:
        NotReadableError: A file is there and cannot be read.
    """
    found = [
        setting
        for place, text in _files(machine)
        for setting in _settings(place, text, names)
        if setting.name in names
    ]
    here = machine.environment
    return [*found, *(Setting(name, here[name], HERE) for name in names if name in here)]


def _files(machine: Machine) -> list[tuple[str, str]]:
    places = [ENVIRONMENT_FILE]
    for folder, suffix in ((PROFILES, ".sh"), *((name, ".conf") for name in SYSTEMD_FOLDERS)):
        places += [f"{folder}/{name}" for name in machine.names(folder) if name.endswith(suffix)]
    return [
        (place, text) for place in places if (text := machine.text(place, most=MOST_WRITTEN_BYTES))
    ]


def _settings(place: str, text: str, names: tuple[str, ...]) -> list[Setting]:
    found: list[Setting] = []
    for raw in text.splitlines():
        line = raw.strip()
        # Splitting into words takes long, and few lines have any of the names.
        if line.startswith("#") or not any(name in line for name in names):
            continue
        line = line[7:].lstrip() if line.startswith("export ") else line
        if line.startswith("DefaultEnvironment="):
            line = line.partition("=")[2]
        for word in _words(line):
            name, equals, value = word.partition("=")
            if equals and name.isidentifier():
                found.append(Setting(name, value, place))
    return found


def _words(line: str) -> list[str]:
    """A shell's words; a line that no shell would read has none of what is looked for."""
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []
