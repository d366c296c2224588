"""Disks: the NVMe instance store in its stripe, and room on the root volume."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from .mounts import judge_touch, mount_at, touch
from .outcome import Outcome, failed, passed, skipped, unknown, warned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .expected import Expected, ExpectedInstanceStore
    from .machine import Machine

MODEL = "Amazon EC2 NVMe Instance Storage"
LEAST_SHARE = 0.95
"""Of the disks' size, what a stripe and its file system leave."""
ROOT_LEAST_BYTES, ROOT_LOW_BYTES = 1 * 10**9, 10 * 10**9
STORE = "run the boot script again: `sudo systemctl restart trnkit-boot.service`"
DEAD = "replace this instance: what was on its instance store is lost"


def list_disks(machine: Machine) -> tuple[list[dict[str, Any]] | None, str]:
    """All block devices as lsblk tells them, each once; or why they are not known."""
    # Before util-linux 2.37 there is only the first mount point.
    answer, columns = None, "NAME,MODEL,SIZE,TYPE"
    for last in ("MOUNTPOINTS", "MOUNTPOINT"):
        answer = machine.run("lsblk", "-J", "-b", "-o", f"{columns},{last}")
        if answer.good or answer.ending != "ended":
            break
    assert answer is not None
    if not answer.good:
        return None, answer.trouble
    try:
        tree = json.loads(answer.output[answer.output.index("{") :])
        devices = tree["blockdevices"]
        if isinstance(devices, list):
            return list(_every(devices)), ""
    except (ValueError, KeyError, RecursionError):
        pass
    return None, "lsblk -J wrote no list of disks"


def _every(devices: Any) -> Iterator[dict[str, Any]]:
    for device in devices if isinstance(devices, list) else []:
        if isinstance(device, dict):
            yield device
            yield from _every(device.get("children"))


def _mount_points(device: dict[str, Any]) -> list[str]:
    several = device.get("mountpoints")
    several = several if isinstance(several, list) else [device.get("mountpoint")]
    return [point for point in several if isinstance(point, str)]


def _bytes(device: dict[str, Any]) -> int:
    """Old versions write numbers as text."""
    size = str(device.get("size") or 0)
    return int(size) if size.isascii() and size.isdigit() and len(size) < 20 else 0


def check_instance_store(machine: Machine, expected: Expected) -> list[Outcome]:
    """All NVMe disks of the instance are there, striped, mounted and writable."""
    store = expected.instance_store
    if store is None:
        return [skipped("no instance store is expected")]
    return [_check_store(machine, store)]


def _check_store(machine: Machine, store: ExpectedInstanceStore) -> Outcome:
    path = store.path
    size = f", {store.total_gb:g} GB" if store.total_gb else ""
    disks = f"{store.disks} disks{size}, " if store.disks is not None else ""
    wanted = f"{disks}mounted at {path}"
    devices, trouble = list_disks(machine)
    if devices is None:
        return unknown(trouble, wanted, "run `lsblk -o NAME,MODEL,SIZE,MOUNTPOINT` by hand", path)
    own = {
        str(device.get("name")): device
        for device in devices
        if str(device.get("model") or "").strip() == MODEL and device.get("type") == "disk"
    }
    if store.disks is not None and len(own) < store.disks:
        return failed(f"{len(own)} of {store.disks} instance store disks", wanted, DEAD, path)
    at = [device for device in devices if path in _mount_points(device)]
    mount = mount_at(machine, path)
    if mount is None or not at:
        held = f" ({mount.kind} from elsewhere is)" if mount else ""
        return failed(f"{len(own)} disks, not mounted{held}", wanted, STORE, path)
    device = at[0]
    if store.total_gb and _bytes(device) < LEAST_SHARE * store.total_gb * 1e9:
        found = f"{_bytes(device) / 1e9:.0f} GB mounted"
        return failed(found, wanted, f"{STORE}; if it stays so, {DEAD}", path)
    if len(own) > 1 and device.get("type") not in ("raid0", "lvm"):
        found = f"{len(own)} disks as {device.get('type')}"
        return warned(found, f"{wanted} as raid0", STORE, path)
    done = judge_touch(machine, touch(machine, "write", path), wanted, path, DEAD)
    if done.verdict != "ok":
        return done
    return passed(f"{len(own)} disks, {_bytes(device) / 1e9:.0f} GB", wanted, path)


def check_root_disk(machine: Machine, expected: Expected) -> list[Outcome]:
    """Room on the root volume: logs, containers and caches end there."""
    del expected
    state = os.statvfs(machine.path("/"))
    return [judge_room(state.f_bavail * state.f_frsize, state.f_favail, state.f_files)]


def judge_room(free_bytes: int, free_files: int, files: int) -> Outcome:
    """Judge what is free; a file system without a number of files (0) counts none."""
    wanted = f"{ROOT_LOW_BYTES / 1e9:.0f} GB free"
    remedy = "delete what is not needed: `sudo du -xh / | sort -h | tail`"
    found = f"{free_bytes / 1e9:.1f} GB free"
    if files and free_files < 100:
        return failed(f"{found}, {free_files} free inodes", wanted, remedy)
    if free_bytes < ROOT_LEAST_BYTES:
        return failed(found, wanted, remedy)
    if free_bytes < ROOT_LOW_BYTES:
        return warned(found, wanted, remedy)
    return passed(found, wanted)
