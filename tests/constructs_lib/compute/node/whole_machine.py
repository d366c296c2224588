"""A node of an example with everything: what its boot changes, its check sees.

The two imitations of a node are brought together below one folder. What stands for a command of
the system changes the files that stand for its state: a mount is in /proc/self/mountinfo, a number
of sysctl in /proc/sys, and a hook that was completed waits no more.
"""

from __future__ import annotations

import email
import json
import re
import shutil
import zipfile

import yaml

from tests.constructs_lib.compute.node.check.node_machine import (
    PACKAGES,
    FakeNode,
    dpkg,
    lsblk,
    mountinfo,
)
from tests.constructs_lib.compute.node.machine import Node
from tests.constructs_lib.compute.node.metadata_service import INSTANCE
from tests.constructs_lib.compute.node.test_boot_instance_store import (
    BLKID,
    EBS,
    MDADM,
    MKFS,
    STORE,
    WIPEFS,
)
from tests.constructs_lib.compute.test_example_user_data import user_data
from tests.synthesis import example_assembly
from trnkit.catalog import mountpoint_download

AGENT = "opt/aws/amazon-cloudwatch-agent"
KEY = "937616F3450B7D806CBD9725D58167303B789C72"
S3_KEY = mountpoint_download().fingerprints[0]
TOOLS = ["chmod", "find", "head", "mktemp", "sha256sum", "xargs"]

# File systems are lines of mountinfo(5); 9:127 is the number of the array, or of a disk alone.
MOUNT = """
for target; do :; done
number=0:200
case "$*" in
  *"-t lustre"*) what="lustre a@tcp:/b rw,checksum,flock" ;;
  *"-t nfs4"*) what="nfs4 a:/ rw,vers=4.1" ;;
  *) number=9:127 what="xfs /dev/md0 rw,noatime" ;;
esac
line="200 27 $number / ${{target#{root}}} rw,relatime shared:200 - $what"
echo "$line" >>"{root}/proc/self/mountinfo"
"""
MOUNTPOINT = 'grep -qF " ${{2#{root}}} " "{root}/proc/self/mountinfo"'
FINDMNT = """awk -v root="{root}" '{{ print $3, root $5 }}' "{root}/proc/self/mountinfo" """
LSBLK = """
case "$*" in
  -nro*) echo 9:127 ;;
  *) file="{bare}"
    ! grep -q " {store} " "{root}/proc/self/mountinfo" || file="{mounted}"
    cat "$file" ;;
esac
"""
SYSCTL = """
[[ $* != *-w* ]] || exit 0
while IFS='=' read -r name value; do
  name=${{name// /}}
  echo "${{value# }}" >"{root}/proc/sys/${{name//.//}}"
  [[ $name != vm.nr_hugepages ]] ||
    echo "${{value# }}" >"{root}/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
done <"${{@: -1}}"
"""
DPKG = """
case "$*" in
  *'${{Package}} ${{Version}}'*) cat "{all}" ;;
  *'${{db:Status-Status}} ${{Package}}'*) awk '{{ print $3, $1 }}' "{all}" ;;
  *'${{Version}} '*) awk -v name="${{@: -1}}" '$1 == name {{ printf "%s", $2 }}' "{all}" ;;
esac
"""
APT = """
case "$*" in
  *install*lustre-client-modules*) : >"{folder}/lustre" ;;
  *install*agent.deb) mkdir -p "{root}/{agent}/bin" && ln -s "{bin}/agent-ctl" \\
    "{root}/{agent}/bin/amazon-cloudwatch-agent-ctl" ;;
  *install*nfs-common) ln -s "{bin}/agent-ctl" "{bin}/mount.nfs4" ;;
  *install*mount-s3.deb) ln -s "{bin}/agent-ctl" "{bin}/mount.mount-s3" ;;
esac
"""
CURL = """
case "$*" in
  *amazonaws.com*) while [[ $1 != -o ]]; do shift; done; echo content >"$2" ;;
  *) exec {curl} "$@" ;;
esac
"""
GPG = f"""
case "$*" in
  *--verify*mount-s3*) echo "[GNUPG:] VALIDSIG A 2026-11-30 0 {S3_KEY}" ;;
  *--verify*) echo "[GNUPG:] VALIDSIG A 2026-11-30 0 {KEY}" ;;
  *--dearmor*) while [[ $1 != -o ]]; do shift; done; echo key >"$2" ;;
esac
"""
SYSTEMCTL = """
for last; do :; done
case "$*" in
  *is-active*) [[ -e "{folder}/active/$last" ]] ;;
  *is-enabled*) exit 1 ;;
  start*.mount)
    path=${{last%.mount}}
    line="300 27 0:300 / /${{path//-//}} rw,nosuid shared:300 - fuse mountpoint-s3 rw,allow_other"
    echo "$line" >>"{root}/proc/self/mountinfo" ;;
  start* | restart*) : >"{folder}/active/$last" ;;
esac
"""
AGENT_CTL = ': >"{folder}/active/amazon-cloudwatch-agent.service"'
# Auto Scaling: the hook waits until it is completed.
AWS = """
case "$*" in
  "s3 cp --only-show-errors s3://"*"/{key} "*) cat "{archive}" >"${{@: -1}}" || exit 1 ;;
  *"s3 cp"*) echo "fatal error: key does not exist" >&2; exit 1 ;;
  *describe-auto-scaling-instances*) printf 'a-group\\t%s\\n' "$(<"{folder}/lifecycle")" ;;
  *complete-lifecycle-action*) echo InService >"{folder}/lifecycle" ;;
esac
"""


# What a node with its scripts in user data is not told: it has no check.
INLINE = {
    "instance_type": "trn2.48xlarge",
    "instance_store": {"path": "/scratch", "disks": 4, "total_gb": 7600},
    "efa": {"devices": 16},
}


class WholeNode(Node):
    """A node that an example's launch template starts, before its first boot."""

    def __init__(self, folder, example, metadata):
        self.folder = folder
        self.parts = _parts(example)
        known = self.files.get("/etc/trnkit/expected.json")
        expected = json.loads(known["content"]) if known else INLINE
        self.store, self.efa = expected["instance_store"], expected["efa"]
        kind = expected["instance_type"]
        self.sensed = FakeNode(folder, kind, metadata=metadata.address)
        super().__init__(folder)
        metadata.values["instance-type"] = kind
        self.environment |= {
            "PATH": f"{self.bin}:{self.sensed.tools}",
            "TRNKIT_IMDS": metadata.address,
        }
        self.cluster = example_assembly(example)
        self._forget_what_boots_make()
        self._make_system()
        self._make_disks()
        self._install_commands()

    def _forget_what_boots_make(self):
        for name in ("etc/security/limits.d/99-trnkit.conf", "var/log/trnkit-boot.log"):
            (self.root / name).unlink()
        for name in ("fsx", "home/shared", "data", "local"):
            shutil.rmtree(self.root / name, ignore_errors=True)
        self.write("etc/environment", 'PATH="/usr/bin:/bin"\n')
        self.write("proc/self/mountinfo", mountinfo({}))
        self.write("proc/sys/vm/nr_hugepages", "0\n")
        self.write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0\n")

    def _make_system(self):
        self.write("var/lib/cloud/data/instance-id", f"{INSTANCE}\n")
        self.write("proc/sys/kernel/hostname", "ip-10-0-0-5\n")
        self.write("proc/cpuinfo", "processor : 0\n" * 192)
        self.write("etc/hosts", "127.0.0.1 localhost\n")
        for number in range(self.efa["devices"] if self.efa else 1):
            self.write(f"sys/class/net/ens{number}/device", "")
        (self.folder / "active").mkdir()
        (self.folder / "lifecycle").write_text("Pending:Wait\n")

    def _make_disks(self):
        for number, model in enumerate([EBS, *[STORE] * self.disks]):
            self.write(f"sys/block/nvme{number}n1/device/model", f"{model:<40}\n")
            self.write(f"dev/nvme{number}n1", "\n")

    def _install_commands(self):
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        store = self.store
        bare = lsblk(store and {**store, "path": None})
        words = {
            "root": self.root,
            "folder": self.folder,
            "bin": self.bin,
            "agent": AGENT,
            "curl": shutil.which("curl"),
            "store": store["path"] if store else "none",
            "mounted": self.sensed.save(json.dumps(lsblk(store))),
            "bare": self.sensed.save(json.dumps(bare)),
            "all": self.sensed.save(dpkg({**PACKAGES, "linux-image-aws": "6.8"})),
        }
        commands = {
            "mount": MOUNT,
            "mountpoint": MOUNTPOINT,
            "findmnt": FINDMNT,
            "lsblk": LSBLK,
            "sysctl": SYSCTL,
            "dpkg-query": DPKG,
            "apt-get": APT,
            "curl": CURL,
            "systemctl": SYSTEMCTL,
            "agent-ctl": AGENT_CTL,
            "mdadm": MDADM,
        }
        self.working = {name: text.format(**words) for name, text in commands.items()}
        for name, text in self.working.items():
            self.install(name, text)
        self.install("modprobe", f'[[ $* != "--dry-run lustre" || -e "{self.folder}/lustre" ]]')
        self.install("gpg", GPG)
        self.install("wipefs", WIPEFS)
        self.install("mkfs.xfs", MKFS.format(kind="xfs"))
        self.install("blkid", BLKID)
        self.install("systemd-escape", 'path=${3#/}; echo "${path//\\//-}.mount"')
        for name in ("apt-mark", "udevadm", "dockerd"):
            self.install(name)
        archive = self.folder / "bundle.zip"
        asset = next(iter(self.cluster.directory.glob("asset.*")), None)
        if asset is not None:
            _zip(asset, archive)
        key = f"{asset.name.removeprefix('asset.')}.zip" if asset else "none"
        self.install("aws", AWS.format(key=key, archive=archive, folder=self.folder))

    @property
    def disks(self):
        """How many disks the instance store has."""
        return self.store["disks"] if self.store else 0

    @property
    def files(self):
        """What the cloud-config part writes, by path."""
        return {
            entry["path"]: entry
            for entry in yaml.safe_load(self.parts["cloud-config"])["write_files"]
        }

    def first_boot(self, **environment):
        """As cloud-init does: the files first, then the script."""
        for path, entry in self.files.items():
            written = self.write(path[1:], entry["content"])
            written.chmod(int(entry["permissions"], 8))
        script = self.folder / "part-002"
        script.write_text(self.parts["x-shellscript"])
        return self.run(script, **environment)

    def boot_again(self):
        """As `sudo /opt/trnkit/current/boot` does."""
        self.calls_file.unlink()
        return self.run(self.root / "opt/trnkit/current/boot")

    def restart(self):
        """What only the kernel held is gone; sysctl.d is heeded, enabled units are started."""
        shutil.rmtree(self.root / "run")
        self.write("proc/self/mountinfo", mountinfo({}))
        for holder in (self.root / "sys/block").glob("nvme*/holders/md127"):
            holder.rmdir()
        shutil.rmtree(self.root / "sys/block/md127", ignore_errors=True)
        self.calls_file.unlink()

    def later_boot(self):
        """As the service does after a restart, with what it says of itself."""
        self.restart()
        text = self.read("etc/systemd/system/trnkit-boot.service")
        lines = [line for line in text.splitlines() if line.startswith("Environment=")]
        given = dict(line.split("=", 2)[1:] for line in lines)
        (program,) = re.findall("(?m)^ExecStart=(.*)$", text)
        assert (self.root / program[1:]).stat().st_mode & 0o111
        return self.run(self.root / program[1:], **{**given, "PATH": self.environment["PATH"]})

    def told(self, what):
        """Calls of the AWS CLI with such a word."""
        return [call for call in self.calls if call.startswith("aws ") and what in call]


def _parts(example):
    (_, text) = next(user_data(example))
    archive = email.message_from_string(text)
    assert not archive.defects
    return {
        part.get_content_type().removeprefix("text/"): part.get_payload(decode=True).decode()
        for part in archive.get_payload()
    }


def _zip(folder, archive):
    """As the CDK publishes a folder."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                made.write(path, path.relative_to(folder))
