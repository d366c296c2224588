"""Systems Manager: what a parameter holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from trnkit.aws.failures import failure_from

if TYPE_CHECKING:
    from datetime import datetime

    from trnkit.aws.session import AwsSession

_OPERATION = "GetParameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterValue:
    """A parameter at one moment.

    Attributes:
        name: As it was asked for.
        value: What it holds.
        version: How often it was set; None when AWS did not say.
        last_modified: When it was set last; None when AWS did not say.
    """

    name: str
    value: str
    version: int | None
    last_modified: datetime | None


class SsmGateway:
    """Reads parameters of one Region."""

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region

    def parameter(self, name: str) -> ParameterValue:
        """Ask for one parameter; encrypted ones are not decrypted.

        Args:
            name: Its name, with a version or a label after a colon where one is meant.

        Raises:
            AwsFailure: AWS gave no answer, or has no such parameter.
        """
        client = self._session.client("ssm", self._region)
        try:
            answer: dict[str, Any] = client.get_parameter(Name=name)["Parameter"]
        except (ClientError, BotoCoreError) as error:
            raise failure_from(
                error, service="ssm", operation=_OPERATION, region=self._region, about=name
            ) from None
        return ParameterValue(
            name=name,
            value=answer["Value"],
            version=answer.get("Version"),
            last_modified=answer.get("LastModifiedDate"),
        )
