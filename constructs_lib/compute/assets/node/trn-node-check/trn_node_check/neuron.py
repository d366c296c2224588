"""Neuron chips: how many, their cores, memory and logical cores, and whether they are well."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from .outcome import Outcome, failed, passed, skipped, unknown, warned
from .process import LARGE_OUTPUT_BYTES
from .settings import settings

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

SYSFS = ("/sys/class/neuron_device", "/sys/devices/virtual/neuron_device")
LNC_FILE = "/opt/aws/neuron/logical_nc_config"
LNC_NAMES = ("NEURON_LOGICAL_NC_CONFIG", "NEURON_RT_VIRTUAL_CORE_SIZE")
ECC_LOST = ("mem_ecc_uncorrected", "sram_ecc_uncorrected")
ECC_REPAIRABLE = "mem_ecc_repairable_uncorrected"
REPLACE = (
    "replace this instance; keep the output of `sudo dmesg | grep -i neuron` for AWS Support before"
)
NO_DRIVER = (
    "install aws-neuronx-dkms and the headers of the running kernel, then `sudo modprobe neuron`"
)
NO_TOOLS = "install aws-neuronx-tools, or run `neuron-ls -j` by hand and read what it says"
_DEVICE = re.compile(r"neuron(\d+)")
_OPENING = re.compile(r"^[ \t]*([\[{])", re.MULTILINE)
_DEEPEST = 4
_NOT_ENTERED = re.compile(r"neuron_core\d+|power|subsystem|memory_usage|other_info|device")


class Devices(NamedTuple):
    """What neuron-ls told: an entry for each chip, or why there is none."""

    entries: list[dict[str, Any]] | None
    trouble: str


def find_devices(text: str) -> list[dict[str, Any]] | None:
    """The list of devices in what `neuron-ls -j` wrote.

    It is the first JSON list whose members name a `neuron_device`, bare or in an object, whatever
    lines stand before and after it. An empty list counts only when there is no other.
    """
    decoder, empty = json.JSONDecoder(), None
    for start in list(_OPENING.finditer(text))[:200]:
        try:
            value, _ = decoder.raw_decode(text, start.start(1))
        except (ValueError, RecursionError):
            continue
        several = [value, *value.values()] if isinstance(value, dict) else [value]
        for entries in several:
            if isinstance(entries, list) and all(isinstance(one, dict) for one in entries):
                if any("neuron_device" in one for one in entries):
                    return [one for one in entries if "neuron_device" in one]
                empty = [] if value == [] else empty
    return empty


def neuron_ls(machine: Machine) -> Devices:
    """Ask neuron-ls, with the logical core size that the node's files set."""
    set_: dict[str, str | None] = {
        one.name: one.value for one in reversed(settings(machine, *LNC_NAMES))
    }
    answer = machine.run("neuron-ls", "-j", extra=set_, most=LARGE_OUTPUT_BYTES)
    if answer.trouble:
        return Devices(None, answer.trouble)
    entries = find_devices(answer.output)
    return Devices(entries, "" if entries is not None else "neuron-ls -j wrote no list of devices")


def device_folders(machine: Machine) -> dict[int, str]:
    """The driver's folder of each device, by the device's number."""
    for place in SYSFS:
        names = [name for name in machine.names(place) if _DEVICE.fullmatch(name)]
        if names:
            return {int(name[len("neuron") :]): f"{place}/{name}" for name in names}
    return {}


def check_devices(machine: Machine, expected: Expected) -> list[Outcome]:
    """As many chips as the type has, by the driver's word and by neuron-ls."""
    wanted = expected.neuron and expected.neuron.devices
    if wanted is None:
        return [skipped("no Neuron devices are expected")]
    nodes = {int(m[1]) for name in machine.names("/dev") if (m := _DEVICE.fullmatch(name))}
    folders = set(device_folders(machine))
    witnesses = {"/dev": nodes, "the driver": folders} if nodes or folders else {}
    told = Devices(None, "")
    # Before a job the driver's word is enough: it costs no process.
    if not (machine.quick and folders):
        told = neuron_ls(machine)
    if told.entries is not None:
        numbers = {_whole(one.get("neuron_device")) for one in told.entries}
        witnesses["neuron-ls"] = {number for number in numbers if number is not None}
    if not any(witnesses.values()):
        return [_no_devices(machine, wanted, told.trouble)]
    return [_compare(wanted, witnesses, told)]


def _no_devices(machine: Machine, wanted: int, trouble: str) -> Outcome:
    loaded = machine.exists("/sys/module/neuron")
    said = "the Neuron driver is loaded" if loaded else "the Neuron driver is not loaded"
    found = f"no Neuron device; {said}" + (f"; {trouble}" if trouble else "")
    return failed(found, str(wanted), REPLACE if loaded else NO_DRIVER)


def _compare(wanted: int, witnesses: dict[str, set[int]], told: Devices) -> Outcome:
    counts = {name: len(numbers) for name, numbers in witnesses.items()}
    lowest = min(counts.values())
    if set(counts.values()) == {wanted}:
        busy = sum(bool(one.get("neuron_processes")) for one in told.entries or [])
        extra = f", {busy} of them in use" if busy else ""
        extra += f" (by the driver's word; {told.trouble})" if told.trouble else ""
        return passed(f"{wanted} Neuron devices{extra}", str(wanted))
    said = ", ".join(f"{name} says {count}" for name, count in counts.items())
    if lowest > wanted:
        return failed(f"{lowest} Neuron devices", str(wanted), "correct the instance type")
    together = set.intersection(*witnesses.values())
    missing = sorted(set(range(wanted)) - together)
    found = f"{lowest} of {wanted} Neuron devices"
    if len(set(counts.values())) > 1:
        found += f" ({said})"
    if missing and len(missing) <= 8:
        found += "; missing: " + ", ".join(map(str, missing))
    return failed(found, str(wanted), REPLACE)


def check_cores(machine: Machine, expected: Expected) -> list[Outcome]:
    """As many NeuronCores on every chip as its kind has."""
    wanted = expected.neuron and expected.neuron.cores_per_device
    if wanted is None:
        return [skipped("no number of NeuronCores is expected")]
    told = neuron_ls(machine)
    if not told.entries:
        return [unknown(told.trouble or "neuron-ls lists no device", str(wanted), NO_TOOLS)]
    wrong: dict[str, int] = {}
    for one in told.entries:
        count = _whole(one.get("nc_count"))
        if count is None:
            return [unknown("neuron-ls tells no nc_count", str(wanted), NO_TOOLS)]
        # Tools of the Trainium2 generation count logical cores; earlier ones those in silicon.
        size = _whole(one.get("logical_neuroncore_config")) or 1
        if wanted not in (count, count * size):
            wrong[str(one["neuron_device"])] = count * size
    if wrong:
        found = ", ".join(f"device {name} has {count}" for name, count in list(wrong.items())[:4])
        return [failed(found, f"{wanted} on each device", REPLACE)]
    return [passed(f"{wanted} NeuronCores on each device", f"{wanted} on each device")]


def check_memory(machine: Machine, expected: Expected) -> list[Outcome]:
    """All the memory of every chip."""
    wanted = expected.neuron and expected.neuron.device_memory_gib
    if wanted is None:
        return [skipped("no device memory is expected")]
    told = neuron_ls(machine)
    each = f"{wanted:g} GiB on each device"
    if not told.entries:
        return [unknown(told.trouble or "neuron-ls lists no device", each, NO_TOOLS)]
    wrong: dict[str, float] = {}
    for one in told.entries:
        size = _whole(one.get("memory_size"))
        if size is None:
            return [unknown("neuron-ls tells no memory_size", each, NO_TOOLS)]
        if abs(size / 1024**3 - wanted) > 0.01 * wanted:
            wrong[str(one["neuron_device"])] = size / 1024**3
    if wrong:
        several = list(wrong.items())[:4]
        found = ", ".join(f"device {name} has {size:.1f} GiB" for name, size in several)
        return [failed(found, each, REPLACE)]
    return [passed(each, each)]


def check_logical_cores(machine: Machine, expected: Expected) -> list[Outcome]:
    """The logical NeuronCore size (LNC), in the node's files and as neuron-ls sees it."""
    wanted = expected.neuron and expected.neuron.logical_neuroncore_size
    if wanted is None:
        return [skipped("no logical NeuronCore size is expected")]
    declared = [(one.place, one.value) for one in settings(machine, *LNC_NAMES)]
    declared += [(LNC_FILE, value) for value in _file_sizes(machine)]
    wrong = [f"{place} says {value[:20]}" for place, value in declared if value != str(wanted)]
    remedy = f"set {' and '.join(LNC_NAMES)} to {wanted} there, then log in again"
    if wrong:
        return [failed("; ".join(wrong[:3]), f"LNC {wanted}", remedy)]
    if machine.quick:
        return [passed(f"no file says otherwise than {wanted}", f"LNC {wanted}")]
    told = neuron_ls(machine)
    if not told.entries:
        return [unknown(told.trouble or "neuron-ls lists no device", f"LNC {wanted}", NO_TOOLS)]
    # Chips that have no logical cores are not told to have any.
    sizes = {_whole(one.get("logical_neuroncore_config", 1)) for one in told.entries}
    if sizes != {wanted}:
        shown = ", ".join(sorted(map(str, sizes)))
        return [failed(f"neuron-ls says {shown}", f"LNC {wanted}", remedy)]
    return [passed(f"LNC {wanted}", f"LNC {wanted}")]


def _file_sizes(machine: Machine) -> list[str]:
    """What the file says that the device plugin of Kubernetes reads: `NAME=2`, or the number alone.

    Lines are added to it, and the last one counts.
    https://awsdocs-neuron.readthedocs-hosted.com/en/latest/deploy/eks/prerequisites.html
    """
    lines = (machine.text(LNC_FILE) or "").split()
    return [lines[-1].removeprefix(f"{LNC_NAMES[0]}=")] if lines else []


def check_health(machine: Machine, expected: Expected) -> list[Outcome]:
    """What the driver keeps of each chip's health: `health_status`, uncorrected memory errors."""
    if expected.neuron is None:
        return [skipped("no Neuron devices are expected")]
    folders = device_folders(machine)
    if not folders:
        return [skipped("the driver shows no device")]
    bad: list[str] = []
    repairable: list[str] = []
    strange: list[str] = []
    seen = 0
    for number, folder in folders.items():
        values = _health_values(machine, folder)
        seen += bool(values)
        status = values.get("health_status", "healthy").lower()
        if "unhealthy" in status or status in ("bad", "failed", "degraded"):
            parts = values.get("unhealthy_components", "").strip()
            bad.append(f"device {number} is {status}" + (f" ({parts})" if parts else ""))
        elif status not in ("healthy", "ok", "good"):
            strange.append(f"device {number} says {status[:40]!r}")
        bad += [f"device {number}: {n} {name}" for name in ECC_LOST if (n := _errors(values, name))]
        if count := _errors(values, ECC_REPAIRABLE):
            repairable.append(f"device {number}: {count} {ECC_REPAIRABLE}")
    wanted = "healthy, no uncorrected memory error"
    if bad:
        return [failed("; ".join(bad[:6]), wanted, REPLACE)]
    if strange:
        return [unknown("; ".join(strange[:6]), wanted, "read the release notes of the driver")]
    if repairable:
        remedy = "reset the device when no job runs, and replace the instance if it comes back"
        return [warned("; ".join(repairable[:6]), wanted, remedy)]
    if not seen:
        return [skipped("this driver shows no health")]
    return [passed(f"{seen} devices without uncorrected errors", wanted)]


def _health_values(machine: Machine, folder: str) -> dict[str, str]:
    """Files by name, wherever this driver has them: the tree is another since driver 2.31."""
    wanted = {"health_status", "unhealthy_components", *ECC_LOST, ECC_REPAIRABLE}
    values: dict[str, str] = {}
    todo = [(folder, 0)]
    while todo:
        here, depth = todo.pop()
        for name in machine.names(here):
            place = f"{here}/{name}"
            if name in wanted:
                text = machine.text(place)
                text = machine.text(f"{place}/total") if text is None else text
                values[name] = (text or "").strip()
            elif depth < _DEEPEST and not _NOT_ENTERED.fullmatch(name) and machine.is_folder(place):
                todo.append((place, depth + 1))
    return values


def _errors(values: dict[str, str], name: str) -> int:
    return _whole(values.get(name)) or 0


def _whole(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    text = value.strip() if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
