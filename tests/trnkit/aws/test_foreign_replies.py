"""Replies that AWS did not send are no answers, whatever botocore would make of them."""

from __future__ import annotations

from types import SimpleNamespace

import botocore.session
import pytest

from trnkit.aws.failures import FailureKind, failure_from
from trnkit.aws.foreign_replies import ForeignReplyError, refuse_foreign_replies

EC2 = ("ec2", "DescribeImages")
QUERY = ("cloudformation", "DescribeStacks")
JSON = ("service-quotas", "GetServiceQuota")
REST = ("efs", "DescribeFileSystems")
S3 = ("s3", "HeadBucket")

GOOD = [
    (EC2, 200, b'<?xml version="1.0"?>\n<DescribeImagesResponse xmlns="a"/>'),
    (EC2, 200, b"<!-- x --><ns:DescribeImagesResponse/>"),
    (QUERY, 200, b"\xef\xbb\xbf<DescribeStacksResponse/>"),
    (JSON, 200, b"{}"),
    (JSON, 200, b' {"Quota": {}}\n'),
    (REST, 200, b""),
    (REST, 200, b'{"FileSystems": []}'),
    (S3, 200, b""),
    (S3, 404, b""),
    (EC2, 400, b"<Response><Errors/></Response>"),
    (JSON, 400, b'{"__type": "X"}'),
    (JSON, 403, b""),
    # botocore asks again, and says it in its own way.
    (EC2, 502, b"<html></html>"),
    (JSON, 429, b"<html></html>"),
]
FOREIGN = [
    (EC2, 200, b"<html><body>sign in</body></html>", "a web page with HTTP status 200"),
    (JSON, 200, b"<!DOCTYPE html><html></html>", "a web page with HTTP status 200"),
    (S3, 200, b"<HTML></HTML>", "a web page with HTTP status 200"),
    (JSON, 403, b"<html>blocked</html>", "a web page with HTTP status 403"),
    (EC2, 200, b"", "it is no DescribeImagesResponse"),
    (EC2, 200, b"ok", "it is no DescribeImagesResponse"),
    (EC2, 200, b"<DescribeStacksResponse/>", "it is no DescribeImagesResponse"),
    (QUERY, 200, b"<ErrorResponse/>", "it is no DescribeStacksResponse"),
    (JSON, 200, b"", "it is not JSON"),
    (JSON, 200, b'{"Quota": {"Val', "it is not JSON"),
    (JSON, 200, b"\xff\xfe", "it is not JSON"),
    (JSON, 200, b"[]", "its JSON is no object"),
    (REST, 200, b"ok", "it is not JSON"),
]


def read(operation, status, body, headers=None):
    """Let the hook see a reply, as botocore shows it; returns what is left for the parser."""
    hooks = {}
    events = SimpleNamespace(register=hooks.__setitem__)
    refuse_foreign_replies(SimpleNamespace(meta=SimpleNamespace(events=events)))
    model = botocore.session.get_session().get_service_model(operation[0])
    reply = {"status_code": status, "headers": headers or {}, "body": body}
    hooks["before-parse"](
        operation_model=model.operation_model(operation[1]),
        response_dict=reply,
        customized_response_dict={},
    )
    return reply


@pytest.mark.parametrize(("operation", "status", "body"), GOOD)
def test_what_aws_may_send_is_read_as_it_is(operation, status, body):
    left = read(operation, status, body)
    assert left == {"status_code": status, "headers": {}, "body": body}


@pytest.mark.parametrize(("operation", "status", "body", "words"), FOREIGN)
def test_what_aws_does_not_send_is_no_answer(operation, status, body, words):
    with pytest.raises(ForeignReplyError, match=words) as raised:
        read(operation, status, body)
    failure = failure_from(
        raised.value, service=operation[0], operation=operation[1], region="us-east-2"
    )
    assert failure.kind is FailureKind.UNREACHABLE
    assert not failure.kind.is_answer
    assert f"got no answer (the reply is not AWS's: {words})" in str(failure)


def test_a_page_is_seen_without_its_body_as_head_has_none():
    with pytest.raises(ForeignReplyError, match="a web page with HTTP status 200"):
        read(S3, 200, b"", {"content-type": "text/html; charset=utf-8"})
    read(S3, 200, b"", {"content-type": "application/xml"})
