"""Step four: protection holds, everything goes, and what holds data stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.emulation.resources.catalog import READABLE
from trnkit.operations.rehearsal.stage import STATEFUL, last_lines

if TYPE_CHECKING:
    from trnkit.operations.rehearsal.stage import Stage

_KEEPING = frozenset({"Retain", "RetainExceptOnCreate"})


def destroy(stage: Stage) -> bool:
    """Destroy the stacks, and prove that only what shall stay stays.

    Returns:
        Whether `cdk destroy` came to its end.
    """
    before = stage.inventory()
    protected = _protected(stage)
    if protected:
        stage.progress.step("destroy", "cdk destroy, against termination protection")
        refused = _destroy(stage)
        holds = not refused and set(protected) <= set(stage.inventory())
        stage.tell(
            holds,
            f"termination protection keeps {', '.join(protected)} from cdk destroy"
            if holds
            else f"cdk destroy went through the termination protection of {', '.join(protected)}",
        )
        for name, region in protected.items():
            stage.aws.clients(region)("cloudformation").update_termination_protection(
                StackName=name, EnableTerminationProtection=False
            )
    stage.progress.step("destroy", "cdk destroy")
    ran = stage.cdk.run(stage.region, "destroy", "--app", str(stage.assembly), "**", "--force")
    gone = ran.succeeded and not stage.inventory()
    if not stage.tell(
        gone,
        f"cdk destroy took all stacks away ({ran.seconds:.1f} s)"
        if gone
        else f"cdk destroy ended with exit code {ran.exit_code}, and left "
        f"{', '.join(stage.inventory()) or 'nothing'}",
        *(() if gone else (*ran.reasons, *last_lines(ran))),
    ):
        return False
    _account_for(stage, before)
    return True


def _destroy(stage: Stage) -> bool:
    ran = stage.cdk.run(stage.region, "destroy", "--app", str(stage.assembly), "**", "--force")
    return ran.succeeded


def _protected(stage: Stage) -> dict[str, str]:
    found: dict[str, str] = {}
    for stack in stage.stacks:
        region = stack.region or stage.region
        client = stage.aws.clients(region)("cloudformation")
        (told,) = client.describe_stacks(StackName=stack.name)["Stacks"]
        if told.get("EnableTerminationProtection"):
            found[stack.name] = region
    return found


def _account_for(stage: Stage, before: dict[str, dict[str, Any]]) -> None:
    """Ask for each resource of the stacks whether it is there, and whether it should be."""
    readable = {kind.name: kind for kind in READABLE}
    kept: list[str] = []
    lost: list[str] = []
    left: list[str] = []
    removed = 0
    for stack in before.values():
        clients = stage.aws.clients(stack["region"])
        for logical_id, resource in stack["resources"].items():
            kind = readable.get(resource["type"])
            if kind is None:
                continue
            definition = stack["template"]["Resources"].get(logical_id, {})
            keeps = definition.get("DeletionPolicy") in _KEEPING
            there = kind.read(clients, resource["physical_id"], resource["properties"]) is not None
            name = f"{resource['type'].removeprefix('AWS::')} {resource['physical_id']}"
            if keeps and there:
                kept.append(_with_size(name, resource))
            elif keeps:
                lost.append(name)
            elif there:
                left.append(name)
            else:
                removed += 1
    stage.tell(
        not lost,
        _sentence(
            f"{len(kept)} resources are kept, as the templates say",
            lost,
            "are gone although the templates keep them",
        ),
        *(lost or kept),
    )
    stage.tell(
        not left,
        _sentence(f"{removed} others are gone", left, "are left although no stack has them"),
        *left,
    )


def _with_size(name: str, resource: dict[str, Any]) -> str:
    """A kept resource, and that it costs money as long as it is there."""
    if resource["type"] not in STATEFUL:
        return name
    capacity = resource["properties"].get("StorageCapacity")
    size = f", {capacity} GiB" if capacity else ""
    return f"{name}{size}: billed until you delete it"


def _sentence(good: str, wrong: list[str], words: str) -> str:
    return f"{len(wrong)} resources {words}" if wrong else good
