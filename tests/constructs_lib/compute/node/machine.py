"""A machine made of a folder, on which the boot of a node runs for real with commands replaced."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import constructs_lib.compute
from constructs_lib.compute import LustreMount, NodeBoot
from trnkit.layout.node_settings import NodeSettings

BUNDLE = Path(constructs_lib.compute.__file__).parent / "assets" / "node"
DNS = "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com"
APT = "apt-get -qq -o DPkg::Lock::Timeout=600"
OPTIONS = {"_netdev", "nofail", "flock", "x-systemd.automount"}
BASH = shutil.which("bash")

TOOLS = [
    "awk",
    "bash",
    "cat",
    "cp",
    "cut",
    "date",
    "dirname",
    "flock",
    "grep",
    "ln",
    "mkdir",
    "mv",
    "rm",
]
TOOLS += ["readlink", "sed", "sleep", "sort", "stat", "tail", "tee", "timeout", "touch", "tr"]

# Every fake notes how it was called, then does what the file of its name in `behaviour` says.
FAKE = """#!{bash}
printf '%s\\n' "${{0##*/}} $*" >>"{calls}"
case "$DEBIAN_FRONTEND" in ?*) echo "DEBIAN_FRONTEND=$DEBIAN_FRONTEND" >>"{calls}" ;; esac
file="{behaviour}/${{0##*/}}"
[[ ! -e $file ]] || . "$file"
"""


class Node:
    """A machine made of a folder."""

    def __init__(self, folder):
        self.root, self.bin = folder / "root", folder / "bin"
        self.behaviour, self.calls_file = folder / "behaviour", folder / "calls"
        for path in (self.root / "etc", self.bin, self.behaviour):
            path.mkdir(parents=True, exist_ok=True)
        (self.root / "etc" / "os-release").write_text('VERSION_CODENAME="noble"\n')
        for name in ("modprobe", "apt-get", "mount", "curl", "gpg", "chattr"):
            self.install(name)
        self.install("mountpoint", "exit 1")
        self.install("uname", "echo 6.8.0-1021-aws")
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        # Not the one on PATH, which may be a script that looks for others on PATH.
        (self.bin / "python3").symlink_to(os.path.realpath(sys.executable))
        # An image with the configuration of the EFA driver.
        self.write("proc/sys/vm/nr_hugepages", "5128\n")
        self.write("proc/sys/net/ipv4/ip_local_reserved_ports", "\n")
        self.environment = {
            "PATH": str(self.bin),
            "TRNKIT_ROOT": str(self.root),
            "TRNKIT_RETRY_SECONDS": "0",
        }

    def install(self, name, behaviour=""):
        text = FAKE.format(bash=BASH, calls=self.calls_file, behaviour=self.behaviour)
        # Never through a link to the real one.
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)
        (self.behaviour / name).write_text(behaviour + "\n")

    def fails(self, name, times, words="no"):
        """Let a command fail so many times, then work."""
        counter = self.behaviour / f"{name}.count"
        self.install(
            name,
            f'count=0; [[ ! -e "{counter}" ]] || count=$(<"{counter}")\n'
            f'echo $((count + 1)) >"{counter}"\n'
            f"(( count >= {times} )) || {{ echo {words!r} >&2; exit 7; }}",
        )

    def boot(self, *mounts, raw=None, **keys):
        """Run what a launch template would carry, without what every node has besides."""
        keys.setdefault("node", NodeSettings(hold_packages=False))
        named = tuple(LustreMount(dns_name=d, mount_name=n, mount_path=p) for d, n, p in mounts)
        text = NodeBoot(lustre_mounts=named, **keys).settings()
        text = re.sub("(?m)^TRNKIT_RENDEZVOUS_PORT=.*\n?", "", text)
        if raw is not None:
            text = text.replace("MOUNTS=''", f"MOUNTS={shlex.quote(raw)}")
        return self.run_boot(text)

    def run_boot(self, settings):
        """Run the bundle's boot with these settings; returns exit code and log entries."""
        self.write("etc/trnkit/settings.sh", settings + "\n")
        return self.run(BUNDLE / "boot")

    def run(self, script, **environment):
        """Run a script of the node; returns exit code and the entries that it logged."""
        log = self.root / "var" / "log" / "trnkit-boot.log"
        seen = len(log.read_bytes()) if log.exists() else 0
        ran = subprocess.run(
            [BASH, str(script)],
            env=self.environment | environment,
            capture_output=True,
            cwd=self.root.parent,
            timeout=60,
        )
        self.errors = ran.stderr.decode()
        written = log.read_bytes()[seen:] if log.exists() else b""
        assert written == ran.stdout
        return ran.returncode, [json.loads(line) for line in written.decode("ascii").splitlines()]

    def write(self, name, text):
        """A file of the node, with its folders."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    @property
    def calls(self):
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def read(self, name):
        return (self.root / name).read_text()


def steps(log):
    return [(entry["step"], entry["status"]) for entry in log]
