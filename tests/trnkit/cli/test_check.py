from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.synthesis import EXAMPLES, ROOT
from tests.trnkit.cli.conftest import MINIMAL

FINDING_KEYS = {
    "rule_id", "severity", "message", "hint", "path", "logical_id", "file", "line", "column",
    "evidence", "source", "tool", "suppression",
}  # fmt: skip


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_passes(path, trnkit):
    ran = trnkit("check", str(path))
    assert (ran.code, ran.err) == (0, "")


def test_a_clean_file_is_confirmed_in_one_line(trnkit, cluster_file):
    ran = trnkit("check", "cluster.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[-1].endswith("in cluster.yaml")
    assert "error " not in ran.out


def test_a_wrong_key_is_shown_with_its_line_and_a_caret(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL.replace("  node_groups:", "  nod_groups:"))
    ran = trnkit("check", "cluster.yaml")
    assert ran.code == 1
    assert ran.out == (
        "cluster.yaml:5:3  error    TRN003  compute has no key 'nod_groups'\n"
        "     5 |   nod_groups:\n"
        "       |   ^\n"
        "    fix   did you mean node_groups or node_role?\n"
        "\n"
        "1 error in cluster.yaml\n"
    )


def test_json_is_one_object_with_every_key(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + "extra: 1\n")
    ran = trnkit("check", "cluster.yaml", "--format", "json")
    content = json.loads(ran.out)
    assert (ran.code, ran.err, content["schema"]) == (1, "", 1)
    assert content["files"] == ["cluster.yaml"]
    assert content["summary"]["error"] == 1
    assert set(content["findings"][0]) == FINDING_KEYS
    assert content["findings"][0]["line"] == 13


@pytest.mark.parametrize("report_format", ["text", "json", "sarif", "junit"])
def test_a_missing_file_is_exit_code_2_in_every_format(trnkit, report_format):
    ran = trnkit("check", "nothing.yaml", "--format", report_format)
    assert (ran.code, ran.err) == (2, "")
    assert "TRN001" in ran.out
    if report_format == "sarif":
        assert json.loads(ran.out)["runs"][0]["invocations"] == [{"executionSuccessful": False}]


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00\xff\x00", b"- a\n- b\n", b"a: [1", b"x" * 1_100_000, b"\xff\xfea"],
    ids=["empty", "binary", "list", "broken", "huge", "utf-16"],
)
def test_what_is_no_cluster_file_is_exit_code_2_and_no_traceback(trnkit, folder, content):
    (folder / "cluster.yaml").write_bytes(content)
    ran = trnkit("check", "cluster.yaml")
    assert (ran.code, ran.err) == (2, "")
    assert "1 error in cluster.yaml" in ran.out


def test_a_folder_is_exit_code_2(trnkit, folder):
    (folder / "clusters").mkdir()
    ran = trnkit("check", "clusters")
    assert ran.code == 2
    assert "this is a folder" in ran.out


def test_an_unreadable_file_does_not_hide_the_others(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + "extra: 1\n")
    ran = trnkit("check", "nothing.yaml", "cluster.yaml")
    assert ran.code == 2
    assert "TRN001" in ran.out
    assert "cluster.yaml:13:1" in ran.out
    assert "2 errors in 2 files" in ran.out


def test_a_key_twice_is_an_error_that_names_both_lines(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + "region: us-west-2\n")
    ran = trnkit("check", "cluster.yaml")
    assert ran.code == 1
    assert "TRN002" in ran.out
    assert "first on line 3" in ran.out


def test_two_files_of_the_same_cluster_are_an_error(trnkit, cluster_file, folder):
    (folder / "copy.yaml").write_text(MINIMAL)
    ran = trnkit("check", "cluster.yaml", "copy.yaml")
    assert ran.code == 1
    assert re.search(r"copy.yaml:2:1 +error +TRN007", ran.out)


def test_the_same_file_twice_is_one_file(trnkit, cluster_file, folder):
    assert trnkit("check", "cluster.yaml", "./cluster.yaml").code == 0


def test_equal_names_in_different_regions_are_one_error_too(trnkit, cluster_file, folder):
    """What passes `check` can be synthesized in one app, which holds one cluster of a name."""
    (folder / "other.yaml").write_text(MINIMAL.replace("us-east-2", "ap-south-2"))
    content = json.loads(trnkit("check", "cluster.yaml", "other.yaml", "--format", "json").out)
    (finding,) = [f for f in content["findings"] if f["rule_id"] == "TRN007"]
    assert finding["file"] == "other.yaml"
    assert finding["message"].endswith("taken by cluster.yaml too, and one app holds one of a name")
    assert "commands of their own" in finding["hint"]


@pytest.mark.parametrize(
    "arguments",
    [(), ("--format", "xml", "cluster.yaml"), ("--formt", "json", "cluster.yaml"), ("--format",)],
)
def test_usage_errors_are_exit_code_2_on_standard_error(trnkit, arguments):
    ran = trnkit("check", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


def test_the_plain_form_and_typer_agree(trnkit, cluster_file):
    plain = trnkit("check", "cluster.yaml", "--format=json")
    through_typer = trnkit("check", "--format", "json", "--", "cluster.yaml")
    assert plain == through_typer


def test_control_characters_do_not_reach_the_terminal(trnkit, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + '"\\e[2Jx": 1\n')
    ran = trnkit("check", "cluster.yaml")
    assert ran.code == 1
    assert "\x1b" not in ran.out


def test_check_imports_none_of_the_heavy_libraries(cluster_file):
    code = (
        "import sys; from trnkit.cli.main import run; run(['check', 'cluster.yaml']); "
        "banned = {'aws_cdk', 'boto3', 'botocore', 'cfnlint', 'rich', 'typer', 'jsii'}; "
        "print(sorted(banned & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == "[]\n"


def test_a_reader_that_goes_away_is_no_error(folder):
    lines = "".join(f"key{number}: 1\n" for number in range(3000))
    (folder / "cluster.yaml").write_text(MINIMAL + lines)
    command = [sys.executable, "-m", "trnkit.cli.main", "check", "cluster.yaml"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


def test_output_survives_a_terminal_without_unicode(process, folder):
    (folder / "cluster.yaml").write_text(MINIMAL + "größe: 1\n")
    ran = process("check", "cluster.yaml", PYTHONIOENCODING="ascii")
    assert ran.returncode == 1
    assert "gr\\xf6\\xdfe" in ran.stdout


def test_keys_and_types_are_told_first_then_what_does_not_go_together(trnkit, folder):
    nowhere = MINIMAL.replace("region: us-east-2", "region: us-east-1")
    both = nowhere.replace("count: 2", "count: two") + "extra: 1\n"

    def told(text):
        (folder / "cluster.yaml").write_text(text)
        found = json.loads(trnkit("check", "cluster.yaml", "--format", "json").out)["findings"]
        return sorted(f["rule_id"] for f in found if f["severity"] == "error")

    assert told(both) == ["TRN003", "TRN005"]
    assert told(nowhere) == ["TRN102"]
