"""A lock of images: what is read, what is refused, and where it says so."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.config import (
    ClusterConfig,
    ImageLock,
    load_cluster,
    load_image_lock,
    read_cluster,
    with_image_locks,
)
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.layout.nodes import image_of, locked_image
from trnkit.operations.lock_text import lock_text

EXAMPLE = ROOT / "examples" / "images.lock"
BASE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
ENTRY = {
    "ssm_parameter": "my-image",
    "region": "us-east-2",
    "ami_id": "ami-0123456789abcdef0",
    "resolved": "2026-09-01",
}
CLUSTER = {
    "name": "locked",
    "region": "us-east-2",
    "compute": {
        "node_groups": [
            {
                "name": "train",
                "instance_type": "trn2.48xlarge",
                "count": 2,
                "image": {"ssm_parameter": "my-image", "lock_file": "images.lock"},
            }
        ]
    },
    "budget": {"limit_usd": 1000, "emails": ["ml-platform@example.com"]},
}


@pytest.fixture
def lock(tmp_path):
    """Write a lock; returns its path."""

    def text_or_entries(content):
        path = tmp_path / "images.lock"
        if isinstance(content, list):
            content = yaml.safe_dump({"version": 1, "images": content})
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return text_or_entries


@pytest.fixture
def cluster(tmp_path):
    """Write a cluster file beside the lock; returns its path."""

    def with_image(**keys):
        data = yaml.safe_load(yaml.safe_dump(CLUSTER))
        data["compute"]["node_groups"][0]["image"] |= keys
        path = tmp_path / "cluster.yaml"
        path.write_text(yaml.safe_dump(data))
        return path

    return with_image


def refused(path):
    with pytest.raises((ConfigurationError, UnreadableInputError)) as caught:
        load_cluster(path)
    return getattr(caught.value, "findings", None) or (caught.value.finding,)


def image_of_only_group(path):
    (group,) = load_cluster(path).config.compute.node_groups
    return image_of(group)


def test_the_example_is_read_and_says_that_it_is_one():
    images = load_image_lock(EXAMPLE).images
    assert [(image.ssm_parameter, image.region) for image in images] == [
        (BASE, "us-east-2"),
        (BASE, "us-west-2"),
        ("/ml-platform/images/login", "us-east-2"),
    ]
    assert all(image.ami_id.startswith("ami-0123456789abcdef") for image in images)
    assert EXAMPLE.read_text().startswith("# EXAMPLE")


def test_what_is_written_is_read_as_the_same(lock):
    said = load_image_lock(EXAMPLE)
    backwards = ImageLock(version=1, images=tuple(reversed(said.images)))
    text = lock_text(backwards)
    assert load_image_lock(lock(text)) == said
    assert lock_text(load_image_lock(lock(text))) == text


@pytest.mark.parametrize(
    "name", ["true", "No", "2.10", "null", "~x", "a: b", "# c", "é ü", '"', "-"]
)
def test_a_name_that_yaml_would_take_for_something_else_is_written_as_text(lock, name):
    said = ImageLock(version=1, images=(ENTRY | {"name": name},))
    text = lock_text(said)
    assert load_image_lock(lock(text)) == said
    assert yaml.safe_load(text)["images"][0]["name"] == name


def test_other_readers_of_yaml_see_the_same(lock):
    said = load_image_lock(EXAMPLE)
    content = yaml.safe_load(lock_text(said))
    assert ImageLock.model_validate(content) == said


def test_an_empty_lock_can_be_written_and_read(lock):
    empty = ImageLock(version=1, images=())
    assert load_image_lock(lock(lock_text(empty))) == empty


def test_no_lock_is_none(tmp_path):
    assert load_image_lock(tmp_path / "images.lock") is None
    (tmp_path / "link").symlink_to("nowhere")
    assert load_image_lock(tmp_path / "link") is None


def test_the_image_of_a_group_is_that_of_the_lock(lock, cluster, monkeypatch):
    lock([ENTRY | {"root_device_name": "/dev/xvda"}])
    path = cluster()
    monkeypatch.chdir("/")
    plan = image_of_only_group(path)
    assert (plan.ami_id, plan.ssm_parameter) == ("ami-0123456789abcdef0", "my-image")
    assert plan.root_device_name == "/dev/xvda", "as AWS told, not as the system's name suggests"


def test_without_a_parameter_it_is_the_default_one(lock, cluster):
    lock([ENTRY | {"ssm_parameter": BASE}])
    assert image_of_only_group(cluster()).ami_id is None
    assert image_of_only_group(cluster(ssm_parameter=None)).ami_id == "ami-0123456789abcdef0"


@pytest.mark.parametrize("key", ["region", "ssm_parameter"])
def test_an_entry_of_elsewhere_is_not_taken(lock, cluster, key):
    lock([ENTRY | {key: {"region": "us-west-2", "ssm_parameter": "my-image:2"}[key]}])
    (group,) = load_cluster(cluster()).config.compute.node_groups
    assert locked_image(group) is None
    assert image_of(group).ami_id is None


def test_a_cluster_of_python_has_its_locks_looked_up_too(lock):
    config = ClusterConfig.model_validate(CLUSTER)
    assert locked_image(config.compute.node_groups[0]) is None
    said = load_image_lock(lock([ENTRY]))
    locked = with_image_locks(config, {"images.lock": said})
    assert locked_image(locked.compute.node_groups[0]).ami_id == "ami-0123456789abcdef0"
    assert locked_image(config.compute.node_groups[0]) is None, "the cluster itself is unchanged"


def test_two_reads_are_equal_and_another_lock_is_not(lock, cluster):
    lock([ENTRY])
    path = cluster()
    first = load_cluster(path)
    assert first == load_cluster(path)
    lock([ENTRY | {"ami_id": "ami-0123456789abcdef1"}])
    assert first.config != load_cluster(path).config


def test_every_group_may_have_a_lock_of_its_own_and_each_is_read_once(tmp_path, monkeypatch):
    from trnkit.config import image_lock

    data = yaml.safe_load(yaml.safe_dump(CLUSTER))
    (group,) = data["compute"]["node_groups"]
    names = ["a.lock", "b.lock", "a.lock"]
    data["compute"]["node_groups"] = [
        group | {"name": f"group-{i}", "image": {"ssm_parameter": "my-image", "lock_file": name}}
        for i, name in enumerate(names)
    ]
    (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(data))
    for digit, name in enumerate(["a.lock", "b.lock"]):
        entry = ENTRY | {"ami_id": f"ami-0123456789abcdef{digit}"}
        (tmp_path / name).write_text(yaml.safe_dump({"version": 1, "images": [entry]}))
    read = []
    load = image_lock.load_image_lock
    monkeypatch.setattr(image_lock, "load_image_lock", lambda path: read.append(path) or load(path))
    groups = load_cluster(tmp_path / "cluster.yaml").config.compute.node_groups
    assert [locked_image(group).ami_id[-1] for group in groups] == ["0", "1", "0"]
    assert [Path(path).name for path in read] == ["a.lock", "b.lock"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ami_id": ...}, "images[0].ami_id is required and missing"),
        ({"resolved": ...}, "images[0].resolved is required and missing"),
        ({"ami_id": "ami-1"}, "images[0].ami_id must be ami- and 17 hex digits"),
        ({"ami_id": 7}, "images[0].ami_id must be ami- and 17 hex digits, got 7"),
        ({"ami_id": None}, "images[0].ami_id has no value"),
        ({"ami_id": ["ami-0123456789abcdef0"]}, "images[0].ami_id must be text"),
        ({"region": "us-east-2a"}, "images[0].region must be a Region like us-east-2"),
        ({"ssm_parameter": "resolve:ssm:/x"}, "ssm_parameter must be the name of an SSM parameter"),
        ({"resolved": "2026-02-30"}, "images[0].resolved must be a day that exists"),
        ({"resolved": "yesterday"}, "images[0].resolved must be a day like 2026-09-01"),
        ({"created": "2026-1-1"}, "images[0].created must be a day like 2026-09-01"),
        ({"neuron_sdk": "latest"}, "images[0].neuron_sdk must be a version like 2.32.0"),
        ({"root_volume_size_gib": "100"}, "root_volume_size_gib must be a whole number"),
        ({"root_volume_size_gib": 0}, "root_volume_size_gib must be at least 1"),
        ({"root_device_name": "sda1"}, "root_device_name must be a device name"),
        ({"instance_families": []}, "instance_families must have at least one entry"),
        ({"instance_families": ["Trn2", "Trn2"]}, "must not name Trn2 twice"),
        ({"name": "a\x07b"}, "images[0].name must not hold control characters"),
        ({"amiid": "x"}, "images[0] has no key 'amiid'"),
    ],
)
def test_what_an_entry_must_be(lock, cluster, change, message):
    entry = {key: value for key, value in (ENTRY | change).items() if value is not ...}
    path = lock([entry])
    (finding,) = refused(cluster())
    assert message in finding.message
    assert finding.file == str(path)
    assert finding.line
    assert finding.path.startswith("images[0]")
    assert "did you mean ami_id" in finding.hint or "trnkit images refresh" in finding.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "the file is empty", id="empty"),
        pytest.param("# nothing\n", "the file is empty", id="comments only"),
        pytest.param("[]", "the file is no lock of images", id="a list"),
        pytest.param("7", "the file is no lock of images", id="a number"),
        pytest.param(b"\x00\x01\x02", "U+0000", id="binary"),
        pytest.param(b"version: \xff\n", "line 1 is not UTF-8 text", id="not UTF-8"),
        pytest.param(b"\x1f\x8b\x08\x00" + os.urandom(8) + b"\xff", "is not UTF-8", id="gzip"),
        pytest.param("version: 1\nimages: [" + "1, " * 30_000 + "]", "20000 values", id="many"),
        pytest.param("#" + "x" * 1_000_001, "larger than 1,000,000 bytes", id="huge"),
        pytest.param("[" * 10_000, "nested deeper", id="deep"),
        pytest.param("version: 1\nimages: &a [*a]", "contains itself", id="alias of itself"),
        pytest.param("version: 1\nimages: [*a]", "has no anchor", id="alias of nothing"),
        pytest.param("version: 1\nimages: !!python/tuple []", "is not allowed here", id="tag"),
        pytest.param("version: 1\nimages: []\n---\nversion: 1", "second YAML document", id="two"),
        pytest.param("version: 1\nimages: []\nversion: 1\n", "stands twice", id="key twice"),
        pytest.param("version: 2\nimages: []\n", "version must be 1, got 2", id="newer"),
        pytest.param("version: true\nimages: []\n", "version must be 1", id="boolean"),
        pytest.param("images: []\n", "version is required", id="no version"),
        pytest.param("version: 1\n", "images is required", id="no images"),
        pytest.param("version: 1\nimages: {}\n", "images must be a list", id="a mapping"),
        pytest.param("version: 1\nimages: [1]\n", "images[0] must be a section", id="numbers"),
        pytest.param("version: 1\nimages: []\nx: 1\n", "the file has no key 'x'", id="unknown key"),
        pytest.param(
            "version: 1\n<<<<<<< HEAD\nimages: []\n=======\nimages: [1]\n>>>>>>> main\n",
            "the marks of a merge conflict",
            id="merge conflict",
        ),
    ],
)
def test_what_is_no_lock_is_a_finding_soon(lock, cluster, text, message):
    path = lock(text)
    begin = time.process_time()
    (finding,) = refused(cluster())
    assert time.process_time() - begin < 120
    assert message in finding.message
    assert finding.hint
    assert "cluster a file" not in finding.hint
    own = finding.file == str(path) and finding.line is not None
    assert own or finding.path == "compute.node_groups[0].image.lock_file"
    assert finding.rule_id != "TRN001", "the cluster file was read, so this is exit code 1"


def test_a_thousand_images_and_no_more(lock, cluster):
    entries = [ENTRY | {"ssm_parameter": f"/images/{n}"} for n in range(1000)]
    lock([*entries[:-1], ENTRY])
    assert image_of_only_group(cluster()).ami_id
    lock([*entries, ENTRY])
    (finding,) = refused(cluster())
    assert "images must have at most 1000 entries" in finding.message


def test_anchors_are_read_as_in_a_cluster_file(lock, cluster):
    lock(
        "version: 1\nimages:\n"
        "  - &a {ssm_parameter: other, region: us-east-2, ami_id: ami-0123456789abcdef0, "
        'resolved: "2026-09-01"}\n'
        "  - {<<: *a, ssm_parameter: my-image}\n"
    )
    assert image_of_only_group(cluster()).ami_id == "ami-0123456789abcdef0"


def test_a_pair_that_stands_twice_is_refused_even_with_one_image(lock, cluster):
    lock([ENTRY, ENTRY | {"region": "us-west-2"}, ENTRY])
    (finding,) = refused(cluster())
    assert finding.message == (
        "images[2] repeats parameter and region of images[0]: my-image in us-east-2"
    )
    assert (finding.path, finding.rule_id) == ("images[2]", "TRN005")


def test_every_problem_of_a_lock_at_once(lock, cluster):
    lock([ENTRY | {"ami_id": "x"}, ENTRY | {"region": "mars"}])
    assert [finding.path for finding in refused(cluster())] == [
        "images[0].ami_id",
        "images[1].region",
    ]


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (".", "image.lock_file is .: this is a folder"),
        ("loop", "image.lock_file is loop: cannot be read: "),
        ("loop/x", "cannot be read: "),
        ("plain/x", "cannot be read: "),
        ("a" * 300, "cannot be read: "),
        ("pipe", "this is not a regular file"),
        ("socket", "this is not a regular file"),
        ("/dev/zero", "this is not a regular file"),
        (" ", "lock_file must not be empty"),
        ("a\0b", "must not hold control characters"),
        (7, None),
        (["images.lock"], "lock_file must be text"),
        ({"x": 1}, "lock_file must be text"),
        (None, None),
    ],
)
def test_a_name_that_cannot_be_used_is_a_finding_about_the_cluster_file(
    tmp_path, cluster, monkeypatch, named, message
):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "plain").write_text("")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        path = cluster(lock_file=named)
        if message is None:
            assert image_of_only_group(path).ami_id is None
            return
        (finding,) = refused(path)
    assert message in finding.message
    assert (finding.file, finding.line is not None) == (str(path), True)
    assert finding.path.endswith("image.lock_file")


def test_the_cluster_file_is_no_lock(cluster):
    path = cluster(lock_file="cluster.yaml")
    assert {f.rule_id for f in refused(path)} <= {"TRN003", "TRN004", "TRN005"}


def test_a_file_without_a_lock_needs_no_module_for_locks():
    import subprocess
    import sys

    code = (
        "import sys; from trnkit.config import load_cluster;"
        f"load_cluster({str(ROOT / 'examples' / 'trn1-oregon.yaml')!r});"
        "print('trnkit.config.image_lock' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.stdout == "False\n", ran.stderr


def test_text_in_memory_finds_its_lock_from_the_name_it_is_given(lock, cluster):
    path = lock([ENTRY])
    text = cluster().read_text()
    read = read_cluster(text, str(path.with_name("elsewhere.yaml")))
    assert locked_image(read.config.compute.node_groups[0]) is not None
    assert list(read.image_locks) == ["images.lock"]
