"""`trnkit iam-policy`: the policy of all that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


def read_only_policy(parameters: Iterable[str], *, partition: str) -> dict[str, Any]:
    """The smallest IAM policy with which everything is answered.

    Args:
        parameters: Names of your own parameters that hold image ids.
        partition: The partition of the ARNs.
    """
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws import permissions

    return permissions.read_only_policy(parameters, partition=partition)
