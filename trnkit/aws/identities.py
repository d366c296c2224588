"""Takes out of AWS's words who it was that asked: a log of a pipeline is read by many."""

from __future__ import annotations

import re

from trnkit.hidden_values import without_secrets

_ARN = re.compile(r"arn:aws[a-z-]*:[^\s\"',;()]+")
_ACCOUNT = re.compile(r"(?<![0-9])[0-9]{12}(?![0-9])")
# https://docs.aws.amazon.com/STS/latest/APIReference/API_DecodeAuthorizationMessage.html
_ENCODED = re.compile(r"(?i)\s*encoded authorization failure message: ?\S+")


def without_identities(text: str) -> str:
    """A text of AWS's without ARNs, ids of accounts, encoded messages and credentials.

    Args:
        text: The whole text: what was cut before can hold a part of an id.
    """
    text = without_secrets(_ENCODED.sub("", text))
    return _ACCOUNT.sub("(an account)", _ARN.sub("(an ARN)", text))
