"""`trnkit iam-policy`: the policy of all that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from trnkit.config.values import SsmParameter
from trnkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME: TypeAdapter[str] = TypeAdapter(SsmParameter)


def read_only_policy(parameters: Sequence[str], *, partition: str) -> dict[str, Any]:
    """The smallest IAM policy with which everything is answered.

    Args:
        parameters: Names of your own parameters that hold image ids.
        partition: The partition of the ARNs.

    Raises:
        UsageError: A name is none that SSM takes.
    """
    for name in parameters:
        _refuse_other(name)
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws import permissions

    return permissions.read_only_policy(parameters, partition=partition)


def guard_policy(*, partition: str, file: str | None = None) -> dict[str, Any]:
    """The smallest IAM policy for `trnkit guard`.

    Args:
        partition: The partition of the ARNs.
        file: A cluster file, for its cluster alone; None: for all clusters.

    Raises:
        UnreadableInputError: The file cannot be read.
        ConfigurationError: It does not fit the model; carries every finding.
    """
    from trnkit.aws import permissions

    if file is None:
        return permissions.guard_policy(partition=partition)
    from trnkit.config import load_cluster
    from trnkit.layout.tags import CLUSTER_TAG

    cluster = load_cluster(file).config
    return permissions.guard_policy(
        partition=partition,
        region=cluster.region,
        stack=f"{cluster.name}-Guard",
        tag=(CLUSTER_TAG, cluster.name),
    )


def _refuse_other(name: str) -> None:
    """Refuse what is no name: in a policy it would be an ARN that matches nothing, or too much."""
    try:
        # All below a path is what IAM understands, and no name.
        _NAME.validate_python(name.removesuffix("/*"))
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UsageError(
            f"--parameter {name!r}: {reason}; /my/path/* is all below a path"
        ) from None
