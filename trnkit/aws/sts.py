"""STS: whose credentials are in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

GET_CALLER_IDENTITY = ReadOperation(
    service="sts",
    name="GetCallerIdentity",
    permission=None,
    purpose="which account and role the credentials belong to",
)

CallerKind = Literal["root", "user", "assumed-role", "federated-user", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerIdentity:
    """Who asks.

    Attributes:
        account: The account's id.
        partition: `aws`, `aws-cn` or `aws-us-gov`.
        kind: What kind of principal.
        name: The user's or the role's name; empty for the root user.
    """

    account: str
    partition: str
    kind: CallerKind
    name: str


class StsGateway(Gateway):
    """Asks one Region's STS, which accepts nobody where the Region is off for the account."""

    service = "sts"
    operations = (GET_CALLER_IDENTITY,)

    def caller(self) -> CallerIdentity:
        """Who asks.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        answer = self._ask(GET_CALLER_IDENTITY)
        _, partition, _, _, _, principal = answer["Arn"].split(":", 5)
        kind, _, rest = principal.partition("/")
        known: dict[str, CallerKind] = {
            "root": "root",
            "user": "user",
            "assumed-role": "assumed-role",
            "federated-user": "federated-user",
        }
        # The last part of a role's session is the session; of a user's path, the user.
        name = rest.split("/")[0] if kind == "assumed-role" else rest.rpartition("/")[2]
        return CallerIdentity(
            account=answer["Account"],
            partition=partition,
            kind=known.get(kind, "other"),
            name=name,
        )
