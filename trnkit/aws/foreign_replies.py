"""Replies that no service of AWS sent: the page of a captive portal, of a proxy, half a document.

botocore reads a reply of the wrong format as an answer that lacks everything, and an answer that
lacks everything says that the account has nothing. Such a reply is no answer.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from botocore.exceptions import HTTPClientError

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROOT = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:\w+:)?([\w!]+)", re.DOTALL)
_PAGES = {b"html", b"!doctype"}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class ForeignReplyError(HTTPClientError):
    """A reply that is no answer of AWS."""

    fmt = "the reply is not AWS's: {what}"


def refuse_foreign_replies(client: Any) -> None:
    """Let a client of boto3 raise `ForeignReplyError` instead of reading what AWS did not send.

    Args:
        client: Any client.
    """
    client.meta.events.register("before-parse", _check)


def _check(operation_model: Any, response_dict: Mapping[str, Any], **_: Any) -> None:
    status, body = response_dict["status_code"], response_dict["body"]
    # botocore asks again after these, whatever they carry; a body that is a stream is not read.
    if status >= 500 or status == 429 or not isinstance(body, bytes):
        return
    body = body.removeprefix(_BYTE_ORDER_MARK)
    root = _ROOT.match(body)
    name = root[1].lower() if root else b""
    # A reply to HEAD has no body, whoever sends it; AWS's own never say that it would be a page.
    kind = str(response_dict["headers"].get("content-type", ""))
    if name in _PAGES or (not body and kind.startswith("text/html")):
        raise ForeignReplyError(what=f"a web page with HTTP status {status}")
    if status < 300:
        wrong = _wrong(operation_model, body, root[1] if root else b"")
        if wrong:
            raise ForeignReplyError(what=wrong)


def _wrong(operation_model: Any, body: bytes, root: bytes) -> str | None:
    """What is wrong with an answer that claims to be one."""
    protocol = operation_model.service_model.resolved_protocol
    if protocol in ("ec2", "query"):
        expected = f"{operation_model.name}Response"
        return None if root == expected.encode() else f"it is no {expected}"
    if protocol == "json" or (protocol == "rest-json" and body):
        try:
            return None if isinstance(json.loads(body), dict) else "its JSON is no object"
        except ValueError:
            return "it is not JSON"
    return None
