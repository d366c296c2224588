"""What a job folder holds that trnkit wrote, by digest: everything else is somebody's own."""

from __future__ import annotations

import hashlib
import json
import re
import stat
from typing import TYPE_CHECKING, Any, cast

from trnkit.config.input_bytes import read_bytes
from trnkit.config.yaml_reader import unreadable
from trnkit.operations.smoke.job_files import PLAN_FILE
from trnkit.operations.smoke.node_files import node_files
from trnkit.operations.smoke.planning import PLAN_KIND

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

MANIFEST_FILE = ".trnkit-smoke"
_KIND = "trn-smoke-files"
_PROGRAMS = "node"
_OURS = (PLAN_FILE, "job.sbatch", "job.yaml", "pod.sh", "run.sh", "document.json")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES = 1_000_000
_REMOVE = "name another folder with --output, or remove this one"
_FORCE = "keep what you changed elsewhere, then give --force, or name another folder with --output"


def manifest_of(files: Mapping[str, str]) -> str:
    """The text of the manifest of these files.

    Args:
        files: Path in the folder -> text.
    """
    digests = {name: _digest(text.encode()) for name, text in sorted(files.items())}
    return json.dumps({"schema": 1, "kind": _KIND, "files": digests}, indent=1) + "\n"


def refuse_foreign(folder: Path, shown: str, *, force: bool) -> None:
    """Refuse a folder that holds more than what trnkit wrote there.

    Args:
        folder: The folder, without symbolic links.
        shown: The folder as the user named it.
        force: Whether files of ours that somebody changed may go.

    Raises:
        UnreadableInputError: Something in it is not ours, is of another kind than what we write,
            or was changed.
    """
    try:
        kinds = _kinds(folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(shown, f"cannot be read: {reason}", "check path and permissions") from None
    if not kinds:
        return
    known = _known(folder, kinds)
    if known is None:
        raise unreadable(shown, "the folder holds something else", _REMOVE)
    foreign = [name for name in kinds if name not in known and name != _PROGRAMS]
    if foreign:
        raise unreadable(shown, f"the folder also holds {', '.join(foreign[:3])}", _REMOVE)
    for name, kind in kinds.items():
        wanted = "folder" if name == _PROGRAMS else "file"
        if kind != wanted:
            text = f"{name} in it is a {kind}, not a {wanted} as trnkit writes it"
            raise unreadable(shown, text, _REMOVE)
    if force:
        return
    changed = [name for name in kinds if name in known and not _is_as_written(folder, name, known)]
    if changed:
        text = f"{', '.join(changed[:3])} in it changed since trnkit wrote the folder"
        raise unreadable(shown, text, _FORCE)


def _kinds(folder: Path) -> dict[str, str]:
    """Path in the folder -> what stands there, links not followed; inside `node` too."""
    found = {path.name: _kind(path) for path in sorted(folder.iterdir())}
    if found.get(_PROGRAMS) == "folder":
        inside = sorted((folder / _PROGRAMS).iterdir())
        found |= {f"{_PROGRAMS}/{path.name}": _kind(path) for path in inside}
    return found


def _kind(path: Path) -> str:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return "symbolic link"
    if stat.S_ISDIR(mode):
        return "folder"
    return "file" if stat.S_ISREG(mode) else "device, pipe or socket"


def _known(folder: Path, kinds: Mapping[str, str]) -> dict[str, str] | None:
    """Path -> digest of what we wrote; digests are empty where the manifest is gone.

    None when neither manifest nor plan says that the folder is ours.
    """
    manifest = _json(folder, MANIFEST_FILE, kinds)
    digests = manifest.get("files") if manifest.get("kind") == _KIND else None
    if isinstance(digests, dict) and all(
        isinstance(digest, str) and _DIGEST.fullmatch(digest)
        for digest in cast("dict[str, Any]", digests).values()
    ):
        return {**cast("dict[str, str]", digests), MANIFEST_FILE: ""}
    if _json(folder, PLAN_FILE, kinds).get("kind") != PLAN_KIND:
        return None
    programs = [f"{_PROGRAMS}/{name}" for name in node_files()]
    return dict.fromkeys([*_OURS, *programs, MANIFEST_FILE], "")


def _json(folder: Path, name: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    """The object in a file of the folder; empty when there is none."""
    if kinds.get(name) != "file":
        return {}
    try:
        content = json.loads(_content(folder, name))
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", content) if isinstance(content, dict) else {}


def _content(folder: Path, name: str) -> bytes:
    path = str(folder / name)
    again = "give the command again"
    return read_bytes(path, path, most=_MAX_BYTES, folder=again, missing=again)


def _is_as_written(folder: Path, name: str, known: Mapping[str, str]) -> bool:
    # Where the manifest itself is ours, it is what the other files are compared with.
    if name == MANIFEST_FILE:
        return PLAN_FILE in known and bool(known[PLAN_FILE])
    return _digest(_content(folder, name)) == known[name]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
