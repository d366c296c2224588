"""Systems Manager: what a parameter holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

if TYPE_CHECKING:
    from datetime import datetime

GET_PARAMETER = ReadOperation(
    service="ssm",
    name="GetParameter",
    permission="ssm:GetParameter",
    resources=(
        "arn:aws:ssm:*::parameter/aws/service/*",
        "arn:aws:ssm:*:*:parameter/cdk-bootstrap/*",
    ),
    purpose="image ids and Regions of services that AWS publishes, and the version of the CDK's "
    "bootstrap stack",
)


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


class SsmGateway(Gateway):
    """Reads parameters of one Region."""

    service = "ssm"
    operations = (GET_PARAMETER,)

    def parameter(self, name: str) -> ParameterValue:
        """Ask for one parameter; encrypted ones are not decrypted.

        Args:
            name: Its name, with a version or a label after a colon where one is meant.

        Raises:
            AwsFailure: AWS gave no answer, or has no such parameter.
        """
        answer = self._ask(GET_PARAMETER, about=name, Name=name)["Parameter"]
        return ParameterValue(
            name=name,
            value=answer["Value"],
            version=answer.get("Version"),
            last_modified=answer.get("LastModifiedDate"),
        )

    def has_service(self, region: str, service: str) -> bool:
        """Tell whether a Region has a service, as AWS publishes it.

        Not every Region answers: ask one that does, such as us-east-1, about any other.
        https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-public-parameters-global-infrastructure.html

        Args:
            region: The Region that is meant, not the one that is asked.
            service: By the name of the global infrastructure's parameters, for example `fsx`.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        name = f"/aws/service/global-infrastructure/regions/{region}/services/{service}"
        try:
            self.parameter(name)
        except AwsFailure as failure:
            if failure.kind is not FailureKind.NOT_FOUND:
                raise
            return False
        return True
