"""What the user data of a launch template says of the boot: settings, the bundle, its checksums."""

from __future__ import annotations

import base64
import binascii
import email
import email.policy
import gzip
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LONGEST = 16_384
"""Bytes that user data may have before it is encoded.

Source: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html
"""

# In a cloud-config part the lines of a file are indented.
_SETTING = re.compile(r"^[ \t]*(?P<name>TRNKIT_[A-Z0-9_]+)=(?P<value>.*)$", re.MULTILINE)
_KEY = re.compile(r"\b[0-9a-f]{64}\.zip\b")
# A line of `sha256sum`; the first one may stand behind the name of a variable.
_CHECKSUM = re.compile(r"\b(?P<sum>[0-9a-f]{64}) [ *](?:\./)?(?P<path>[^\s'\"]+)")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class BootText:
    """The readable parts of user data.

    Attributes:
        size: Its bytes before base64.
        parts: The text of each part; of one part where it is no multipart.
        broken: Why it cannot be read, empty where it can.
    """

    size: int
    parts: tuple[str, ...]
    broken: str = ""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def keys(self) -> tuple[str, ...]:
        """Object keys of assets that it names: the CDK names them by their hash."""
        found = [key for part in self.parts for key in _KEY.findall(part)]
        return tuple(dict.fromkeys(found))

    @property
    def checksums(self) -> dict[str, str]:
        """The SHA-256 of each file that it names, by the file's path, as `sha256sum` lists them."""
        found = (match for part in self.parts for match in _CHECKSUM.finditer(part))
        return {match["path"]: match["sum"] for match in found}

    @property
    def bundle_digest(self) -> str | None:
        """The one SHA-256 over the list of all files and their sums, where it names that."""
        return self.settings.get("TRNKIT_BUNDLE_SHA256")

    def named(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those names that stand in it as words of their own."""
        text = "\n".join(self.parts)
        return tuple(
            name for name in names if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)
        )


def boot_text(encoded: str) -> BootText:
    """Read user data.

    Args:
        encoded: As DescribeLaunchTemplateVersions tells it, in base64.
    """
    try:
        data = base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        return BootText(size=0, parts=(), broken=f"not base64: {error}")
    text = _text(data)
    parts, defects = _parts(text) if _is_multipart(text) else ((text,), ())
    return BootText(
        size=len(data),
        parts=parts,
        broken="; ".join(defects),
        settings=dict(_settings("\n".join(parts))),
    )


def _is_multipart(text: str) -> bool:
    head = text.partition("\n\n")[0].replace("\r", "").lower()
    return "content-type: multipart/" in head


def _parts(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text of each part, and what is wrong with the message as such."""
    message = email.message_from_string(text, policy=email.policy.default)
    parts: list[str] = []
    defects = [type(defect).__name__ for defect in message.defects]
    for part in message.walk():
        if part.is_multipart():
            continue
        defects += [type(defect).__name__ for defect in part.defects]
        payload = part.get_payload(decode=True)
        assert isinstance(payload, bytes)
        parts.append(_text(payload))
    return tuple(parts), tuple(defects)


def _text(data: bytes) -> str:
    if data.startswith(_GZIP):
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace")


def _settings(text: str) -> Iterator[tuple[str, str]]:
    for match in _SETTING.finditer(text):
        try:
            words = shlex.split(match["value"], comments=True)
        except ValueError:  # it goes on in the next line, or is no plain assignment
            continue
        if len(words) <= 1:
            yield match["name"], "".join(words)
