"""`trnkit smoke`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from trnkit.cli.output import DataFormat, emit, exit_code, show_findings, show_json
from trnkit.findings import Severity
from trnkit.report.words import count_of, on_one_line, printable

if TYPE_CHECKING:
    from trnkit.layout.smoke import SmokeTarget
    from trnkit.operations.smoke.planning import Planned
    from trnkit.operations.smoke.verdicts import Verdict

Host = Literal["slurm", "eks", "ssm"]
StackName = Literal["xla", "native"]

_MOST_REASONS = 40


class WriteByDefault(TyperGroup):
    """`trnkit smoke FILE` means `trnkit smoke write FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in front unless it is there."""
        if args and args[0] not in (*self.commands, "--help", "-h"):
            args = ["write", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=WriteByDefault,
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    help="Job files that test the nodes of a cluster, and the verdict on their results. "
    "`trnkit smoke FILE` is `trnkit smoke write FILE`.",
)


@app.command(epilog="Example: trnkit smoke cluster.yaml --host slurm --nodes 2 --output smoke")
def write(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The cluster file.")],
    host: Annotated[Host, typer.Option("--host", help="What runs the job.")] = "slurm",
    node_group: Annotated[
        str | None,
        typer.Option("--node-group", metavar="NAME", help="The group, where there are several."),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, metavar="N", help="How many nodes (default: all)."),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", metavar="DIR", help="The folder to write.")
    ] = "smoke",
    stack: Annotated[
        StackName | None,
        typer.Option(
            "--stack", help="Framework of the training step (default: what trains on the type)."
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PATH", help="The Python of that framework on nodes."),
    ] = None,
    partition: Annotated[
        str | None, typer.Option("--partition", metavar="NAME", help="Slurm's partition.")
    ] = None,
    image: Annotated[
        str | None, typer.Option("--image", metavar="IMAGE", help="Container image of EKS's pods.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier job that were changed.")
    ] = False,
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the report.")
    ] = "text",
) -> None:
    """Write a job that tests the nodes of a group: node check, nccom-test sweep, training step.

    Offline: no Node, no AWS. Exit code 0: written; 1: the cluster file has errors; 2: it could
    not be read, or the folder not be written.
    """
    from trnkit.operations.smoke.job_files import first_command, job_files
    from trnkit.operations.smoke.output_folder import write_folder
    from trnkit.operations.smoke.planning import SmokeRequest, make_plan

    request = SmokeRequest(node_group=node_group, nodes=nodes, stack=stack, python=python)
    planned = make_plan(file, request)
    if planned.target is None or planned.plan is None:
        show_findings(planned.findings, data_format, files=[file])
        raise typer.Exit(exit_code(planned.findings))
    files = job_files(planned.target, planned.plan, host, partition=partition, image=image)
    written = write_folder(output, files, force=force)
    following = first_command(host, output)
    if data_format == "json":
        told = {"file": file, "host": host, "output": output, "written": list(written)}
        show_json(planned.findings, {**told, **_plan_and_floors(planned), "next": following})
    else:
        _show_written(planned, planned.target, file, output, following)


@app.command(epilog="Example: trnkit smoke verdict smoke/results/1234")
def verdict(
    results: Annotated[
        list[str],
        typer.Argument(metavar="RESULT", help="Results, logs with results, or folders of them."),
    ],
    floor_gbps: Annotated[
        float | None,
        typer.Option(
            "--floor-gbps",
            min=0.001,
            metavar="N",
            help="Floor of the bus bandwidth across nodes (of one node, where there is one), in "
            "Gbit/s, instead of the catalogue's.",
        ),
    ] = None,
    node_floor_gbps: Annotated[
        float | None,
        typer.Option("--node-floor-gbps", min=0.001, metavar="N", help="The same within a node."),
    ] = None,
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write the verdict.")
    ] = "text",
) -> None:
    """Say whether the nodes passed: pass, fail or unknown, with the reasons.

    Exit code 0: pass; 1: fail or unknown; 2: a result could not be read.
    """
    from trnkit.operations.smoke.results import read_results
    from trnkit.operations.smoke.verdicts import Floors, judge

    found = judge(read_results(results), Floors(last=floor_gbps, node=node_floor_gbps))
    if data_format == "json":
        show_json((), _plain(found))
    else:
        _show_verdict(found)
    raise typer.Exit(int(found.status != "pass"))


def _show_written(
    planned: Planned, target: SmokeTarget, file: str, output: str, following: str
) -> None:
    warnings = [found for found in planned.findings if found.severity is Severity.WARNING]
    if warnings:
        show_findings(warnings, "text", files=[file])
        emit("")
    ranks = f"{target.ranks_per_node} ranks a node"
    lines = [
        f"wrote {output}: {count_of(target.nodes, 'node')} of {target.node_group} "
        f"({target.kind.name}), {ranks}, training step with {_STACKS[target.stack]}"
    ]
    if target.alone and target.nodes > 1:
        lines.append(f"no run across nodes: {target.alone}")
    for scope, floor in _floors(target).items():
        where = "within a node" if scope == "node" else "across nodes"
        lines.append(
            f"floor {where}: "
            + (f"{floor['gbps']:g} Gbit/s" if floor else "unknown; give one to the verdict")
        )
    lines.append(f"next: {following}")
    emit("\n".join(on_one_line(line) for line in lines))


_STACKS = {"xla": "PyTorch NeuronX over XLA", "native": "TorchNeuron"}


def _floors(target: SmokeTarget) -> dict[str, dict[str, Any] | None]:
    """The floors that belong to a test, as JSON values."""
    from dataclasses import asdict

    found = {"node": target.node_floor}
    if target.alone is None:
        found["fabric"] = target.fabric_floor
    return {
        scope: floor and {"gbps": floor.gbps(target.efa_interfaces), **asdict(floor)}
        for scope, floor in found.items()
    }


def _plan_and_floors(planned: Planned) -> dict[str, Any]:
    """What was planned, as JSON values."""
    target = planned.target
    return {
        "plan": planned.plan,
        "floors": _floors(target) if target else {},
        "alone": target.alone if target else None,
    }


def _show_verdict(found: Verdict) -> None:
    plan = found.plan
    about = (
        f": results of {len(found.hosts)} of {count_of(plan.nodes, 'node')} of "
        f"{plan.node_group}, cluster "
        f"{plan.cluster} ({plan.instance_type})"
        if plan
        else ""
    )
    lines = [f"{reason.status:<8} {reason.subject}: {reason.text}" for reason in found.reasons]
    left = len(lines) - _MOST_REASONS
    shown = lines[:_MOST_REASONS] + (
        [f"and {left} more; --format json has all"] if left > 0 else []
    )
    emit("\n".join(printable(line) for line in [*shown, f"\nverdict: {found.status}{about}"]))


def _plain(found: Verdict) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "verdict": found.status,
        "plan": found.plan.model_dump(mode="json") if found.plan else None,
        "hosts": list(found.hosts),
        "reasons": [asdict(reason) for reason in found.reasons],
        "bandwidths": [asdict(bandwidth) for bandwidth in found.bandwidths],
    }
