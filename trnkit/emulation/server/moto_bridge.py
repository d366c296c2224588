"""The services of moto, for requests that come over the network and for clients in this process."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from trnkit.emulation.borrowed import module

SERVICES = frozenset(
    {"autoscaling", "budgets", "ce", "ec2", "elasticfilesystem", "fsx", "scheduler"}
)
"""Services, by the name a signature gives them, whose state moto keeps."""

# Services with one endpoint for all regions.
_GLOBAL_HOSTS = {"budgets": "budgets.amazonaws.com", "ce": "ce.us-east-1.amazonaws.com"}

_SCOPE = re.compile(r"Credential=[^/]+/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request")


def start(account: str) -> None:
    """Make moto answer every boto3 client of this process.

    Args:
        account: The account id of the emulated AWS.
    """
    os.environ["MOTO_ACCOUNT_ID"] = account
    module("moto.core.models").botocore_stubber.enabled = True
    _read_regions_once()


def _read_regions_once() -> None:
    """Import moto's list of regions, for which it reads botocore's three times."""
    boto3 = module("boto3")
    usual, one = boto3.Session, boto3.Session()
    boto3.Session = lambda: one
    try:
        module("moto.ec2.models.availability_zones_and_regions")
    finally:
        boto3.Session = usual


def signed_for(authorization: str) -> tuple[str, str] | None:
    """Service and region that a signature names, None without one."""
    match = _SCOPE.search(authorization)
    return (match["service"], match["region"]) if match else None


def answer(
    service: str, region: str, method: str, path: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, dict[str, str], bytes]:
    """Give the answer of moto to one request.

    Args:
        service: The service's name in the signature.
        region: The region's name in the signature.
        method: The HTTP method.
        path: Path and query.
        headers: The request's headers.
        body: The request's body.

    Returns:
        Status, headers and body.
    """
    host = _GLOBAL_HOSTS.get(service, f"{service}.{region}.amazonaws.com")
    sent = module("botocore.compat").HTTPHeaders()
    for name, value in headers.items():
        sent[name] = value
    if "host" in sent:
        sent.replace_header("host", host)
    request = module("botocore.awsrequest").AWSPreparedRequest(
        method=method, url=f"https://{host}{path}", headers=sent, body=body, stream_output=False
    )
    answered = module("moto.core.models").botocore_stubber.process_request(request)
    if answered is None:
        return 501, {"content-type": "text/plain"}, b"this service is not emulated"
    status, told, content = answered
    if isinstance(content, str):
        content = content.encode()
    return status, {str(k).lower(): str(v) for k, v in told.items()}, content
