"""Kernel and Neuron packages are held, and nothing upgrades itself."""

from __future__ import annotations

import pytest

from tests.constructs_lib.compute.node.machine import Node, steps

HOLD = "TRNKIT_HOLD_PACKAGES=1\n"
INSTALLED = """\
installed linux-aws
installed linux-image-aws
installed linux-image-6.8.0-1021-aws
not-installed linux-image-6.8.0-1016-aws
config-files linux-image-6.5.0-1014-aws
installed linux-headers-6.8.0-1021-aws
installed linux-modules-6.8.0-1021-aws
installed linux-modules-extra-6.8.0-1021-aws
installed linux-libc-dev
installed linux-base
installed linux-firmware
installed lustre-client-modules-aws
installed aws-neuronx-dkms
installed aws-neuronx-runtime-lib
installed aws-cli
installed my-aws-neuronx-dkms
"""
HELD = (
    "linux-aws linux-image-aws linux-image-6.8.0-1021-aws linux-headers-6.8.0-1021-aws "
    "linux-modules-6.8.0-1021-aws linux-modules-extra-6.8.0-1021-aws lustre-client-modules-aws "
    "aws-neuronx-dkms aws-neuronx-runtime-lib"
)
PACKAGES = (
    "kernel\nkernel6.12\nkernel-devel\nkernel-headers\nkernel-livepatch-6.1.79\nkernel-tools\n"
)
PACKAGES += "kernel-modules-extra\naws-neuronx-dkms\naws-neuronx-tools\nbash\nmy-kernel\n"
EXCLUDED = "aws-neuronx-dkms aws-neuronx-tools kernel kernel-modules-extra kernel6.12"


@pytest.fixture
def ubuntu(tmp_path):
    node = Node(tmp_path)
    (tmp_path / "packages").write_text(INSTALLED)
    node.install("dpkg-query", f'cat "{tmp_path}/packages"')
    for name in ("apt-mark", "systemctl"):
        node.install(name)
    return node


@pytest.fixture
def amazon_linux(tmp_path):
    node = Node(tmp_path)
    (node.bin / "apt-get").unlink()
    (tmp_path / "packages").write_text(PACKAGES)
    node.install("rpm", f'cat "{tmp_path}/packages"')
    node.write("etc/dnf/dnf.conf", "[main]\ngpgcheck=True\n")
    return node


@pytest.mark.parametrize("settings", ["", "TRNKIT_HOLD_PACKAGES=0\n", "TRNKIT_HOLD_PACKAGES=''\n"])
def test_packages_are_not_touched_unasked(ubuntu, settings):
    _, log = ubuntu.run_boot(settings)
    assert "packages" not in dict(steps(log))
    assert not any(call.startswith(("apt", "dpkg")) for call in ubuntu.calls)


def test_host_13_what_is_installed_is_held_on_ubuntu(ubuntu):
    code, log = ubuntu.run_boot(HOLD)
    assert (code, dict(steps(log))["packages"]) == (0, "ok")
    assert f"apt-mark -q hold {HELD}" in ubuntu.calls
    assert "systemctl mask --now apt-daily.timer apt-daily-upgrade.timer" in ubuntu.calls
    assert "systemctl mask unattended-upgrades.service" in ubuntu.calls
    assert ubuntu.read("etc/apt/apt.conf.d/99trnkit") == (
        'APT::Periodic::Update-Package-Lists "0";\nAPT::Periodic::Unattended-Upgrade "0";\n'
    )


def test_host_13_nothing_is_installed_upgraded_or_downgraded(ubuntu):
    ubuntu.run_boot(HOLD)
    assert not any(call.startswith("apt-get") for call in ubuntu.calls)


def test_an_image_without_such_packages_has_nothing_to_hold(ubuntu, tmp_path):
    (tmp_path / "packages").write_text("installed bash\n")
    code, log = ubuntu.run_boot(HOLD)
    assert (code, dict(steps(log))["packages"]) == (0, "ok")
    assert not any(call.startswith("apt-mark") for call in ubuntu.calls)


def test_a_package_manager_that_is_busy_is_waited_for(ubuntu):
    ubuntu.fails("apt-mark", 4)
    _, log = ubuntu.run_boot(HOLD)
    assert dict(steps(log))["packages"] == "ok"


@pytest.mark.parametrize("name", ["apt-mark", "systemctl"])
def test_a_hold_that_fails_is_a_warning(ubuntu, name):
    condition = "*mask*" if name == "systemctl" else "*"
    ubuntu.install(name, f'case "$*" in {condition}) echo locked >&2; exit 1 ;; esac')
    code, log = ubuntu.run_boot(HOLD)
    assert code == 0
    assert ("packages", "warning") in steps(log)
    assert next(e["detail"] for e in log if e["step"] == "packages") == "locked"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[main]\ngpgcheck=True\n", f"[main]\nexclude = {EXCLUDED}\ngpgcheck=True\n"),
        (
            "[main]\nexclude=foo bar\ngpgcheck=True\n",
            f"[main]\nexclude = foo bar {EXCLUDED}\ngpgcheck=True\n",
        ),
        (
            "# ours\n[main]\nexcludepkgs = foo,kernel\n  bar\nbest=True\n",
            "# ours\n[main]\nexclude = foo kernel bar aws-neuronx-dkms aws-neuronx-tools "
            "kernel-modules-extra kernel6.12\nbest=True\n",
        ),
        (
            "[main]\nexclude=a\nbest=True\nexclude=b\n",
            f"[main]\nexclude = a b {EXCLUDED}\nbest=True\n",
        ),
        ("", f"[main]\nexclude = {EXCLUDED}\n"),
        (None, f"[main]\nexclude = {EXCLUDED}\n"),
    ],
)
def test_host_13_what_is_installed_is_excluded_from_dnf_once(amazon_linux, before, after):
    path = amazon_linux.root / "etc/dnf/dnf.conf"
    path.unlink() if before is None else path.write_text(before)
    for _ in range(2):
        code, log = amazon_linux.run_boot(HOLD)
        assert (code, dict(steps(log))["packages"]) == (0, "ok")
        assert path.read_text() == after


def test_live_patches_and_headers_of_the_running_kernel_stay_possible(amazon_linux):
    amazon_linux.run_boot(HOLD)
    text = amazon_linux.read("etc/dnf/dnf.conf")
    for name in (
        "livepatch",
        "kernel-devel",
        "kernel-headers",
        "kernel-tools",
        "my-kernel",
        "bash",
    ):
        assert name not in text


def test_amazon_linux_without_such_packages_keeps_its_configuration(amazon_linux, tmp_path):
    (tmp_path / "packages").write_text("bash\n")
    _, log = amazon_linux.run_boot(HOLD)
    assert dict(steps(log))["packages"] == "ok"
    assert amazon_linux.read("etc/dnf/dnf.conf") == "[main]\ngpgcheck=True\n"
