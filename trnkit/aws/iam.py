"""IAM: which service-linked roles an account has."""

from __future__ import annotations

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

GET_ROLE = ReadOperation(
    service="iam",
    name="GetRole",
    permission="iam:GetRole",
    # A role that does not exist has no path: IAM then knows only the name that was asked for.
    resources=(
        "arn:aws:iam::*:role/aws-service-role/*",
        "arn:aws:iam::*:role/AWSServiceRoleFor*",
    ),
    purpose="whether the service-linked roles that the nodes need exist",
)
_PATH = "/aws-service-role/"


class IamGateway(Gateway):
    """Asks IAM, which belongs to an account and not to a Region."""

    service = "iam"
    operations = (GET_ROLE,)

    def has_service_linked_role(self, name: str) -> bool:
        """Whether an account has a service-linked role.

        Args:
            name: The role's name, for example `AWSServiceRoleForAutoScaling`.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            role = self._ask(GET_ROLE, about=name, RoleName=name)["Role"]
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return False
            raise
        return role["Path"].startswith(_PATH)
