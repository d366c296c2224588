"""What a gateway may ask that changes something: declared apart from what only reads.

Only `trnkit guard` asks any of it, and `trnkit iam-policy` names it only with `--for guard`.
"""

from __future__ import annotations

from dataclasses import dataclass

from trnkit.aws.read_operation import ReadOperation


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOperation:
    """One operation of an AWS API that may change something.

    Attributes:
        service: Service as boto3 calls it.
        name: The API's name, for example `Invoke`.
        permission: The IAM action.
        resources: ARNs that the permission is narrowed to.
        purpose: What it is asked for, in a few words.
    """

    service: str
    name: str
    permission: str
    resources: tuple[str, ...]
    purpose: str


Operation = ReadOperation | ChangeOperation
"""Whatever a gateway may ask."""
