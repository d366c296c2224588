"""Paths that are no files: exit code 2 with a reason, in every verb, and nothing is replaced."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from tests.synthesis import ROOT
from tests.trnkit.cli.conftest import TEMPLATE

LONG = "a" * 300
VERBS = [
    ("check", "{}"),
    ("diff", "{}", "cluster.yaml"),
    ("diff", "cluster.yaml", "{}"),
    ("lint", "{}"),
    ("init", "{}"),
    ("init", "{}", "--force"),
    ("synth", "{}"),
    ("synth", "cluster.yaml", "--out", "{}"),
    ("images", "list", "{}"),
    ("images", "refresh", "{}"),
]


def arguments(verb, path):
    return [argument.format(path) for argument in verb]


@pytest.fixture
def bound(folder):
    """A socket in the folder."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        yield


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("path", [LONG, f"{LONG}/x", "loop", "loop/x", "with\0nul", "plain/x"])
def test_what_can_be_no_path_is_exit_code_2(trnkit, folder, cluster_file, verb, path):
    (folder / "loop").symlink_to("loop")
    (folder / "plain").write_text("")
    ran = trnkit(*arguments(verb, path))
    assert ran.code == 2, ran
    assert "cannot be " in ran.out + ran.err
    assert "internal error" not in ran.err
    assert sorted(p.name for p in folder.iterdir()) == ["cluster.yaml", "loop", "plain"]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize("path", ["pipe", "socket"])
def test_what_is_no_ordinary_file_is_neither_read_nor_replaced(
    trnkit, folder, cluster_file, bound, verb, path
):
    os.mkfifo(folder / "pipe")
    before = (folder / path).stat()
    ran = trnkit(*arguments(verb, path))
    assert ran.code == 2, ran
    after = (folder / path).stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert not stat.S_ISREG(after.st_mode)
    assert sorted(p.name for p in folder.iterdir()) == ["cluster.yaml", "pipe", "socket"]


def test_force_does_not_replace_through_a_link_either(trnkit, folder):
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    ran = trnkit("init", "link", "--force")
    assert ran.code == 2
    assert "device, pipe or socket" in ran.err
    assert (folder / "link").is_fifo()


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_an_empty_name_is_a_usage_error_that_says_so(trnkit, folder, cluster_file, verb):
    ran = trnkit(*arguments(verb, ""))
    assert (ran.code, ran.out) == (2, "")
    assert "error: an empty name is no " in ran.err
    assert [p.name for p in folder.iterdir()] == ["cluster.yaml"]


@pytest.mark.parametrize(
    "command",
    [
        ("check", ""),
        ("check", LONG),
        ("check", "cluster.yaml", "--no-such-option"),
        ("lint", ""),
        ("lint", "loop"),
        ("lint", "cluster.yaml", "--region", "mars"),
        ("synth", "cluster.yaml", "--out", ""),
        ("synth", "cluster.yaml", "--out", LONG),
        ("synth", "-"),
    ],
    ids=lambda command: " ".join(command)[:40],
)
def test_json_is_one_object_whatever_is_wrong(trnkit, folder, cluster_file, command):
    (folder / "loop").symlink_to("loop")
    ran = trnkit(*command, "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, content["schema"]) == (2, 1)
    assert content["findings"] or content["failure"]


@pytest.mark.parametrize("verb", ["check", "lint"])
@pytest.mark.parametrize("path", [LONG, "loop", "loop/x", "with\0nul"])
def test_sarif_can_name_what_is_no_path(trnkit, folder, verb, path):
    (folder / "loop").symlink_to("loop")
    ran = trnkit(verb, path, "--format", "sarif")
    assert (ran.code, ran.err) == (2, "")
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == path.replace("\0", "%00")


@pytest.mark.parametrize(
    "command",
    [("check", "x"), ("check", "x", "--format", "sarif"), ("lint", "x"), ("init",), ("synth", "x")],
    ids=" ".join,
)
def test_a_current_folder_that_is_gone_is_exit_code_2(trnkit, folder, monkeypatch, command):
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    ran = trnkit(*command)
    assert ran.code == 2
    assert "internal error" not in ran.err


def test_an_unexpected_error_of_the_system_is_no_internal_error(trnkit, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied", "somewhere")

    monkeypatch.setattr("trnkit.operations.checking.check_files", refuse)
    ran = trnkit("check", "x")
    assert (ran.code, ran.out, ran.err) == (2, "", "error: somewhere: Permission denied\n")


def test_a_file_with_the_longest_name_there_is_can_be_written(trnkit, folder):
    name = "n" * 255
    assert trnkit("init", name).code == 0
    assert (folder / name).is_file()


@pytest.mark.parametrize("region", ["mars", "us-east-2a", "us-east", "US-EAST-2", "use2-az3", ""])
def test_what_has_no_shape_of_a_region_is_refused(trnkit, cluster_file, region):
    ran = trnkit("lint", "cluster.yaml", "--region", region)
    assert (ran.code, ran.out) == (2, "")
    assert "is no Region" in ran.err
    assert region != "us-east-2a" or "write us-east-2\n" in ran.err


@pytest.mark.parametrize(
    "region", ["us-east-2", "us-gov-west-1", "eusc-de-east-1", "us-isob-east-1", "xy-northwest-12"]
)
def test_a_region_that_nobody_knows_yet_passes(trnkit, folder, region):
    (folder / "t.json").write_text('{"Resources": {"B": {"Type": "AWS::S3::Bucket"}}}')
    assert trnkit("lint", "t.json", "--region", region).code == 0


HOSTILE_NAMES = {
    "escape": "a\x1b[2Jb.yaml",
    "line break": "a\nerror TRN999 b.yaml",
    "no UTF-8": os.fsdecode(b"a\xff.yaml"),
    "dash": "-a.yaml",
    "pattern": "a[b]*.yaml",
    "markup": "a<b>&'.yaml",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=list(HOSTILE_NAMES))
@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit"])
def test_a_report_survives_every_name_a_file_can_have(trnkit, folder, name, form):
    (folder / name).write_text(TEMPLATE)
    (folder / "other.yaml").write_text(TEMPLATE)
    ran = trnkit("lint", "--format", form, "--output", "report", "--", name, "other.yaml")
    assert (ran.code, ran.err) == (1, "")
    report = (folder / "report").read_text(encoding="utf-8")
    for text in (ran.out, report):
        assert "\x1b" not in text
        assert not any(line.startswith("error TRN999") for line in text.splitlines())
    if form == "junit":
        assert len(ElementTree.fromstring(report)) == 2
    elif form != "text":
        assert json.loads(report)
    if name.isprintable():
        assert f"{name}: 2 errors, 2 warnings\n" in ran.out


def test_a_command_that_is_cut_short_by_head_says_nothing_of_it(folder):
    for number in range(50):
        (folder / f"{number}.yaml").write_text(TEMPLATE)
    command = f"{sys.executable} -m trnkit.cli.main lint . | head -1"
    ran = subprocess.run(
        ["bash", "-c", command], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == ("0.yaml: 2 errors, 2 warnings\n", "")


def test_many_files_of_which_one_is_unreadable_are_judged_all_the_same(trnkit, folder):
    (folder / "good.yaml").write_text(TEMPLATE)
    (folder / "broken.yaml").write_text("Resources: [\n")
    (folder / "gone.yaml").symlink_to("nothing")
    ran = trnkit("lint", "good.yaml", "broken.yaml", "gone.yaml", "missing.yaml", ".")
    assert ran.code == 2
    assert ran.out.count("TRN001") == 3
    assert ran.out.count("TRN252") == 2
