"""Whose policy denies, as far as AWS's words tell: what helps depends on it.

Most services say it in one of two forms, and some say nothing; EC2 may put it into a message that
only `aws sts decode-authorization-message` can read.

Sources:
    https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
    https://docs.aws.amazon.com/STS/latest/APIReference/API_DecodeAuthorizationMessage.html
    https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/custom-tags.html
    https://docs.aws.amazon.com/cost-management/latest/userguide/ce-enable.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

DeniedBy = Literal["account", "organization", "other-account"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """A denial whose reason AWS told.

    Attributes:
        by: Where the obstacle is: in the account; in the organization, so that no policy of the
            account helps; or in being another account than the organization's management account.
        remedy: What helps, with `{permission}`; None where nothing special does.
    """

    by: DeniedBy
    remedy: str | None = None


# AWS's page of examples has `a`, `an` and `the`, `session` and `sessions`, and a boundary that is
# no policy. An ARN of the policy may follow.
_TYPE = r"([a-z-]+(?: [a-z-]+){0,2}) (policy|boundary)"
_EXPLICIT = re.compile(rf"explicit deny in (?:an?|the) {_TYPE}", re.IGNORECASE)
_IMPLICIT = re.compile(rf"because no {_TYPE} allows", re.IGNORECASE)
_OF_THE_ORGANIZATION = ("service control policy", "resource control policy")
_PLACES = {
    "permissions boundary": "the permissions boundary of the role or user",
    "session policy": "the session policy",
    "sessions policy": "the session policy",
    "vpc endpoint policy": "the VPC endpoint's policy",
    "resource-based policy": "the policy of what is asked for",
    "role trust policy": "the trust policy of the role",
    "identity-based policy": "the policies of the role or user",
}

_OF_THE_MANAGEMENT_ACCOUNT = "linked account doesn't have access"
_COST_EXPLORER_OFF = "not enabled for cost explorer access"
_ENCODED = "encoded authorization failure message"


def denial_in(message: str) -> Denial | None:
    """What a message of AWS's says of the reason; None when it does not say.

    Args:
        message: Of an error whose code is one of denial.
    """
    for form, template in (
        (_EXPLICIT, "remove the explicit deny of {{permission}} from {place}"),
        (_IMPLICIT, "let {place} allow {{permission}}"),
    ):
        if found := form.search(message):
            kind = f"{found[1]} {found[2]}".lower()
            if kind in _OF_THE_ORGANIZATION:
                return Denial(by="organization")
            return Denial(by="account", remedy=_remedy(kind, template, form is _EXPLICIT))
    lower = message.lower()
    if _OF_THE_MANAGEMENT_ACCOUNT in lower:
        return Denial(by="other-account")
    if _COST_EXPLORER_OFF in lower:
        remedy = "switch on Cost Explorer in the console of Billing and Cost Management"
        return Denial(by="account", remedy=remedy)
    if _ENCODED in lower:
        return Denial(
            by="account",
            remedy="let the role or user call {permission} (`aws sts "
            "decode-authorization-message` tells whose policy denies)",
        )
    return None


def _remedy(kind: str, template: str, is_explicit: bool) -> str | None:
    """None for what is simply not allowed, and for types of policy that are not known."""
    place = _PLACES.get(kind)
    if place is None or (kind == "identity-based policy" and not is_explicit):
        return None
    return template.format(place=place)
