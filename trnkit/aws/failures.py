"""Botocore's errors as a few kinds, each with what to do; nothing else looks at error codes.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
    https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from botocore import exceptions as botocore
from botocore.parsers import ResponseParserError

from trnkit.aws.identities import without_identities
from trnkit.errors import AwsError


class FailureKind(StrEnum):
    """Why AWS gave no answer."""

    DENIED = "denied"
    DENIED_BY_ORGANIZATION = "denied-by-organization"
    THROTTLED = "throttled"
    QUOTA = "quota"
    CAPACITY = "capacity"
    NOT_FOUND = "not-found"
    NO_CREDENTIALS = "no-credentials"
    EXPIRED = "expired"
    NOT_ACCEPTED = "not-accepted"
    REGION_OFF = "region-off"
    WRONG_REGION = "wrong-region"
    WRONG_ENDPOINT = "wrong-endpoint"
    UNREACHABLE = "unreachable"
    LATE = "late"
    UNUSABLE = "unusable"
    REFUSED = "refused"

    @property
    def is_answer(self) -> bool:
        """Whether AWS has accepted the credentials, and only then said no."""
        return self in _ANSWERS


_ANSWERS = {
    FailureKind.DENIED,
    FailureKind.DENIED_BY_ORGANIZATION,
    FailureKind.THROTTLED,
    FailureKind.QUOTA,
    FailureKind.CAPACITY,
    FailureKind.NOT_FOUND,
    FailureKind.UNUSABLE,
    FailureKind.REFUSED,
}


class AwsFailure(AwsError):
    """A call to AWS that gave no answer.

    Attributes:
        kind: Why.
        service: Service as boto3 calls it.
        operation: The API's name of the operation; `connect` before any.
        region: The Region.
        code: AWS's own error code, where it answered.
        permission: The IAM action that is missing, where one is.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        service: str,
        operation: str,
        region: str,
        code: str | None = None,
        permission: str | None = None,
    ) -> None:
        """Keep all of it; the message is one line with the remedy."""
        self.kind, self.code, self.permission = kind, code, permission
        self.service, self.operation, self.region = service, operation, region
        super().__init__(message)


_CODES = {
    FailureKind.DENIED: {
        "AccessDenied",
        "AccessDeniedException",
        "AuthorizationError",
        "UnauthorizedOperation",
        "Client.UnauthorizedOperation",
        "NotAuthorized",
    },
    FailureKind.THROTTLED: {
        "Throttling",
        "ThrottlingException",
        "ThrottledException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "RequestThrottledException",
        "SlowDown",
        "BandwidthLimitExceeded",
        "TooManyRequestsException",
        "Client.RequestLimitExceeded",
    },
    FailureKind.NOT_FOUND: {
        "ParameterNotFound",
        "ParameterVersionNotFound",
        "InvalidAMIID.NotFound",
        "InvalidAMIID.Unavailable",
        "InvalidCapacityReservationId.NotFound",
        "InvalidSubnetID.NotFound",
        "InvalidVpcID.NotFound",
        "InvalidRouteTableID.NotFound",
        "NoSuchResourceException",
    },
    FailureKind.QUOTA: {
        "LimitExceededException",
        "ServiceQuotaExceededException",
        "QuotaExceededException",
        "VcpuLimitExceeded",
        "InstanceLimitExceeded",
        "MaxSpotInstanceCountExceeded",
        # Spot placement scores: too many different questions in 24 hours.
        "MaxConfigLimitExceeded",
        # Too many questions about Capacity Blocks, or an account with a quota of none.
        "CapacityBlockDescribeLimitExceeded",
    },
    FailureKind.CAPACITY: {
        "InsufficientInstanceCapacity",
        "InsufficientCapacity",
        "InsufficientCapacityOnHost",
        "InsufficientReservedInstanceCapacity",
        "SpotMaxPriceTooLow",
        "UnfulfillableCapacity",
    },
    FailureKind.WRONG_REGION: {
        "PermanentRedirect",
        "AuthorizationHeaderMalformed",
        "IllegalLocationConstraintException",
    },
    FailureKind.EXPIRED: {
        "ExpiredToken",
        "ExpiredTokenException",
        "RequestExpired",
        "TokenRefreshRequired",
    },
    # The same codes come for wrong keys and, in a Region that is off, for right ones.
    FailureKind.NOT_ACCEPTED: {
        "AuthFailure",
        "InvalidClientTokenId",
        "UnrecognizedClientException",
        "SignatureDoesNotMatch",
        "InvalidSignatureException",
        "IncompleteSignature",
        "MissingAuthenticationToken",
    },
    FailureKind.REGION_OFF: {"OptInRequired", "RegionDisabledException"},
    FailureKind.WRONG_ENDPOINT: {"UnknownEndpoint", "InvalidEndpointException"},
    FailureKind.UNREACHABLE: {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "ServiceUnavailable",
        "Unavailable",
    },
}

# The first that fits counts: some are subclasses of later ones.
_CLASSES: tuple[tuple[FailureKind, tuple[type[Exception], ...]], ...] = (
    (
        FailureKind.EXPIRED,
        (
            botocore.UnauthorizedSSOTokenError,
            botocore.SSOTokenLoadError,
            botocore.TokenRetrievalError,
        ),
    ),
    (
        FailureKind.NO_CREDENTIALS,
        (
            botocore.NoCredentialsError,
            botocore.PartialCredentialsError,
            botocore.CredentialRetrievalError,
            botocore.ProfileNotFound,
            botocore.ConfigParseError,
            botocore.InvalidConfigError,
        ),
    ),
    (
        FailureKind.WRONG_ENDPOINT,
        (
            botocore.InvalidRegionError,
            botocore.NoRegionError,
            botocore.UnknownRegionError,
            botocore.EndpointProviderError,
            ValueError,  # A proxy or an endpoint that is no address.
        ),
    ),
    (
        FailureKind.UNREACHABLE,
        (botocore.HTTPClientError, botocore.ConnectionError, ResponseParserError),
    ),
)

_REMEDIES = {
    FailureKind.DENIED: "let the role or user call {permission}",
    FailureKind.DENIED_BY_ORGANIZATION: "ask the organization's administrators for {permission} in "
    "{region}: no policy of the account can give it",
    FailureKind.THROTTLED: "wait a minute and try again",
    FailureKind.QUOTA: "ask for more in Service Quotas, or remove what is not needed",
    FailureKind.CAPACITY: "try another zone or later, or reserve capacity",
    FailureKind.NOT_FOUND: "check the name, and that it exists in {region}",
    FailureKind.NO_CREDENTIALS: "sign in (`aws configure` or `aws sso login`), or set AWS_PROFILE",
    FailureKind.EXPIRED: "sign in again, for example with `aws sso login`",
    FailureKind.NOT_ACCEPTED: "check the keys, and whether {region} is switched on for the account "
    "(`aws account get-region-opt-status --region-name {region}`)",
    FailureKind.REGION_OFF: "switch it on with `aws account enable-region --region-name {region}`",
    FailureKind.WRONG_REGION: "ask the Region that has it, not {region}",
    FailureKind.LATE: "allow more time with --timeout, or ask less at once",
    FailureKind.UNUSABLE: "look it up in the console, or try again later",
    FailureKind.WRONG_ENDPOINT: "check the Region's name, AWS_ENDPOINT_URL and the AWS config file",
    FailureKind.UNREACHABLE: "check network, proxy, AWS_ENDPOINT_URL and the Region's name, then "
    "try again",
    FailureKind.REFUSED: "see what AWS says",
}

_WORDS = {
    FailureKind.DENIED: "is not allowed",
    FailureKind.DENIED_BY_ORGANIZATION: "is not allowed by a policy of the organization",
    FailureKind.THROTTLED: "was throttled",
    FailureKind.QUOTA: "was refused: a quota is reached",
    FailureKind.CAPACITY: "was refused: AWS lacks capacity",
    FailureKind.NOT_FOUND: "found nothing",
    FailureKind.NO_CREDENTIALS: "needs credentials, and there are none that can be used",
    FailureKind.EXPIRED: "was refused: the credentials have expired",
    FailureKind.NOT_ACCEPTED: "was refused: the credentials are not accepted",
    FailureKind.REGION_OFF: "was refused: the Region is off for this account",
    FailureKind.WRONG_REGION: "was refused: it belongs to another Region",
    FailureKind.LATE: "was not asked: the time is over",
    FailureKind.UNUSABLE: "was answered with nothing that can be used",
    FailureKind.WRONG_ENDPOINT: "has no endpoint to call",
    FailureKind.UNREACHABLE: "got no answer",
    FailureKind.REFUSED: "was refused",
}


def failure_from(
    error: Exception,
    *,
    service: str,
    operation: str,
    region: str,
    about: str | None = None,
    permission: str | None = None,
) -> AwsFailure:
    """The failure that an error of boto3 means.

    Args:
        error: What was raised.
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that was asked.
        about: What was asked for, for example a parameter's name.
        permission: The IAM action of the operation, where it is another than its name says.
    """
    kind, code = _kind_of(error)
    action = permission or f"{service}:{operation}"
    asked = f" for {about}" if about else ""
    obstacle = next((remedy for words, remedy in _OBSTACLES if words in str(error)), None)
    remedy = (kind is FailureKind.DENIED and obstacle) or _REMEDIES[kind]
    remedy = remedy.format(permission=action, region=region)
    message = (
        f"{service} {operation} in {region}{asked} {_WORDS[kind]}{_told(error, code)}; {remedy}"
    )
    denied = kind in (FailureKind.DENIED, FailureKind.DENIED_BY_ORGANIZATION)
    return AwsFailure(
        kind,
        message,
        service=service,
        operation=operation,
        region=region,
        code=code,
        permission=action if denied else None,
    )


def late_failure(
    service: str, operation: str, region: str, about: str | None = None, *, under_way: bool = False
) -> AwsFailure:
    """The failure of a question that there was no time for.

    Args:
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that would have been asked.
        about: What would have been asked for.
        under_way: It may have been asked, and nobody waits for the answer any more.
    """
    words = "got no answer in time" if under_way else _WORDS[FailureKind.LATE]
    return _failure(FailureKind.LATE, words, service, operation, region, about)


def unusable_failure(
    service: str, operation: str, region: str, about: str | None, *, lacking: str
) -> AwsFailure:
    """The failure of a question whose answer lacks what was asked for.

    Args:
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that was asked.
        about: What was asked for.
        lacking: What is wrong with the answer, in a few words.
    """
    words = f"{_WORDS[FailureKind.UNUSABLE]} ({lacking})"
    return _failure(FailureKind.UNUSABLE, words, service, operation, region, about)


def _failure(
    kind: FailureKind, words: str, service: str, operation: str, region: str, about: str | None
) -> AwsFailure:
    asked = f" for {about}" if about else ""
    message = f"{service} {operation} in {region}{asked} {words}; {_REMEDIES[kind]}"
    return AwsFailure(kind, message, service=service, operation=operation, region=region)


# Whose policy denies, as AWS says it: an Allow in the account does not help against these.
_ORGANIZATION_DENIES = (
    "explicit deny in a service control policy",
    "no service control policy allows",
    "explicit deny in a resource control policy",
    "no resource control policy allows",
)
_OBSTACLES = (
    ("permissions boundary", "let the permissions boundary of the role or user allow {permission}"),
    ("session policy", "let the session policy allow {permission}"),
    ("VPC endpoint policy", "let the VPC endpoint's policy allow {permission}"),
    ("explicit deny in an identity-based policy", "remove the explicit deny of {permission}"),
)


def _kind_of(error: Exception) -> tuple[FailureKind, str | None]:
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        told = answer.get("Error", {})
        code = str(told.get("Code") or "") or None
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        known = (kind for kind, codes in _CODES.items() if code in codes)
        kind = next(known, _kind_by_status(status))
        return _kind_by_words(kind, str(told.get("Message") or "")), code
    for kind, classes in _CLASSES:
        if isinstance(error, classes):
            return kind, None
    return FailureKind.REFUSED, None


def _kind_by_words(kind: FailureKind, message: str) -> FailureKind:
    """What only the message tells: AWS has no code of its own for it."""
    if kind is FailureKind.DENIED and any(words in message for words in _ORGANIZATION_DENIES):
        return FailureKind.DENIED_BY_ORGANIZATION
    if kind is FailureKind.REFUSED and message.endswith("does not exist"):
        # CloudFormation's ValidationError for a stack that is not there.
        return FailureKind.NOT_FOUND
    if kind is FailureKind.NOT_ACCEPTED and "should be scoped to a valid region" in message:
        return FailureKind.WRONG_REGION
    return kind


def _kind_by_status(status: Any) -> FailureKind:
    """What an unknown code means, as far as the HTTP status tells."""
    if isinstance(status, int) and status >= 500:
        return FailureKind.UNREACHABLE
    return FailureKind.THROTTLED if status == 429 else FailureKind.REFUSED


def _told(error: Exception, code: str | None) -> str:
    """AWS's own words on one line, not too many of them, and without who asked."""
    text = str(error)
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        text = f"{code}: {answer.get('Error', {}).get('Message') or 'no reason given'}"
    words = without_identities(" ".join(text.split()))
    return f" ({words if len(words) <= 300 else f'{words[:297]}...'})"
