"""The files of a test: plan and programs of nodes, and the job of Slurm, EKS or Systems Manager."""

from __future__ import annotations

import base64
import gzip
import io
import json
import re
import shlex
import tarfile
import textwrap
from typing import TYPE_CHECKING, Any, Literal

from trnkit.catalog import efa_huge_pages
from trnkit.errors import UsageError
from trnkit.operations.smoke.filling import fill
from trnkit.operations.smoke.node_files import ENTRY, node_files
from trnkit.operations.smoke.planning import run_seconds

if TYPE_CHECKING:
    from trnkit.layout.smoke import SmokeTarget

Host = Literal["slurm", "eks", "ssm"]

PLAN_FILE = "plan.json"
_EXECUTABLE = {f"node/{ENTRY}", "run.sh"}
_PARTITION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.,-]{0,127}")
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}")
_STARTING_SECONDS = 900
MAXIMUM_DOCUMENT_BYTES = 65_536
"""Systems Manager takes no larger document."""


def job_files(
    target: SmokeTarget,
    plan: dict[str, Any],
    host: Host,
    *,
    partition: str | None = None,
    image: str | None = None,
) -> dict[str, str]:
    """Path in the output folder -> text.

    Args:
        target: What is tested.
        plan: The plan of it.
        host: What runs the job.
        partition: Slurm's partition; None for its default one.
        image: The container image of EKS's pods.

    Raises:
        UsageError: An option does not belong to the host, is missing, or has an impossible value.
    """
    _refuse_options(host, partition, image)
    values = _values(target, plan)
    files = {PLAN_FILE: json.dumps(plan, indent=2) + "\n"}
    programs = node_files()
    if host == "ssm":
        files["document.json"] = _document(values, {**programs, PLAN_FILE: files[PLAN_FILE]})
        files["run.sh"] = fill("ssm/run.sh", values)
        return files
    files.update({f"node/{name}": text for name, text in programs.items()})
    if host == "slurm":
        line = f"#SBATCH --partition={partition}" if partition else ""
        files["job.sbatch"] = fill("slurm/job.sbatch", {**values, "PARTITION": line})
        return files
    values |= {"IMAGE": json.dumps(image), **_pod_values(target)}
    files["job.yaml"] = fill("eks/job.yaml", values)
    files["pod.sh"] = fill("eks/pod.sh", values)
    files["run.sh"] = fill("eks/run.sh", values)
    return files


def is_executable(path: str) -> bool:
    """Whether a file of the output folder is a program that people call by its name."""
    return path in _EXECUTABLE


def first_command(host: Host, folder: str) -> str:
    """What to type next, in the shell.

    Args:
        host: What runs the job.
        folder: The output folder.
    """
    # `cd -- -` would still go to the folder before, and `-x` is an option to many commands.
    quoted = shlex.quote(f"./{folder}" if folder.startswith("-") else folder)
    return f"cd -- {quoted} && sbatch job.sbatch" if host == "slurm" else f"{quoted}/run.sh"


def _refuse_options(host: Host, partition: str | None, image: str | None) -> None:
    if partition is not None and host != "slurm":
        raise UsageError(f"--partition belongs to --host slurm, not {host}")
    if image is not None and host != "eks":
        raise UsageError(f"--image belongs to --host eks, not {host}")
    if partition is not None and not _PARTITION.fullmatch(partition):
        raise UsageError(f"--partition {partition!r} is no name of a Slurm partition")
    if host == "eks" and image is None:
        raise UsageError(
            "--host eks needs --image: a container with nccom-test, the framework, and (for "
            "several nodes) mpirun and sshd, whose Neuron runtime fits the driver of the nodes"
        )
    if image is not None and not _IMAGE.fullmatch(image):
        raise UsageError(f"--image {image!r} is no name of a container image")


def _values(target: SmokeTarget, plan: dict[str, Any]) -> dict[str, str]:
    """What the tokens of all templates stand for."""
    seconds = run_seconds(plan)
    across = target.alone is None
    return {
        "CLUSTER": target.cluster,
        "REGION": target.region,
        "NODE_GROUP": target.node_group,
        "INSTANCE_TYPE": target.kind.name,
        "NODES": str(target.nodes),
        "ACROSS": str(int(across)),
        "PODS_ACROSS": str(target.nodes if across else 0),
        "SECONDS": str(seconds),
        "MINUTES": str(-(-seconds // 60)),
        # The first pod waits for all others, then runs once more; all end before the deadline.
        "WAIT_SECONDS": str(seconds - plan["limits_seconds"]["sweep"]),
        "DEADLINE_SECONDS": str(seconds + _STARTING_SECONDS),
    }


def _pod_values(target: SmokeTarget) -> dict[str, str]:
    """What a pod asks for: all devices of a node, and half of its memory and CPUs."""
    kind = target.kind
    if kind.memory_mib is None or kind.vcpus is None:
        raise UsageError(f"memory and CPUs of {kind.name} are not known, so no pod can be sized")
    asked = {
        "aws.amazon.com/neuron": str(target.devices),
        "memory": f"{kind.memory_mib // 2}Mi",
        "cpu": str(max(kind.vcpus // 2, 1)),
    }
    if target.efa_interfaces:
        pages = efa_huge_pages()
        asked["vpc.amazonaws.com/efa"] = str(target.efa_interfaces)
        # Half of what the EFA driver reserves, as far as nobody else is on the node.
        asked[f"hugepages-{pages.page_size_mib}Mi"] = f"{pages.pages // 2 * pages.page_size_mib}Mi"
    lines = "\n".join(f"{key}: {value}" for key, value in sorted(asked.items()))
    with_key = target.alone is None
    mount = "- {name: key, mountPath: /etc/trn-smoke-key, readOnly: true}"
    volume = "- name: key\n  secret: {secretName: trn-smoke-key, defaultMode: 256}"
    return {
        "RESOURCES": textwrap.indent(lines, " " * 14),
        "KEY_MOUNT": textwrap.indent(mount, " " * 12) if with_key else "",
        "KEY_VOLUME": textwrap.indent(volume, " " * 8) if with_key else "",
    }


def _document(values: dict[str, str], programs: dict[str, str]) -> str:
    """The SSM document, which carries the programs, so that every node runs the same ones."""
    packed = textwrap.fill(base64.b64encode(_packed(programs)).decode("ascii"), 100)
    script = fill("ssm/step.sh", {**values, "PROGRAMS": packed})
    seconds = values["SECONDS"]
    document = {
        "schemaVersion": "2.2",
        "description": f"Compatibility test of node group {values['NODE_GROUP']} of cluster "
        f"{values['CLUSTER']}",
        "parameters": {
            "Action": {
                "type": "String",
                "description": "What to do on the node.",
                "allowedValues": ["node", "fabric", "make-key", "trust-key", "forget-key"],
                "default": "node",
            },
            "Hosts": {
                "type": "String",
                "description": "fabric: private IPv4 addresses of all nodes, this one first.",
                "allowedPattern": "^[0-9. ]{0,16384}$",
                "default": "",
            },
            "PublicKey": {
                "type": "String",
                "description": "trust-key: the key of the node that starts the others.",
                "allowedPattern": "^(ssh-ed25519 [A-Za-z0-9+/=]{60,120} trn-smoke)?$",
                "default": "",
            },
        },
        "mainSteps": [
            {
                "action": "aws:runShellScript",
                "name": "smoke",
                "precondition": {"StringEquals": ["platformType", "Linux"]},
                "inputs": {"timeoutSeconds": seconds, "runCommand": script.splitlines()},
            }
        ],
    }
    return json.dumps(document, indent=1) + "\n"


def _packed(programs: dict[str, str]) -> bytes:
    """A tar archive, the same bytes for the same programs."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in sorted(programs.items()):
            content = text.encode()
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o755 if name == ENTRY else 0o644
            tar.addfile(member, io.BytesIO(content))
    return gzip.compress(archive.getvalue(), mtime=0)
