"""`trnkit init`: a cluster file to start from, written so that nothing is lost."""

from __future__ import annotations

import re
from pathlib import Path

from trnkit.config import load_cluster
from trnkit.config.yaml_reader import unreadable
from trnkit.errors import TrnkitError
from trnkit.findings import nearest
from trnkit.operations.places import place_at, place_to_write, refuse_empty
from trnkit.operations.whole_files import write_whole

LISTING = "`trnkit init --list-examples`"
_LONGEST_TITLE = 100


class StarterError(TrnkitError):
    """The starter file cannot be written, or there is no such example."""


def example_directory() -> Path:
    """The folder of the examples: the copy inside a wheel, or that of a checkout.

    Raises:
        StarterError: The installation lacks them.
    """
    package = Path(__file__).resolve().parent.parent
    # A wheel's own first: beside it, in site-packages, other projects leave folders of this name.
    for folder in (package / "_examples", package.parent / "examples"):
        if any(folder.glob("*.yaml")):
            return folder
    raise StarterError(f"{package} lacks its examples: restore them with git, or reinstall trnkit")


def example_titles() -> dict[str, str]:
    """Name of each shipped example -> what it is, as its first comment begins."""
    return {name: _title(starter_text(name)) for name in example_names()}


def _title(text: str) -> str:
    lines = [line.removeprefix("# ") for line in text.splitlines()[:6] if line.startswith("# ")]
    words = " ".join(line for line in lines if not line.startswith("yaml-language-server"))
    title = re.split(r"[.:;](?: |$)", words, maxsplit=1)[0]
    while len(title) > _LONGEST_TITLE and ", " in title:
        title = title.rpartition(", ")[0]
    return title


def example_names() -> tuple[str, ...]:
    """Names of the shipped examples, without the file ending."""
    return tuple(sorted(path.stem for path in example_directory().glob("*.yaml")))


def starter_text(example: str | None = None) -> str:
    """The commented starter, or one of the examples.

    Raises:
        StarterError: There is no such example.
    """
    if example is None:
        return Path(__file__).with_name("starter.yaml").read_text(encoding="utf-8")
    names, wanted = example_names(), example.removesuffix(".yaml")
    if wanted not in names:
        close = nearest(wanted, names)
        hint = f"did you mean {' or '.join(close)}?" if close else f"{LISTING} prints all"
        raise StarterError(f"there is no example {example!r}; {hint}")
    return (example_directory() / f"{wanted}.yaml").read_text(encoding="utf-8")


def companions(example: str | None) -> dict[str, str]:
    """The files that an example names: name relative to the example -> text."""
    if example is None:
        return {}
    path = example_directory() / f"{example.removesuffix('.yaml')}.yaml"
    cluster = load_cluster(path)
    config = cluster.config
    named = [config.instance_types_file, config.budget.prices_file, *cluster.image_locks]
    return {name: (path.parent / name).read_text(encoding="utf-8") for name in named if name}


def write_companion(path: str, text: str, *, force: bool = False) -> None:
    """Like `write_starter`, but makes the folder, and a file that says the same may be there."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if not (target.is_file() and target.read_bytes() == text.encode()):
        write_starter(path, text, force=force)


def write_starter(path: str, text: str, *, force: bool = False) -> None:
    """Write the file whole or not at all.

    Args:
        path: Where to.
        text: What.
        force: Replace an ordinary file that is there; nothing else is ever replaced.

    Raises:
        UnreadableInputError: It is there already, is no ordinary file, or cannot be written.
        UsageError: The path is empty.
    """
    refuse_empty([path], "file to write")
    target = place_to_write(path)
    standing = place_at(path, path)
    if standing == "folder":
        raise unreadable(path, "this is a folder", "name the file to write")
    if standing not in ("nothing", "file"):
        raise unreadable(path, f"this is a {standing}", "name an ordinary file to write")
    if standing == "file" and not force:
        raise unreadable(path, "the file exists already", "name another one, or add --force")
    if not target.parent.is_dir():
        raise unreadable(path, "its folder does not exist", "create the folder first")
    try:
        write_whole(target, text, replace=force)
    except FileExistsError:
        raise unreadable(
            path, "the file exists already", "name another one, or add --force"
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise unreadable(
            path, f"cannot be written: {reason}", "check path and permissions"
        ) from None
