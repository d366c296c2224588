"""Step three: updates that AWS refuses, and a change by hand that drift detection must find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.operations.rehearsal.faults import faults_of
from trnkit.operations.rehearsal.proof import prove
from trnkit.operations.rehearsal.proof_words import complaints
from trnkit.operations.rehearsal.stage import file_systems, last_lines

if TYPE_CHECKING:
    from trnkit.operations.rehearsal.faults import Fault
    from trnkit.operations.rehearsal.stage import Stage

ROLLED_BACK = "UPDATE_ROLLBACK_COMPLETE"


def break_and_recover(stage: Stage) -> bool:
    """Deploy what AWS refuses, and prove that everything is as it was before.

    Returns:
        True: later steps make sense whatever came out.
    """
    faults = faults_of(stage.assembly, stage.folder)
    for fault in faults:
        _refused(stage, fault)
    if not any(fault.shrinks for fault in faults):
        stage.tell(True, "nothing to shrink here: no file system of a capacity of its own")
    _drift(stage)
    return True


def _refused(stage: Stage, fault: Fault) -> None:
    stage.progress.step("fault", fault.words)
    before = stage.inventory()
    ran = stage.deploy(fault.directory)
    if ran.succeeded:
        stage.tell(False, f"accepted, although AWS refuses it: {fault.words}", *last_lines(ran))
        return
    after = stage.inventory()
    status = after[fault.stack.name]["status"]
    reasons = ran.reasons or last_lines(ran)
    stage.tell(
        status == ROLLED_BACK,
        f"refused and rolled back: {fault.words}"
        if status == ROLLED_BACK
        else f"refused, but {fault.stack.name} is in {status}: {fault.words}",
        *reasons[:1],
    )
    data = file_systems(before)
    same = _as_it_was(before, after)
    failures = complaints(prove(stage.aws))
    held = f", {', '.join(data.values())} among them" if data else ""
    stage.tell(
        same and not failures,
        f"after the rollback every resource is as before{held}"
        if same and not failures
        else "after the rollback resources are not as before",
        *failures,
    )


def _as_it_was(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> bool:
    keys = ("type", "physical_id", "properties")

    def essence(stacks: dict[str, dict[str, Any]]) -> dict[str, Any]:
        return {
            name: {
                logical_id: [resource[key] for key in keys]
                for logical_id, resource in stack["resources"].items()
            }
            for name, stack in stacks.items()
        }

    return essence(before) == essence(after)


def _drift(stage: Stage) -> None:
    """Take away the rule that lets EFA traffic in, as a careful hand would, and look for it."""
    rule = _self_rule(stage)
    if rule is None:
        return
    stack, logical_id, group_id = rule
    stage.progress.step("fault", "a change by hand, and cdk drift")
    clean = stage.cdk.run(
        stage.region, "drift", stack["id"], "--app", str(stage.assembly), "--fail"
    )
    stage.tell(
        clean.succeeded,
        "cdk drift finds nothing before the change by hand"
        if clean.succeeded
        else "cdk drift finds something although nothing was changed by hand",
        *(() if clean.succeeded else last_lines(clean)),
    )
    ec2 = stage.aws.clients(stage.region)("ec2")
    properties = stage.inventory()[stack["name"]]["resources"][logical_id]["properties"]
    peer = {"GroupId": group_id}
    if "Description" in properties:
        peer["Description"] = properties["Description"]
    own = [{"IpProtocol": "-1", "UserIdGroupPairs": [peer]}]
    ec2.revoke_security_group_ingress(GroupId=group_id, IpPermissions=own)
    found = stage.cdk.run(
        stage.region, "drift", stack["id"], "--app", str(stage.assembly), "--fail"
    )
    named = not found.succeeded and logical_id in found.output
    stage.tell(
        named,
        f"cdk drift finds that the rule for EFA was taken from {group_id} by hand"
        if named
        else "cdk drift does not find the rule for EFA that was taken away by hand",
        *(() if named else last_lines(found)),
    )
    ec2.authorize_security_group_ingress(GroupId=group_id, IpPermissions=own)


def _self_rule(stage: Stage) -> tuple[dict[str, str], str, str] | None:
    ids = {stack.name: stack.id for stack in stage.stacks}
    for name, stack in stage.inventory().items():
        for logical_id, resource in stack["resources"].items():
            properties = resource["properties"]
            group = properties.get("GroupId")
            if (
                resource["type"] == "AWS::EC2::SecurityGroupIngress"
                and properties.get("SourceSecurityGroupId") == group
                and str(properties.get("IpProtocol")) == "-1"
            ):
                return {"name": name, "id": ids[name]}, logical_id, str(group)
    return None
