"""The kinds of failure, and the codes and words of AWS by which they are told apart.

Nothing else looks at error codes.

Sources:
    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
    https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
    https://docs.aws.amazon.com/systems-manager/latest/APIReference/CommonErrors.html
    https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html
    https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_ListCostAllocationTags.html
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any

from trnkit.aws.denials import denial_in


class FailureKind(StrEnum):
    """Why AWS gave no answer."""

    DENIED = "denied"
    DENIED_BY_ORGANIZATION = "denied-by-organization"
    MANAGEMENT_ACCOUNT_ONLY = "management-account-only"
    THROTTLED = "throttled"
    QUOTA = "quota"
    CAPACITY = "capacity"
    NOT_FOUND = "not-found"
    NO_CREDENTIALS = "no-credentials"
    EXPIRED = "expired"
    NOT_ACCEPTED = "not-accepted"
    CLOCK = "clock"
    ACCOUNT_NOT_READY = "account-not-ready"
    REGION_OFF = "region-off"
    WRONG_REGION = "wrong-region"
    WRONG_ENDPOINT = "wrong-endpoint"
    UNREACHABLE = "unreachable"
    LATE = "late"
    UNUSABLE = "unusable"
    BROKEN = "broken"
    REFUSED = "refused"

    @property
    def is_answer(self) -> bool:
        """Whether AWS has accepted the credentials, and only then said no."""
        return self in _ANSWERS


_ANSWERS = {
    FailureKind.DENIED,
    FailureKind.DENIED_BY_ORGANIZATION,
    FailureKind.MANAGEMENT_ACCOUNT_ONLY,
    FailureKind.THROTTLED,
    FailureKind.QUOTA,
    FailureKind.CAPACITY,
    FailureKind.NOT_FOUND,
    FailureKind.UNUSABLE,
    FailureKind.REFUSED,
}


_CODES = {
    FailureKind.DENIED: {
        "AccessDenied",
        "AccessDeniedException",
        "AuthorizationError",
        "UnauthorizedOperation",
        "Client.UnauthorizedOperation",
        "NotAuthorized",
        "ForbiddenException",
        "UnauthorizedException",
        "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
        "AllAccessDisabled",
        "403",  # Of a HEAD request, whose answer has no text; so are the numbers below.
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
        "EC2ThrottledException",
        "CallRateLimitExceededException",
        "ProvisionedThroughputExceededException",
        "TransactionInProgressException",
        "PriorRequestNotComplete",
        "ResourceContention",
    },
    # And whatever ends or begins as `_NOTHING_THERE` says.
    FailureKind.NOT_FOUND: {
        "404",
        "InvalidAMIID.Unavailable",
        "UnknownMonitorException",
        "AWSOrganizationsNotInUseException",
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
        "301",
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
        "InvalidSecurity",
        "InvalidAccessKeyId",
        "InvalidToken",
    },
    FailureKind.CLOCK: {"RequestTimeTooSkewed", "RequestInTheFuture"},
    FailureKind.ACCOUNT_NOT_READY: {
        "Blocked",
        "PendingVerification",
        "NotSignedUp",
        "AccountProblem",
        "SubscriptionRequiredException",
    },
    # EC2 answers OptInRequired also in an account that is not activated yet.
    FailureKind.REGION_OFF: {"OptInRequired", "RegionDisabledException"},
    FailureKind.WRONG_ENDPOINT: {"UnknownEndpoint", "InvalidEndpointException"},
    FailureKind.UNREACHABLE: {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "InternalServerErrorException",
        "InternalErrorException",
        "InternalServerException",
        "KMSInternalException",
        "DependencyTimeoutException",
        "ServerException",
        "ServiceException",
        "ServiceFailure",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Unavailable",
    },
}

# Cost Explorer calls too many questions a limit that is exceeded.
_CODES_OF = {("ce", "LimitExceededException"): FailureKind.THROTTLED}

_NOTHING_THERE = re.compile(r"NoSuch[A-Z].*|.*NotFound(Exception|Fault)?")
"""Names of codes by which services say that something does not exist; EC2's all end so."""


def kind_of_answer(service: str, code: str, message: str, status: Any) -> FailureKind:
    """What kind of failure an answer of AWS's means.

    Args:
        service: Service as boto3 calls it.
        code: The error's code; empty when there is none.
        message: AWS's words.
        status: The HTTP status, where there is one.
    """
    kind = _kind_by_code(code, service) or _kind_by_status(status)
    return _kind_by_words(kind, message)


def _kind_by_code(code: str, service: str) -> FailureKind | None:
    if special := _CODES_OF.get((service, code)):
        return special
    known = (kind for kind, codes in _CODES.items() if code in codes)
    named = FailureKind.NOT_FOUND if _NOTHING_THERE.fullmatch(code) else None
    return next(known, named)


def _kind_by_words(kind: FailureKind, message: str) -> FailureKind:
    """What only the message tells: AWS has no code of its own for it."""
    if kind is FailureKind.DENIED:
        denial = denial_in(message)
        return _BY[denial.by] if denial else kind
    if kind is FailureKind.REFUSED and message.endswith("does not exist"):
        # CloudFormation's ValidationError for a stack that is not there.
        return FailureKind.NOT_FOUND
    if kind is FailureKind.NOT_ACCEPTED:
        if "should be scoped to a valid region" in message:
            return FailureKind.WRONG_REGION
        if any(words in message for words in _OTHER_TIME):
            return FailureKind.CLOCK
    return kind


_BY = {
    "account": FailureKind.DENIED,
    "organization": FailureKind.DENIED_BY_ORGANIZATION,
    "other-account": FailureKind.MANAGEMENT_ACCOUNT_ONLY,
}
_OTHER_TIME = ("Signature expired", "Signature not yet current")


def _kind_by_status(status: Any) -> FailureKind:
    """What an unknown code means, as far as the HTTP status tells."""
    if isinstance(status, int) and status >= 500:
        return FailureKind.UNREACHABLE
    return FailureKind.THROTTLED if status == 429 else FailureKind.REFUSED
