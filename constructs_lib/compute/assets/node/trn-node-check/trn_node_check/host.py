"""The rest of the machine: processors, memory, huge pages, limits, clock."""

from __future__ import annotations

import re
import resource
from typing import TYPE_CHECKING

from .machine import MOST_WRITTEN_BYTES
from .outcome import Outcome, failed, passed, skipped, unknown, warned

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

LEAST_MEMORY_SHARE = 0.93
"""Of the instance type's memory, what the kernel leaves after its own tables and firmware."""
HUGE_PAGES = "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
LEAST_OPEN_FILES = 65536
"""Soft and hard: https://awsdocs-neuron.readthedocs-hosted.com, training-troubleshooting."""
CLOCK_OFF_SECONDS, CLOCK_WARN_SECONDS = 1.0, 0.1
LIMITS = "/etc/security/limits.conf"
LIMITS_FOLDER = "/etc/security/limits.d"
OWN_LIMITS = "/etc/security/limits.d/99-trnkit.conf"
_UNLIMITED = float("inf")
_SYSTEM_TIME = re.compile(
    r"^System time[ \t]*:[ \t]*([0-9]+(?:\.[0-9]+)?) seconds (slow|fast)", re.MULTILINE
)
_LEAP = re.compile(r"^Leap status[ \t]*:[ \t]*(\S.*)$", re.MULTILINE)


def check_processors(machine: Machine, expected: Expected) -> list[Outcome]:
    """As many vCPUs as the type has."""
    wanted = expected.vcpus
    if wanted is None:
        return [skipped("no number of vCPUs is expected")]
    text = machine.text("/sys/devices/system/cpu/online")
    count = _count_ranges(text or "")
    if not count:
        return [
            unknown("/sys tells no online processors", str(wanted), "run `nproc --all` by hand")
        ]
    if count != wanted:
        remedy = "correct the instance type, or the CPU options of the launch template"
        return [warned(f"{count} vCPUs", str(wanted), remedy)]
    return [passed(f"{count} vCPUs", str(wanted))]


def _count_ranges(text: str) -> int:
    """How many numbers `0-3,8` holds; 0 when it is no such text."""
    if not re.fullmatch(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*\s*", text):
        return 0
    count = 0
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        count += int(last or first) - int(first) + 1
    return count


def check_memory(machine: Machine, expected: Expected) -> list[Outcome]:
    """The host memory of the type, but for what the kernel takes."""
    if expected.memory_gib is None:
        return [skipped("no host memory is expected")]
    wanted = f"{expected.memory_gib:g} GiB"
    total = _meminfo(machine, "MemTotal")
    if total is None:
        return [unknown("/proc/meminfo tells no MemTotal", wanted, "run `free -h` by hand")]
    gib = total / 1024**2
    if gib < LEAST_MEMORY_SHARE * expected.memory_gib:
        return [warned(f"{gib:.1f} GiB of memory", wanted, "correct the instance type")]
    return [passed(f"{gib:.1f} GiB of memory", wanted)]


def _meminfo(machine: Machine, name: str) -> int | None:
    match = re.search(
        rf"^{name}:[ \t]*(\d{{1,18}})\b", machine.text("/proc/meminfo") or "", re.MULTILINE
    )
    return int(match[1]) if match else None


def check_huge_pages(machine: Machine, expected: Expected) -> list[Outcome]:
    """Huge pages of 2 MiB as reserved. Too few cost speed, nothing else: libfabric does without."""
    wanted = expected.huge_pages_2mib
    if wanted is None:
        return [skipped("no number of huge pages is expected")]
    said = f"{wanted} of 2 MiB"
    text = (machine.text(HUGE_PAGES) or "").strip()
    count = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    if count is None and _meminfo(machine, "Hugepagesize") == 2048:
        count = _meminfo(machine, "HugePages_Total")
    if count is None:
        return [unknown("the kernel tells no huge pages of 2 MiB", said, f"read {HUGE_PAGES}")]
    if count < wanted:
        remedy = (
            f"`sudo sysctl vm.nr_hugepages={wanted}` when no job runs; if fewer come, reboot: "
            "memory is in pieces"
        )
        return [warned(f"{count} huge pages of 2 MiB", said, remedy)]
    return [passed(f"{count} huge pages of 2 MiB", said)]


def check_limits(machine: Machine, expected: Expected) -> list[Outcome]:
    """What logins may lock in memory and open; in a Slurm prolog, what slurmd hands on."""
    wanted = f"{LEAST_OPEN_FILES} open files"
    wanted += ", locked memory unlimited" if expected.efa else ""
    if "SLURM_JOB_ID" in machine.environment:
        short = _own_short(locked=expected.efa is not None)
        if short:
            remedy = "set LimitNOFILE=65536 and LimitMEMLOCK=infinity in slurmd's unit, restart it"
            return [failed(f"slurmd has {', '.join(short)}", wanted, remedy)]
        return [passed("slurmd's limits are high enough", wanted)]
    given = _file_limits(machine)
    checks = [("nofile", float(LEAST_OPEN_FILES))]
    checks += [("memlock", _UNLIMITED)] if expected.efa else []
    short = [
        f"{name} {_shown(value)} ({place})"
        for name, least in checks
        for value, place in [min(given[name], default=(_UNLIMITED, ""))]
        if value < least
    ]
    if short:
        remedy = f"raise soft and hard limit of * in {OWN_LIMITS}, then log in again"
        return [failed(", ".join(short), wanted, remedy)]
    unset = [name for name, _ in checks if not given[name]]
    if unset:
        remedy = f"set them for * in {OWN_LIMITS}, then log in again"
        return [warned(f"no file sets {' and '.join(unset)} for *", wanted, remedy)]
    return [passed("limits of logins are high enough", wanted)]


def _own_short(*, locked: bool) -> list[str]:
    short: list[str] = []
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < LEAST_OPEN_FILES:
        short.append(f"nofile {files}")
    _, memory = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    if locked and memory != resource.RLIM_INFINITY:
        short.append(f"memlock {memory} bytes")
    return short


def _file_limits(machine: Machine) -> dict[str, list[tuple[float, str]]]:
    """Soft and hard limit of * for two items, as pam_limits reads its files: the last line wins."""
    places = [LIMITS]
    names = machine.names(LIMITS_FOLDER)
    places += [f"{LIMITS_FOLDER}/{name}" for name in names if name.endswith(".conf")]
    last: dict[tuple[str, str], tuple[float, str]] = {}
    for place in places:
        for line in (machine.text(place, most=MOST_WRITTEN_BYTES) or "").splitlines():
            words = line.partition("#")[0].split()
            if len(words) != 4 or words[0] != "*" or words[2] not in ("nofile", "memlock"):
                continue
            value = _limit(words[3])
            for kind in ("soft", "hard") if words[1] == "-" else (words[1],):
                if value is not None:
                    last[words[2], kind] = (value, place)
    return {
        item: [last[item, kind] for kind in ("soft", "hard") if (item, kind) in last]
        for item in ("nofile", "memlock")
    }


def _limit(text: str) -> float | None:
    if text in ("unlimited", "infinity", "-1"):
        return _UNLIMITED
    return float(text) if text.isascii() and text.isdigit() else None


def _shown(value: float) -> str:
    return "unlimited" if value == _UNLIMITED else f"{value:.0f}"


def check_clock(machine: Machine, expected: Expected) -> list[Outcome]:
    """The clock follows a time server."""
    del expected
    wanted = f"synchronised, within {CLOCK_WARN_SECONDS} s"
    remedy = "`sudo systemctl restart chronyd || sudo systemctl restart chrony`"
    # -n: no look-up of the server's name, which may take longer than everything else here.
    chrony = machine.run("chronyc", "-n", "tracking")
    leap, time = _LEAP.search(chrony.output), _SYSTEM_TIME.search(chrony.output)
    if chrony.good and leap and time:
        offset = float(time[1])
        if offset >= CLOCK_OFF_SECONDS:
            found = f"the clock is {offset:.1f} s {time[2]}"
            return [failed(found, wanted, "`sudo chronyc makestep`")]
        if leap[1].lower().startswith("not sync"):
            return [warned("chrony follows no time server yet", wanted, remedy)]
        if offset >= CLOCK_WARN_SECONDS:
            return [warned(f"the clock is {offset:.3f} s {time[2]}", wanted, remedy)]
        return [passed(f"synchronised, {offset * 1000:.3f} ms {time[2]}", wanted)]
    other = machine.run("timedatectl", "show", "--property=NTPSynchronized", "--value")
    said = other.output.strip()
    if other.good and said == "yes":
        return [passed("synchronised, by timedatectl", wanted)]
    if other.good and said == "no":
        return [warned("timedatectl says the clock is not synchronised", wanted, remedy)]
    trouble = f"{chrony.trouble or 'chronyc says nothing'}; {other.trouble or 'nor timedatectl'}"
    return [unknown(trouble, wanted, "install chrony")]
