"""What `trn-smoke` does: the parts in their order, each with a time limit, and one result.

Exit code 0: every part passed; 1: one failed; 2: called wrongly; 3: one hung, or was interrupted.
Whether the numbers are good enough is not decided here: `trnkit smoke verdict` reads the result.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import sys
import tempfile
import time
from os import environ
from pathlib import Path
from typing import Any

from smoke_process import InterruptedRun, run_limited, stop_on_signals
from smoke_sweep import run_sweep

RESULT_MARK = "TRN-SMOKE-RESULT "
"""In front of the result on standard output, so that it is found again in any log."""

_LONGEST_CHECK = 6000
# Exit codes of trn-node-check that are no failure of the node: there is nothing to compare with;
# nothing failed, but this user may not look at everything.
_CHECK_CANNOT, _CHECK_IN_PART = 2, 3
_KIND = "trn-smoke-result"
_PLAN_KIND = "trn-smoke-plan"
_PARTS = {"node": ("check", "sweep", "step"), "fabric": ("sweep",)}
_TOOLS = ("opt/aws/neuron/bin", "opt/amazon/efa/bin", "opt/amazon/openmpi/bin")
_NEEDED = (
    "cluster",
    "node_group",
    "instance_type",
    "nodes",
    "ranks_per_node",
    "logical_neuroncore_size",
    "rendezvous_port",
    "sweep",
    "step",
    "limits_seconds",
)
# The virtual environments of Neuron images, by stack; the newest name last.
_PYTHONS = {
    "xla": "opt/aws_neuronx_venv_pytorch_2_*/bin/python",
    "native": "opt/aws_neuronx_venv_torch_neuronx_*/bin/python",
}


class CannotRunError(Exception):
    """The plan, or what was asked for, means nothing."""


def main(arguments: list[str] | None = None) -> int:
    """Run the parts that were asked for, print the result, and return the exit code."""
    given = _parser().parse_args(arguments)
    try:
        plan = read_plan(given.plan)
        parts = chosen_parts(given, plan)
        folder = Path(given.output) if given.output else None
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    except (CannotRunError, OSError) as error:
        print(f"trn-smoke: {error}", file=sys.stderr)
        return 2
    result: dict[str, Any] = {
        "schema": 1,
        "kind": _KIND,
        "scope": given.scope,
        "host": name_of_host(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "plan": plan,
        "parts": {},
        "status": "running",
    }
    stop_on_signals()
    try:
        for name in parts:
            _one_part(name, given, result, folder)
    except InterruptedRun as reason:  # between two parts, or while one was being started
        result["interrupted"] = str(reason)
    result["status"], code = summary(result)
    _keep(result, folder)
    print(RESULT_MARK + json.dumps(_short(result), separators=(",", ":")), flush=True)
    return code


def _short(result: dict[str, Any]) -> dict[str, Any]:
    """The result for a log: services that keep logs cut long lines."""
    check = result["parts"].get("check", {})
    if len(json.dumps(check)) <= _LONGEST_CHECK:
        return result
    short = {key: value for key, value in check.items() if key != "report"}
    return {**result, "parts": {**result["parts"], "check": short}}


def summary(result: dict[str, Any]) -> tuple[str, int]:
    """The word and the exit code for all parts together.

    Args:
        result: The result.
    """
    found = [part["status"] for part in result["parts"].values()]
    for word, code in (("hung", 3), ("interrupted", 3), ("failed", 1)):
        if word in found or (word == "interrupted" and "interrupted" in result):
            return word, code
    return ("passed", 0) if "passed" in found else ("skipped", 1)


def read_plan(path: str | None) -> dict[str, Any]:
    """Read the plan; without one, what this node is expected to be makes one.

    Args:
        path: The file; None for none.

    Raises:
        CannotRunError: It cannot be read, or is no plan.
    """
    file = Path(path) if path else _rooted("etc/trnkit/expected.json")
    try:
        if file.exists() and not file.is_file():  # a pipe with a name may never end
            raise CannotRunError(f"{file} is no regular file")
        plan = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        hint = "" if path else ": give a plan with --plan"
        raise CannotRunError(f"{file} cannot be read: {error.strerror}{hint}") from None
    except (ValueError, RecursionError) as error:
        raise CannotRunError(f"{file} is no JSON: {error}") from None
    if not path:
        plan = _plan_of_expected(plan, file)
    if not isinstance(plan, dict) or plan.get("kind") != _PLAN_KIND:
        raise CannotRunError(f"{file} is no plan of trnkit smoke")
    lacking = [name for name in _NEEDED if name not in plan]
    if lacking:
        raise CannotRunError(f"{file} lacks {', '.join(lacking[:3])}")
    return plan


def _plan_of_expected(expected: Any, file: Path) -> dict[str, Any]:
    """A plan for this node alone, with the usual sizes."""
    defaults = json.loads(Path(__file__).with_name("default_plan.json").read_text(encoding="utf-8"))
    try:
        neuron = expected["neuron"]
        size = neuron["logical_neuroncore_size"]
        old = neuron["cores_per_device"] <= 2  # NeuronCore-v2: Trainium and Inferentia2
        return {
            **defaults,
            "cluster": expected["cluster"],
            "node_group": expected["node_group"],
            "instance_type": expected["instance_type"],
            "nodes": 1,
            "ranks_per_node": neuron["devices"] * neuron["cores_per_device"] // size,
            "logical_neuroncore_size": size,
            "step": {**defaults["step"], "stack": "xla" if old else "native"},
        }
    except (KeyError, TypeError, ZeroDivisionError) as error:
        raise CannotRunError(f"{file} does not say what the node is: {error!r}") from None


def chosen_parts(given: argparse.Namespace, plan: dict[str, Any]) -> list[str]:
    """The parts to run, in their order.

    Args:
        given: The command line.
        plan: The plan.

    Raises:
        CannotRunError: A part is unknown, or the nodes of a run across nodes are not named.
    """
    known = _PARTS[given.scope]
    asked = given.parts.split(",") if given.parts else _planned_parts(given.scope, plan)
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise CannotRunError(f"part {unknown[0]} is none of {', '.join(known)}")
    named = len(given.hosts)
    if given.scope == "node" and (named or given.slurm_job_id):
        raise CannotRunError("--hosts and --slurm-job-id belong to --scope fabric")
    if given.scope == "fabric" and bool(named) == bool(given.slurm_job_id):
        raise CannotRunError("--scope fabric needs --hosts or --slurm-job-id, one of them")
    if named and named != plan["nodes"]:
        raise CannotRunError(f"the plan is for {plan['nodes']} nodes, and --hosts names {named}")
    return [name for name in known if name in asked]


def _planned_parts(scope: str, plan: dict[str, Any]) -> list[str]:
    """The parts of a node that the plan names, all where it names none; those across nodes."""
    planned = plan.get("parts") if scope == "node" else None
    if planned is None:
        return list(_PARTS[scope])
    if not isinstance(planned, list) or not planned:
        raise CannotRunError(f"parts of the plan is no list of {', '.join(_PARTS[scope])}")
    return [str(name) for name in planned]


def _one_part(
    name: str, given: argparse.Namespace, result: dict[str, Any], folder: Path | None
) -> None:
    """Run one part unless an earlier one forbids it; the result shows at any time how far it is."""
    parts = result["parts"]
    why_not = _forbidden(parts, keep_going=given.keep_going)
    if why_not:
        parts[name] = {"status": "skipped", "message": why_not}
        return
    print(f"trn-smoke: {name} ...", file=sys.stderr, flush=True)
    parts[name] = {"status": "running"}
    _keep(result, folder)
    limits = result["plan"]["limits_seconds"]
    seconds = getattr(given, f"{name}_seconds") or limits[name]
    parts[name] = {"limit_seconds": seconds, **_RUN[name](given, result["plan"], seconds)}
    shown = [f"trn-smoke: {name} {parts[name]['status']}", parts[name].get("message", "")]
    print(": ".join(filter(None, shown)), file=sys.stderr, flush=True)


def _forbidden(parts: dict[str, Any], *, keep_going: bool) -> str | None:
    for name, part in parts.items():
        if part["status"] in ("hung", "interrupted"):
            return f"{name} was {part['status']}"
        if part["status"] == "failed" and name == "check" and not keep_going:
            return "the node check failed"
    return None


def _check(given: argparse.Namespace, plan: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The node check, by its exit code; what it found is in its own report."""
    environment = environment_of_parts()
    places = environment["PATH"] + os.pathsep + str(_rooted("usr/local/bin"))
    program = shutil.which("trn-node-check", path=places)
    if program is None:
        return {"status": "skipped", "message": "there is no trn-node-check here"}
    with tempfile.TemporaryDirectory(prefix="trn-smoke-") as folder:
        report = Path(folder, "check.json")
        command = [program, "--format", "json", "--output", str(report)]
        found = run_limited(command, seconds, environment)
        if report.is_file():
            try:
                found["report"] = json.loads(report.read_text(encoding="utf-8"))
            except ValueError as error:
                found["message"] = f"its report is no JSON: {error}"
    said = "; ".join(found["output_tail"][-1:])
    if found["exit_code"] == _CHECK_CANNOT:
        found["status"], found["message"] = "skipped", f"it cannot check this node: {said}"
    elif found["exit_code"] == _CHECK_IN_PART:
        found["status"], found["message"] = "passed", f"not everything could be checked: {said}"
    return found


def _sweep(given: argparse.Namespace, plan: dict[str, Any], seconds: float) -> dict[str, Any]:
    return run_sweep(
        plan, seconds, environment_of_parts(), hosts=given.hosts, slurm_job=given.slurm_job_id
    )


def _step(given: argparse.Namespace, plan: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The training step, with the Python of its framework and one logical NeuronCore."""
    step = plan["step"]
    environment = environment_of_parts()
    environment.setdefault("NEURON_RT_NUM_CORES", "1")
    environment["NEURON_LOGICAL_NC_CONFIG"] = str(plan["logical_neuroncore_size"])
    with tempfile.TemporaryDirectory(prefix="trn-smoke-") as folder:
        report = Path(folder, "step.json")
        command = [
            given.python or step.get("python") or python_of(step["stack"]),
            str(Path(__file__).with_name("smoke_step.py")),
            "--stack",
            step["stack"],
            "--steps",
            str(step["steps"]),
            "--seed",
            str(step["seed"]),
            "--output",
            str(report),
        ]
        found = run_limited(command, seconds, environment)
        found["command"] = command
        found["report"] = (
            json.loads(report.read_text(encoding="utf-8")) if report.is_file() else None
        )
    if found["report"] is None:
        if found["status"] == "passed":
            found["status"], found["message"] = "failed", "the step left no report"
    elif found["report"]["message"]:
        found["message"] = found["report"]["message"]
    return found


_RUN = {"check": _check, "sweep": _sweep, "step": _step}


def python_of(stack: str) -> str:
    """The Python of a framework: that of a Neuron image, else the one that runs this.

    Args:
        stack: `xla`, `native` or `cpu`.
    """
    found = sorted(_rooted("").glob(_PYTHONS[stack])) if stack in _PYTHONS else []
    return str(found[-1]) if found else sys.executable


def name_of_host() -> str:
    """How people name this node: as a job file says, as Slurm does, or as it calls itself."""
    given = environ.get("TRN_SMOKE_HOST") or environ.get("SLURMD_NODENAME")
    return (given or socket.gethostname()).replace("/", "_")


def environment_of_parts() -> dict[str, str]:
    """The environment variables of the parts: ours, with the tools of Neuron and EFA first."""
    tools = [str(_rooted(place)) for place in _TOOLS]
    path = environ.get("PATH", os.defpath)
    return {**environ, "PATH": os.pathsep.join([*tools, path])}


def _rooted(path: str) -> Path:
    """A path of the node, below TRNKIT_ROOT in tests."""
    return Path(environ.get("TRNKIT_ROOT") or "/", path)


def _keep(result: dict[str, Any], folder: Path | None) -> None:
    """Write the result so far, whole: after a power cut it still tells what was running."""
    if folder is None:
        return
    name = "fabric" if result["scope"] == "fabric" else f"node-{result['host']}"
    target = folder / f"{name}.json"
    temporary = folder / f".{name}.{os.getpid()}"
    temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    temporary.replace(target)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="trn-smoke",
        description="Test this node, or several together: node check, nccom-test sweep, training "
        "step. Exit code 0: all passed; 1: one failed; 2: called wrongly; 3: one hung.",
    )
    say = parser.add_argument
    say("--plan", help="plan.json of trnkit smoke; else this node's own expectations")
    say("--scope", choices=tuple(_PARTS), default="node", help="this node, or all together")
    say("--hosts", nargs="+", default=[], metavar="HOST", help="all nodes, this one first (MPI)")
    say("--slurm-job-id", metavar="ID", help="the allocation whose nodes take part")
    say("--output", metavar="DIR", help="folder that gets the result as a file too")
    say("--parts", help="only these, with commas: check, sweep, step")
    say("--python", help="the Python of the training step")
    say("--keep-going", action="store_true", help="go on after a failed node check")
    for name in _PARTS["node"]:
        say(f"--{name}-seconds", type=float, metavar="N", help=f"time limit of the {name}")
    return parser
