"""A node made of a folder: what a machine of an instance type shows, good until a test spoils it.

Each output has the form of a documented one; the page stands where the output is made. None comes
from Trainium hardware: numbers of devices are those of the catalogue.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import constructs_lib.compute
from trnkit.catalog import instance_type
from trnkit.config import ClusterConfig
from trnkit.layout.node_expectations import expected_node

FOLDER = Path(constructs_lib.compute.__file__).parent / "assets" / "node" / "trn-node-check"
PYTHON = os.environ.get("TRNKIT_NODE_PYTHON", sys.executable)
"""Another interpreter to try the program with, such as Python 3.9."""
TYPES = (
    *("trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"),
    *("trn2.3xlarge", "trn2.48xlarge", "trn2u.48xlarge"),
    *("inf2.xlarge", "inf2.8xlarge", "inf2.24xlarge", "inf2.48xlarge"),
)
INSTANCE_ID = "i-0123456789abcdef0"
NEURON_SYSFS = "/sys/class/neuron_device"
ENVIRONMENT = "FI_PROVIDER=efa\nFI_EFA_USE_DEVICE_RDMA=1\n"


def expected_of(name, **keys):
    """The expected file of a node of a type in a cluster with every kind of storage."""
    store = "/local" if instance_type(name).nvme_disks else None
    boot = {"instance_store_path": store, "compile_cache": "/fsx/.neuron-cache", **keys}
    cluster = ClusterConfig(
        name="pretrain",
        region="us-east-2",
        compute={
            "boot": boot,
            "node_groups": [{"name": "train", "instance_type": name, "count": 2}],
        },
        storage={
            "lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}],
            "home_file_system": {},
            "s3_mountpoints": [{"bucket_name": "corpus", "mount_path": "/data"}],
        },
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
    )
    return expected_node(cluster, cluster.compute.node_groups[0])


# Outputs.


def neuron_ls(neuron, *, logical, busy=False):
    """https://awsdocs-neuron.readthedocs-hosted.com, neuron-ls user guide (v2.28.0): -j.

    On Trainium2 nc_count counts logical cores; chips without logical cores have no
    logical_neuroncore_config (as on trn1.2xlarge, where connected_to is null).
    """
    size = neuron["logical_neuroncore_size"] if logical else 1
    cores = neuron["cores_per_device"] // size
    process = {"pid": 113985, "command": "python train.py", "neuron_runtime_version": "2.0.0"}
    return [
        {
            "neuron_device": number,
            "bdf": f"0000:{number:02x}:00.0",
            "cpu_affinity": "48-95,144-191",
            "numa_node": "1",
            "connected_to": [12, 3, 4, 1] if neuron["devices"] > 1 else None,
            "nc_count": cores,
            **({"logical_neuroncore_config": size} if logical else {}),
            "memory_size": neuron["device_memory_gib"] * 1024**3,
            "neuroncore_ids": list(range(number * cores, (number + 1) * cores)),
            "neuron_processes": [process] if busy else [],
        }
        for number in range(neuron["devices"])
    ]


def fi_info(count, fabric="efa"):
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html, `fi_info -p efa`."""
    return "".join(
        f"provider: efa\n    fabric: {fabric}\n    domain: rdmap{number}s0-rdm\n"
        "    version: 201.0\n    type: FI_EP_RDM\n    protocol: FI_PROTO_EFA\n"
        for number in range(count)
    )


def lsblk(store):
    """lsblk(8) of util-linux 2.37, --json; devices' model names as in the EC2 User Guide.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/nvme-ebs-volumes.html
    """
    root = {"name": "nvme0n1", "model": "Amazon Elastic Block Store", "size": 512 * 1024**3}
    devices = [{**root, "type": "disk", "mountpoints": [None]}]
    devices[0]["children"] = [
        {"name": "nvme0n1p1", "model": None, "size": 2**30, "type": "part", "mountpoints": ["/"]}
    ]
    count, total = (store["disks"], store["total_gb"] * 10**9) if store else (0, 0)
    for number in range(1, count + 1):
        disk = {
            "name": f"nvme{number}n1",
            "model": "Amazon EC2 NVMe Instance Storage",
            "size": total // count,
            "type": "disk",
            "mountpoints": [store["path"]] if count == 1 else [None],
        }
        if count > 1:
            stripe = {"name": "md0", "model": None, "size": total - 2**29, "type": "raid0"}
            disk["children"] = [{**stripe, "mountpoints": [store["path"]]}]
        devices.append(disk)
    return {"blockdevices": devices}


MOUNTINFO = {
    "/fsx": "lustre 10.0.64.9@tcp:/abcdefgh rw,checksum,flock,lazystatfs",
    "/home/shared": "nfs4 127.0.0.1:/ rw,vers=4.1,rsize=1048576,wsize=1048576,hard,addr=127.0.0.1",
    "/data": "fuse mountpoint-s3 ro,user_id=0,group_id=0,default_permissions",
    "/local": "xfs /dev/md0 rw,attr2,inode64",
}


def mountinfo(mounts, *, options="rw,relatime"):
    """proc_pid_mountinfo(5)."""
    lines = ["27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/root rw,discard"]
    for number, (path, what) in enumerate(mounts.items(), 100):
        place = path.replace(" ", "\\040")
        lines.append(f"{number} 27 0:{number} / {place} {options} shared:{number} - {what}")
    return "\n".join(lines) + "\n"


# https://doc.lustre.org/lustre_manual.pdf, lctl: device_list (dl).
LCTL_DL = """\
  0 UP mgc MGC10.0.64.9@tcp 2bce2de2-81ef-fdcb-be01-33f6e196b294 4
  1 UP lov abcdefgh-clilov-ffff90523b0ed800 eefdc044-f295-1771-5ccc-b62a6ae5a6ec 3
  2 UP lmv abcdefgh-clilmv-ffff90523b0ed800 eefdc044-f295-1771-5ccc-b62a6ae5a6ec 4
  3 UP mdc abcdefgh-MDT0000-mdc-ffff90523b0ed800 eefdc044-f295-1771-5ccc-b62a6ae5a6ec 4
  4 UP osc abcdefgh-OST0000-osc-ffff90523b0ed800 eefdc044-f295-1771-5ccc-b62a6ae5a6ec 4
  5 UP osc abcdefgh-OST0001-osc-ffff90523b0ed800 eefdc044-f295-1771-5ccc-b62a6ae5a6ec 4
"""

# https://doc.lustre.org/lustre_manual.pdf, lctl get_param; state files of mdc and osc.
LCTL_STATE = """\
mdc.abcdefgh-MDT0000-mdc-ffff90523b0ed800.state=
current_state: FULL
state_history:
 - [ 1764510000, CONNECTING ]
 - [ 1764510000, FULL ]
osc.abcdefgh-OST0000-osc-ffff90523b0ed800.state=
current_state: IDLE
state_history:
 - [ 1764510001, CONNECTING ]
 - [ 1764510001, IDLE ]
osc.abcdefgh-OST0001-osc-ffff90523b0ed800.state=
current_state: FULL
state_history:
 - [ 1764510001, FULL ]
"""

# https://wiki.lustre.org/LNet_Configuration, `lnetctl net show`; net type efa as in
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html
LNET_EFA = """\
net:
    - net type: efa
      local NI(s):
        - nid: 10.0.64.7@efa
          status: up
          interfaces:
              0: rdmap0s0
        - nid: 10.0.64.8@efa
          status: up
          interfaces:
              0: rdmap7s0
"""

# https://chrony-project.org/doc/4.6/chronyc.html, tracking.
CHRONY = """\
Reference ID    : A9FEA97B (169.254.169.123)
Stratum         : 4
Ref time (UTC)  : Mon Nov 30 13:25:11 2026
System time     : 0.000004709 seconds fast of NTP time
Last offset     : +0.000004989 seconds
RMS offset      : 0.000021751 seconds
Frequency       : 2.192 ppm fast
Residual freq   : +0.001 ppm
Skew            : 0.026 ppm
Root delay      : 0.000411626 seconds
Root dispersion : 0.000570010 seconds
Update interval : 16.1 seconds
Leap status     : Normal
"""

# https://awsdocs-neuron.readthedocs-hosted.com, nrt-troubleshoot: hardware errors in dmesg.
HARDWARE_ERROR = (
    "[  812.123456] neuron:nd5: NEURON_HW_ERR=SRAM_UNCORRECTABLE_ERROR "
    "instance-id=i-0123456789abcdef0 hostname=ip-10-0-64-7 nd-id=5 nc-id=0 "
    "serial-num=19fcda00f5ff6eb9 action=TERMINATE_INSTANCE\n"
)

# Versions as https://github.com/aws-neuron/aws-neuron-sdk/issues/1320 shows them installed.
PACKAGES = {
    "aws-neuronx-collectives": "2.31.24.0-1a31ba186",
    "aws-neuronx-dkms": "2.27.4.0",
    "aws-neuronx-runtime-lib": "2.31.24.0-0b044f4ce",
    "aws-neuronx-tools": "2.29.22.0-b486b0ade",
}


def dpkg(packages):
    return "".join(f"{name} {version} installed\n" for name, version in packages.items())


def boot_line(step, status="ok", detail="", **keys):
    row = {"time": "2026-11-30T13:20:00Z", "step": step, "status": status, "detail": detail, **keys}
    return json.dumps(row, separators=(",", ":")) + "\n"


# The node.


@dataclass
class Run:
    """What a run of the program came to."""

    code: int
    out: str
    err: str
    seconds: float
    body: dict = field(default_factory=dict)

    def verdict(self, check, subject=None):
        return self.one(check, subject)["verdict"]

    def one(self, check, subject=None):
        found = [
            one
            for one in self.body["checks"]
            if one["check"] == check and subject in (None, one.get("subject"))
        ]
        assert len(found) == 1, (check, subject, self.out)
        return found[0]

    def wrong(self):
        """Checks by verdict, other than ok and skipped."""
        return {
            one["check"]: one["verdict"]
            for one in self.body["checks"]
            if one["verdict"] not in ("ok", "skipped")
        }


class FakeNode:
    """A good node of a type below a folder, with stubs for its tools."""

    def __init__(self, folder, name, *, metadata=None, **keys):
        self.root, self.tools, self.data = folder / "root", folder / "tools", folder / "data"
        for path in (self.root, self.tools, self.data):
            path.mkdir()
        self.expected = expected_of(name, **keys)
        self.environment = {
            "PATH": str(self.tools),
            "TRNKIT_ROOT": str(self.root),
            "PYTHONPYCACHEPREFIX": str(folder.parent.parent / "compiled"),
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": metadata or "http://127.0.0.1:9",
        }
        self._make_chips()
        self._make_network()
        self._make_storage()
        self._make_host(name)

    def _make_chips(self):
        neuron = self.expected["neuron"]
        for number in range(neuron["devices"]):
            self.file(f"/dev/neuron{number}", "")
            place = f"{NEURON_SYSFS}/neuron{number}"
            # https://awsdocs-neuron.readthedocs-hosted.com, Neuron sysfs user guide.
            self.file(f"{place}/core_count", f"{neuron['cores_per_device']}\n")
            for counter in ("mem_ecc_uncorrected", "sram_ecc_uncorrected"):
                self.file(f"{place}/stats/hardware/{counter}", "0\n")
            self.file(f"{place}/stats/hardware/mem_ecc_repairable_uncorrected", "0\n")
            self.file(f"{place}/neuron_core0/info/architecture/arch_type", "NCv3\n")
        self.file("/sys/module/neuron/version", f"{PACKAGES['aws-neuronx-dkms']}\n")
        self.logical = self.expected["instance_type"].startswith("trn2")
        self.neuron_ls(neuron_ls(neuron, logical=self.logical))
        self.tool("dpkg-query", dpkg(PACKAGES))
        self.tool("dmesg", "[    0.000000] Linux version 6.8.0-1018-aws\n")

    def _make_network(self):
        efa = self.expected["efa"]
        self.file("/etc/environment", ENVIRONMENT if efa else "LANG=C.UTF-8\n")
        self.tool("fi_info", fi_info(efa["devices"] if efa else 0), code=0 if efa else 61)
        if not efa:
            return
        self.file("/sys/module/efa/version", "2.13.0g\n")
        for number in range(efa["devices"]):
            place = f"/sys/class/infiniband/rdmap{number}s0"
            self.file(f"{place}/device/vendor", "0x1d0f\n")
            # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-working-monitor.html
            for counter in ("rx_bytes", "tx_bytes", "rdma_read_bytes", "rdma_write_bytes"):
                self.file(f"{place}/ports/1/hw_counters/{counter}", "0\n")

    def _make_storage(self):
        store = self.expected["instance_store"]
        self.mounts = {one["path"]: MOUNTINFO[one["path"]] for one in self.expected["mounts"]}
        if store:
            self.mounts[store["path"]] = MOUNTINFO["/local"]
        for path in (*self.mounts, "/fsx/.neuron-cache"):
            (self.root / path[1:]).mkdir(parents=True, exist_ok=True)
        self.mount(self.mounts)
        self.lsblk(lsblk(store))
        self.script(
            "lctl",
            f'[ "$1" = dl ] && /bin/cat {self.save(LCTL_DL)} || /bin/cat {self.save(LCTL_STATE)}',
        )
        self.tool("lnetctl", LNET_EFA)

    def _make_host(self, name):
        known = instance_type(name)
        self.file("/sys/devices/system/cpu/online", f"0-{known.vcpus - 1}\n")
        # The kernel keeps about 4 %: 33110204416 bytes of trn1.2xlarge's 32 GiB are told.
        self.file("/proc/meminfo", f"MemTotal:       {int(known.memory_mib * 1024 * 0.964)} kB\n")
        pages = self.expected["huge_pages_2mib"] or 0
        self.file("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", f"{pages}\n")
        self.file(
            "/etc/security/limits.d/99-trnkit.conf",
            "* soft nofile 65536\n* hard nofile 65536\n* - memlock unlimited\n",
        )
        self.file("/sys/devices/virtual/dmi/id/board_asset_tag", f"{INSTANCE_ID}\n")
        self.file("/var/log/trnkit-boot.log", boot_line("environment") + boot_line("boot"))
        self.tool("chronyc", CHRONY)

    # Spoiling.

    def file(self, path, text):
        place = self.root / path[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def save(self, text):
        place = self.data / f"{len(list(self.data.iterdir()))}"
        place.write_text(text)
        return place

    def script(self, name, body):
        place = self.tools / name
        place.write_text(f"#!/bin/sh\n{body}\n")
        place.chmod(0o755)

    def tool(self, name, output="", code=0, errors=""):
        said = f"/bin/cat {self.save(errors)} >&2\n" if errors else ""
        self.script(name, f"/bin/cat {self.save(output)}\n{said}exit {code}")

    def neuron_ls(self, devices, before="", after=""):
        self.tool("neuron-ls", f"{before}{json.dumps(devices, indent=4)}{after}")

    def lsblk(self, body):
        self.tool("lsblk", json.dumps(body))

    def mount(self, mounts, **keys):
        self.file("/proc/self/mountinfo", mountinfo(mounts, **keys))

    def remove_chip(self, number):
        (self.root / f"dev/neuron{number}").unlink()
        shutil.rmtree(self.root / NEURON_SYSFS[1:] / f"neuron{number}")
        left = json.loads(self.output_of("neuron-ls"))
        self.neuron_ls([one for one in left if one["neuron_device"] != number])

    def output_of(self, tool):
        return subprocess.run(
            [self.tools / tool], capture_output=True, text=True, check=True
        ).stdout

    # Running.

    def run(self, *arguments, program=None, environment=None, **keys):
        place = self.root / "etc/trnkit/expected.json"
        if not place.exists() and self.expected is not None:
            self.file("/etc/trnkit/expected.json", json.dumps(self.expected))
        begin = time.monotonic()
        done = subprocess.run(
            [*(program or [PYTHON, str(FOLDER)]), *arguments],
            env={**self.environment, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            **keys,
        )
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        return Run(done.returncode, done.stdout, done.stderr, time.monotonic() - begin)

    def check(self, *arguments, **keys):
        run = self.run("--format", "json", *arguments, **keys)
        run.body = json.loads(run.out)
        return run


class Metadata:
    """An instance metadata service on this machine.

    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-v2-how-it-works.html
    """

    def __init__(self, kind):
        self.kind, self.status, self.delay = kind, 200, 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, text):
                time.sleep(outer.delay)
                self.send_response(outer.status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def do_PUT(self):
                life = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
                good = self.path == "/latest/api/token" and life is not None
                self._answer("TOKEN" if good else "")

            def do_GET(self):
                good = self.headers.get("X-aws-ec2-metadata-token") == "TOKEN"
                right = self.path == "/latest/meta-data/instance-type"
                self._answer(outer.kind if good and right else "")

            def log_message(self, *words):
                del words

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
