"""EFA: devices, driver, libfabric's provider, RDMA, and settings that force TCP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .outcome import Outcome, failed, passed, skipped, unknown, warned
from .settings import Setting, settings

if TYPE_CHECKING:
    from .expected import Expected, ExpectedEfa
    from .machine import Machine

DEVICES = "/sys/class/infiniband"
AMAZON = "0x1d0f"
LIBRARIES = ("/opt/amazon/efa/lib", "/opt/amazon/efa/lib64")
PROVIDER, RDMA = "FI_PROVIDER", "FI_EFA_USE_DEVICE_RDMA"
NONE_EXPECTED = "no EFA is expected"
INSTALL = "install the EFA software with AWS's installer (efa_installer.sh -y), then reboot"
ATTACH = (
    "compare the instance's network interfaces with its launch template: each card needs one of "
    "type efa or efa-only; then replace the instance"
)
_DEVICE_NAME = re.compile(r"(rdmap|efa_|efa)\w*")
_FIELD = re.compile(r"^[ \t]*(provider|domain|type):[ \t]*(\S+)", re.MULTILINE)
_VERBS_LINE = re.compile(r"^[ \t]*(\S+)[ \t]+[0-9a-f]{16}[ \t]*$", re.MULTILINE)


def efa_names(machine: Machine) -> list[str]:
    """The kernel's names of the EFA devices."""
    found: list[str] = []
    for name in machine.names(DEVICES):
        vendor = machine.text(f"{DEVICES}/{name}/device/vendor")
        if vendor.strip() == AMAZON if vendor else _DEVICE_NAME.fullmatch(name):
            found.append(name)
    return found


def check_devices(machine: Machine, expected: Expected) -> list[Outcome]:
    """As many EFA devices as the node was launched with."""
    if expected.efa is None or expected.efa.devices is None:
        return [skipped(NONE_EXPECTED)]
    wanted = expected.efa.devices
    count, witness = len(efa_names(machine)), DEVICES
    if not count and not machine.quick:
        verbs = machine.run("ibv_devices")
        count = len(_VERBS_LINE.findall(verbs.output)) if verbs.good else 0
        witness = "ibv_devices" if count else witness
    found = f"{count} of {wanted} EFA devices ({witness})"
    if count == wanted:
        return [passed(f"{count} EFA devices", str(wanted))]
    if count > wanted:
        return [warned(found, str(wanted), "correct the number of EFA devices in the cluster file")]
    if not count and not machine.exists("/sys/module/efa"):
        return [failed(f"{found}; the efa kernel module is not loaded", str(wanted), INSTALL)]
    return [failed(found, str(wanted), ATTACH)]


def check_driver(machine: Machine, expected: Expected) -> list[Outcome]:
    """The efa kernel module is loaded."""
    if expected.efa is None:
        return [skipped(NONE_EXPECTED)]
    if machine.exists("/sys/module/efa"):
        version = (machine.text("/sys/module/efa/version") or "").strip()
        return [passed(f"the efa module {version} is loaded".replace("  ", " "), "loaded")]
    if efa_names(machine):
        return [passed("the efa driver is part of the kernel", "loaded")]
    return [
        failed(
            "the efa kernel module is not loaded", "loaded", f"`sudo modprobe efa`, or {INSTALL}"
        )
    ]


def check_provider(machine: Machine, expected: Expected) -> list[Outcome]:
    """Libfabric sees every device through its efa provider; without it everything goes over TCP."""
    if expected.efa is None or expected.efa.devices is None:
        return [skipped(NONE_EXPECTED)]
    count = expected.efa.devices
    wanted = f"{count} domains of the efa provider"
    # Whether libfabric could, whatever this user's environment says: that is another check.
    free: dict[str, str | None] = {PROVIDER: None}
    answer = machine.run("fi_info", "-p", "efa", "-t", "FI_EP_RDM", extra=free)
    if answer.ending == "missing":
        return [_without_tool(machine, wanted)]
    if answer.ending != "ended":
        return [unknown(answer.trouble, wanted, "run `fi_info -p efa` by hand")]
    domains = _domains(answer.output)
    if not domains:
        said = f": {answer.trouble}" if answer.trouble else ""
        return [
            failed(
                f"libfabric has no efa provider, so traffic goes over TCP{said}", wanted, INSTALL
            )
        ]
    if len(domains) < count:
        return [failed(f"{len(domains)} of {count} domains of the efa provider", wanted, ATTACH)]
    return [passed(f"{len(domains)} domains of the efa provider", wanted)]


def _domains(text: str) -> set[str]:
    """Devices that an entry of provider efa names; a device has several (efa, efa-direct)."""
    found: set[str] = set()
    provider = ""
    for match in _FIELD.finditer(text):
        if match[1] == "provider":
            provider = match[2]
        elif match[1] == "domain" and provider.split(";")[0] == "efa":
            found.add(re.sub(r"-(rdm|dgrm)$", "", match[2]))
    return found


def _without_tool(machine: Machine, wanted: str) -> Outcome:
    libraries = [
        name
        for folder in LIBRARIES
        for name in machine.names(folder)
        if name.startswith("libfabric")
    ]
    if libraries:
        return unknown("libfabric is there, fi_info is not installed", wanted, INSTALL)
    return warned(
        "no libfabric in /opt/amazon/efa: only jobs in containers that bring it can use EFA",
        wanted,
        f"{INSTALL}; leave it when all jobs run in containers",
    )


def check_rdma(machine: Machine, expected: Expected) -> list[Outcome]:
    """RDMA is not switched off, and the driver knows it."""
    if expected.efa is None:
        return [skipped(NONE_EXPECTED)]
    if not expected.efa.rdma:
        return [skipped("the instance type's EFA has no RDMA")]
    set_ = settings(machine, RDMA)
    off = [one for one in set_ if one.value.lower() in ("0", "false", "no", "off")]
    wanted = f"{RDMA}=1"
    if off:
        return [failed(_said(off), wanted, f"set {RDMA}=1 there, then log in again")]
    without = [name for name in efa_names(machine) if not _has_rdma_counters(machine, name)]
    if without:
        found = f"the driver of {', '.join(without[:3])} has no RDMA counters"
        return [warned(found, "an EFA driver that does RDMA read", INSTALL)]
    if not set_:
        return [warned(f"{RDMA} is set nowhere", wanted, f"set it in {_FILES}")]
    return [passed(f"{RDMA} is on wherever it is set", wanted)]


def _has_rdma_counters(machine: Machine, name: str) -> bool:
    """True also when the driver shows no counters at all: then nothing is known."""
    counters = machine.names(f"{DEVICES}/{name}/ports/1/hw_counters")
    return not counters or any(counter.startswith("rdma_read") for counter in counters)


_FILES = "/etc/environment, /etc/profile.d and /etc/systemd/system.conf.d"


def check_environment(machine: Machine, expected: Expected) -> list[Outcome]:
    """No file of the node makes libfabric use another provider than efa."""
    efa: ExpectedEfa | None = expected.efa
    if efa is None:
        return [skipped(NONE_EXPECTED)]
    wanted = f"{PROVIDER}=efa"
    set_ = settings(machine, PROVIDER)
    other = [one for one in set_ if not _admits_efa(one.value)]
    if other:
        return [
            failed(
                f"{_said(other)}: traffic goes over TCP",
                wanted,
                f"set {PROVIDER}=efa there, then log in again",
            )
        ]
    if not set_:
        return [warned(f"{PROVIDER} is set nowhere", wanted, f"set it in {_FILES}")]
    return [passed("every setting admits efa", wanted)]


def _admits_efa(value: str) -> bool:
    """As libfabric reads it: names with commas between, or after ^ those left out."""
    names = {name.strip() for part in value.lstrip("^").split(",") for name in part.split(";")}
    if value.startswith("^"):
        return "efa" not in names
    return "efa" in names or not value.strip()


def _said(several: list[Setting]) -> str:
    return "; ".join(f"{one.place} sets {one.name}={one.value[:30]}" for one in several[:3])
