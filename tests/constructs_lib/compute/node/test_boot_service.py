"""The service that boots a node again, and its order among an image's own, by systemd itself."""

from __future__ import annotations

import configparser
import shutil
import subprocess

import pytest

from tests.constructs_lib.compute.node.machine import BUNDLE

UNIT = BUNDLE / "systemd" / "trnkit-boot.service"
ANALYZE = shutil.which("systemd-analyze")

NETWORK = "After=network-online.target\nWants=network-online.target"
CLOUD_INIT = {
    "cloud-init.service": "DefaultDependencies=no\nBefore=network-online.target sysinit.target",
    "cloud-config.service": "After=network-online.target",
}
# What brings work, as images order it. Ubuntu's cloud-init ends after multi-user.target.
IMAGES = {
    "Ubuntu": {
        **CLOUD_INIT,
        "cloud-final.service": "After=network-online.target cloud-config.service multi-user.target",
        "docker.service": f"{NETWORK} \nAfter=containerd.service",
        "containerd.service": "After=network.target",
        "slurmd.service": "After=network-online.target remote-fs.target",
    },
    "Amazon Linux": {
        **CLOUD_INIT,
        "cloud-final.service": "After=network-online.target cloud-config.service",
        "docker.service": f"{NETWORK} \nAfter=containerd.service",
        "containerd.service": "After=network.target",
        "kubelet.service": "After=containerd.service cloud-final.service\nWants=containerd.service",
        "ecs.service": "After=docker.service cloud-final.service\nWants=docker.service",
    },
}


def settings():
    """The unit as a mapping of sections to lines of "name=value"."""
    sections, name = {}, ""
    for line in UNIT.read_text().splitlines():
        if line.startswith("["):
            name = line.strip("[]")
        elif line and not line.startswith("#"):
            sections.setdefault(name, []).append(line)
    return sections


def test_it_runs_the_bundle_once_and_before_what_brings_work():
    made = settings()
    assert "ExecStart=/opt/trnkit/current/boot" in made["Service"]
    assert "Type=oneshot" in made["Service"]
    assert "KillMode=process" in made["Service"], "the tunnels of mounts outlive it"
    assert "Environment=TRNKIT_LATER_BOOT=1" in made["Service"]
    (before,) = [line for line in made["Unit"] if line.startswith("Before=")]
    wanted = {"docker.service", "containerd.service", "ecs.service", "kubelet.service"}
    assert set(before.split("=")[1].split()) == wanted | {"slurmd.service"}
    assert "After=network-online.target" in made["Unit"]
    assert not any("cloud-" in line for lines in made.values() for line in lines)


def test_a_command_line_tool_of_aws_is_found_wherever_images_put_it():
    (path,) = [line for line in settings()["Service"] if line.startswith("Environment=PATH=")]
    assert {"/usr/local/bin", "/usr/bin", "/snap/bin"} <= set(path.split("=")[2].split(":"))


def test_python_reads_it_too():
    parser = configparser.ConfigParser(strict=False)
    parser.optionxform = str
    parser.read(UNIT)
    assert parser["Install"]["WantedBy"] == "multi-user.target"


def verify(folder, image, unit_text):
    """What systemd says about an image, with our service among its own."""
    units = {
        name: f"[Unit]\n{lines}\n[Service]\nType=oneshot\nExecStart=/bin/true\n"
        for name, lines in IMAGES[image].items()
    }
    units["trnkit-boot.service"] = unit_text.replace("/opt/trnkit/current/boot", "/bin/true")
    (folder / "multi-user.target.wants").mkdir()
    for name, text in units.items():
        (folder / name).write_text(text)
        (folder / "multi-user.target.wants" / name).symlink_to(f"../{name}")
    ran = subprocess.run(
        [ANALYZE, "verify", "--man=no", "multi-user.target", "cloud-final.service"],
        env={"SYSTEMD_UNIT_PATH": f"{folder}:", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return ran.stdout + ran.stderr


@pytest.mark.skipif(ANALYZE is None, reason="there is no systemd on this machine")
@pytest.mark.parametrize("image", IMAGES)
def test_systemd_finds_no_cycle_among_the_services_of_an_image(tmp_path, image):
    said = verify(tmp_path, image, UNIT.read_text())
    assert "cycle" not in said
    assert "trnkit-boot" not in said


@pytest.mark.skipif(ANALYZE is None, reason="there is no systemd on this machine")
@pytest.mark.parametrize("image", IMAGES)
def test_systemd_would_find_one_if_it_waited_for_cloud_final(tmp_path, image):
    text = UNIT.read_text().replace("After=network-online.target", "After=cloud-final.service")
    text = text.replace("Before=", "Before=cloud-config.service ")
    assert "cycle" in verify(tmp_path, image, text)
