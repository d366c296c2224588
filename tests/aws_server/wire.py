"""Requests as they come over the network, and answers as they go back, in AWS's protocols."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

import botocore.session
from botocore.parsers import create_parser
from botocore.validate import ParamValidator
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request
from moto.core.routing import get_service_router
from moto.core.serialize import get_serializer_class
from moto.core.utils import get_service_model

from trnkit.aws.permissions import read_operations

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCOPE = re.compile(
    r"Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<signed>[^/]+)/aws4_request"
)

_MORE_SERVICES = ("autoscaling", "efs", "iam", "lambda", "logs", "organizations", "sns")
"""Beside those that trnkit asks: a call to one of them has a name in the record, too."""


class UnreadableRequestError(Exception):
    """A request that no service of AWS could read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request.

    Attributes:
        service: As boto3 calls it.
        operation: The API's name.
        region: The Region that the signature is for.
        access_key: Of who asks.
        parameters: By the API's names.
    """

    service: str
    operation: str
    region: str
    access_key: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer on the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def _services_by_signature() -> dict[str, str]:
    names = {operation.service for operation in read_operations()} | set(_MORE_SERVICES)
    return {get_service_model(name).signing_name: name for name in sorted(names)}


def prepare() -> None:
    """Read the models once, before many threads want them at the same time."""
    for name in _services_by_signature().values():
        get_service_router(name)
        _botocore_model(name)


def question_of(method: str, path: str, headers: Mapping[str, str], body: bytes) -> Question:
    """What a request asks.

    Args:
        method: The HTTP method.
        path: Path and query.
        headers: All headers.
        body: The body.

    Raises:
        UnreadableRequestError: It is not signed, or for a service or operation that is not known.
    """
    by_name = {name.lower(): value for name, value in headers.items()}
    signature = _SCOPE.search(by_name.get("authorization", ""))
    if signature is None:
        raise UnreadableRequestError(f"{method} {path} is not signed")
    service = _services_by_signature().get(signature["signed"])
    if service is None:
        raise UnreadableRequestError(f"{method} {path} is for {signature['signed']}")
    model = get_service_model(service)
    host = by_name.get("host", "127.0.0.1")
    request = Request.from_primitives(method, f"http://{host}{path}", headers, body)
    parser_class = PROTOCOL_PARSERS[model.protocol]
    try:
        operation, labels = get_service_router(service).match(request)
        parsed = parser_class(operation).parse(
            {
                "method": method,
                "values": request.values,
                "headers": request.headers,
                "body": body,
                "url_path": urlsplit(path).path,
                "url_params": labels,
            }
        )
    except Exception as error:
        raise UnreadableRequestError(f"{service}: {method} {path}: {error!r}") from error
    return Question(
        service=service,
        operation=operation.name,
        region=signature["region"],
        access_key=signature["key"],
        parameters=parsed,
    )


def reply_with(question: Question, answer: Mapping[str, Any]) -> Reply:
    """An answer as its service would send it.

    Raises:
        AssertionError: AWS could not give this answer: it does not fit the output shape.
    """
    model = get_service_model(question.service).operation_model(question.operation)
    hold_to_shape(question, answer)
    serializer = get_serializer_class(question.service, model.service_model.protocol)(model)
    made = serializer.serialize(dict(answer))
    body = made["body"]
    return Reply(
        made["status_code"],
        {str(name): str(value) for name, value in made["headers"].items()},
        body.encode() if isinstance(body, str) else b"".join([body]),
    )


def refusal_in_words_of(question: Question, code: str, message: str, status: int) -> Reply:
    """An error as the protocol of the service has it.

    Sources:
        https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
        https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#operation-error-serialization
        https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html#operation-error-serialization
        https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
    """
    protocol = get_service_model(question.service).protocol
    if protocol in ("json", "rest-json"):
        headers = {"Content-Type": "application/x-amz-json-1.1", "x-amzn-ErrorType": code}
        told = {"message": message} | ({"__type": code} if protocol == "json" else {})
        return Reply(status, headers, json.dumps(told).encode())
    error = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    number = "<RequestId>5f3b1c9e</RequestId>"
    forms = {
        "ec2": f"<Response><Errors><Error>{error}</Error></Errors>"
        "<RequestID>5f3b1c9e</RequestID></Response>",
        "query": f"<ErrorResponse><Error><Type>Sender</Type>{error}</Error>{number}"
        "</ErrorResponse>",
        "rest-xml": f"<Error>{error}{number}</Error>",
    }
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n{forms[protocol]}'
    return Reply(status, {"Content-Type": "text/xml;charset=UTF-8"}, text.encode())


def hold_to_shape(question: Question, answer: Mapping[str, Any]) -> None:
    """Compare an answer with the output shape of its operation.

    Raises:
        AssertionError: It does not fit.
    """
    shape = _botocore_model(question.service).operation_model(question.operation).output_shape
    if shape is None:
        assert not answer, f"{question.service} {question.operation} answers nothing"
        return
    unknown = set(answer) - set(shape.members)
    assert not unknown, f"{question.service} {question.operation} has no {sorted(unknown)}"
    report = ParamValidator().validate(dict(answer), shape)
    assert not report.has_errors(), f"{question.operation}: {report.generate_report()}"


def read_as_botocore_does(question: Question, reply: Reply) -> dict[str, Any]:
    """What a client makes of a reply."""
    model = _botocore_model(question.service)
    parser = create_parser(model.resolved_protocol)
    headers = {name.lower(): value for name, value in reply.headers.items()}
    told = {"status_code": reply.status, "headers": headers, "body": reply.body}
    parsed = parser.parse(told, model.operation_model(question.operation).output_shape)
    return {name: value for name, value in parsed.items() if name != "ResponseMetadata"}


@cache
def _botocore_model(service: str) -> Any:
    return botocore.session.get_session().get_service_model(service)
