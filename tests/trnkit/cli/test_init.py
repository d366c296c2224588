from __future__ import annotations

import os
import re

import pytest

from tests.synthesis import EXAMPLES
from trnkit.operations.starter import starter_text


def test_the_starter_passes_check_without_errors_or_warnings(trnkit, folder):
    ran = trnkit("init")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("wrote cluster.yaml\n")
    checked = trnkit("check", "cluster.yaml")
    assert checked.code == 0
    assert "warning" not in checked.out


def test_a_file_that_is_there_stays(trnkit, folder):
    (folder / "cluster.yaml").write_text("mine")
    ran = trnkit("init")
    assert ran.code == 2
    assert "exists already" in ran.err
    assert (folder / "cluster.yaml").read_text() == "mine"


def test_force_replaces_it_and_leaves_nothing_else(trnkit, folder):
    (folder / "cluster.yaml").write_text("mine")
    assert trnkit("init", "--force").code == 0
    assert (folder / "cluster.yaml").read_text().startswith("# A cluster")
    assert [path.name for path in folder.iterdir()] == ["cluster.yaml"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_written_as_shipped(trnkit, folder, path):
    assert trnkit("init", "x.yaml", "--example", path.stem).code == 0
    assert (folder / "x.yaml").read_text() == path.read_text()
    assert trnkit("check", "x.yaml").code == 0


def test_an_example_brings_the_file_that_it_names(trnkit, folder):
    (folder / "here").mkdir()
    ran = trnkit("init", "here/x.yaml", "--example", "custom-type")
    assert ran.out.startswith("wrote here/x.yaml and here/types/trn3-preview.json\n")
    types = folder / "here" / "types" / "trn3-preview.json"
    assert types.read_text() == (EXAMPLES[0].parent / "types" / types.name).read_text()
    assert trnkit("init", "here/y.yaml", "--example", "custom-type").code == 0
    types.write_text("[]")
    ran = trnkit("init", "here/z.yaml", "--example", "custom-type")
    assert (ran.code, (folder / "here" / "z.yaml").exists()) == (2, False)
    assert "trn3-preview.json: error TRN001: the file exists already" in ran.err


def test_an_unknown_example_gets_the_nearest(trnkit, folder):
    ran = trnkit("init", "--example", "trn2-pretran")
    assert (ran.code, ran.out) == (2, "")
    assert "trn2-pretrain" in ran.err
    assert list(folder.iterdir()) == []


def test_an_example_like_no_other_gets_the_command_that_lists_them(trnkit, folder):
    ran = trnkit("init", "--example", "qqq")
    assert ran.code == 2
    assert ran.err == (
        "error: there is no example 'qqq'; `trnkit init --list-examples` prints all\n"
    )


def test_the_examples_are_listed_and_nothing_is_written(trnkit, folder):
    ran = trnkit("init", "--list-examples")
    lines = ran.out.splitlines()
    assert (ran.code, [line.split()[0] for line in lines]) == (0, [p.stem for p in EXAMPLES])
    told = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
    assert told["trn1-spot"] == "Two small Trainium1 workers on Spot"
    assert told["trn2-pretrain"].startswith("Four Trainium2 nodes with 16 EFA interfaces each")
    assert max(map(len, lines)) <= 130
    assert list(folder.iterdir()) == []


def test_a_folder_and_a_missing_folder_are_refused(trnkit, folder):
    (folder / "here").mkdir()
    assert "this is a folder" in trnkit("init", "here").err
    ran = trnkit("init", "nowhere/cluster.yaml")
    assert ran.code == 2
    assert "its folder does not exist" in ran.err


def test_what_cannot_be_written_is_one_line(trnkit, folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    ran = trnkit("init")
    assert ran.code == 2
    assert "cannot be written: Permission denied" in ran.err


def test_the_file_gets_ordinary_permissions(trnkit, folder):
    mask = os.umask(0o022)
    try:
        trnkit("init")
    finally:
        os.umask(mask)
    assert (folder / "cluster.yaml").stat().st_mode & 0o777 == 0o644


def test_the_comments_hold_in_any_region(trnkit, folder):
    """Who changes the region must not be left with a command for another one."""
    names = [None, *(path.stem for path in EXAMPLES)]
    for name in names:
        assert "--region us-" not in starter_text(name)
        assert "--region eu-" not in starter_text(name)


def test_each_choice_of_the_starter_is_marked_yours(trnkit, folder):
    marked = {
        line.split(":")[0].strip(" -#") for line in starter_text().splitlines() if "# yours" in line
    }
    assert marked == {
        "name", "region", "availability_zone_id", "instance_type", "count", "storage_capacity_gib",
        "data_repository_path", "limit_usd", "emails",
    }  # fmt: skip


def test_what_the_starter_shows_as_comments_works_when_it_is_uncommented(trnkit, folder):
    lines = starter_text().splitlines()
    shown = [re.sub(r"^( *)# (?=[a-z_ -]*[a-z_]+:( |$))", r"\1", line) for line in lines]
    assert len([1 for a, b in zip(lines, shown, strict=True) if a != b]) >= 9
    (folder / "cluster.yaml").write_text("\n".join(shown))
    ran = trnkit("check", "cluster.yaml")
    assert ran.code == 0, ran.out
