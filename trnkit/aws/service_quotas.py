"""Service Quotas: what an account may use of a service, and what AWS gives everybody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from trnkit.aws.failures import failure_from

if TYPE_CHECKING:
    from collections.abc import Collection

    from trnkit.aws.session import AwsSession

_PAGE = 100
# IAM's name of the service, which is in the permission that a message asks for.
_IAM_PREFIX = "servicequotas"
_NO_SUCH_QUOTA = "NoSuchResourceException"


class ServiceQuotasGateway:
    """Reads the quotas of one Region."""

    def __init__(self, session: AwsSession, region: str) -> None:
        """Ask nothing yet.

        Args:
            session: Where the client comes from.
            region: The Region to ask.
        """
        self._session, self._region = session, region

    def applied(self, service_code: str, quota_codes: Collection[str]) -> dict[str, float]:
        """Read what this account may use.

        Args:
            service_code: For example `ec2`.
            quota_codes: The quotas that are wanted.

        Returns:
            Values by code. A quota for which AWS has only the default is left out, and so is one
            whose value AWS could not tell.

        Raises:
            AwsFailure: AWS gave no answer, or stopped in the middle.
        """
        client = self._session.client("service-quotas", self._region)
        found: dict[str, float] = {}
        try:
            pages = client.get_paginator("list_service_quotas").paginate(
                ServiceCode=service_code, PaginationConfig={"PageSize": _PAGE}
            )
            for page in pages:
                for quota in page.get("Quotas", ()):
                    if quota.get("QuotaCode") in quota_codes and quota.get("Value") is not None:
                        found[quota["QuotaCode"]] = quota["Value"]
        except (ClientError, BotoCoreError) as error:
            raise failure_from(
                error, service=_IAM_PREFIX, operation="ListServiceQuotas", region=self._region
            ) from None
        return found

    def default(self, service_code: str, quota_code: str) -> float | None:
        """Read what AWS gives an account that never asked for more.

        Args:
            service_code: For example `ec2`.
            quota_code: For example `L-2C3B7624`.

        Returns:
            None when the Region has no such quota, or AWS could not tell its value.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        client = self._session.client("service-quotas", self._region)
        try:
            answer: dict[str, Any] = client.get_aws_default_service_quota(
                ServiceCode=service_code, QuotaCode=quota_code
            )
        except (ClientError, BotoCoreError) as error:
            failure = failure_from(
                error,
                service=_IAM_PREFIX,
                operation="GetAWSDefaultServiceQuota",
                region=self._region,
                about=quota_code,
            )
            if failure.code == _NO_SUCH_QUOTA:
                return None
            raise failure from None
        return answer.get("Quota", {}).get("Value")
