"""The output folder: whole or not at all, and never over what somebody else put there."""

import os
from pathlib import Path

import pytest

from trnkit.errors import UnreadableInputError, UsageError
from trnkit.operations.smoke import output_folder
from trnkit.operations.smoke.output_folder import write_folder

PLAN = '{"kind": "trn-smoke-plan"}\n'
FILES = {"plan.json": PLAN, "node/trn-smoke": "#!/usr/bin/env python3\n", "run.sh": "#!/bin/sh\n"}


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".trnkit-smoke"
    }


def test_a_new_folder_has_the_files_and_their_modes(tmp_path):
    old = os.umask(0o022)
    try:
        write_folder(str(tmp_path / "smoke"), FILES)
    finally:
        os.umask(old)
    folder = tmp_path / "smoke"
    assert contents(folder) == FILES
    modes = {name: (folder / name).stat().st_mode & 0o777 for name in [*FILES, ".", "node"]}
    assert modes == {
        "plan.json": 0o644,
        "node/trn-smoke": 0o755,
        "run.sh": 0o755,
        ".": 0o755,
        "node": 0o755,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["smoke"]


def test_an_empty_folder_is_filled(tmp_path):
    (tmp_path / "smoke").mkdir()
    write_folder(str(tmp_path / "smoke"), FILES)
    assert contents(tmp_path / "smoke") == FILES


def test_a_folder_of_ours_is_replaced_whole(tmp_path):
    folder = tmp_path / "smoke"
    write_folder(str(folder), {**FILES, "pod.sh": "x", "job.yaml": "x"})
    write_folder(str(folder), FILES)
    assert contents(folder) == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["smoke"]


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "smoke").symlink_to("real")
    write_folder(str(tmp_path / "smoke"), FILES)
    assert (tmp_path / "smoke").is_symlink()
    assert contents(tmp_path / "real") == FILES


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("results/1/node-a.json", "the folder also holds results"),
        ("node/notes.txt", "the folder also holds node/notes.txt"),
        (".git/config", "the folder also holds .git"),
    ],
)
def test_what_somebody_put_there_stays(tmp_path, name, message):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("mine")
    with pytest.raises(UnreadableInputError, match=message):
        write_folder(str(folder), FILES)
    assert contents(folder) == {**FILES, name: "mine"}


def in_place_of_job(folder, kind):
    """Put something of another kind where a job file stood."""
    path = folder / "run.sh"
    path.unlink()
    if kind == "folder":
        path.mkdir()
        (path / "precious").write_text("mine")
    elif kind == "symbolic link":
        (folder.parent / "elsewhere").write_text("mine")
        path.symlink_to("../elsewhere")
    else:
        os.mkfifo(path)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("kind", ["folder", "symbolic link", "device, pipe or socket"])
def test_a_name_of_ours_with_something_of_another_kind_stays(tmp_path, kind, force):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    in_place_of_job(folder, kind)
    before = os.lstat(folder / "run.sh")
    with pytest.raises(UnreadableInputError, match=f"run.sh in it is a {kind}, not a file"):
        write_folder(str(folder), FILES, force=force)
    assert os.lstat(folder / "run.sh").st_ino == before.st_ino


@pytest.mark.parametrize("force", [False, True])
def test_a_link_in_place_of_the_programs_stays(tmp_path, force):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / "node").rename(tmp_path / "mine")
    (folder / "node").symlink_to("../mine")
    with pytest.raises(UnreadableInputError, match="node in it is a symbolic link, not a folder"):
        write_folder(str(folder), FILES, force=force)
    assert (folder / "node").is_symlink()


@pytest.mark.parametrize("name", ["run.sh", "plan.json", "node/trn-smoke"])
def test_what_somebody_changed_goes_only_when_told_to(tmp_path, name):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / name).write_text(FILES[name] + "\n")
    with pytest.raises(UnreadableInputError, match=f"{name} in it changed since") as caught:
        write_folder(str(folder), FILES)
    assert "--force" in caught.value.finding.hint
    assert contents(folder) == {**FILES, name: FILES[name] + "\n"}
    write_folder(str(folder), FILES, force=True)
    assert contents(folder) == FILES


def test_what_somebody_removed_comes_back(tmp_path):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / "run.sh").unlink()
    write_folder(str(folder), FILES)
    assert contents(folder) == FILES


def test_a_file_of_another_host_that_somebody_wrote_stays(tmp_path):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / "job.yaml").write_text("mine")
    with pytest.raises(UnreadableInputError, match=r"the folder also holds job\.yaml"):
        write_folder(str(folder), FILES, force=True)


@pytest.mark.parametrize("manifest", [None, "{", "[]", "[" * 100_000, '{"kind": "other"}'])
def test_without_its_manifest_a_folder_goes_only_when_told_to(tmp_path, manifest):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    (folder / ".trnkit-smoke").unlink()
    if manifest is not None:
        (folder / ".trnkit-smoke").write_text(manifest)
    with pytest.raises(UnreadableInputError, match="changed since"):
        write_folder(str(folder), FILES)
    write_folder(str(folder), FILES, force=True)
    write_folder(str(folder), FILES)


def test_a_plan_that_is_a_pipe_is_not_read(tmp_path):
    folder = tmp_path / "smoke"
    folder.mkdir()
    os.mkfifo(folder / "plan.json")
    with pytest.raises(UnreadableInputError, match="the folder holds something else"):
        write_folder(str(folder), FILES)


@pytest.mark.parametrize("plan", [None, "{", "[]", "[" * 100_000, '{"kind": "other"}'])
def test_a_folder_of_somebody_else_stays(tmp_path, plan):
    folder = tmp_path / "smoke"
    folder.mkdir()
    (folder / "run.sh").write_text("mine")
    if plan is not None:
        (folder / "plan.json").write_text(plan)
    before = contents(folder)
    with pytest.raises(UnreadableInputError, match="the folder holds something else"):
        write_folder(str(folder), FILES)
    assert contents(folder) == before


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "smoke").write_text("mine")
    with pytest.raises(UnreadableInputError, match="this is a file"):
        write_folder(str(tmp_path / "smoke"), FILES)


def test_its_parent_must_be_there(tmp_path):
    with pytest.raises(UnreadableInputError, match="its folder does not exist"):
        write_folder(str(tmp_path / "a" / "b"), FILES)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a\0b", "x" * 300])
def test_what_can_be_no_path(tmp_path, name):
    with pytest.raises(UnreadableInputError):
        write_folder(str(tmp_path / name), FILES)


def test_an_empty_name_is_refused():
    with pytest.raises(UsageError):
        write_folder("", FILES)


def test_nothing_is_left_of_a_folder_that_could_not_be_written(tmp_path, monkeypatch):
    real, calls = Path.write_text, []

    def full(self, *arguments, **keys):
        calls.append(self)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return real(self, *arguments, **keys)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UnreadableInputError, match="No space left on device"):
        write_folder(str(tmp_path / "smoke"), FILES)
    assert list(tmp_path.iterdir()) == []


def test_the_old_folder_comes_back_when_the_new_one_cannot_have_its_name(tmp_path, monkeypatch):
    folder = tmp_path / "smoke"
    write_folder(str(folder), FILES)
    real = Path.rename

    def refuse(self, target):
        if self.name == "new":
            raise OSError(5, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(output_folder.Path, "rename", refuse)
    with pytest.raises(UnreadableInputError, match="Input/output error"):
        write_folder(str(folder), {**FILES, "plan.json": PLAN + "\n"})
    monkeypatch.undo()
    assert contents(folder) == FILES
    assert [path.name for path in tmp_path.iterdir()] == ["smoke"]
