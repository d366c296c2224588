"""Botocore's errors, each as a kind of failure and a message with what to do."""

from __future__ import annotations

import errno
from typing import Any

from botocore import exceptions as botocore
from botocore.parsers import ResponseParserError

from trnkit.aws.denials import denial_in
from trnkit.aws.failure_kinds import FailureKind, kind_of_answer
from trnkit.aws.identities import without_identities
from trnkit.errors import AwsError
from trnkit.hidden_values import without_secrets


class AwsFailure(AwsError):
    """A call to AWS that gave no answer.

    Attributes:
        kind: Why.
        service: Service as boto3 calls it.
        operation: The API's name of the operation; `connect` before any.
        region: The Region.
        code: AWS's own error code, where it answered.
        permission: The IAM action that is missing, where one is.
        home: The Region of a bucket, which S3 tells also whoever may not use it.
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
        home: str | None = None,
    ) -> None:
        """Keep all of it; the message is one line with the remedy."""
        self.home = home
        self.kind, self.code, self.permission = kind, code, permission
        self.service, self.operation, self.region = service, operation, region
        super().__init__(without_secrets(message))


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
        (botocore.HTTPClientError, botocore.ConnectionError, ResponseParserError, OSError),
    ),
)

_REMEDIES = {
    FailureKind.DENIED: "let the role or user call {permission}",
    FailureKind.DENIED_BY_ORGANIZATION: "ask the organization's administrators for {permission} in "
    "{region}: no policy of the account can give it",
    FailureKind.MANAGEMENT_ACCOUNT_ONLY: "ask with credentials of the organization's management "
    "account",
    FailureKind.THROTTLED: "wait a minute and try again",
    FailureKind.QUOTA: "ask for more in Service Quotas, or remove what is not needed",
    FailureKind.CAPACITY: "try another zone or later, or reserve capacity",
    FailureKind.NOT_FOUND: "check the name, and that it exists in {region}",
    FailureKind.NO_CREDENTIALS: "sign in (`aws configure` or `aws sso login`), or set AWS_PROFILE",
    FailureKind.EXPIRED: "sign in again, for example with `aws sso login`",
    FailureKind.NOT_ACCEPTED: "check the keys, and whether {region} is switched on for the account "
    "(`aws account get-region-opt-status --region-name {region}`)",
    FailureKind.CLOCK: "set the clock of this machine",
    FailureKind.ACCOUNT_NOT_READY: "finish signing up, or ask AWS Support what the account lacks",
    FailureKind.REGION_OFF: "switch it on with `aws account enable-region --region-name {region}`, "
    "or finish signing up where it is on",
    FailureKind.WRONG_REGION: "ask the Region that has it, not {region}",
    FailureKind.LATE: "allow more time with --timeout, or ask less at once",
    FailureKind.UNUSABLE: "look it up in the console, or try again later",
    FailureKind.BROKEN: "please report it (TRNKIT_DEBUG=1 shows where it happened)",
    FailureKind.WRONG_ENDPOINT: "check the Region's name, AWS_ENDPOINT_URL and the AWS config file",
    FailureKind.UNREACHABLE: "check network, proxy, AWS_ENDPOINT_URL and the Region's name, then "
    "try again",
    FailureKind.REFUSED: "see what AWS says",
}

_WORDS = {
    FailureKind.DENIED: "is not allowed",
    FailureKind.DENIED_BY_ORGANIZATION: "is not allowed by a policy of the organization",
    FailureKind.MANAGEMENT_ACCOUNT_ONLY: "is for the organization's management account alone",
    FailureKind.THROTTLED: "was throttled",
    FailureKind.QUOTA: "was refused: a quota is reached",
    FailureKind.CAPACITY: "was refused: AWS lacks capacity",
    FailureKind.NOT_FOUND: "found nothing",
    FailureKind.NO_CREDENTIALS: "needs credentials, and there are none that can be used",
    FailureKind.EXPIRED: "was refused: the credentials have expired",
    FailureKind.NOT_ACCEPTED: "was refused: the credentials are not accepted",
    FailureKind.CLOCK: "was refused: the clock of this machine is wrong",
    FailureKind.ACCOUNT_NOT_READY: "was refused: the account is not ready for use",
    FailureKind.REGION_OFF: "was refused: the Region is off for this account",
    FailureKind.WRONG_REGION: "was refused: it belongs to another Region",
    FailureKind.LATE: "was not asked: the time is over",
    FailureKind.UNUSABLE: "was answered with nothing that can be used",
    FailureKind.BROKEN: "broke, which is a mistake of trnkit",
    FailureKind.WRONG_ENDPOINT: "has no endpoint to call",
    FailureKind.UNREACHABLE: "got no answer",
    FailureKind.REFUSED: "was refused",
}

# https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html
_ALLOWED_TO_ALL = ("sts:GetCallerIdentity",)
_ONLY_DENIED = (
    "look at the policies of STS's VPC endpoint and of the organization, and at AWS_ENDPOINT_URL: "
    "{permission} needs no permission, and no policy of the role or user takes it away"
)

_GIVERS = {"GetRoleCredentials": "sso"}
"""The service of an operation that gives credentials, where it is not STS."""

_PROCESS = "custom-process"
_WEB_IDENTITY = "assume-role-with-web-identity"
_SHOWN_PROVIDERS = {_PROCESS: "credential_process", _WEB_IDENTITY: "web identity"}
_REMEDIES_OF_PROVIDERS = {
    _PROCESS: "run the profile's credential_process by hand: it must print one JSON object with "
    "Version, AccessKeyId and SecretAccessKey",
    _WEB_IDENTITY: "see that the file with the token is there, which AWS_WEB_IDENTITY_TOKEN_FILE "
    "or the profile's web_identity_token_file names, or take the setting away",
}


def failure_from(
    error: Exception,
    *,
    service: str,
    operation: str,
    region: str,
    about: str | None = None,
    permission: str | None = None,
    remedy: str | None = None,
) -> AwsFailure:
    """The failure that an error of boto3 means.

    Args:
        error: What was raised.
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that was asked.
        about: What was asked for, for example a parameter's name.
        permission: The IAM action of the operation, where it is another than its name says.
        remedy: What to do, where it is known better than by the kind.
    """
    kind, code = _kind_of(error, service)
    if lacks_files(error):
        remedy = "allow more open files: `ulimit -n 256`"
    action = permission or f"{service}:{operation}"
    asked = f" for {about}" if about else ""
    denial = denial_in(str(error)) if kind is FailureKind.DENIED else None
    remedy = remedy or (denial.remedy if denial else None) or _REMEDIES[kind]
    if kind is FailureKind.DENIED and action in _ALLOWED_TO_ALL and "explicit deny" not in remedy:
        remedy = _ONLY_DENIED
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
        permission=action if denied and action not in _ALLOWED_TO_ALL else None,
        home=_home_in(error),
    )


def is_of_files(error: Exception) -> bool:
    """Whether the system could not read a file; botocore's timeouts are errors of its kind too.

    Args:
        error: What was raised.
    """
    return isinstance(error, OSError) and not isinstance(error, botocore.BotoCoreError)


def lacks_files(error: BaseException) -> bool:
    """Whether the system gave no file or connection, whatever it was for."""
    return isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)


def credentials_failure(error: Exception, region: str) -> AwsFailure:
    """The failure that there are no credentials, as an error of botocore says it.

    Args:
        error: What was raised.
        region: For the message.
    """
    operation, remedy = "connect", None
    if isinstance(error, botocore.ClientError):
        # A profile's role, a web identity or single sign-on that AWS refuses.
        operation = error.operation_name
    elif not isinstance(error, botocore.BotoCoreError) and not lacks_files(error):
        # What goes wrong in files and programs that give credentials, botocore passes on bare.
        provider = _provider(error)
        words = " ".join(str(error).split())
        if provider == _PROCESS and isinstance(error, ValueError):
            words = f"it did not print what was expected ({words})"
        elif not isinstance(error, OSError):
            words = f"{type(error).__name__}: {words}"
        remedy = _REMEDIES_OF_PROVIDERS.get(provider)
        error = botocore.CredentialRetrievalError(
            provider=_SHOWN_PROVIDERS.get(provider, provider), error_msg=words
        )
    service = _GIVERS.get(operation, "sts")
    return failure_from(error, service=service, operation=operation, region=region, remedy=remedy)


def _provider(error: Exception) -> str:
    """Where botocore looked for credentials when it broke, by its own names."""
    found = "the AWS config files"
    step = error.__traceback__
    while step is not None:
        owner = step.tb_frame.f_locals.get("self")
        for name in (getattr(owner, "METHOD", None), getattr(owner, "method", None)):
            found = name if isinstance(name, str) else found
        step = step.tb_next
    return found


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


def broken_failure(
    service: str, operation: str, region: str, about: str | None, *, error: BaseException
) -> AwsFailure:
    """The failure of a question that a mistake of ours has ended.

    Args:
        service: Service as boto3 calls it.
        operation: The API's name of the operation.
        region: The Region that was asked.
        about: What was asked for.
        error: What was raised.
    """
    told = without_identities(" ".join(str(error).split()))
    words = f"{_WORDS[FailureKind.BROKEN]}: {type(error).__name__}: {told}"
    return _failure(FailureKind.BROKEN, words, service, operation, region, about)


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


def _kind_of(error: Exception, service: str) -> tuple[FailureKind, str | None]:
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        told = answer.get("Error", {})
        code = str(told.get("Code") or "") or None
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        message = str(told.get("Message") or "")
        return kind_of_answer(service, code or "", message, status), code
    for kind, classes in _CLASSES:
        if isinstance(error, classes):
            return kind, None
    return FailureKind.REFUSED, None


def _home_in(error: Exception) -> str | None:
    """The Region that S3 names in a header of every answer about a bucket."""
    if not isinstance(error, botocore.ClientError):
        return None
    answer: dict[str, Any] = dict(error.response)
    headers: dict[str, Any] = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    return headers.get("x-amz-bucket-region")


def _client_side(error: Exception) -> str:
    """Botocore's own words, without those that it only passes on.

    Those are of Python's HTTP client, whose errors can hold headers, and so credentials. What TLS
    says of a certificate holds none.
    """
    text = str(error)
    members: dict[str, Any] = getattr(error, "kwargs", {})
    inner = members.get("error")
    if not isinstance(inner, BaseException) or isinstance(error, botocore.SSLError):
        return text
    passed_on = str(inner)
    if not passed_on or passed_on not in text:
        return text
    reason = inner.strerror if isinstance(inner, OSError) else None
    return text.replace(passed_on, reason or type(inner).__name__)


def _told(error: Exception, code: str | None) -> str:
    """AWS's own words on one line, not too many of them, and without who asked."""
    text = _client_side(error)
    if isinstance(error, botocore.ClientError):
        answer: dict[str, Any] = dict(error.response)
        text = f"{code}: {answer.get('Error', {}).get('Message') or 'no reason given'}"
    words = without_identities(" ".join(text.split()))
    return f" ({words if len(words) <= 300 else f'{words[:297]}...'})"
