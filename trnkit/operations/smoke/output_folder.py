"""Writes a folder of files whole or not at all, and never over anything that is not its own."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import unreadable
from trnkit.operations.file_modes import ordinary_mode
from trnkit.operations.places import NAME_SHOWN, place_at, real_path, refuse_empty
from trnkit.operations.smoke.folder_manifest import MANIFEST_FILE, manifest_of, refuse_foreign
from trnkit.operations.smoke.job_files import is_executable

if TYPE_CHECKING:
    from collections.abc import Mapping


def write_folder(shown: str, files: Mapping[str, str], *, force: bool = False) -> tuple[str, ...]:
    """Write files into a folder of their own, with a manifest, and return all their names.

    A folder that an earlier call made, where nobody added or changed anything, is replaced.

    Args:
        shown: The folder, as the user named it.
        files: Path in the folder -> text.
        force: Whether changed files of an earlier call are replaced too.

    Raises:
        UsageError: The name is empty.
        UnreadableInputError: The folder cannot be written, or holds something else.
    """
    files = {**files, MANIFEST_FILE: manifest_of(files)}
    refuse_empty([shown], "folder for --output")
    target = real_path(shown)
    standing = place_at(target, shown)
    if standing == "folder":
        refuse_foreign(target, shown, force=force)
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
    return tuple(sorted(files))


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
