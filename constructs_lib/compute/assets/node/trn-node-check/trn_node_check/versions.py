"""The Neuron driver against the runtime and the tools: which of them work together.

The numbers are in neuron_versions.json, with source and date.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .outcome import Outcome, failed, passed, skipped, unknown, warned

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

FACTS = Path(__file__).with_name("neuron_versions.json")
DRIVER, RUNTIME, TOOLS = "aws-neuronx-dkms", "aws-neuronx-runtime-lib", "aws-neuronx-tools"
MOST_VERSION = 200
_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `2.31.24.0-0b044f4ce` is (2, 31, 24, 0)."""
    match = _NUMBERS.search(version[:MOST_VERSION])
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def facts() -> dict[str, Any]:
    """Which versions work together."""
    return json.loads(FACTS.read_text(encoding="utf-8"))


def check_versions(machine: Machine, expected: Expected) -> list[Outcome]:
    """Driver, runtime and tools of generations that work together."""
    if expected.neuron is None:
        return [skipped("no Neuron devices are expected")]
    driver = _loaded_driver(machine)
    if not numbers(driver):
        return [
            unknown(
                "the version of the Neuron driver cannot be told: no /sys/module/neuron/version, "
                "and modinfo knows no module neuron",
                "a loaded driver",
                "install aws-neuronx-dkms, then `sudo modprobe neuron`",
            )
        ]
    packages, trouble = _packages(machine)
    if packages is None:
        return [
            unknown(
                f"driver {driver}; {trouble}",
                "versions that work together",
                "run dpkg-query or rpm",
            )
        ]
    return [_judge(driver, packages)]


def _judge(driver: str, packages: dict[str, str]) -> Outcome:
    runtime, tools = packages.get(RUNTIME, ""), packages.get(TOOLS, "")
    parts = [f"driver {driver}", f"runtime {runtime}" if runtime else "no runtime on the host"]
    found = ", ".join([*parts, *([f"tools {tools}"] if tools else [])])
    known = facts()
    for excluded in known["excluded"]:
        if runtime and _applies(excluded, numbers(driver), numbers(runtime)):
            remedy = "upgrade both to one Neuron SDK release, then reboot"
            return failed(found, excluded["why"], remedy)
    older = _older_than_its_release(known["releases"], driver, runtime=runtime, tools=tools)
    if older:
        return warned(found, older, "upgrade aws-neuronx-dkms to the same release, then reboot")
    installed = packages.get(DRIVER, "")
    if installed and numbers(installed)[:4] != numbers(driver)[:4]:
        return warned(
            f"driver {driver} is loaded, {installed} is installed",
            "the installed driver loaded",
            "reboot when no job runs",
        )
    return passed(found, "versions that work together")


def _applies(excluded: dict[str, str], driver: tuple[int, ...], runtime: tuple[int, ...]) -> bool:
    for name, version in (("driver", driver), ("runtime", runtime)):
        least, below = excluded.get(f"{name}_at_least"), excluded.get(f"{name}_below")
        if least and version < numbers(least):
            return False
        if below and version >= numbers(below):
            return False
    return True


def _older_than_its_release(
    releases: list[dict[str, str]], driver: str, **others: str
) -> str | None:
    """Of which release the runtime or the tools are, when its driver is newer than this one."""
    for release in releases:
        wanted = release["driver"]
        for name, version in others.items():
            # Of some releases the version of the tools is not known.
            same = version and numbers(version)[:2] == numbers(release.get(name, ""))[:2]
            if same and numbers(driver)[:2] < numbers(wanted)[:2]:
                return f"{name} {version} came with driver {wanted} in Neuron SDK {release['sdk']}"
    return None


def _loaded_driver(machine: Machine) -> str:
    text = machine.text("/sys/module/neuron/version")
    if text:
        return text.strip()
    answer = machine.run("modinfo", "-F", "version", "neuron")
    return answer.output.strip() if answer.good else ""


def _packages(machine: Machine) -> tuple[dict[str, str] | None, str]:
    """Installed Neuron packages and their versions, by dpkg or rpm."""
    form = "${Package} ${Version} ${db:Status-Status}\n"
    answer = machine.run("dpkg-query", "-W", "-f", form, "aws-neuronx-*")
    # It ends with 1 when no package has such a name.
    if answer.ending == "ended" and answer.code in (0, 1):
        rows = [line.split() for line in answer.output.splitlines()]
        return {row[0]: row[1] for row in rows if row[2:] == ["installed"]}, ""
    if answer.ending != "missing":
        return None, answer.trouble
    answer = machine.run("rpm", "-qa", "--qf", "%{NAME} %{VERSION}\n", "aws-neuronx-*")
    if answer.good:
        rows = [line.split() for line in answer.output.splitlines()]
        return {row[0]: row[1] for row in rows if len(row) == 2}, ""
    return None, answer.trouble
