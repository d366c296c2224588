"""Writes a folder of files whole or not at all, and never over anything that is not its own."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import unreadable
from trnkit.operations.file_modes import ordinary_mode
from trnkit.operations.places import NAME_SHOWN, place_at, real_path, refuse_empty
from trnkit.operations.smoke.job_files import PLAN_FILE, is_executable
from trnkit.operations.smoke.planning import PLAN_KIND

if TYPE_CHECKING:
    from collections.abc import Mapping

_OURS = {
    "plan.json",
    "node",
    "job.sbatch",
    "job.yaml",
    "pod.sh",
    "run.sh",
    "document.json",
}


def write_folder(shown: str, files: Mapping[str, str]) -> None:
    """Write files into a folder of their own.

    A folder that an earlier call made, and nobody added anything to, is replaced.

    Args:
        shown: The folder, as the user named it.
        files: Path in the folder -> text.

    Raises:
        UsageError: The name is empty.
        UnreadableInputError: The folder cannot be written, or holds something else.
    """
    refuse_empty([shown], "folder for --output")
    target = real_path(shown)
    standing = place_at(target, shown)
    if standing == "folder":
        _refuse_foreign(target, shown)
    elif standing != "nothing":
        raise unreadable(shown, f"this is a {standing}", "name a folder with --output")
    if place_at(target.parent, shown) != "folder":
        raise unreadable(shown, "its folder does not exist", "create the folder first")
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name[:NAME_SHOWN]}.", dir=target.parent))
        try:
            _fill(scratch / "new", files)
            _swap(scratch, target, replace=standing == "folder")
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "check path and permissions"
        raise unreadable(shown, f"cannot be written: {reason}", hint) from None


def _refuse_foreign(target: Path, shown: str) -> None:
    """An empty folder is fine, and one of ours as it was written."""
    try:
        names = sorted(path.name for path in target.iterdir())
        inside = sorted(path.name for path in (target / "node").glob("*")) if names else []
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(shown, f"cannot be read: {reason}", "check path and permissions") from None
    hint = "name another folder with --output, or remove this one"
    if names and not _is_plan(target / PLAN_FILE):
        raise unreadable(shown, "the folder holds something else", hint)
    foreign = [name for name in names if name not in _OURS]
    foreign += [f"node/{name}" for name in inside if not _is_program(target / "node" / name)]
    if foreign:
        listed = ", ".join(foreign[:3])
        raise unreadable(shown, f"the folder also holds {listed}", hint)


def _is_plan(path: Path) -> bool:
    try:
        plan = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(plan, dict) and plan.get("kind") == PLAN_KIND


def _is_program(path: Path) -> bool:
    from trnkit.operations.smoke.node_files import node_files

    return path.is_file() and path.name in node_files()


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        mode = ordinary_mode()
        path.chmod(mode | ((mode & 0o444) >> 2) if is_executable(name) else mode)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        made.chmod(ordinary_mode(folder=True))


def _swap(scratch: Path, target: Path, *, replace: bool) -> None:
    """Give the new folder its name; the old one comes back when that fails."""
    old = scratch / "old"
    if replace:
        target.rename(old)
    try:
        (scratch / "new").rename(target)
    except OSError:
        if replace:
            old.rename(target)
        raise
