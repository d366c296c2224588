"""The all-reduce sweep with nccom-test, on one node or across several.

Flags: https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import tempfile
from pathlib import Path
from typing import Any

from smoke_process import run_limited


class SweepError(Exception):
    """The sweep cannot be started as it was asked for."""


def sweep_command(plan: dict[str, Any], nodes: int, report: str) -> list[str]:
    """nccom-test's arguments, without those that name the nodes.

    The operation stands before `--check`, which may take a word of its own in newer versions.

    Args:
        plan: The plan.
        nodes: Nodes that take part.
        report: The file that it writes.
    """
    sweep = plan["sweep"]
    return [
        "nccom-test",
        "--nworkers",
        str(nodes * plan["ranks_per_node"]),
        "--nnodes",
        str(nodes),
        "--minbytes",
        str(sweep["minimum_bytes"]),
        "--maxbytes",
        str(sweep["maximum_bytes"]),
        "--stepfactor",
        str(sweep["step_factor"]),
        "--iters",
        str(sweep["iterations"]),
        "--warmup_iters",
        str(sweep["warmup_iterations"]),
        "--datatype",
        sweep["datatype"],
        sweep["operation"],
        "--check",
        "--non-interactive",
        "--report-to-json-file",
        report,
    ]


def run_sweep(
    plan: dict[str, Any],
    seconds: float,
    environment: dict[str, str],
    *,
    hosts: list[str],
    slurm_job: str | None,
) -> dict[str, Any]:
    """Run the sweep and read its report.

    Args:
        plan: The plan.
        seconds: The time limit.
        environment: Environment variables.
        hosts: The nodes, for MPI over ssh, this one first; empty for this node alone.
        slurm_job: The job whose allocation is used instead.
    """
    environment = dict(environment)
    environment["NEURON_LOGICAL_NC_CONFIG"] = str(plan["logical_neuroncore_size"])
    nodes = len(hosts) or (plan["nodes"] if slurm_job else 1)
    with tempfile.TemporaryDirectory(prefix="trn-smoke-") as folder:
        report = Path(folder, "report.json")
        command = sweep_command(plan, nodes, str(report))
        if nodes > 1 or slurm_job:
            try:
                command += _across(plan, environment, hosts, slurm_job)
            except SweepError as error:
                return {"status": "failed", "seconds": 0.0, "message": str(error)}
        found = run_limited(command, seconds, environment)
        found["command"] = command
        found["ranks"] = nodes * plan["ranks_per_node"]
        found["report"], problem = _read(report)
    if problem and found["status"] == "passed":
        found["status"], found["message"] = "failed", problem
    return found


def _across(
    plan: dict[str, Any], environment: dict[str, str], hosts: list[str], slurm_job: str | None
) -> list[str]:
    """What names the nodes, and the environment that several need."""
    root = address_of(hosts[0] if hosts else environment.get("SLURMD_NODENAME") or _this_host())
    environment["NEURON_RT_ROOT_COMM_ID"] = f"{root}:{plan['rendezvous_port']}"
    environment.setdefault("FI_PROVIDER", "efa")
    environment.setdefault("FI_EFA_USE_DEVICE_RDMA", "1")
    if slurm_job:
        return ["--slurm-mode", "--slurm-job-id", slurm_job]
    if os.geteuid() == 0:  # Open MPI refuses root unless it is told twice
        environment["OMPI_ALLOW_RUN_AS_ROOT"] = environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    return ["--data-collector-host", root, "--hosts", *map(address_of, hosts)]


def address_of(host: str) -> str:
    """The address by which other nodes reach a host; nccom-test wants one, not a long name.

    Raises:
        SweepError: The name has none, or one that only the host itself reaches.
    """
    try:
        address = socket.gethostbyname(host)
    except OSError as error:
        raise SweepError(f"host {host} has no address: {error.strerror or error}") from None
    if ipaddress.ip_address(address).is_loopback:
        raise SweepError(
            f"host {host} resolves to {address}, which other nodes cannot reach: give its private "
            "address, or correct /etc/hosts"
        )
    return address


def _this_host() -> str:
    return socket.gethostname()


def _read(report: Path) -> tuple[Any, str | None]:
    """The report, or None and why there is none."""
    try:
        text = report.read_text(encoding="utf-8")
    except OSError:
        return None, "nccom-test left no report"
    try:
        return json.loads(text), None
    except ValueError:
        return None, "nccom-test's report is no JSON"
