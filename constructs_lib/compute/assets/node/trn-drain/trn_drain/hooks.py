"""Runs what the site put into a folder, in order, each within its time, root's files alone."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

from trn_node_check.process import run_process

from .journal import Step

_LEFT_BEHIND = re.compile(r"~$|\.(bak|orig|rpmnew|rpmsave|rpmorig|swp|disabled)$|\.dpkg-[a-z]+$")
"""What editors and packages leave beside a file."""
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def hooks_in(root: str, folder: str) -> list[str]:
    """Names of the hooks, in the order in which they run; none without the folder."""
    try:
        names = os.listdir(root + folder)  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(n for n in names if not n.startswith(".") and not _LEFT_BEHIND.search(n))


def trouble_with(root: str, folder: str, name: str) -> tuple[str, str] | None:
    """Why a file is not run, as status and reason; None when it may be: it is root's alone."""
    path = Path(f"{root}{folder}/{name}")
    try:
        state, above = path.stat(), path.parent.stat()
    except OSError as error:
        return "failed", f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(state.st_mode):
        return "skipped", "is no file"
    if not state.st_mode & stat.S_IXUSR:
        return "skipped", "is not executable"
    for place, found in ((f"{folder}/{name}", state), (folder, above)):
        if found.st_uid != os.geteuid() or found.st_mode & _OTHERS_MAY_WRITE:
            return "failed", f"not run: {place} can be written by others than root"
    return None


def run_hook(root: str, folder: str, name: str, environment: dict[str, str], until: float) -> Step:
    """Run one hook.

    Args:
        root: What stands for `/`.
        folder: Where it is.
        name: Which.
        environment: Its whole environment.
        until: When it must have ended, by the monotonic clock; it is killed then, and so is
            whatever it has started.
    """
    step, begun = f"hook:{name}", time.monotonic()
    trouble = trouble_with(root, folder, name)
    if trouble is not None:
        return Step(step, *trouble)
    left = until - begun
    if left <= 0:
        return Step(step, "failed", "no time was left for it")
    path = f"{root}{folder}/{name}"
    answer = run_process([path], name=name, environment=environment, seconds=left)
    took = time.monotonic() - begun
    if answer.good:
        return Step(step, "ok", answer.output, took)
    return Step(step, "failed", answer.trouble, took)
