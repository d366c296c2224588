"""From a path to a cluster: what can be wrong with a file, and every error of one at once."""

import contextlib
import os
import stat
import threading
from pathlib import Path

import pytest

from trnkit.config import load_cluster, read_cluster
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import Finding, Severity

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


def refused(path):
    with pytest.raises(UnreadableInputError) as caught:
        load_cluster(path)
    assert caught.value.finding.rule_id == "TRN001"
    assert caught.value.finding.hint
    assert "Traceback" not in str(caught.value)
    return caught.value.finding


@pytest.fixture
def file(tmp_path):
    """Write bytes to a cluster file; returns its path."""

    def write(content):
        path = tmp_path / "cluster.yaml"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_load_from_a_path_and_from_text(path):
    assert load_cluster(path).config == load_cluster(str(path)).config
    assert load_cluster(path).config == read_cluster(path.read_text("utf-8"), str(path)).config
    assert load_cluster(path).file == str(path)


@pytest.mark.parametrize(
    "encode",
    [
        pytest.param(lambda text: text.encode(), id="UTF-8"),
        pytest.param(lambda text: b"\xef\xbb\xbf" + text.encode(), id="byte order mark"),
        pytest.param(lambda text: text.replace("\n", "\r\n").encode(), id="CRLF"),
        pytest.param(lambda text: text.replace("\n", "\r").encode(), id="CR"),
        pytest.param(lambda text: text.rstrip().encode(), id="no newline at the end"),
        pytest.param(lambda text: f"---\n{text}...\n".encode(), id="document markers"),
        pytest.param(lambda text: f"# São Paulo 😀\n{text}".encode(), id="comment in UTF-8"),
    ],
)
def test_the_same_cluster_however_it_was_saved(file, minimal, encode):
    expected = read_cluster(minimal, "cluster.yaml").config
    assert load_cluster(file(encode(minimal))).config == expected


@pytest.mark.parametrize(
    ("content", "message", "place"),
    [
        pytest.param(b"", "the file is empty", (1, 1), id="no bytes"),
        pytest.param(b"\xef\xbb\xbf", "the file is empty", (1, 1), id="byte order mark only"),
        pytest.param(b"\n \n\n", "the file is empty", (1, 1), id="blank lines"),
        pytest.param(b"# a\n# b\n", "the file is empty", (1, 1), id="only comments"),
        pytest.param(b"# a\n---\n", "the file is empty", (2, 1), id="only a marker"),
        pytest.param(b"null\n", "the file is empty", (1, 1), id="null"),
        pytest.param(b"# a\n- b\n", "holds a list", (2, 1), id="list"),
        pytest.param(b"hello\n", "holds a single value", (1, 1), id="word"),
        pytest.param(b"42", "holds a single value", (1, 1), id="number"),
        pytest.param(b"name: x\nregion: \xe3\n", "line 2 is not UTF-8", (2, 9), id="latin-1"),
        pytest.param(
            b"\xef\xbb\xbfn: \xc3\xa9\xc3\xa9\xff", "line 1 is not UTF-8", (1, 6), id="after a mark"
        ),
        pytest.param("name: x\n".encode("utf-16"), "not UTF-8", (1, 1), id="UTF-16 with mark"),
        pytest.param("name: x\n".encode("utf-16-le"), "U+0000", (1, 2), id="UTF-16LE"),
        pytest.param("name: x\n".encode("utf-16-be"), "U+0000", (1, 1), id="UTF-16BE"),
        pytest.param("name: x\n".encode("utf-32"), "not UTF-8", (1, 1), id="UTF-32"),
        pytest.param(b"\xed\xa0\x80", "not UTF-8", (1, 1), id="surrogate in UTF-8"),
        pytest.param(b"\x00" * 100, "U+0000", (1, 1), id="zeros"),
        pytest.param(b"\x7fELF\x02\x01", "U+007F", (1, 1), id="a program"),
        pytest.param(b"\x1f\x8b\x08\x00", "not UTF-8", (1, 2), id="gzip"),
        pytest.param(b"a: " + b"x" * 1_000_000, "larger than 1,000,000", None, id="over 1 MB"),
    ],
)
def test_content_that_is_no_cluster_file(file, content, message, place):
    finding = refused(file(content))
    assert message in finding.message
    assert place is None or (finding.line, finding.column) == place


def test_exactly_a_million_bytes_are_read(file, minimal):
    text = minimal + "#" * (1_000_000 - len(minimal))
    assert load_cluster(file(text.encode())).config.name == "pretrain"


def test_paths_that_are_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("a")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    for path, message in {
        str(tmp_path): "this is a folder",
        "": "this is a folder",
        "missing.yaml": "there is no such file",
        "dangling": "there is no such file",
        "plain/cluster.yaml": "cannot be read",
        "loop": "cannot be read",
        "a" * 5000: "cannot be read",
        "with\0nul.yaml": "cannot be read",
        "pipe": "this is not a regular file",
        "a" * 300: "cannot be read",
    }.items():
        assert message in refused(path).message, path


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no such device")
def test_a_device_is_not_read(device):
    assert stat.S_ISCHR(Path(device).stat().st_mode)
    assert "not a regular file" in refused(device).message


def test_a_file_without_permission(file, monkeypatch):
    path = file(b"version: 1\n")

    def denied(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    assert refused(path).message == "cannot be read: Permission denied"


def test_a_pipe_that_the_shell_opened_is_read_up_to_its_bound(minimal):
    for content, name in ((minimal.encode(), "pretrain"), (b"#" * 1_000_001, None)):
        reading, writing = os.pipe()
        thread = threading.Thread(target=fill, args=(writing, content))
        thread.start()
        path = f"/dev/fd/{reading}"
        if name is None:
            assert "larger than 1,000,000" in refused(path).message
        else:
            assert load_cluster(path).config.name == name
        os.close(reading)
        thread.join(10)


def fill(descriptor, content):
    with contextlib.suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as stream:
        stream.write(content)


def test_a_symbolic_link_is_followed(file, tmp_path, minimal):
    link = tmp_path / "link.yaml"
    link.symlink_to(file(minimal.encode()))
    assert load_cluster(link).config.name == "pretrain"


FSX = "storage.lustre_file_systems.0.storage_capacity_gib"
COUNT = "compute.node_groups.0.count"

WRONG = """\
version: 2
name: Pretrain
regoin: us-east-2
network: {vpc_cidr: 10.0.0.1/16}
compute:
  node_groups:
    - name: train
      instance_typ: trn2.48xlarge
      count: four
      efa:
        layout: ena_primary
    - 7
storage:
  lustre_file_systems:
  - name: fsx
    storage_capacity_gib: 1.2
    mount_path: fsx
budget:
  limit_usd: -1
  thresholds: []
  thresholds: [{percent: 2000}]
  emails: [nobody]
"""


def test_all_errors_of_a_file_at_once():
    with pytest.raises(ConfigurationError) as caught:
        read_cluster(WRONG, "cluster.yaml")
    found = [
        (f.line, f.column, f.rule_id, f.path, f.hint)
        for f in caught.value.findings
        if f.rule_id != "TRN005"
    ]
    group = "compute.node_groups[0]"
    assert found == [
        (3, 1, "TRN003", "regoin", "did you mean region?"),
        (8, 7, "TRN003", f"{group}.instance_typ", "did you mean instance_type?"),
        (21, 3, "TRN002", "budget.thresholds", "keep one of them"),
    ]
    fsx = "storage.lustre_file_systems[0]"
    values = [
        (f.line, f.column, f.path, f.message.removeprefix(f"{f.path} "))
        for f in caught.value.findings
        if f.rule_id == "TRN005"
    ]
    assert values == [
        (1, 1, "version", "must be 1, got 2"),
        (
            2,
            1,
            "name",
            "must be 2 to 30 lower-case letters, digits and hyphens, beginning with a letter, got "
            "'Pretrain'",
        ),
        (
            4,
            11,
            "network.vpc_cidr",
            "must be an IPv4 block with its host bits zero, like 10.0.0.0/16, got '10.0.0.1/16'",
        ),
        (9, 7, f"{group}.count", "must be a whole number, got 'four'"),
        (
            11,
            9,
            f"{group}.efa.layout",
            "must be ena-primary, efa-primary or all-efa, got 'ena_primary'",
        ),
        (12, 7, "compute.node_groups[1]", "must be a section of `key: value` lines, got 7"),
        (16, 5, f"{fsx}.storage_capacity_gib", "must be a whole number, got 1.2"),
        (
            17,
            5,
            f"{fsx}.mount_path",
            "must be an absolute path of letters, digits and . _ - like /fsx, with at most 6 "
            "folders of at most 255 characters, got 'fsx'",
        ),
        (19, 3, "budget.limit_usd", "must be at least 0.01, got -1"),
        (21, 17, "budget.thresholds[0].percent", "must be at most 1000, got 2000"),
        (22, 12, "budget.emails[0]", "must be one e-mail address, got 'nobody'"),
    ]


def test_the_error_lists_the_findings_one_a_line():
    with pytest.raises(ConfigurationError) as caught:
        read_cluster(WRONG, "cluster.yaml")
    lines = str(caught.value).splitlines()
    assert len(lines) == len(caught.value.findings) == 14
    assert all(line.startswith("cluster.yaml:") for line in lines)
    assert lines == sorted(lines, key=lambda line: [int(n) for n in line.split(":")[1:3]])


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        pytest.param("computte", "did you mean compute", id="doubled letter"),
        pytest.param("Name", "did you mean name", id="capital"),
        pytest.param("storages", "did you mean storage", id="plural"),
        pytest.param("tag", "did you mean tags", id="singular"),
        pytest.param("zzz", "takes version, name, account", id="like nothing"),
    ],
)
def test_the_nearest_right_key(problems, minimal, key, hint):
    (finding,) = problems(f"{minimal}{key}: 1\n")
    assert hint in finding.hint
    assert len(finding.hint.split(" or ")) <= 3


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("nam: pretrain\nregion: us-east-2\n", ["TRN003"]),
        ("nam: pretrain\nregion: us-east-2\nzzz: 1\n", ["TRN003", "TRN003"]),
        ("zzz: pretrain\nregion: us-east-2\n", ["TRN003", "TRN004"]),
    ],
    ids=["misspelt", "misspelt and strange", "strange, so both are told"],
)
def test_a_misspelt_required_key_is_one_finding(problems, minimal, text, rules):
    rest = minimal.partition("compute:")
    assert [f.rule_id for f in problems(text + "".join(rest[1:]))] == rules


@pytest.mark.parametrize(
    ("path", "written", "hint"),
    [
        (FSX, "2400GiB", "write 2400"),
        (FSX, "'2,400 GiB'", "write 2400"),
        (FSX, "2400.0", "write 2400"),
        (FSX, "2.4 TiB", "write a number without unit or comma"),
        (FSX, "2400.5", "write a whole number"),
        (FSX, "true", "write a number"),
        (COUNT, "three", "write the number in digits"),
        (COUNT, "'3'", "write 3, without quotes"),
        (COUNT, "3 nodes", "write 3"),
        (COUNT, "[3]", "write a number"),
        ("budget.limit_usd", "'20,000'", "write 20000"),
        ("budget.limit_usd", "$20000", "write 20000"),
        ("budget.limit_usd", "20000 EUR", "write a number without unit or comma"),
        ("budget.limit_usd", "'2,5'", "write a number without unit or comma"),
        ("budget.thresholds.0.percent", "80%", "write 80"),
        ("budget.thresholds.0.percent", "80.5%", "write 80.5"),
        (COUNT, "-1", "write 0 or more"),
        (COUNT, "100000", "write 1024 or less"),
        ("budget.limit_usd", "0", "write 0.01 or more"),
        ("network", "10.0.0.0/16", "write `key: value` lines below `network`, indented"),
        ("network", "[{}]", "remove the dash: the keys of `network` stand below it, indented"),
        ("compute.node_groups.0", "trn2", "write `key: value` lines below `node_groups`, indented"),
        ("budget.emails", "ml@example.com", "write `emails: [ml@example.com]`"),
        ("budget.emails", "'a: b, c'", "put the value of `emails` into brackets: [...]"),
        ("budget.thresholds", "{percent: 80}", "begin each entry of `thresholds` with a dash"),
        ("budget.emails.0", "nobody", "write one like ml-platform@example.com"),
        ("region", "[us-east-2]", "write one text, for example us-east-2"),
        ("suppress.0.reason", "because", "write more"),
    ],
)  # fmt: skip
def test_a_wrong_value_comes_with_what_to_write(problems, with_value, path, written, hint):
    (finding,) = problems(with_value(path, written))
    assert finding.hint == hint


@pytest.mark.parametrize(
    ("path", "written", "hint"),
    [
        ("storage.lustre_file_systems.0.deployment_type", "PERSISTENT2", "PERSISTENT_2"),
        ("budget.time_unit", "monthly", "MONTHLY"),
        ("compute.node_groups.0.image.operating_system", "ubuntu24.04", "ubuntu-24.04"),
    ],
)
def test_the_nearest_right_value(problems, with_value, path, written, hint):
    (finding,) = problems(with_value(path, written))
    assert finding.hint == f"did you mean {hint}?"


def test_a_finding_about_a_value_is_placed_on_its_line(minimal):
    answer = read_cluster(minimal, "cluster.yaml")
    finding = Finding(rule_id="TRN201", severity=Severity.INFO, message="four")
    placed = answer.place(finding, ("compute", "node_groups", 0, "count"))
    assert placed.location() == "cluster.yaml:8:7"
    missing = answer.place(finding, ("compute", "node_groups", 0, "image", "ami_id"))
    assert missing.location() == "cluster.yaml:6:7"
