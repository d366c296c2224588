"""Botocore's errors as a few kinds, each with what to do; nothing else looks at error codes.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from botocore import exceptions as botocore

from trnkit.aws.identities import without_identities
from trnkit.errors import AwsError


class FailureKind(StrEnum):
    """Why AWS gave no answer."""

    DENIED = "denied"
    THROTTLED = "throttled"
    NOT_FOUND = "not-found"
    NO_CREDENTIALS = "no-credentials"
    EXPIRED = "expired"
    NOT_ACCEPTED = "not-accepted"
    REGION_OFF = "region-off"
    WRONG_ENDPOINT = "wrong-endpoint"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"


class AwsFailure(AwsError):
    """A call to AWS that gave no answer.

    Attributes:
        kind: Why.
        service: Service as boto3 calls it.
        operation: The API's name of the operation; `connect` before any.
        region: The Region.
        code: AWS's own error code, where it answered.
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
    ) -> None:
        """Keep all of it; the message is one line with the remedy."""
        self.kind, self.code = kind, code
        self.service, self.operation, self.region = service, operation, region
        super().__init__(message)


_CODES = {
    FailureKind.DENIED: {
        "AccessDenied",
        "AccessDeniedException",
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
        "TooManyRequestsException",
        "Client.RequestLimitExceeded",
    },
    FailureKind.NOT_FOUND: {
        "ParameterNotFound",
        "ParameterVersionNotFound",
        "InvalidAMIID.NotFound",
        "InvalidAMIID.Unavailable",
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
    (FailureKind.UNREACHABLE, (botocore.HTTPClientError, botocore.ConnectionError)),
)

_REMEDIES = {
    FailureKind.DENIED: "let the role or user call {service}:{operation}",
    FailureKind.THROTTLED: "wait a minute and try again",
    FailureKind.NOT_FOUND: "check the name, and that it exists in {region}",
    FailureKind.NO_CREDENTIALS: "sign in (`aws configure` or `aws sso login`), or set AWS_PROFILE",
    FailureKind.EXPIRED: "sign in again, for example with `aws sso login`",
    FailureKind.NOT_ACCEPTED: "check the keys, and whether {region} is switched on for the account "
    "(`aws account get-region-opt-status --region-name {region}`)",
    FailureKind.REGION_OFF: "switch it on with `aws account enable-region --region-name {region}`",
    FailureKind.WRONG_ENDPOINT: "check the Region's name, AWS_ENDPOINT_URL and the AWS config file",
    FailureKind.UNREACHABLE: "check network, proxy, AWS_ENDPOINT_URL and the Region's name, then "
    "try again",
    FailureKind.REFUSED: "see what AWS says",
}

_WORDS = {
    FailureKind.DENIED: "is not allowed",
    FailureKind.THROTTLED: "was throttled",
    FailureKind.NOT_FOUND: "found nothing",
    FailureKind.NO_CREDENTIALS: "needs credentials, and there are none that can be used",
    FailureKind.EXPIRED: "was refused: the credentials have expired",
    FailureKind.NOT_ACCEPTED: "was refused: the credentials are not accepted",
    FailureKind.REGION_OFF: "was refused: the Region is off for this account",
    FailureKind.WRONG_ENDPOINT: "has no endpoint to call",
    FailureKind.UNREACHABLE: "got no answer",
    FailureKind.REFUSED: "was refused",
}


def failure_from(
    error: Exception, *, service: str, operation: str, region: str, about: str | None = None
) -> AwsFailure:
    """The failure that an error of boto3 means.

    Args:
        error: What was raised.
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that was asked.
        about: What was asked for, for example a parameter's name.
    """
    kind, code = _kind_of(error)
    asked = f" for {about}" if about else ""
    remedy = _REMEDIES[kind].format(service=service, operation=operation, region=region)
    message = (
        f"{service} {operation} in {region}{asked} {_WORDS[kind]}{_told(error, code)}; {remedy}"
    )
    return AwsFailure(kind, message, service=service, operation=operation, region=region, code=code)


def _kind_of(error: Exception) -> tuple[FailureKind, str | None]:
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        code = str(answer.get("Error", {}).get("Code") or "") or None
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        known = (kind for kind, codes in _CODES.items() if code in codes)
        return next(known, _kind_by_status(status)), code
    for kind, classes in _CLASSES:
        if isinstance(error, classes):
            return kind, None
    return FailureKind.REFUSED, None


def _kind_by_status(status: Any) -> FailureKind:
    """What an unknown code means, as far as the HTTP status tells."""
    if isinstance(status, int) and status >= 500:
        return FailureKind.UNREACHABLE
    return FailureKind.THROTTLED if status == 429 else FailureKind.REFUSED


def _told(error: Exception, code: str | None) -> str:
    """AWS's own words on one line, and not too many of them."""
    text = str(error)
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        text = f"{code}: {answer.get('Error', {}).get('Message') or 'no reason given'}"
    words = without_identities(" ".join(text.split()))
    return f" ({words if len(words) <= 300 else f'{words[:297]}...'})"
