"""What goes wrong between a client and AWS, by rules.

A rule is for all calls, or for those of a service, an operation, a Region, an access key. The first
that fits and whose turn it is decides.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from moto.core.utils import get_service_model

from tests.aws_server.wire import Reply, refusal_in_words_of, reply_with

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.aws_server.wire import Question


class Fault(Enum):
    """What becomes of a call.

    HANG sends nothing for as long as the client waits; CUT closes the connection before an answer,
    CUT_SHORT in the middle of one; HALF is the first half of an answer, sent as if it were all;
    EMPTY is an answer without a single member; CAPTIVE_PORTAL is a web page with status 200,
    BAD_GATEWAY one of a proxy.
    """

    THROTTLED = "throttled"
    DENIED = "denied"
    DENIED_BY_ORGANIZATION = "denied by organization"
    NOT_ACCEPTED = "not accepted"
    REGION_OFF = "region off"
    EXPIRED = "expired"
    SERVER_ERROR = "server error"
    BAD_GATEWAY = "bad gateway"
    CAPTIVE_PORTAL = "captive portal"
    HALF = "half"
    EMPTY = "empty"
    HANG = "hang"
    CUT = "cut"
    CUT_SHORT = "cut short"


_WHO = "User: arn:aws:sts::111122223333:assumed-role/deployer/build-7"

# Code, status and message by protocol, as AWS's own services word them.
_THROTTLED = {
    "ec2": ("RequestLimitExceeded", 503, "Request limit exceeded."),
    "query": ("Throttling", 400, "Rate exceeded"),
    "json": ("ThrottlingException", 400, "Rate exceeded"),
    "rest-json": ("TooManyRequestsException", 429, "Too Many Requests"),
    "rest-xml": ("SlowDown", 503, "Please reduce your request rate."),
}
_NOT_ACCEPTED = {
    "ec2": ("AuthFailure", 401, "AWS was not able to validate the provided access credentials"),
    "query": (
        "InvalidClientTokenId",
        403,
        "The security token included in the request is invalid.",
    ),
    "json": ("UnrecognizedClientException", 400, "The security token included is invalid."),
    "rest-json": ("UnrecognizedClientException", 403, "The security token is invalid."),
    "rest-xml": ("InvalidAccessKeyId", 403, "The AWS Access Key Id you provided does not exist."),
}
_EXPIRED = {
    "ec2": ("RequestExpired", 400, "Request has expired."),
    "query": ("ExpiredToken", 403, "The security token included in the request is expired"),
    "json": ("ExpiredTokenException", 400, "The security token included is expired"),
    "rest-json": ("ExpiredTokenException", 403, "The security token included is expired"),
    "rest-xml": ("ExpiredToken", 400, "The provided token has expired."),
}
_REGION_OFF = ("OptInRequired", 403, "You are not subscribed to this service.")
_DENIED_CODES = {
    "ec2": ("UnauthorizedOperation", 403),
    "query": ("AccessDenied", 403),
    "json": ("AccessDeniedException", 400),
    "rest-json": ("AccessDeniedException", 403),
    "rest-xml": ("AccessDenied", 403),
}
_SERVER_ERRORS = {
    "ec2": "InternalError",
    "query": "InternalFailure",
    "json": "InternalServerError",
    "rest-json": "InternalFailure",
    "rest-xml": "InternalError",
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """When which fault happens.

    Attributes:
        fault: What becomes of the call.
        service: Of which service, as boto3 calls it; None is all.
        operation: Of which operation; None is all.
        region: In which Region; None is all.
        access_key: Of whose calls; None is everybody's.
        every: Of the calls that fit, each of this number; 1 is all.
    """

    fault: Fault
    service: str | None = None
    operation: str | None = None
    region: str | None = None
    access_key: str | None = None
    every: int = 1
    _turns: Iterator[int] = field(default_factory=lambda: itertools.count(1), compare=False)
    _counting: threading.Lock = field(default_factory=threading.Lock, compare=False)

    def hits(self, question: Question) -> bool:
        """Whether it is this call's turn; a call that fits is counted."""
        wanted = (self.service, self.operation, self.region, self.access_key)
        asked = (question.service, question.operation, question.region, question.access_key)
        if any(want not in (None, has) for want, has in zip(wanted, asked, strict=True)):
            return False
        with self._counting:
            return next(self._turns) % self.every == 0


def faulty_reply(fault: Fault, question: Question) -> Reply | None:
    """What is sent instead of the answer; None when the fault is in the connection."""
    protocol = get_service_model(question.service).protocol
    if fault in (Fault.DENIED, Fault.DENIED_BY_ORGANIZATION):
        code, status = _DENIED_CODES[protocol]
        return refusal_in_words_of(question, code, _denied_words(fault, question), status)
    if fault is Fault.SERVER_ERROR:
        code = _SERVER_ERRORS[protocol]
        return refusal_in_words_of(question, code, "An internal error has occurred", 500)
    if fault is Fault.EMPTY:
        return reply_with(question, {})
    if fault is Fault.BAD_GATEWAY:
        page = b"<html><body><h1>502 Bad Gateway</h1></body></html>"
        return Reply(502, {"Content-Type": "text/html"}, page)
    if fault is Fault.CAPTIVE_PORTAL:
        page = b"<html><body>Sign in to the <b>guest network</body></html>"
        return Reply(200, {"Content-Type": "text/html"}, page)
    words = {
        Fault.THROTTLED: _THROTTLED,
        Fault.NOT_ACCEPTED: _NOT_ACCEPTED,
        Fault.EXPIRED: _EXPIRED,
        Fault.REGION_OFF: dict.fromkeys(_THROTTLED, _REGION_OFF),
    }
    if fault not in words:
        return None
    code, status, message = words[fault][protocol]
    return refusal_in_words_of(question, code, message, status)


def _denied_words(fault: Fault, question: Question) -> str:
    signed = get_service_model(question.service).signing_name
    action = f"{signed}:{question.operation}"
    why = "because no identity-based policy allows the action"
    if fault is Fault.DENIED_BY_ORGANIZATION:
        why = "with an explicit deny in a service control policy"
    return f"{_WHO} is not authorized to perform: {action} on resource: * {why}"
