"""The program itself: options, exit codes, reports, and tools that misbehave."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.constructs_lib.compute.node.check.node_machine import (
    FOLDER,
    INSTANCE_ID,
    PYTHON,
    neuron_ls,
)
from tests.synthesis import ROOT
from trnkit.catalog.neuron_sdk import (
    driver_needs_runtime,
    neuron_releases,
    runtime_needs_driver,
)

MODULES = sorted(FOLDER.rglob("*.py"))
TOOLS = ("neuron-ls", "fi_info", "dpkg-query", "dmesg", "lctl", "lsblk", "chronyc")
CHECKS_OF_TOOLS = {
    "neuron-cores",
    "neuron-memory",
    "logical-cores",
    "neuron-versions",
    "kernel-log",
    "lustre-servers",
    "instance-store",
    "clock",
}
ODD = [
    "",
    "\0\0\0",
    "{",
    "[" * 5000,
    '{"blockdevices": 7}',
    "null",
    "\033[31mred\033[0m\n",
    "é" * 99,
]


# Exit codes.


def test_a_good_node_ends_with_0_also_with_warnings(node):
    assert node.run("--skip", "root-disk").code == 0
    node.file("/proc/meminfo", "MemTotal: 1000 kB\n")
    run = node.check("--only", "memory")
    assert (run.code, run.body["verdict"]) == (0, "warning")


def test_something_unknown_ends_with_3_and_something_failed_with_1(node):
    (node.tools / "chronyc").unlink()
    run = node.check("--only", "clock,memory")
    assert (run.code, run.body["verdict"]) == (3, "unknown")
    node.file("/etc/environment", "FI_PROVIDER=tcp\n")
    run = node.check("--only", "clock,efa-environment")
    assert (run.code, run.body["verdict"]) == (1, "failed")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "does not exist"),
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{\n "a": }', "expected.json is not JSON from line 2, column 7 on"),
        ('{"schema": ' + "9" * 5000 + "}", "expected.json is not JSON that can be read: a number"),
        ('{"schema": 1}' + " " * 2**20, "expected.json has more than 1024 KiB"),
        ('{"schema": [1]}', "expected.json: schema must be a number or null, got [1]"),
        ('{"schema": 1, "mounts": 0}', "expected.json: mounts must be a list of objects, got 0"),
        ('{"schema": 1, "mounts": [{"kind": []}]}', "mounts[0].kind must be a text or null, got"),
        ('{"schema": 1, "mounts": [' + ", ".join(["{}"] * 101) + "]}", "at most 100, got 101"),
        (
            '{"schema": 1, "compile_cache": "/\\ud800"}',
            "compile_cache must be a text without NUL and halves of characters, got",
        ),
        ('{"schema": 1, "instance_store": {"path": "/\\udc80"}}', "instance_store.path must be a"),
        ('{"schema": 1, "compile_cache": "/\\u0000"}', "compile_cache must be a text without NUL"),
        ("[]", "must hold one JSON object"),
        ("{}", "schema must be 1"),
        ('{"schema": 2}', "schema must be 1, which is what this program reads, got 2"),
        ('{"schema": 1, "neuron": 5}', "neuron must be an object or null, got 5"),
        ('{"schema": 1, "neuron": {"devices": "16"}}', "neuron.devices must be a number or null"),
        ('{"schema": 1, "neuron": {"devices": 1.5}}', "neuron.devices must be a whole number"),
        ('{"schema": 1, "vcpus": true}', "vcpus must be a number or null, got true"),
        ('{"schema": 1, "vcpus": NaN}', "vcpus must be a number"),
        ('{"schema": 1, "vcpus": Infinity}', "vcpus must be a number"),
        ('{"schema": 1, "mounts": {}, "efa": {"rdma": 1}}', "efa.rdma must be true or false"),
        ('{"schema": 1, "mounts": [1]}', "mounts must be a list of objects"),
        ('{"schema": 1, "mounts": [{"kind": "nfs"}]}', "mounts[0].kind must be lustre, efs or s3"),
        ('{"schema": 1, "mounts": [{"kind": "s3", "path": "x"}]}', "mounts[0].path must be an abs"),
    ],
)
def test_an_expected_file_that_cannot_be_used_ends_with_2_and_says_where(node, text, words):
    node.expected = None
    if text is not None:
        node.file("/etc/trnkit/expected.json", text)
    run = node.check()
    assert run.code == 2
    assert words in run.err
    assert words in run.body["error"]
    assert not re.search(r"' object|Expecting|recursion|int_max", run.err.partition(words)[2])
    assert (run.body["verdict"], run.body["checks"]) == ("unknown", [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--only", "neuron-device"), "nearest: neuron-device"),
        (("--skip", "lustr"), "nearest: lustre"),
        (("--only", "zzz"), "--list shows them"),
        (("--format", "yaml"), "invalid choice"),
        (("--timeout", "0"), "--timeout"),
        (("--timeout", "soon"), "--timeout"),
        (("--quik",), "unrecognized"),
    ],
)
def test_wrong_options_end_with_2(node, arguments, words):
    run = node.run(*arguments)
    assert run.code == 2
    assert words in run.err
    assert run.out == ""


# Reports.


def test_the_json_is_one_object_of_a_fixed_shape(node):
    body = node.check().body
    assert list(body) == [
        *("schema", "verdict", "cluster", "node_group", "instance_type", "instance_id"),
        *("time", "quick", "seconds", "checks"),
    ]
    assert (body["schema"], body["instance_id"]) == (1, INSTANCE_ID)
    assert (body["cluster"], body["node_group"]) == ("pretrain", "train")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", body["time"])
    for one in body["checks"]:
        keys = [key for key in one if key != "subject"]
        assert keys == ["check", "verdict", "expected", "found", "remedy", "seconds"]


def test_every_verdict_but_ok_and_skipped_has_a_remedy(make_node):
    node = make_node()
    for path in node.tools.iterdir():
        path.unlink()
    for folder in ("sys", "proc", "dev", "etc/security", "var"):
        subprocess.run(["rm", "-rf", node.root / folder], check=True)
    run = node.check()
    wrong = [one for one in run.body["checks"] if one["verdict"] not in ("ok", "skipped")]
    assert len(wrong) > 15
    assert not [one["check"] for one in wrong if not (one["remedy"] and one["expected"])]


def test_the_text_has_failures_first_with_remedy_and_ends_with_a_summary(node):
    node.remove_chip(7)
    node.file("/proc/meminfo", "MemTotal: 1000 kB\n")
    lines = node.run("--skip", "root-disk").out.splitlines()
    assert lines[0] == f"trn-node-check  trn2.48xlarge  pretrain/train  {INSTANCE_ID}"
    assert lines[2].startswith("FAILED   neuron-devices ")
    assert lines[2].endswith("15 of 16 Neuron devices; missing: 7")
    assert lines[3].strip() == "expected: 16"
    assert lines[4].strip().startswith("do: replace this instance")
    words = [line.split()[0] for line in lines if re.match(r"\S+ +[a-z]", line)][1:-1]
    assert words == sorted(words, key=["FAILED", "WARNING", "ok", "skipped"].index)
    assert re.fullmatch(
        r"1 failed, 1 warning, \d+ ok, \d+ skipped in \d+\.\d s: "
        r"this node is not fit for work",
        lines[-1],
    )
    assert max(map(len, lines)) <= 100


def on_a_terminal(node, **environment):
    leader, follower = pty.openpty()
    node.file("/etc/trnkit/expected.json", json.dumps(node.expected))
    done = subprocess.Popen(
        [PYTHON, str(FOLDER), "--only", "memory"],
        env={**node.environment, "TERM": "xterm", **environment},
        stdout=follower,
    )
    done.wait(30)
    os.close(follower)
    text = os.read(leader, 100_000).decode()
    os.close(leader)
    return text


def test_colour_is_for_terminals_only_and_not_against_the_users_will(node):
    assert "\033[32mok" in on_a_terminal(node)
    assert "\033" not in on_a_terminal(node, NO_COLOR="1")
    assert "\033" not in on_a_terminal(node, TERM="dumb")
    assert "\033" not in node.run("--only", "memory").out


def test_output_is_written_whole_and_the_summary_shown(node, tmp_path):
    place = tmp_path / "report.json"
    place.write_text("old")
    run = node.run("--format", "json", "--output", str(place), "--only", "memory")
    assert (run.code, run.out.count("\n")) == (0, 1)
    assert run.out.startswith("1 ok in ")
    assert json.loads(place.read_text())["verdict"] == "ok"
    assert place.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".report")] == []


def test_the_last_line_names_what_failed_where_no_page_does(node, tmp_path):
    node.remove_chip(7)
    node.file("/etc/environment", "FI_PROVIDER=tcp\n")
    (node.tools / "chronyc").unlink()
    only = "neuron-devices,efa-environment,clock,lustre"
    out = node.run("--output", str(tmp_path / "r"), "--only", only).out
    assert out.startswith("2 failed (neuron-devices, efa-environment), 1 unknown (clock), 1 ok in ")


def test_output_that_cannot_be_written_ends_with_2(node, tmp_path):
    run = node.run("--output", str(tmp_path / "none" / "report"), "--only", "memory")
    assert run.code == 2
    assert "cannot be written: No such file or directory" in run.err


def test_an_unusable_expected_file_replaces_an_older_report(node, tmp_path):
    node.expected = None
    place = tmp_path / "report.json"
    place.write_text('{"verdict": "ok"}')
    assert node.run("--format", "json", "--output", str(place)).code == 2
    assert json.loads(place.read_text())["verdict"] == "unknown"


def test_nothing_a_tool_writes_reaches_the_terminal_unfiltered(node):
    node.tool("neuron-ls", code=1, errors="\033]0;owned\007\033[2Jé\n")
    run = node.run("--only", "neuron-cores")
    assert all(" " <= letter <= "~" or letter == "\n" for letter in run.out)
    assert "owned" in run.out


def test_a_reader_that_goes_away_is_no_fault(node):
    node.run("--only", "memory")
    command = f"{PYTHON} {FOLDER} --list | /usr/bin/head -c 1"
    done = subprocess.run(
        ["/bin/bash", "-c", f"set -o pipefail; {command}"],
        env=node.environment,
        capture_output=True,
    )
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_checks_are_listed_selected_and_left_out(node):
    names = [line.split()[0] for line in node.run("--list").out.splitlines()]
    assert len(names) == len(set(names)) > 20
    run = node.check("--only", "memory,clock", "--skip", "clock")
    assert [one["check"] for one in run.body["checks"]] == ["memory"]
    run = node.check("--skip", ",".join(names))
    assert (run.code, run.body["checks"]) == (0, [])
    assert "no check was run" in node.run("--skip", ",".join(names)).out


def test_the_program_in_the_folder_runs_through_a_link_and_from_anywhere(node, tmp_path):
    link = tmp_path / "trn-node-check"
    link.symlink_to(FOLDER / "trn-node-check")
    # Its first line names the system's Python, which a test machine need not have.
    run = node.run("--only", "memory", program=[PYTHON, "-EsS", str(link)], cwd="/")
    assert (run.code, run.err) == (0, "")
    first = (FOLDER / "trn-node-check").read_text().splitlines()[0]
    assert first == "#!/usr/bin/python3 -EsS"
    assert os.access(FOLDER / "trn-node-check", os.X_OK)


@pytest.mark.parametrize("entry", ["trn-node-check", "__main__.py"])
def test_nothing_is_added_to_the_folder_that_was_published(node, tmp_path, entry):
    folder = tmp_path / "published"
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = sorted(folder.rglob("*"))
    plain = {"PYTHONPYCACHEPREFIX": "", "PYTHONDONTWRITEBYTECODE": ""}
    program = [PYTHON, "-EsS", str(folder / entry)]
    assert node.run("--only", "memory", program=program, environment=plain).code == 0
    assert sorted(folder.rglob("*")) == before


def test_another_expected_file_can_be_named(node, tmp_path):
    place = tmp_path / "other.json"
    place.write_text('{"schema": 1, "memory_gib": 1, "a_key_of_tomorrow": {"x": [1]}}')
    run = node.check("--expected", str(place), "--only", "memory,neuron-devices")
    assert [one["verdict"] for one in run.body["checks"]] == ["ok", "skipped"]


# Tools that are missing, hang, flood or write nonsense.


def test_without_any_tool_what_needs_one_is_unknown_and_nothing_fails(node):
    for tool in TOOLS:
        (node.tools / tool).unlink()
    run = node.check("--skip", "root-disk")
    assert run.code == 3
    assert run.wrong() == {**dict.fromkeys(CHECKS_OF_TOOLS, "unknown"), "efa-provider": "warning"}
    assert run.one("neuron-cores")["found"] == "neuron-ls is not installed"
    assert run.one("neuron-devices")["found"] == (
        "16 Neuron devices (by the driver's word; neuron-ls is not installed)"
    )


def test_tools_that_hang_are_ended_in_time_with_their_children(node):
    for tool in TOOLS:
        node.script(tool, "trap '' TERM; /bin/sleep 300 & /bin/sleep 300")
    begin = time.monotonic()
    run = node.check("--timeout", "1", "--skip", "root-disk")
    assert time.monotonic() - begin < 25
    assert {name for name, verdict in run.wrong().items() if verdict == "unknown"} == {
        *CHECKS_OF_TOOLS,
        "efa-provider",
    }
    assert run.one("neuron-cores")["found"] == "neuron-ls did not answer within 1.0 s"
    listing = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert str(node.tools) not in listing.stdout


def test_a_tool_that_ends_but_leaves_a_child_with_its_pipes_is_not_waited_for(node):
    inside = json.dumps(neuron_ls(node.expected["neuron"], logical=True))
    node.script("neuron-ls", f"/bin/cat {node.save(inside)}; /bin/sleep 60 &")
    run = node.check("--only", "neuron-cores")
    assert (run.verdict("neuron-cores"), run.seconds < 20) == ("ok", True)


@pytest.mark.parametrize("odd", ODD)
def test_tools_that_write_nonsense_make_things_unknown_never_ok(node, odd):
    for tool in TOOLS:
        if tool != "dmesg":
            node.tool(tool, odd)
    run = node.check("--skip", "root-disk,kernel-log,efa-provider,neuron-versions")
    unknown = CHECKS_OF_TOOLS - {"kernel-log", "neuron-versions"}
    assert run.wrong() == dict.fromkeys(unknown, "unknown")


def test_a_flood_is_cut_off(node):
    node.script(
        "neuron-ls", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"
    )
    one = node.check("--only", "neuron-cores").one("neuron-cores")
    assert one["verdict"] == "unknown"
    assert one["found"] in (
        "neuron-ls wrote more than 8 MiB",
        "neuron-ls did not answer within 10.0 s",
    )


def test_a_large_but_good_answer_is_read(node):
    devices = neuron_ls(node.expected["neuron"], logical=True, busy=True)
    for one in devices:
        one["neuron_processes"] = [{"pid": n, "command": "x" * 5000} for n in range(60)]
    node.neuron_ls(devices)
    assert node.check("--only", "neuron-cores").verdict("neuron-cores") == "ok"


@pytest.mark.parametrize("before", ["WARNING: tools are older\n", "[WARN] {x}\n", "{\n", "[]\n"])
def test_lines_around_the_json_of_neuron_ls_do_no_harm(node, before):
    devices = neuron_ls(node.expected["neuron"], logical=True)
    node.neuron_ls(devices, before=before, after="\nbye\n")
    assert node.check("--only", "neuron-devices,neuron-cores").wrong() == {}


def test_unknown_keys_and_an_object_around_the_list_do_no_harm(node):
    devices = neuron_ls(node.expected["neuron"], logical=True)
    for one in devices:
        one["a_key_of_tomorrow"] = {"x": [1, None]}
    node.neuron_ls({"instance_type": "trn2.48xlarge", "devices": devices, "other": [1]})
    run = node.check("--only", "neuron-devices,neuron-cores,neuron-memory,logical-cores")
    assert run.wrong() == {}


@pytest.mark.parametrize("value", [None, "x", [], {}, True, -1, 1e30])
def test_values_of_another_kind_in_neuron_ls_are_never_ok(node, value):
    devices = neuron_ls(node.expected["neuron"], logical=True)
    for one in devices:
        one["nc_count"] = one["memory_size"] = value
    node.neuron_ls(devices)
    run = node.check("--only", "neuron-cores,neuron-memory")
    assert set(run.wrong()) == {"neuron-cores", "neuron-memory"}


def test_a_file_that_may_not_be_read_is_unknown_and_says_so(node):
    place = node.root / "proc/meminfo"
    place.unlink()
    place.symlink_to(place)
    one = node.check("--only", "memory").one("memory")
    assert one["verdict"] == "unknown"
    assert one["found"].startswith("/proc/meminfo cannot be read: ")


# Before a job.


def test_quick_runs_no_slow_check_and_ends_within_a_second(node):
    runs = [node.check("--quick", "--skip", "root-disk") for _ in range(3)]
    assert runs[0].wrong() == {}
    names = {one["check"] for one in runs[0].body["checks"]}
    assert {"neuron-devices", "efa-devices", "efa-environment", "lustre"} < names
    assert not names & {"efa-provider", "neuron-versions", "clock", "instance-metadata"}
    assert min(run.body["seconds"] for run in runs) < 1.0


def test_quick_asks_no_neuron_ls_where_the_driver_tells(node):
    node.script("neuron-ls", "exit 9")
    assert node.check("--quick", "--skip", "root-disk").wrong() == {}


def test_quick_ends_within_its_time_though_every_tool_hangs(node):
    for tool in TOOLS:
        node.script(tool, "/bin/sleep 60")
    run = node.check("--quick", "--skip", "root-disk", "--timeout", "50")
    assert run.body["seconds"] < 3
    assert run.wrong() == {"instance-store": "unknown", "kernel-log": "unknown"}


# The machine it runs on.


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_module_is_python_3_9(path):
    assert ast.parse(path.read_text(), feature_version=(3, 9)).body


def test_nothing_but_the_standard_library_of_python_3_9_is_imported():
    wanted = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                wanted |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                wanted.add(node.module.partition(".")[0])
    allowed = {
        *(
            "__future__",
            "argparse",
            "collections",
            "contextlib",
            "difflib",
            "errno",
            "http",
            "json",
        ),
        *("os", "pathlib", "pickle", "re", "resource", "selectors", "shlex", "signal"),
        *(
            "stat",
            "subprocess",
            "sys",
            "tempfile",
            "textwrap",
            "threading",
            "time",
            "typing",
            "urllib",
        ),
    }
    assert wanted <= allowed | {"trn_node_check"}
    assert allowed <= sys.stdlib_module_names


NEWER = {
    *("pairwise", "batched", "UTC", "Self", "StrEnum", "TaskGroup", "ExceptionGroup", "bit_count"),
    *("ParamSpec", "TypeAlias", "Never", "override", "hardlink_to", "file_digest", "walk"),
    *("match_args", "anext", "aiter", "EncodingWarning", "add_note", "process_cpu_count"),
}
NEWER_KEYWORDS = {"strict", "slots", "kw_only", "key_only", "process_group", "delete_on_close"}


def test_nothing_newer_than_python_3_9_is_used_of_the_standard_library():
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            name = getattr(node, "attr", getattr(node, "id", ""))
            keywords = {one.arg for one in node.keywords} if isinstance(node, ast.Call) else set()
            assert name not in NEWER, (path.name, name)
            assert not keywords & NEWER_KEYWORDS, (path.name, keywords)


def test_a_python_3_9_runs_it(node):
    python = shutil.which("python3.9")
    if not python or subprocess.run([python, "-V"], capture_output=True).returncode:
        pytest.skip("there is no Python 3.9")
    run = node.check("--skip", "root-disk", program=[python, str(FOLDER)])
    assert run.wrong() == {}


def test_facts_about_versions_have_source_and_date():
    facts = json.loads((FOLDER / "trn_node_check" / "neuron_versions.json").read_text())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", facts["date"])
    for fact in (*facts["excluded"], *facts["releases"]):
        assert fact["source"].startswith("https://awsdocs-neuron.readthedocs-hosted.com/")


def test_facts_about_versions_are_those_of_the_catalogue():
    facts = json.loads((FOLDER / "trn_node_check" / "neuron_versions.json").read_text())
    assert {(one["sdk"], one["driver"], one["runtime"]) for one in facts["releases"]} == {
        (one.version, one.driver, one.runtime)
        for one in neuron_releases()
        if one.driver and one.runtime
    }
    new_drivers, old_drivers = (
        [one for one in facts["excluded"] if key in one]
        for key in ("driver_at_least", "driver_below")
    )
    assert [(one["driver_at_least"], one["runtime_below"]) for one in new_drivers] == [
        (skew.driver, skew.runtime) for skew in driver_needs_runtime()
    ]
    assert [(one["driver_below"], one["runtime_at_least"]) for one in old_drivers] == [
        (skew.driver, skew.runtime) for skew in runtime_needs_driver()
    ]


def test_the_page_about_it_has_every_check_and_option(node):
    page = (ROOT / "docs" / "node-check.md").read_text()
    told = dict(
        re.findall(r"^\| `([a-z0-9-]+)` \| (yes)? ?\| .+ \| .+ \| .+ \|$", page, re.MULTILINE)
    )
    listed = [line.split() for line in node.run("--list").out.splitlines()]
    assert told == {words[0]: "yes" if words[1] == "quick" else "" for words in listed}
    options = set(re.findall(r"--[a-z]+", node.run("--help").out)) - {"--help"}
    assert [option for option in options if f"`{option}" not in page] == []


def test_the_page_about_it_has_every_key_of_the_expected_file(node):
    page = (ROOT / "docs" / "node-check.md").read_text()
    keys = {*node.expected, *node.expected["neuron"], *node.expected["efa"]}
    keys |= {*node.expected["instance_store"], *node.expected["mounts"][0]}
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
