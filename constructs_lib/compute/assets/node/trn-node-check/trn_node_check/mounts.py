"""What is mounted, and whether it answers: for Lustre, EFS, S3 buckets and the compile cache."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .outcome import Outcome, failed, passed, skipped, unknown, warned
from .settings import HERE, settings

if TYPE_CHECKING:
    from .expected import Expected, ExpectedMount
    from .machine import Machine

PROBE = Path(__file__).with_name("probe.py")
TYPES = {"lustre": ("lustre",), "efs": ("nfs4", "nfs"), "s3": ("fuse", "fuse.mountpoint-s3")}
TITLES = {"lustre": "Lustre", "efs": "EFS", "s3": "Mountpoint for Amazon S3"}
CACHE_NAME = "NEURON_COMPILE_CACHE_URL"
SERVER = {
    "lustre": "open TCP 988 and 1018-1023 both ways between the security groups of the nodes and "
    "of the file system, then `sudo lctl ping` its server",
    "efs": "open TCP 2049 from the nodes to the file system's mount target",
    "s3": "read `journalctl -t mount-s3`; let role and S3 endpoint admit the bucket",
}
_ESCAPE = re.compile(r"\\([0-7]{3})")


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo."""

    path: str
    kind: str
    source: str
    options: frozenset[str]


class Touch(NamedTuple):
    """What came of touching a folder: an errno's name, `hung`, `broken`, or nothing."""

    error: str
    step: str
    text: str


def read_mounts(machine: Machine) -> list[Mount]:
    """All mounts, the later over the earlier.

    Raises:
        NotReadableError: /proc is not readable.
    """
    found: list[Mount] = []
    for line in (machine.text("/proc/self/mountinfo") or "").splitlines():
        left, dash, right = line.partition(" - ")
        before, after = left.split(), right.split()
        if not dash or len(before) < 6 or len(after) < 2:
            continue
        options = [*before[5].split(","), *(after[2].split(",") if len(after) > 2 else [])]
        found.append(Mount(_plain(before[4]), after[0], _plain(after[1]), frozenset(options)))
    return found


def _plain(text: str) -> str:
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), text)


def mount_at(machine: Machine, path: str) -> Mount | None:
    """What is mounted at a path, the topmost; None for nothing or an automount's trigger alone."""
    at = [mount for mount in read_mounts(machine) if mount.path == (path.rstrip("/") or "/")]
    return at[-1] if at and at[-1].kind != "autofs" else None


def touch(machine: Machine, kind: str, path: str) -> Touch:
    """Look into a folder (`visit`), or also write there (`write`), without ever hanging.

    In a hurry the servers need not have written to disk what they took.
    """
    where = str(machine.path(path))
    how = "create" if machine.quick and kind == "write" else kind
    command = [sys.executable or "/usr/bin/python3", "-I", "-S", str(PROBE), how, where]
    answer = machine.run_here("the probe", command)
    if answer.ending == "hung":
        return Touch("hung", kind, f"no answer within {answer.seconds:.1f} s")
    if answer.ending == "late":
        return Touch("broken", kind, answer.trouble)
    try:
        said = json.loads(answer.output)
        return Touch(said["error"] or "", said["step"], said.get("text", ""))
    except (ValueError, KeyError, TypeError):
        return Touch("broken", kind, answer.trouble or "the probe wrote no answer")


def check_lustre(machine: Machine, expected: Expected) -> list[Outcome]:
    """Lustre file systems are mounted, answer, and can be written."""
    return _check_kind(machine, expected, "lustre")


def check_efs(machine: Machine, expected: Expected) -> list[Outcome]:
    """EFS file systems are mounted, answer, and can be written."""
    return _check_kind(machine, expected, "efs")


def check_s3(machine: Machine, expected: Expected) -> list[Outcome]:
    """S3 buckets are mounted and answer. Nothing is written: a mount need not admit deleting."""
    return _check_kind(machine, expected, "s3")


def _check_kind(machine: Machine, expected: Expected, kind: str) -> list[Outcome]:
    mounts = [mount for mount in expected.mounts if mount.kind == kind]
    if not mounts:
        return [skipped(f"no {TITLES[kind]} mount is expected")]
    return [_check_mount(machine, mount) for mount in mounts]


def _check_mount(machine: Machine, mount: ExpectedMount) -> Outcome:
    path, title = mount.path, TITLES[mount.kind]
    wanted = f"{title} mounted, {'writable' if mount.writable else 'readable'}"
    found = mount_at(machine, path)
    if found is None:
        # An automount happens when somebody looks, and only then.
        first = touch(machine, "visit", path)
        if first.error == "hung":
            return failed(f"hung: {first.text}", wanted, SERVER[mount.kind], path)
        found = mount_at(machine, path)
    remount = f"`sudo mount {path}`; if it fails, read /var/log/trnkit-boot.log and `sudo dmesg`"
    if found is None:
        return failed("not mounted", wanted, remount, path)
    if found.kind not in TYPES[mount.kind]:
        return failed(f"{found.kind} is mounted there", wanted, f"unmount it, then {remount}", path)
    if mount.writable and "ro" in found.options:
        return failed("mounted read-only", wanted, f"`sudo mount -o remount,rw {path}`", path)
    kind = "write" if mount.writable and mount.kind != "s3" else "visit"
    return judge_touch(machine, touch(machine, kind, path), wanted, path, SERVER[mount.kind])


def judge_touch(machine: Machine, done: Touch, wanted: str, path: str, server: str) -> Outcome:
    """What a touch means for a folder that is there."""
    if not done.error:
        return passed("answers" if done.step == "visit" else "writable", wanted, path)
    if done.error == "hung":
        return failed(f"hung: {done.text}", wanted, server, path)
    if done.error == "broken":
        return unknown(done.text, wanted, "run trn-node-check again", path)
    if done.error in ("EACCES", "EPERM") and not machine.is_root:
        found = f"this user may not {done.step} there"
        return unknown(found, wanted, "run this check as root: sudo trn-node-check", path)
    remedies = {
        "ENOSPC": "delete what is not needed, or enlarge the file system",
        "EDQUOT": "raise the quota, or delete what is not needed",
        "EROFS": f"`sudo mount -o remount,rw {path}`",
        "EACCES": "let root write there, or take root squash off",
        "EPERM": "let root write there, or take root squash off",
        "ENOENT": "mount what is above it, then `sudo /opt/trnkit/current/boot`",
    }
    found = f"cannot {done.step}: {done.text} ({done.error})"
    return failed(found, wanted, remedies.get(done.error, server), path)


def check_compile_cache(machine: Machine, expected: Expected) -> list[Outcome]:
    """The folder of the compile cache can be written, and jobs are sent there."""
    cache = expected.compile_cache
    if cache is None:
        return [skipped("the SDK's default is used")]
    wanted = f"{cache}, writable"
    beside = [
        one
        for one in settings(machine, CACHE_NAME)
        if one.place != HERE
        and one.value != cache
        and not one.value.startswith(f"{cache.rstrip('/')}/")
    ]
    if beside:
        one = beside[0]
        found = f"{one.place} sets {CACHE_NAME}={one.value[:80]}"
        return [warned(found, wanted, f"set {CACHE_NAME} to {cache} or below", cache)]
    if not cache.startswith("/"):
        return [skipped("it is no folder; whether S3 admits it is not tried", cache)]
    return [judge_touch(machine, touch(machine, "write", cache), wanted, cache, SERVER["lustre"])]
