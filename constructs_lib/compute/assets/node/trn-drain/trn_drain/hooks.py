"""Runs what the site put into a folder, in order, each within its time, root's files alone."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

from trn_node_check.process import run_process

from .journal import Step
from .settings import is_roots_alone

_LEFT_BEHIND = re.compile(r"~$|\.(bak|orig|rpmnew|rpmsave|rpmorig|swp|disabled)$|\.dpkg-[a-z]+$")
"""What editors and packages leave beside a file."""


def hooks_in(root: str, folder: str) -> tuple[list[str], Step | None]:
    """Names of the hooks, in the order in which they run; none without the folder.

    Returns:
        The names, and the step that tells why there are none where the folder cannot be read.
    """
    try:
        names = os.listdir(root + folder)  # noqa: PTH208
    except FileNotFoundError:
        return [], None
    except OSError as error:
        return [], Step("hooks", "failed", f"{folder} cannot be read: {error.strerror}")
    kept = sorted(n for n in names if not n.startswith(".") and not _LEFT_BEHIND.search(n))
    return kept, None


def trouble_with(root: str, folder: str, name: str) -> tuple[str, str] | None:
    """Why a file is not run, as status and reason; None when it may be: it is root's alone."""
    path = Path(f"{root}{folder}/{name}")
    try:
        state, above, beside = path.stat(), path.parent.stat(), path.resolve().parent
        places = ((f"{folder}/{name}", state), (folder, above), (str(beside), beside.stat()))
    except OSError as error:
        return "failed", f"cannot be read: {error.strerror}"
    if not stat.S_ISREG(state.st_mode):
        return "skipped", "is no file"
    if not state.st_mode & stat.S_IXUSR:
        return "skipped", "is not executable"
    # The last is where a link leads: whoever may write there can put another file in its place.
    for place, found in places:
        if not is_roots_alone(found):
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
            whatever it has started and left in its session.
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
