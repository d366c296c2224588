"""Steps one and two: deploy, prove, deploy a change, prove again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.rehearsal.alarm_actions import prove_alarms
from trnkit.operations.rehearsal.alerts import prove_alerts
from trnkit.operations.rehearsal.changes import changed_file
from trnkit.operations.rehearsal.functions import prove_functions
from trnkit.operations.rehearsal.launched import check_launches
from trnkit.operations.rehearsal.links import prove_links
from trnkit.operations.rehearsal.node_boot import check_boots
from trnkit.operations.rehearsal.proof import prove
from trnkit.operations.rehearsal.proof_words import complaints
from trnkit.operations.rehearsal.schedules import prove_schedules
from trnkit.operations.rehearsal.stage import file_systems, last_lines
from trnkit.operations.rehearsal.waiting_nodes import let_nodes_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trnkit.emulation.resources.resource import Clients
    from trnkit.operations.checking import CheckReport
    from trnkit.operations.rehearsal.cdk_cli import Ran
    from trnkit.operations.rehearsal.schedules import prove_schedules
from trnkit.operations.rehearsal.stage import Stage


def create(stage: Stage) -> bool:
    """Bootstrap every region, deploy, and prove what is there.

    Returns:
        Whether the stacks exist, so that the next step makes sense.
    """
    for region in stage.regions:
        stage.progress.step("create", f"cdk bootstrap {region}")
        ran = stage.cdk.run(region, "bootstrap", f"aws://{stage.aws.account}/{region}")
        done = f"cdk bootstrap made the bootstrap stack in {region} ({ran.seconds:.1f} s)"
        failed = f"cdk bootstrap of {region} ended with exit code {ran.exit_code}"
        if not stage.tell(ran.succeeded, done if ran.succeeded else failed, *_unless(ran)):
            return False
    stage.progress.step("create", "cdk deploy")
    ran = stage.deploy(stage.assembly)
    number = len(stage.stacks)
    done = f"cdk deploy made {number} stacks ({ran.seconds:.1f} s)"
    failed = f"cdk deploy ended with exit code {ran.exit_code}"
    if not stage.tell(
        ran.succeeded, done if ran.succeeded else failed, *ran.reasons, *_unless(ran)
    ):
        return False
    prove_all(stage)
    prove_alerts(stage)
    prove_alarms(stage)
    prove_functions(stage)
    prove_schedules(stage)
    prove_links(stage)
    stage.progress.step("create", "cdk deploy, again")
    again = stage.deploy(stage.assembly)
    idle = again.succeeded and again.output.count("(no changes)") == number
    stage.tell(
        idle,
        "the same deployment again changes nothing"
        if idle
        else "the same deployment again is not without changes",
        *(() if idle else last_lines(again)),
    )
    return True


def update(stage: Stage, synthesize: Callable[[CheckReport, Path], str | None]) -> bool:
    """Deploy a changed copy of the cluster file, and prove that data and nodes are untouched.

    Args:
        stage: The rehearsal.
        synthesize: Writes the assembly of a checked file into a folder; says what failed.

    Returns:
        Whether the stacks are as the changed file wants them.
    """
    stage.progress.step(
        "update", "a change: one node more, another image, a subscriber, throughput"
    )
    changed = changed_file(stage.cluster, stage.folder)
    for refused in changed.refused:
        stage.tell(True, f"left out, because trnkit check refuses it here: {refused}")
    if changed.absent:
        stage.tell(True, f"nothing to change here of: {', '.join(changed.absent)}")
    directory = stage.folder / "changed"
    failure = synthesize(changed.report, directory)
    if failure is not None:
        return stage.tell(False, f"the changed file was not synthesized: {failure}")
    before = file_systems(stage.inventory())
    ran = stage.deploy(directory)
    what = "; ".join(changed.changes) or "nothing that this file lets change"
    done = f"cdk deploy changed the stacks ({ran.seconds:.1f} s): {what}"
    failed = f"cdk deploy of the change ended with exit code {ran.exit_code}: {what}"
    if not stage.tell(
        ran.succeeded, done if ran.succeeded else failed, *ran.reasons, *_unless(ran)
    ):
        return False
    stage.assembly = directory
    after = file_systems(stage.inventory())
    kept = {name: after.get(name) for name in before} == before
    if before:
        stage.tell(
            kept,
            f"{_listed(before)} kept {'their ids' if len(before) > 1 else 'its id'}"
            if kept
            else f"what holds data was replaced: {before} became {after}",
        )
    prove_all(stage)
    return True


def prove_all(stage: Stage) -> None:
    """Compare every property of every resource, and every launched instance, with the template."""
    stage.progress.step("prove", "every property of every resource, by the services themselves")
    proof = prove(stage.aws)
    wrong = complaints(proof)
    counts = proof.counts
    if wrong:
        stage.tell(False, f"{len(wrong)} of {counts.resources} resources are not as wanted", *wrong)
    else:
        stage.tell(
            True,
            f"{counts.resources} resources exist; {counts.equal} of their properties are what the "
            "templates say"
            + (f", and {counts.not_told} no service tells" if counts.not_told else ""),
        )
    for region in stage.regions:
        _prove_launches(stage, stage.aws.clients(region))
        _prove_boots(stage, region)


def _prove_launches(stage: Stage, clients: Clients) -> None:
    """Whether the groups of a region have the instances that they shall have."""
    for group in check_launches(clients):
        problems = [*group.problems]
        for instance in group.instances:
            problems += [f"{instance.instance_id}: {problem}" for problem in instance.problems]
        efa = sum(one.kind != "interface" for one in group.planned)
        looked = len(group.instances)
        which = "each" if looked >= group.desired else f"each of {looked} looked at"
        runs = "instance runs" if group.desired == 1 else "instances run"
        stage.tell(
            group.holds,
            f"{group.desired} {runs}, {which} with the {len(group.planned)} interfaces of its "
            f"launch template ({efa} with EFA)"
            if group.holds and group.desired
            else f"{group.group} shall have no instance now, so no launch was tried"
            if group.holds
            else f"the instances of {group.group} are not as planned",
            *problems,
        )


def _prove_boots(stage: Stage, region: str) -> None:
    """What nodes need to boot is there; they do not boot, so others let them into service."""
    clients = stage.aws.clients(region)
    for boot in check_boots(clients, stage.aws.account, region):
        stage.tell(
            boot.holds,
            f"what the nodes of {boot.group} boot with is there"
            if boot.holds
            else f"the nodes of {boot.group} cannot boot",
            *(boot.words if boot.holds else boot.problems),
        )
    for group in let_nodes_in(clients):
        hooks = " and ".join(group.hooks)
        instances = "instance waits" if group.waited == 1 else "instances wait"
        stage.tell(
            not group.outside,
            f"{group.group}: {group.waited} {instances} for {hooks}; the rehearsal reported in "
            "their place, because nodes do not boot here, and all are in service"
            if not group.outside
            else f"instances of {group.group} are not in service",
            *group.outside,
        )


def _unless(ran: Ran) -> tuple[str, ...]:
    return () if ran.succeeded else last_lines(ran)


def _listed(names: dict[str, str]) -> str:
    return ", ".join(names.values())
