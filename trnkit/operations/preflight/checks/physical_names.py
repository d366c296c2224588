"""TRN929: the names that the image stack fixes are free, or the cluster's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.cloudformation import DESCRIBE_STACKS
from trnkit.aws.failures import AwsFailure
from trnkit.aws.image_builder import ImageBuilderGateway
from trnkit.layout.image_pipeline import pipeline_name
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.image_builder import Part
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_PATH = ("compute", "image_pipeline")
_LISTED: dict[Part, str] = {
    "pipeline": "list-image-pipelines",
    "infrastructure configuration": "list-infrastructure-configurations",
    "distribution configuration": "list-distribution-configurations",
    "lifecycle policy": "list-lifecycle-policies",
    "image recipe": "list-image-recipes",
}


def _run(account: AccountView) -> Iterator[CheckResult]:
    cluster = account.cluster
    pipeline = cluster.compute.image_pipeline
    if pipeline is None:
        return
    stack_name = f"{cluster.name}-Images"
    stack = account.stack(stack_name)
    # A first try that met these names was rolled back, and they are not its own.
    if stack is not None and stack.is_made and account.is_own(stack.tags):
        yield ok(f"the names of the image stack are those of {stack_name} already", path=_PATH)
        return
    name = pipeline_name(cluster)
    problems: list[CheckResult] = []
    for part in _LISTED:
        if part == "lifecycle policy" and pipeline.keep_images is None:
            continue
        try:
            if account.gateway(ImageBuilderGateway).is_taken(part, name):
                problems.append(_taken(account, part, name))
        except AwsFailure as failure:
            problems.append(unanswered(failure, path=_PATH))
    yield from problems
    if not problems:
        yield ok(f"nothing of Image Builder is named {name} in {cluster.region}", path=_PATH)


def _taken(account: AccountView, part: Part, name: str) -> CheckResult:
    region = account.cluster.region
    look = f"aws imagebuilder {_LISTED[part]} --region {region}"
    if part != "lifecycle policy":
        look += f" --filters name=name,values={name}"
    if part == "image recipe":
        # A recipe's version is a digest of its contents; other contents are another recipe.
        return warning(
            f"{region} has an {part} {name}, which no stack of this cluster has: with the same "
            "contents, the stack is refused",
            remedy="delete its images, the recipe and its components, in this order; or give the "
            "cluster another name",
            look=look,
            path=_PATH,
        )
    return fail(
        f"{region} has {'an' if part[0] in 'aeiou' else 'a'} {part} {name}, which no stack of "
        "this cluster has",
        remedy="delete it, import it into the stack, or give the cluster another name",
        look=look,
        path=_PATH,
    )


CHECK = PreflightCheck(
    id="TRN929",
    name="physical-names",
    title="The names that the image stack fixes are free, or the cluster's own",
    why="CloudFormation does not take over what exists: the stack is rolled back. What a stack of "
    "Image Builder leaves behind, because images hang on it, has its names still. Beside "
    "it and anomaly monitors nothing of a cluster has a name that somebody else could have: the "
    "other names are CloudFormation's own, or end in a part of the stack's id; buckets and log "
    "groups that an earlier cluster of the same name has left are in nobody's way.",
    source="https://docs.aws.amazon.com/imagebuilder/latest/userguide/delete-resources.html",
    needs=(DESCRIBE_STACKS, *ImageBuilderGateway.operations),
    run=_run,
)
