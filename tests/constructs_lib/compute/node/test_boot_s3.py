"""The boot script where it concerns S3 buckets: Mountpoint, its signature, its mounts."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from aws_cdk import App, Stack

from constructs_lib.compute import HomeMount, LustreMount, NodeBoot, NodeBundle, S3Mount
from constructs_lib.compute.node_boot import MAXIMUM_USER_DATA_BYTES, largest_size
from tests.constructs_lib.compute.node.machine import APT, BASH, BUNDLE, DNS, Node, steps
from trnkit.catalog import mountpoint_download, mountpoint_use
from trnkit.errors import ConstructError

SCRIPT = BUNDLE / "steps" / "s3.sh"
TOKEN = "${Token[TOKEN.123]}"
HELPER = "mount.mount-s3"
DOWNLOAD = mountpoint_download()
NEW, OLD = DOWNLOAD.fingerprints
SIGNED = f"[GNUPG:] VALIDSIG {'0' * 40} 2026-01-01 1 0 4 0 1 10 00 {NEW}"


def corpus(**keys):
    plain = {"bucket_name": "our-corpus", "mount_path": "/data/corpus", "region": "us-east-2"}
    return S3Mount(**(plain | keys))


RESULTS = corpus(
    bucket_name="our-results", prefix="runs/a", mount_path="/data/results", read_only=False
)


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path)
    made.install("systemctl")
    # As systemd does for paths without special characters.
    made.install("systemd-escape", 'path=${!##/}; echo "${path//\\//-}.mount"')
    for name in ("mktemp",):
        (made.bin / name).symlink_to(shutil.which(name))
    signs(made, SIGNED)
    helper = made.bin / HELPER
    brings_helper = f'printf "#!{BASH}\\n" >"{helper}"; /bin/chmod +x "{helper}"'
    made.install("apt-get", f'case "$*" in *install*) {brings_helper} ;; esac')
    return made


def signs(node, *lines, code=0):
    """Let gpg say this of a package's signature."""
    said = "\n".join(f"echo '{line}'" for line in lines)
    node.install("gpg", f'case "$*" in *--verify*) {said or ":"}\nexit {code} ;; esac')


def amazon_linux(node, *, has_package=True):
    (node.bin / "apt-get").unlink()
    helper = node.bin / HELPER
    brings = f'printf "#!{BASH}\\n" >"{helper}"; /bin/chmod +x "{helper}"'
    node.install("dnf", brings if has_package else "echo no match for mount-s3 >&2; exit 1")


def called(node, name):
    return [call for call in node.calls if call.split()[0] == name]


# Installing.


def test_amazon_linux_takes_its_own_package(node):
    amazon_linux(node)
    code, log = node.boot(s3_mounts=(corpus(),))
    assert code == 0, node.errors
    assert steps(log) == [
        ("environment", "ok"),
        ("mountpoint", "ok"),
        ("mount /data/corpus", "ok"),
        ("boot", "ok"),
    ]
    assert called(node, "dnf") == ["dnf -q install -y mount-s3"]
    assert not called(node, "curl"), "nothing from outside the repository"


def test_amazon_linux_older_than_the_package_says_so_and_boots_on(node):
    amazon_linux(node, has_package=False)
    code, log = node.boot(s3_mounts=(corpus(),))
    assert code == 1
    assert steps(log)[1:] == [
        ("mountpoint", "failed"),
        ("mount /data/corpus", "failed"),
        ("boot", "failed"),
    ]
    assert log[2]["detail"] == "Mountpoint is not installed"
    assert len(called(node, "dnf")) == 5, "the package manager may be busy at first"


def test_ubuntu_takes_a_fixed_version_after_its_signature_was_checked(node):
    code, _ = node.boot(s3_mounts=(corpus(),))
    assert code == 0, node.errors
    calls = [re.sub(r"/\S*tmp\.\w+", "TMP", call) for call in node.calls]
    wanted = [c for c in calls if c.split()[0] in ("curl", "gpg", "apt-get")]
    assert wanted == [
        f"curl -fsS -o TMP/KEYS {DOWNLOAD.signing_keys_url}",
        f"curl -fsS -o TMP/mount-s3.deb {DOWNLOAD.url}",
        f"curl -fsS -o TMP/mount-s3.deb.asc {DOWNLOAD.url}.asc",
        "gpg --homedir TMP --batch -q --import TMP/KEYS",
        "gpg --homedir TMP --batch --status-fd 1 --verify TMP/mount-s3.deb.asc TMP/mount-s3.deb",
        f"{APT} update",
        f"{APT} install -y TMP/mount-s3.deb",
    ]
    assert f"/{DOWNLOAD.version}/" in DOWNLOAD.url, "never the latest"


def test_the_older_key_is_a_known_one(node):
    signs(node, SIGNED.replace(NEW, OLD))
    assert node.boot(s3_mounts=(corpus(),))[0] == 0


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        pytest.param((SIGNED.replace(NEW, "A" * 40),), 0, id="key of somebody else"),
        pytest.param((SIGNED,), 1, id="gpg refuses"),
        pytest.param((), 0, id="not signed"),
        pytest.param((f"[GNUPG:] GOODSIG {NEW[-16:]} {NEW}",), 0, id="not the valid line"),
        pytest.param((f"[GNUPG:] VALIDSIG {NEW} 1 {'A' * 40}",), 0, id="known word elsewhere"),
        pytest.param((f"x [GNUPG:] VALIDSIG {NEW} {NEW}",), 0, id="in a comment"),
        pytest.param((SIGNED + "0",), 0, id="longer fingerprint"),
    ],
)
def test_a_package_that_is_not_signed_by_a_known_key_is_never_installed(node, lines, code):
    signs(node, *lines, code=code)
    found, log = node.boot(s3_mounts=(corpus(),))
    assert found == 1
    assert log[1]["detail"] == f"the signature of {DOWNLOAD.url} is not by a known key"
    assert not [call for call in called(node, "apt-get") if "install" in call]
    assert not any(call.startswith("systemctl start") for call in node.calls)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs GnuPG")
@pytest.mark.parametrize("changed", [False, True])
def test_with_gnupg_itself_only_the_signed_bytes_pass(node, tmp_path, changed):
    real = shutil.which("gpg")
    home = tmp_path / "gnupg"
    home.mkdir(mode=0o700)

    def gpg(*words):
        ran = subprocess.run(
            [real, "--homedir", str(home), "--batch", "--passphrase", "", *words],
            capture_output=True,
            check=True,
        )
        return ran.stdout.decode()

    package, keys = tmp_path / "mount-s3.deb", tmp_path / "KEYS"
    package.write_text("a package")
    gpg("--quick-generate-key", "mountpoint@example.com", "default", "default", "never")
    gpg("--armor", "--output", str(keys), "--export")
    gpg("--armor", "--output", f"{package}.asc", "--detach-sign", str(package))
    listed = gpg("--list-keys", "--with-colons")
    (fingerprint, *_) = re.findall(r"^fpr:+([0-9A-F]{40}):", listed, re.MULTILINE)
    if changed:
        package.write_text("another package")
    node.install("curl", f'/bin/cp "{tmp_path}/${{4##*/}}" "$3"')
    shutil.rmtree(node.bin / "gpg", ignore_errors=True)
    (node.bin / "gpg").unlink()
    (node.bin / "gpg").symlink_to(real)
    part = tmp_path / "part.sh"
    part.write_text(
        f'. "{BUNDLE / "lib.sh"}"; . "{SCRIPT}"; '
        f'fetch_mountpoint "$(mktemp -d)" x/mount-s3.deb x/KEYS {OLD} {fingerprint}\n'
    )
    ran = subprocess.run(
        [BASH, str(part)],
        env={"PATH": str(node.bin), "TRNKIT_ROOT": str(node.root), "TRNKIT_RETRY_SECONDS": "0"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == int(changed), ran.stderr
    assert ("not by a known key" in ran.stdout) is changed


def test_downloads_are_retried(node):
    node.fails("curl", 4)
    assert node.boot(s3_mounts=(corpus(),))[0] == 0
    node.fails("curl", 99)
    (node.bin / HELPER).unlink()
    node.calls_file.unlink()
    assert node.boot(s3_mounts=(corpus(),))[0] == 1
    assert len(called(node, "curl")) == 5
    assert not called(node, "gpg")


def test_what_the_image_has_is_not_installed_again(node):
    node.install(HELPER)
    code, _ = node.boot(s3_mounts=(corpus(),))
    assert code == 0
    assert not called(node, "curl")
    assert not called(node, "apt-get")


# Mounting.


def test_buckets_are_mounted_in_units_of_their_own(node):
    node.install(HELPER)
    code, log = node.boot(s3_mounts=(corpus(), RESULTS))
    assert code == 0
    assert [step for step, _ in steps(log)][2:4] == ["mount /data/corpus", "mount /data/results"]
    assert called(node, "systemd-escape") == [
        "systemd-escape --path --suffix=mount /data/corpus",
        "systemd-escape --path --suffix=mount /data/results",
    ]
    mounts = [c for c in called(node, "systemctl") if c != "systemctl daemon-reexec"]
    assert [c for c in mounts if "restart" not in c] == [
        "systemctl daemon-reload",
        "systemctl start data-corpus.mount",
        "systemctl daemon-reload",
        "systemctl start data-results.mount",
    ]


def test_fstab_says_what_mountpoint_needs_to_start(node):
    node.install(HELPER)
    node.boot(s3_mounts=(corpus(), RESULTS))
    first, second = (line.split(" ") for line in node.read("etc/fstab").splitlines())
    assert first[:3] == ["s3://our-corpus/", "/data/corpus", "mount-s3"]
    assert second[:3] == ["s3://our-results/runs/a/", "/data/results", "mount-s3"]
    needed = {*mountpoint_use().required_mount_options, "nofail", "allow-other"}
    for line, mode in ((first, "ro"), (second, "rw")):
        options = line[3].split(",")
        assert needed | {mode, "region=us-east-2"} <= set(options)
        assert len(options) == len(set(options))
        assert line[4:] == ["0", "0"]
    assert {"dir-mode=0777", "file-mode=0666"} <= set(second[3].split(","))
    assert "mode=" not in first[3]


def test_mount_points_are_closed_before_anything_takes_time(node):
    amazon_linux(node)
    node.boot((DNS, "abcd", "/fsx"), s3_mounts=(corpus(), RESULTS))
    calls = node.calls
    for path in ("/data/corpus", "/data/results"):
        closed = calls.index(f"chattr +i {node.root}{path}")
        assert closed < calls.index("modprobe --dry-run lustre")


@pytest.mark.parametrize(("failures", "starts", "code"), [(0, 1, 0), (19, 20, 0), (99, 20, 1)])
def test_mounts_are_retried(node, failures, starts, code):
    node.install(HELPER)
    counter = node.behaviour / "starts"
    node.install(
        "systemctl",
        f'[[ $1 == start ]] || exit 0\ncount=0; [[ ! -e "{counter}" ]] || count=$(<"{counter}")\n'
        f'echo $((count + 1)) >"{counter}"\n(( count >= {failures} )) || exit 1',
    )
    found, log = node.boot(s3_mounts=(corpus(),))
    assert found == code
    assert sum(c.startswith("systemctl start ") for c in node.calls) == starts
    assert steps(log)[-1] == ("boot", "failed" if code else "ok")


def test_one_bucket_that_fails_does_not_hold_the_other_up(node):
    node.install(HELPER)
    node.install("systemctl", 'case "$*" in *corpus*) exit 1 ;; esac')
    code, log = node.boot(s3_mounts=(corpus(), RESULTS))
    assert code == 1
    assert dict(steps(log))["mount /data/corpus"] == "failed"
    assert dict(steps(log))["mount /data/results"] == "ok"


def test_without_mountpoint_file_systems_are_mounted_all_the_same(node):
    node.fails("curl", 99)
    code, log = node.boot((DNS, "abcd", "/fsx"), s3_mounts=(corpus(),))
    assert code == 1
    assert dict(steps(log))["mount /fsx"] == "ok"
    assert "nofail" in node.read("etc/fstab").splitlines()[-1]


def test_booting_twice_mounts_once(node):
    node.install(HELPER)
    node.boot(s3_mounts=(corpus(),))
    node.install("mountpoint", "exit 0")
    node.calls_file.unlink()
    code, _ = node.boot(s3_mounts=(corpus(),))
    assert code == 0
    assert node.read("etc/fstab").count("/data/corpus") == 1
    assert not any(c.startswith("systemctl start") for c in node.calls)


# User data.


def test_nodes_without_buckets_carry_nothing_of_it():
    assert "TRNKIT_S3" not in NodeBoot().settings()


def test_settings_of_buckets_come_before_the_steps():
    boot = NodeBoot(s3_mounts=(corpus(), RESULTS))
    assert (
        "TRNKIT_S3_MOUNTS='s3://our-corpus/ /data/corpus ro us-east-2\n"
        "s3://our-results/runs/a/ /data/results rw us-east-2'\n"
        f"TRNKIT_S3_PACKAGE='{DOWNLOAD.url} {DOWNLOAD.signing_keys_url} {NEW} {OLD}'\n"
    ) in boot.settings()


def test_the_script_is_plain_and_bash_accepts_it():
    content = SCRIPT.read_bytes()
    assert content.isascii()
    assert b"\r" not in content
    assert b"\t" not in content
    assert subprocess.run([BASH, "-n", str(SCRIPT)], check=False).returncode == 0


def test_ami_06_an_ordinary_cluster_has_room_for_buckets():
    lustre = [LustreMount(dns_name=TOKEN, mount_name=TOKEN, mount_path=f"/fsx/{n}") for n in "abc"]
    text = NodeBoot(
        bundle=NodeBundle(Stack(App(), "Compute"), "NodeBundle"),
        lustre_mounts=tuple(lustre),
        logical_neuroncore_size=2,
        lustre_over_efa=True,
        home=HomeMount(file_system_id=TOKEN, dns_name=f"{TOKEN}.efs.x", mount_path="/home/shared"),
        s3_mounts=tuple(corpus(prefix="a" * 60, mount_path=f"/data/{n}") for n in range(10)),
    ).render()
    assert largest_size(text) < MAXIMUM_USER_DATA_BYTES


def test_ami_06_more_than_fits_is_refused():
    long = "/" + "/".join(["a" * 200] * 5)
    with pytest.raises(ConstructError, match="user data may become"):
        NodeBoot(s3_mounts=(corpus(mount_path=long),) * 12).render()


# Arguments.


@pytest.mark.parametrize("name", ["bucket_name", "region", "mount_path", "prefix"])
@pytest.mark.parametrize("value", ["", "a b", "a'b", "a\nb", "'; touch broken; '", 'a"', "a\\"])
def test_values_that_could_break_out_are_refused_at_once(name, value):
    with pytest.raises(ConstructError, match=name):
        corpus(**{name: value})


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"bucket_name": "s3://our-corpus"}, "bucket_name is s3://our-corpus; the bucket's name"),
        ({"bucket_name": "a--use2-az1--x-s3"}, "by its end is a directory bucket"),
        ({"prefix": TOKEN}, "prefix must be plain text"),
        ({"prefix": 5}, "prefix must be text"),
        ({"prefix": "/runs"}, "prefix must be folders of keys"),
        ({"prefix": "runs/*"}, "prefix must be folders of keys"),
        ({"prefix": "runs/../secret"}, "prefix must be folders of keys"),
        ({"read_only": "no"}, "read_only must be True or False"),
        ({"mount_path": "/opt/aws/neuron"}, "which the system uses itself"),
    ],
)
def test_what_cannot_be_mounted_is_refused(keys, words):
    with pytest.raises(ConstructError, match=re.escape(words)):
        corpus(**keys)


def test_names_may_be_tokens():
    text = NodeBoot(s3_mounts=(corpus(bucket_name=TOKEN, region=TOKEN),)).settings() + "\n"
    assert f"TRNKIT_S3_MOUNTS='s3://{TOKEN}/ /data/corpus ro {TOKEN}'\n" in text


@pytest.mark.parametrize("value", [None, "x", [corpus], (DNS,)])
def test_s3_mounts_are_mounts(value):
    with pytest.raises(ConstructError, match="s3_mounts must be"):
        NodeBoot(s3_mounts=value)
