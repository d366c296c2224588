"""Organizations: which account pays, and sees what only it may see."""

from __future__ import annotations

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

DESCRIBE_ORGANIZATION = ReadOperation(
    service="organizations",
    name="DescribeOrganization",
    permission="organizations:DescribeOrganization",
    purpose="whether the account is its organization's management account",
)


class OrganizationsGateway(Gateway):
    """Asks Organizations, which has one endpoint in each partition."""

    service = "organizations"
    operations = (DESCRIBE_ORGANIZATION,)

    def management_account(self) -> str | None:
        """The id of the management account of the caller's organization.

        Returns:
            None when the account is in no organization.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        try:
            told = self._ask(DESCRIBE_ORGANIZATION)["Organization"]
        except AwsFailure as failure:
            if failure.kind is FailureKind.NOT_FOUND:
                return None
            raise
        return told["MasterAccountId"]
