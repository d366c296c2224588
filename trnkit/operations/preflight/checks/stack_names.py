"""TRN911: the names of the stacks and of their exports are free, or the cluster's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.cloudformation import DESCRIBE_STACKS, LIST_EXPORTS
from trnkit.aws.failures import AwsFailure
from trnkit.layout.image_pipeline import image_pipeline_plan
from trnkit.layout.storage import has_storage
from trnkit.layout.tags import CLUSTER_TAG, budget_region
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.cloudformation import StackDescription
    from trnkit.config import ClusterConfig
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_STUCK = {
    "UPDATE_ROLLBACK_FAILED": ("continue-update-rollback", "continue its rollback"),
    "DELETE_FAILED": ("delete-stack", "delete it, or what it could not delete"),
    # Stopped half-way without a rollback: no deployment that may roll back is taken after that.
    "CREATE_FAILED": ("rollback-stack", "roll it back"),
    "UPDATE_FAILED": ("rollback-stack", "roll it back"),
}

# `cdk deploy` deletes what such a first deployment left before it makes the stack again.
_DELETED_FIRST = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED")
# Mended by a deletion; of a first deployment, the rollback is one too.
_DELETED_BY_HAND = ("DELETE_FAILED", "CREATE_FAILED")
_UNPROTECT = "update-termination-protection --no-enable-termination-protection"


def stacks_of(cluster: ClusterConfig) -> dict[str, str]:
    """Name of each stack that a deployment makes -> its Region."""
    ids = ["Network", *(["Storage"] if has_storage(cluster) else []), "Compute"]
    ids += ["Guard"] if cluster.budget.watchdog else []
    ids += ["Images"] if image_pipeline_plan(cluster) else []
    found = {f"{cluster.name}-{stack}": cluster.region for stack in ids}
    return found | {f"{cluster.name}-Cost": budget_region(cluster)}


def _run(account: AccountView) -> Iterator[CheckResult]:
    for name, region in stacks_of(account.cluster).items():
        try:
            stack = account.stack(name, region)
        except AwsFailure as failure:
            yield unanswered(failure, path=("name",))
            continue
        yield _judge(account, name, region, stack)
    yield from _exports(account)


def _judge(
    account: AccountView, name: str, region: str, stack: StackDescription | None
) -> CheckResult:
    if stack is None:
        return ok(f"no stack is named {name} in {region}", path=("name",))
    whose = stack.tags.get(CLUSTER_TAG)
    if stack.status == "REVIEW_IN_PROGRESS" and whose is None:
        # Its tags may come with the change set; and there is nothing that could be overwritten.
        return ok(f"stack {name} is {stack.status}: nothing of it is made", path=("name",))
    if not account.is_own(stack.tags):
        return fail(
            f"{region} has a stack {name} that is "
            f"{f'of cluster {whose}' if whose else 'not of a cluster'}",
            remedy="give the cluster another name",
            look=f"aws cloudformation describe-stacks --region {region} --stack-name {name}",
            path=("name",),
        )
    command = f"aws cloudformation {{}} --region {region} --stack-name {name}"
    if stack.is_protected and stack.status in (*_DELETED_FIRST, *_DELETED_BY_HAND):
        return _protected(stack, command)
    if stack.status in _STUCK:
        verb, remedy = _STUCK[stack.status]
        return fail(
            f"stack {name} is {stack.status} and cannot be updated",
            remedy=remedy,
            command=command.format(verb),
            path=("name",),
        )
    if stack.status == "ROLLBACK_FAILED":
        return warning(
            f"stack {name} is {stack.status}: `cdk deploy` deletes it before it makes it again, "
            "which may fail as its rollback did",
            remedy="delete it, or what it could not delete",
            command=command.format("delete-stack"),
            path=("name",),
        )
    # What is only under review has a change set, and nothing else yet.
    if stack.status.endswith("_IN_PROGRESS") and stack.is_made:
        return fail(
            f"stack {name} is {stack.status}: another deployment is under way",
            remedy="wait until it has ended",
            look=command.format("describe-stack-events"),
            path=("name",),
        )
    return ok(f"stack {name} is this cluster's, {stack.status}", path=("name",))


def _protected(stack: StackDescription, command: str) -> CheckResult:
    """What must be deleted, and CloudFormation does not delete."""
    verb, remedy = _STUCK.get(stack.status, (None, None))
    if stack.status == "ROLLBACK_FAILED":
        verb, remedy = "delete-stack", "delete it, or what it could not delete"
    verbs = [_UNPROTECT, *([verb] if verb else [])]
    told = f"stack {stack.name} is {stack.status} and protected against deletion"
    return fail(
        f"{told}: `cdk deploy` cannot replace it"
        if stack.status in _DELETED_FIRST
        else f"{told}, and cannot be updated",
        remedy=f"take the protection off, and {remedy or 'deploy again'}",
        command=" && ".join(command.format(each) for each in verbs),
        path=("name",),
    )


def _exports(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    own = [name for name, region in stacks_of(cluster).items() if region == cluster.region]
    try:
        exports = account.cloudformation(cluster.region).exports()
    except AwsFailure as failure:
        yield unanswered(failure, path=("name",))
        return
    # What the CDK exports is named after the stack, with a colon behind.
    taken = [e for e in exports for name in own if e.name.startswith(f"{name}:")]
    foreign = [e for e in taken if e.stack_name != e.name.partition(":")[0]]
    for export in foreign:
        yield fail(
            f"stack {export.stack_name} exports {export.name}, a name in the way of this cluster's",
            remedy="give the cluster another name, or delete the export",
            look=f"aws cloudformation list-imports --region {cluster.region} --export-name "
            f"{export.name}",
            path=("name",),
        )
    if not foreign:
        yield ok(f"no other stack of {cluster.region} exports a name of this cluster's")


CHECK = PreflightCheck(
    id="TRN911",
    name="stack-names",
    title="The names of the stacks and of their exports are free, or the cluster's own",
    why="A deployment would update a stack of the same name, whoever made it. A stack in the "
    "middle of another deployment, or stuck after one, takes no update.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html",
    needs=(DESCRIBE_STACKS, LIST_EXPORTS),
    run=_run,
)
