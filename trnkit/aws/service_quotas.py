"""Service Quotas: what an account may use of a service, and what AWS gives everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.aws.failures import AwsFailure, FailureKind, unusable_failure
from trnkit.aws.gateway import Gateway
from trnkit.aws.read_operation import ReadOperation
from trnkit.aws.told_numbers import told_number

if TYPE_CHECKING:
    from collections.abc import Collection

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
    purpose="AWS's default, for an account that has no value of its own, and for the catalogue",
)
LIST_SERVICE_QUOTAS = ReadOperation(
    service="service-quotas",
    name="ListServiceQuotas",
    permission="servicequotas:ListServiceQuotas",
    purpose="the account's own values of all quotas of EC2",
)
_PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaValue:
    """What a quota allows.

    Attributes:
        quota_code: For example `L-2C3B7624`.
        name: As the console calls it.
        value: How much; None when AWS knows the quota and could not tell its value.
        is_default: Whether it is AWS's default, because the account has no value of its own.
    """

    quota_code: str
    name: str
    value: float | None
    is_default: bool


class ServiceQuotasGateway(Gateway):
    """Reads quotas of one Region."""

    service = "service-quotas"
    operations = (GET_SERVICE_QUOTA, GET_AWS_DEFAULT_SERVICE_QUOTA, LIST_SERVICE_QUOTAS)

    def quota(self, service_code: str, quota_code: str) -> QuotaValue:
        """What a quota allows this account: its own value, or AWS's default.

        Args:
            service_code: For example `ec2`.
            quota_code: For example `L-2C3B7624`.

        Raises:
            AwsFailure: AWS gave no answer, told a value that is no number of anything, or knows no
                such quota in the Region.
        """
        asked = {"ServiceCode": service_code, "QuotaCode": quota_code}
        try:
            answer = self._ask(GET_SERVICE_QUOTA, about=quota_code, **asked)
        except AwsFailure as failure:
            if failure.kind is not FailureKind.NOT_FOUND:
                raise
            told, is_default = self._default(service_code, quota_code), True
            value = self._value(GET_AWS_DEFAULT_SERVICE_QUOTA, quota_code, told)
        else:
            told, is_default = answer["Quota"], False
            value = self._value(GET_SERVICE_QUOTA, quota_code, told)
        return QuotaValue(
            quota_code=quota_code,
            name=told.get("QuotaName", quota_code),
            value=value,
            is_default=is_default,
        )

    def applied(self, service_code: str, quota_codes: Collection[str]) -> dict[str, float]:
        """What this account may use, as far as it has values of its own.

        Args:
            service_code: For example `ec2`.
            quota_codes: The quotas that are wanted.

        Returns:
            Values by code. A quota for which AWS has only the default is left out, and so is one
            whose value AWS could not tell.

        Raises:
            AwsFailure: AWS gave no answer, stopped in the middle, or told a value that is no number
                of anything.
        """
        told = self._ask_all(
            LIST_SERVICE_QUOTAS,
            "Quotas",
            ServiceCode=service_code,
            PaginationConfig={"PageSize": _PAGE},
        )
        found = {
            code: self._value(LIST_SERVICE_QUOTAS, code, quota)
            for quota in told
            if (code := quota.get("QuotaCode", "")) in quota_codes
        }
        return {code: value for code, value in found.items() if value is not None}

    def default(self, service_code: str, quota_code: str) -> float | None:
        """What AWS gives an account that never asked for more.

        Args:
            service_code: For example `ec2`.
            quota_code: For example `L-2C3B7624`.

        Returns:
            None when the Region has no such quota, or AWS could not tell its value.

        Raises:
            AwsFailure: AWS gave no answer, or told a value that is no number of anything.
        """
        try:
            told = self._default(service_code, quota_code)
        except AwsFailure as failure:
            if failure.kind is not FailureKind.NOT_FOUND:
                raise
            return None
        return self._value(GET_AWS_DEFAULT_SERVICE_QUOTA, quota_code, told)

    def _value(
        self, operation: ReadOperation, quota_code: str, told: dict[str, Any]
    ) -> float | None:
        if told.get("Value") is None:
            return None
        value = told_number(told["Value"])
        if value is None:
            raise unusable_failure(
                self.service,
                operation.name,
                self._region,
                quota_code,
                lacking=f"the value is {told['Value']!r}",
            )
        return value

    def _default(self, service_code: str, quota_code: str) -> dict[str, Any]:
        answer = self._ask(
            GET_AWS_DEFAULT_SERVICE_QUOTA,
            about=quota_code,
            ServiceCode=service_code,
            QuotaCode=quota_code,
        )
        return answer.get("Quota", {})
