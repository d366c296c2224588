"""Whether keys and tokens can be sent at all: a line break in one can not.

They go into headers of HTTP. What a paste or a program adds to them would end every question, and
late: the client takes it for a failure of the network and tries again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from trnkit.aws.failure_kinds import FailureKind
from trnkit.aws.failures import AwsFailure

if TYPE_CHECKING:
    from collections.abc import Iterator

# https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-envvars.html
_VARIABLES = {
    "access_key": "AWS_ACCESS_KEY_ID",
    "secret_key": "AWS_SECRET_ACCESS_KEY",
    "token": "AWS_SESSION_TOKEN",
}
_SETTINGS = {
    "access_key": "aws_access_key_id",
    "secret_key": "aws_secret_access_key",
    "token": "aws_session_token",
}
# https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-sourcing-external.html
_MEMBERS = {
    "access_key": "AccessKeyId",
    "secret_key": "SecretAccessKey",
    "token": "SessionToken",
}
_FILES = {
    "shared-credentials-file": "the AWS credentials file",
    "config-file": "the AWS config file",
}


def refuse_unusable_credentials(frozen: Any, method: str, region: str) -> None:
    """Say which value cannot be sent and where it comes from; never the value.

    Args:
        frozen: botocore's credentials, with `access_key`, `secret_key` and `token`.
        method: Where they come from, as botocore calls it.
        region: For the failure.

    Raises:
        AwsFailure: One cannot be sent.
    """
    wrong = "; ".join(_problems(frozen, method))
    if wrong:
        raise AwsFailure(
            FailureKind.NO_CREDENTIALS,
            f"the credentials cannot be used: {wrong}; set it again without that, which a copied "
            "line or a program may have added",
            service="sts",
            operation="connect",
            region=region,
        )


def _problems(frozen: Any, method: str) -> Iterator[str]:
    for attribute in _VARIABLES:
        value = getattr(frozen, attribute)
        if value is None:
            continue
        problem = _problem(value) if isinstance(value, str) else "is no text"
        if problem:
            yield f"{_name(attribute, method)} {problem}"


def _problem(value: str) -> str | None:
    if "\n" in value or "\r" in value:
        return "holds a line break"
    if value != value.strip():
        return "begins or ends with a blank"
    if any(ord(character) < 0x20 or ord(character) == 0x7F for character in value):
        return "holds a control character"
    return None if value.isascii() else "holds a character that is not ASCII"


def _name(attribute: str, method: str) -> str:
    if method == "env":
        # botocore still takes the older name.
        is_older = attribute == "token" and not os.environ.get(_VARIABLES[attribute])
        return "AWS_SECURITY_TOKEN" if is_older else _VARIABLES[attribute]
    if method in _FILES:
        return f"{_SETTINGS[attribute]} of {_FILES[method]}"
    if method == "custom-process":
        return f"{_MEMBERS[attribute]} of what credential_process prints"
    return f"{_MEMBERS[attribute]} of the credentials from {method}"
