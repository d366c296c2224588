"""Service Quotas: what the account may have of a thing."""

from __future__ import annotations

from dataclasses import dataclass

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation

GET_SERVICE_QUOTA = ReadOperation(
    service="service-quotas",
    name="GetServiceQuota",
    permission="servicequotas:GetServiceQuota",
    purpose="the account's own value of a quota",
)
GET_AWS_DEFAULT_SERVICE_QUOTA = ReadOperation(
    service="service-quotas",
    name="GetAWSDefaultServiceQuota",
    permission="servicequotas:GetAWSDefaultServiceQuota",
    purpose="AWS's default, for an account that has no value of its own",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaValue:
    """What a quota allows.

    Attributes:
        quota_code: For example `L-2C3B7624`.
        name: As the console calls it.
        value: How much.
        is_default: Whether it is AWS's default, because the account has no value of its own.
    """

    quota_code: str
    name: str
    value: float
    is_default: bool


class ServiceQuotasGateway(Gateway):
    """Reads quotas of one Region."""

    service = "service-quotas"
    operations = (GET_SERVICE_QUOTA, GET_AWS_DEFAULT_SERVICE_QUOTA)

    def quota(self, service_code: str, quota_code: str) -> QuotaValue:
        """What a quota allows.

        Args:
            service_code: For example `ec2`.
            quota_code: For example `L-2C3B7624`.

        Raises:
            AwsFailure: AWS gave no answer, or knows no such quota in the Region.
        """
        asked = {"ServiceCode": service_code, "QuotaCode": quota_code}
        try:
            answer = self._ask(GET_SERVICE_QUOTA, about=quota_code, **asked)
        except AwsFailure as failure:
            if failure.kind is not FailureKind.NOT_FOUND:
                raise
            answer = self._ask(GET_AWS_DEFAULT_SERVICE_QUOTA, about=quota_code, **asked)
            is_default = True
        else:
            is_default = False
        told = answer["Quota"]
        return QuotaValue(
            quota_code=quota_code,
            name=told.get("QuotaName", quota_code),
            value=told["Value"],
            is_default=is_default,
        )
