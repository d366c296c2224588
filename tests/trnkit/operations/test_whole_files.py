"""Files that are written whole: where, and whose they are afterwards."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from trnkit.errors import UnreadableInputError
from trnkit.operations.places import place_to_write
from trnkit.operations.whole_files import refuse_unwritable, write_whole

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def descriptor(tmp_path):
    """A number of a descriptor that reads an ordinary file."""
    (tmp_path / "file").write_text("before")
    with (tmp_path / "file").open() as stream:
        yield stream.fileno()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux has it")
@pytest.mark.parametrize(
    "form", ["/dev/fd/{}", "/proc/self/fd/{}", "/proc/{pid}/fd/{}", "link", "folder/{}", "twice"]
)
def test_nothing_is_written_through_a_descriptor(tmp_path, monkeypatch, descriptor, form):
    monkeypatch.chdir(tmp_path)
    Path("link").symlink_to(f"/dev/fd/{descriptor}")
    Path("folder").symlink_to("/proc/self/fd")
    Path("twice").symlink_to("link")
    path = form.format(descriptor, pid=os.getpid())
    assert Path(path).read_text() == "before"
    with pytest.raises(UnreadableInputError, match="name a file on disk"):
        place_to_write(path)


def test_files_on_disk_and_in_memory_are_places_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("here").symlink_to("there")
    Path("circle").symlink_to("circle")
    assert place_to_write("here") == tmp_path.resolve() / "there"
    assert place_to_write("new") == tmp_path.resolve() / "new"
    assert place_to_write("circle").name == "circle"
    assert place_to_write("/dev/shm/report") == Path("/dev/shm/report").resolve()


@pytest.mark.skipif(not IS_ROOT, reason="only root may give a file away")
def test_a_file_that_is_replaced_keeps_its_owner_and_group(tmp_path):
    path = tmp_path / "cluster.yaml"
    path.write_text("before")
    os.chown(path, 12345, 23456)
    write_whole(path, "after", replace=True, mode=0o640)
    after = path.stat()
    assert (after.st_uid, after.st_gid, path.read_text()) == (12345, 23456, "after")
    assert stat.S_IMODE(after.st_mode) == 0o640


def test_what_may_not_be_given_away_is_written_all_the_same(tmp_path, monkeypatch):
    asked = []

    def chown(path, uid, gid):
        asked.append((uid, gid))
        raise PermissionError

    path = tmp_path / "cluster.yaml"
    path.write_text("before")
    was = os.stat_result
    real = Path.stat

    def told(self, **options):
        found = real(self, **options)
        if self != path:
            return found
        return was([*found[:4], found.st_uid + 1, found.st_gid + 1, *found[6:]])

    monkeypatch.setattr(os, "chown", chown)
    monkeypatch.setattr(Path, "stat", told)
    write_whole(path, "after", replace=True)
    assert path.read_text() == "after"
    uid, gid = real(path).st_uid + 1, real(path).st_gid + 1
    assert asked == [(-1, gid), (uid, -1)]


@pytest.mark.parametrize("name", ["nowhere/file", "pipe", "folder"])
def test_a_place_that_takes_no_file_is_known_before(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match=r"no ordinary file|No such file"):
        refuse_unwritable(tmp_path / name)
    refuse_unwritable(tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_may_not_be_written_to_is_known_before(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *asked: False)
    with pytest.raises(PermissionError, match="may not be written to"):
        refuse_unwritable(tmp_path / "new")
