"""User data: its settings, its size, and what a mount may be called."""

import email
import re
import shlex
import subprocess

import pytest
import yaml
from aws_cdk import App, Stack

from constructs_lib.compute import LustreMount, NodeBoot, NodeBundle
from constructs_lib.compute.node_boot import MAXIMUM_USER_DATA_BYTES, largest_size
from trnkit.errors import ConstructError

TOKEN = "${Token[TOKEN.123]}"  # What CDK puts where a name will be.


def mount(path="/fsx", *, dns="fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com", name="abcdefgh"):
    return LustreMount(dns_name=dns, mount_name=name, mount_path=path)


def parts_of(user_data):
    """The parts of user data as cloud-init tells them apart: (type, content)."""
    archive = email.message_from_string(user_data)
    assert archive.get_content_type() == "multipart/mixed"
    assert not archive.defects
    return [(part.get_content_type(), part.get_payload()) for part in archive.get_payload()]


def written_files(user_data):
    """The files that the cloud-config part writes, by path."""
    ((kind, text), *_) = parts_of(user_data)
    assert kind == "text/cloud-config"
    assert text.startswith("#cloud-config\n")
    return {entry["path"]: entry["content"] for entry in yaml.safe_load(text)["write_files"]}


def settings_of(user_data, tmp_path):
    """The variables that a shell has after reading the settings."""
    names = ["TRNKIT_LUSTRE_MOUNTS", "TRNKIT_LNC", "TRNKIT_EFA"]
    show = "\n".join(f"printf '%s\\0' \"${name}\"" for name in names)
    ran = subprocess.run(
        ["bash", "-euc", written_files(user_data)["/etc/trnkit/settings.sh"] + show],
        capture_output=True,
        check=True,
        text=True,
        cwd=tmp_path,
    )
    assert ran.stderr == ""
    return dict(zip(names, ran.stdout.split("\0"), strict=False))


@pytest.mark.parametrize(
    ("boot", "mounts", "size", "efa"),
    [
        pytest.param(NodeBoot(), "", "", "1", id="nothing said"),
        pytest.param(NodeBoot(efa=False), "", "", "0", id="no EFA"),
        pytest.param(NodeBoot(logical_neuroncore_size=2), "", "2", "1", id="HOST-10 LNC 2"),
        pytest.param(NodeBoot(logical_neuroncore_size=1), "", "1", "1", id="HOST-10 LNC 1"),
        pytest.param(
            NodeBoot(lustre_mounts=(mount(dns="a.b", name="c"),)),
            "a.b c /fsx",
            "",
            "1",
            id="a mount",
        ),
        pytest.param(
            NodeBoot(
                lustre_mounts=(mount("/a", dns="a", name="b"), mount("/d/e", dns="c", name="d"))
            ),
            "a b /a\nc d /d/e",
            "",
            "1",
            id="two mounts, one a line",
        ),
    ],
)
def test_settings_are_written_before_the_script_runs(boot, mounts, size, efa, tmp_path):
    user_data = boot.render()
    assert [kind for kind, _ in parts_of(user_data)] == ["text/cloud-config", "text/x-shellscript"]
    assert settings_of(user_data, tmp_path) == {
        "TRNKIT_LUSTRE_MOUNTS": mounts,
        "TRNKIT_LNC": size,
        "TRNKIT_EFA": efa,
    }


def test_cdk_05_the_same_settings_give_the_same_bytes():
    boot = NodeBoot(lustre_mounts=(mount(), mount("/scratch")), logical_neuroncore_size=2)
    again = NodeBoot(lustre_mounts=(mount(), mount("/scratch")), logical_neuroncore_size=2)
    assert boot.render() == again.render()
    assert not re.search(r"/(home|root|tmp|Users)/", boot.render())


@pytest.mark.parametrize(
    "path",
    ["/fsx", "/a", "/fsx/data-1_2.3", "/1/2/3/4/5/6"],
)
def test_paths_that_can_be_mounted(path, tmp_path):
    found = settings_of(NodeBoot(lustre_mounts=(mount(path),)).render(), tmp_path)
    assert shlex.split(found["TRNKIT_LUSTRE_MOUNTS"])[-1] == path


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/fsx'; touch broken; '", id="out of the quotes"),
        pytest.param("/fsx\nhost name /other", id="a line more"),
        pytest.param("/fsx\n", id="newline at the end"),
        pytest.param("/fsx other", id="a word more"),
        pytest.param("/fsx\tother", id="tab"),
        pytest.param("/$(touch broken)", id="command"),
        pytest.param("/`touch broken`", id="old command"),
        pytest.param("/fsx\\", id="backslash"),
        pytest.param('/fsx"', id="double quote"),
        pytest.param("/../etc", id="parent"),
        pytest.param("/fsx/../etc", id="parent later"),
        pytest.param("/", id="root"),
        pytest.param("fsx", id="relative"),
        pytest.param("", id="empty"),
        pytest.param("//fsx", id="two slashes"),
        pytest.param("/fsx/", id="slash at the end"),
        pytest.param("/fsx\u00e9", id="beyond ASCII"),
        pytest.param("/fsx#x", id="comment of fstab"),
    ],
)
def test_paths_that_could_break_out_are_refused_at_once(path):
    with pytest.raises(ConstructError, match="mount_path must be an absolute path") as caught:
        mount(path)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("name", ["dns_name", "mount_name"])
@pytest.mark.parametrize(
    "value", ["", "a b", "a'b", 'a"b', "a\\b", "a\nb", "'; touch broken; '", "a\x00b", "a\u2028b"]
)
def test_names_are_one_word_without_quotes(name, value):
    words = {"dns_name": "host", "mount_name": "abc", "mount_path": "/fsx"} | {name: value}
    with pytest.raises(ConstructError, match=f"{name} must be one word without quotes"):
        LustreMount(**words)


def test_names_may_be_tokens():
    user_data = NodeBoot(lustre_mounts=(mount(dns=TOKEN, name=TOKEN),)).render()
    settings = written_files(user_data)["/etc/trnkit/settings.sh"]
    assert settings.startswith(f"TRNKIT_LUSTRE_MOUNTS='{TOKEN} {TOKEN} /fsx'\n")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        pytest.param("", 0, id="nothing"),
        pytest.param("abc\n", 4, id="letters"),
        pytest.param("é", 2, id="AMI-06 two bytes"),
        pytest.param("€", 3, id="AMI-06 three bytes"),
        pytest.param("😀", 4, id="AMI-06 four bytes"),
        pytest.param(TOKEN, 80, id="AMI-06 a token at its worst"),
        pytest.param(f"a{TOKEN}é{TOKEN}", 1 + 80 + 2 + 80, id="AMI-06 tokens among letters"),
        pytest.param("${Token[Fsx.DNSName.1234]}", 80, id="a token with a name"),
        pytest.param("${HOME} $Token[x]", 17, id="what only looks like one"),
    ],
)
def test_the_size_is_that_of_the_bytes(text, size):
    assert largest_size(text) == size


def padded(size, letter="x"):
    """Settings whose user data has exactly so many bytes, or the nearest below."""
    base = largest_size(NodeBoot(lustre_mounts=(mount(name="x"),)).render())
    room = size - base
    letters = letter * (room // len(letter.encode()))
    return NodeBoot(lustre_mounts=(mount(name="x" * (1 + room - len(letters.encode())) + letters),))


@pytest.mark.parametrize("letter", ["x", "é", "€", "😀"])
def test_ami_06_the_largest_user_data_that_is_let_through(letter):
    script = padded(MAXIMUM_USER_DATA_BYTES - 1, letter).render()
    assert len(script.encode()) == 16_383


@pytest.mark.parametrize("letter", ["x", "é", "€", "😀"])
@pytest.mark.parametrize("size", [16_384, 16_385, 20_000])
def test_ami_06_the_smallest_that_is_not(letter, size):
    message = rf"may become {size} bytes, which must stay below EC2's 16384; mount fewer"
    with pytest.raises(ConstructError, match=message):
        padded(size, letter).render()


def test_ami_06_tokens_count_as_long_as_they_may_become():
    short = NodeBoot(lustre_mounts=tuple(mount(dns=TOKEN, name=TOKEN) for _ in range(10)))
    size = len(short.render().encode())
    assert largest_size(short.render()) == size + 10 * 2 * (80 - len(TOKEN))
    # As many as fit if tokens were no longer than they are written.
    each = len(f"      {TOKEN} {TOKEN} /fsx\n")
    count = 10 + (16_383 - size) // each
    assert count > 40
    many = NodeBoot(lustre_mounts=tuple(mount(dns=TOKEN, name=TOKEN) for _ in range(count)))
    with pytest.raises(ConstructError, match="user data may become"):
        many.render()


def test_ami_06_every_file_system_that_a_cluster_may_have_fits():
    path = "/" + "/".join(["a" * 40] * 6)
    mounts = tuple(mount(path, dns=TOKEN, name=TOKEN) for _ in range(10))
    bundle = NodeBundle(Stack(App(), "Compute"), "NodeBundle")
    assert NodeBoot(lustre_mounts=mounts, logical_neuroncore_size=2, bundle=bundle).render()
