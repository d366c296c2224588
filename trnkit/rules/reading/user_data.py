"""The text of user data, as far as it is known before the deployment, and the parts it has."""

from __future__ import annotations

import base64
import binascii
import email
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml

from trnkit.rules.reading.known_values import plain_text
from trnkit.rules.reading.partial_text import UNKNOWN_PART, partial_text
from trnkit.rules.reading.template_value import as_list, as_mapping, function_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

    from trnkit.rules.reading.template_value import TemplateValue

__all__ = ["UNKNOWN_PART", "Part", "user_data_parts", "user_data_text"]

SHELL = "text/x-shellscript"
CLOUD_CONFIG = "text/cloud-config"
_LONGEST = 1_000_000
"""EC2 takes 16 KB; what is far longer is not unpacked."""
_LONGEST_READ = 65_536
_GZIP = b"\x1f\x8b"
_MIME = re.compile(r"(?:MIME-Version|Content-Type: *multipart/)", re.IGNORECASE)
_STAND_IN = "\ue000"
"""For `UNKNOWN_PART` inside YAML, which takes no control characters."""
_KINDS = (
    ("#!", SHELL),
    ("#cloud-config", CLOUD_CONFIG),
    ("#cloud-boothook", "text/cloud-boothook"),
    ("#include", "text/x-include-url"),
    ("#part-handler", "text/part-handler"),
    ("apiVersion: node.eks.aws", "application/node.eks.aws"),
    ("---\napiVersion: node.eks.aws", "application/node.eks.aws"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of user data.

    Attributes:
        content_type: Its MIME type, also when only its first line tells; empty when not known.
        text: What it says, with `UNKNOWN_PART` where that is not known.
        filename: Where cloud-init writes it, or the name that a MIME part has.
        is_run: Whether the node runs it as a shell script.
    """

    content_type: str
    text: str
    filename: str | None = None
    is_run: bool = False


def user_data_text(data: TemplateValue) -> str | None:
    """The text, with `UNKNOWN_PART` where it is not known; None when nothing is."""
    if isinstance(data.raw, str):
        try:
            return _unpacked(base64.b64decode("".join(data.raw.split()), validate=True))
        except (binascii.Error, ValueError):
            return None
    function, arguments = function_of(data.raw)
    if function == "Fn::Base64" and len(arguments) == 1:
        return partial_text(data.resource.template, arguments[0])
    return None


def user_data_parts(data: TemplateValue) -> tuple[Part, ...]:
    """The parts of user data: one, or those of a MIME archive; then what cloud-config holds.

    The commands of a cloud-config, and the files that it writes, follow it as parts of their own.

    Args:
        data: The user data, e.g. the `UserData` of a launch template.

    Returns:
        Nothing when none of its text is known.
    """
    text = user_data_text(data)
    return () if text is None else tuple(_parts(text))


def _parts(text: str) -> Iterator[Part]:
    found = [Part(_kind(text), text, None, _kind(text) == SHELL)]
    if _MIME.match(text.lstrip()) and len(text) <= _LONGEST_READ:
        found = _of_archive(text.lstrip()) or found
    for part in found:
        yield part
        if part.content_type == CLOUD_CONFIG and len(part.text) <= _LONGEST_READ:
            yield from _of_cloud_config(part.text)


def _kind(text: str) -> str:
    start = text.lstrip()
    if start.startswith(UNKNOWN_PART):
        return ""
    return next((kind for sign, kind in _KINDS if start.startswith(sign)), "text/plain")


def _of_archive(text: str) -> list[Part]:
    """The parts of a MIME archive; empty when it is none."""
    try:
        # Bytes, since a part of a string loses what is not ASCII.
        message = email.message_from_bytes(text.encode("utf-8", "replace"))
        is_archive = message.is_multipart()
        return [_mime_part(p) for p in message.walk() if not p.is_multipart()] if is_archive else []
    except RecursionError:  # Archives in archives, hundreds deep.
        return []


def _mime_part(part: Message) -> Part:
    payload = part.get_payload(decode=True)
    text = (_unpacked(payload) if isinstance(payload, bytes) else None) or ""
    kind = part.get_content_type().lower()
    # cloud-init goes by the first line when the header says no more than "text".
    kind = _kind(text) if kind in ("text/plain", "application/octet-stream") else kind
    return Part(kind, text, part.get_filename(), kind == SHELL)


def _of_cloud_config(text: str) -> Iterator[Part]:
    # Merged mappings may be merged again and again, each time many times larger.
    if "<<" in re.sub("<<-?['\"]?[A-Za-z_]", "", text):
        return
    try:
        parsed: Any = yaml.safe_load(text.replace(UNKNOWN_PART, _STAND_IN))
    except (yaml.YAMLError, RecursionError, ValueError):
        return
    config = as_mapping(parsed) or {}
    for key in ("bootcmd", "runcmd"):
        lines = [_command(command) for command in as_list(config.get(key)) or []]
        if lines:
            yield Part(SHELL, "\n".join(lines).replace(_STAND_IN, UNKNOWN_PART), None, True)
    for entry in as_list(config.get("write_files")) or []:
        file = as_mapping(entry) or {}
        content, path = file.get("content"), file.get("path")
        if isinstance(content, str) and isinstance(path, str):
            known = _file_content(content, str(file.get("encoding") or ""))
            written = known.replace(_STAND_IN, UNKNOWN_PART)
            yield Part(_kind(written), written, path.replace(_STAND_IN, UNKNOWN_PART))


def _command(command: Any) -> str:
    """A command as a line of shell; a list is its words."""
    words = as_list(command)
    return " ".join(plain_text(word) or "" for word in ([command] if words is None else words))


def _file_content(content: str, encoding: str) -> str:
    if encoding.lower() in ("", "text/plain"):
        return content
    try:
        return _unpacked(base64.b64decode("".join(content.split()))) or UNKNOWN_PART
    except (binascii.Error, ValueError):
        return UNKNOWN_PART


def _unpacked(raw: bytes) -> str | None:
    """Text of bytes that may be gzipped; None when it is none, or far too long."""
    if raw.startswith(_GZIP):
        unpacking = zlib.decompressobj(wbits=31)
        try:
            raw = unpacking.decompress(raw, _LONGEST)
        except zlib.error:
            return None
        if unpacking.unconsumed_tail:
            return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
