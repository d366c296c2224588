"""The instance metadata service (IMDS): whether it answers, and of which type it says this is."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from .outcome import Outcome, failed, passed

if TYPE_CHECKING:
    from .expected import Expected
    from .machine import Machine

ENDPOINT = "http://169.254.169.254"
ENDPOINT_NAMES = ("TRNKIT_IMDS", "AWS_EC2_METADATA_SERVICE_ENDPOINT")
"""As the boot scripts and AWS's own tools name another one."""
MOST_SECONDS = 2.0
ASSET_TAG = "/sys/devices/virtual/dmi/id/board_asset_tag"


def check_metadata(machine: Machine, expected: Expected) -> list[Outcome]:
    """IMDSv2 answers, so that jobs get the role's credentials, and names the expected type."""
    kind = expected.instance_type
    wanted = f"IMDSv2 says {kind}" if kind else "IMDSv2 answers"
    others = (machine.environment.get(name) for name in ENDPOINT_NAMES)
    base = next((other for other in others if other), ENDPOINT)
    try:
        found = _ask_in_time(base, min(MOST_SECONDS, machine.left()))
    except _NoAnswerError as error:
        remedy = (
            "let no firewall rule of the node stand before it; see `aws ec2 describe-instances`, "
            "MetadataOptions"
        )
        return [failed(f"{base}: {error}", wanted, remedy)]
    if kind and found != kind:
        return [
            failed(f"this is {found[:40]!r}", wanted, "correct the instance type, replace the node")
        ]
    return [passed(f"IMDSv2 says {found[:40]}", wanted)]


def instance_id(machine: Machine) -> str | None:
    """This instance's id, from its firmware; None elsewhere."""
    text = (machine.text(ASSET_TAG) or "").strip()
    return text if text.startswith("i-") and text[2:].isalnum() else None


class _NoAnswerError(Exception):
    pass


def _ask_in_time(base: str, seconds: float) -> str:
    """Ask; the time is for all of it, not for each byte of an answer that trickles in."""
    found: list[str | _NoAnswerError] = []

    def ask() -> None:
        try:
            found.append(_ask(base, seconds))
        except _NoAnswerError as error:
            found.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    # A little more than the time-out of each step, whose words say which it was.
    asking.join(seconds + 0.2)
    if not found:
        raise _NoAnswerError(f"no whole answer within {seconds:.1f} s: timed out")
    if isinstance(found[0], _NoAnswerError):
        raise found[0]
    return found[0]


def _ask(base: str, seconds: float) -> str:
    # Here because before each job this check is left out, and the import takes longest of all.
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    def answer(method: str, path: str, headers: dict[str, str]) -> str:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        body = response.read(1024).decode("utf-8", "replace").strip()
        response.close()
        if response.status != 200:
            raise _NoAnswerError(f"{method} {path} was answered with {response.status}")
        return body

    try:
        parts = urlsplit(base)
        connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=seconds)
        try:
            life = {"X-aws-ec2-metadata-token-ttl-seconds": "60"}
            token = answer("PUT", "/latest/api/token", life)
            held = {"X-aws-ec2-metadata-token": token}
            return answer("GET", "/latest/meta-data/instance-type", held)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        raise _NoAnswerError(str(error) or type(error).__name__) from error
