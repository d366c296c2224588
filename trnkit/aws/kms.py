"""KMS: keys, who may use them by their policy, and who by a grant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from datetime import datetime

DESCRIBE_KEY = ReadOperation(
    service="kms",
    name="DescribeKey",
    permission="kms:DescribeKey",
    purpose="that a key exists, is enabled and encrypts",
)
GET_KEY_POLICY = ReadOperation(
    service="kms",
    name="GetKeyPolicy",
    permission="kms:GetKeyPolicy",
    purpose="whom a key's policy lets use it",
)
LIST_GRANTS = ReadOperation(
    service="kms",
    name="ListGrants",
    permission="kms:ListGrants",
    purpose="what a key's grants let the service-linked role of Auto Scaling do",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDescription:
    """A KMS key; None where KMS says nothing.

    Attributes:
        key_id: Its id, without Region and account.
        account: Whose it is: not for messages.
        state: For example `Enabled` or `PendingDeletion`.
        usage: For example `ENCRYPT_DECRYPT`.
        spec: For example `SYMMETRIC_DEFAULT`.
        deletion_date: When it is going to be gone, while it is pending deletion.
        is_aws_managed: Whether AWS made it and keeps its policy.
    """

    key_id: str
    account: str | None
    state: str | None
    usage: str | None
    spec: str | None
    deletion_date: datetime | None
    is_aws_managed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyGrant:
    """What a grant lets its grantee do.

    Attributes:
        operations: For example `Decrypt` and `CreateGrant`.
        is_constrained: Whether it holds for some encryption contexts only.
    """

    operations: frozenset[str]
    is_constrained: bool


class KmsGateway(Gateway):
    """Describes the keys of one Region."""

    service = "kms"
    operations = (DESCRIBE_KEY, GET_KEY_POLICY, LIST_GRANTS)

    def key(self, name: str) -> KeyDescription:
        """Describe a key.

        Args:
            name: Its id or ARN, or the ARN of an alias.

        Raises:
            AwsFailure: AWS gave no answer, or there is no such key.
        """
        told = self._ask(DESCRIBE_KEY, about=_short(name), KeyId=name)["KeyMetadata"]
        return KeyDescription(
            key_id=told["KeyId"],
            account=told.get("AWSAccountId"),
            state=told.get("KeyState"),
            usage=told.get("KeyUsage"),
            spec=told.get("KeySpec") or told.get("CustomerMasterKeySpec"),
            deletion_date=told.get("DeletionDate"),
            is_aws_managed=told.get("KeyManager") == "AWS",
        )

    def policy(self, key_id: str) -> str:
        """The policy of a key of the caller's own account; KMS tells of no other's.

        Args:
            key_id: Its id, not that of an alias.

        Raises:
            AwsFailure: AWS gave no answer.

        Returns:
            A JSON document.
        """
        # A key has one policy, of this name.
        told = self._ask(GET_KEY_POLICY, about=key_id, KeyId=key_id, PolicyName="default")
        return told.get("Policy", "")

    def grants(self, key: str, grantee: str) -> tuple[KeyGrant, ...]:
        """The grants of a key that one principal holds.

        Args:
            key: Its id; its ARN, when it is of another account.
            grantee: ARN of the principal.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        found = self._ask_all(
            LIST_GRANTS, "Grants", about=_short(key), KeyId=key, GranteePrincipal=grantee
        )
        return tuple(
            KeyGrant(
                operations=frozenset(grant.get("Operations", ())),
                is_constrained=bool(grant.get("Constraints")),
            )
            for grant in found
        )


def _short(name: str) -> str:
    """A key without Region and account: `key/...` becomes the id, an alias keeps its name."""
    return name.rpartition(":")[2].removeprefix("key/")
