"""User data of EKS nodes: its MIME parts, and the NodeConfig that nodeadm reads.

The text comes from `user_data_text`, with `UNKNOWN_PART` where it is known at deployment only.
"""

from __future__ import annotations

import email
import re
from dataclasses import dataclass
from email import errors
from typing import TYPE_CHECKING, Any, cast

import yaml

from trnkit.rules.reading.template_value import as_list, as_mapping
from trnkit.rules.reading.user_data import UNKNOWN_PART

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from email.message import Message

NODE_CONFIG_TYPE = "application/node.eks.aws"
GAP = "UNKNOWN-PART"
"""Stands in a NodeConfig for what is not known, since YAML cannot hold `UNKNOWN_PART`."""
_API = "node.eks.aws/"
_LONGEST = 65_536
"""User data is far shorter; what is longer is not read."""
_HEADER = re.compile(
    r"^[ \t]*(mime-version:|content-type:[ \t]*multipart/)", re.IGNORECASE | re.MULTILINE
)
_ONLY_GAP = re.compile(rf"^[ \t]*{UNKNOWN_PART}[ \t]*$", re.MULTILINE)
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class MimePart:
    """One part of a MIME archive.

    Attributes:
        content_type: For example `text/x-shellscript`, in lower case.
        text: Its content.
    """

    content_type: str
    text: str


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """One NodeConfig.

    Attributes:
        document: Its YAML, every value a text; None when it cannot be parsed.
        is_partial: Whether whole lines of it are not known.
    """

    document: Mapping[str, Any] | None
    is_partial: bool

    def setting(self, *path: str) -> Any:
        """What stands at a path below `spec`; None when it is not there, `GAP` when not known."""
        value: Any = (self.document or {}).get("spec")
        for key in path:
            if value == GAP:
                return GAP
            value = (as_mapping(value) or {}).get(key)
        return value


def mime_parts(text: str) -> tuple[MimePart, ...]:
    """The parts of a MIME archive; empty when the text is none, or its parts cannot be told."""
    if len(text) > _LONGEST or not _HEADER.search(text[:_HEAD]):
        return ()
    message = email.message_from_bytes(text.encode("utf-8", "replace"))
    if not message.is_multipart():
        return ()
    return tuple(_part(part) for part in message.walk() if not part.is_multipart())


def _part(part: Message) -> MimePart:
    kind = part.get_content_type().lower()
    try:
        content = part.get_payload(decode=True)
    except (ValueError, LookupError):
        content = None
    known = content if isinstance(content, bytes) else b""
    return MimePart(kind, known.decode("utf-8", "replace"))


def mime_fault(text: str) -> str | None:
    """Why a text is no MIME archive of user data; None when it is one, or when that is not known.

    Args:
        text: User data, its beginning known.
    """
    if not text.partition(UNKNOWN_PART)[0].strip() or len(text) > _LONGEST:
        return None
    if not _HEADER.search(text[:_HEAD]):
        return None if _is_open(text) else f"is {_kind_of(text)}"
    if text[:1].isspace():
        return "begins with white space, so that its MIME header is not read"
    message = email.message_from_string(text)
    faults = tuple(type(defect) for defect in message.defects)
    if errors.NoBoundaryInMultipartDefect in faults:
        return "names no boundary in its MIME header"
    if errors.StartBoundaryNotFoundDefect in faults:
        return f"has no line --{message.get_boundary()}, the boundary of its MIME header"
    if not message.is_multipart():
        return "has a MIME header without Content-Type: multipart"
    if errors.CloseBoundaryNotFoundDefect in faults and not text.rstrip().endswith(UNKNOWN_PART):
        return f"does not end with --{message.get_boundary()}--, the boundary of its MIME header"
    return None


def _is_open(text: str) -> bool:
    """Whether what comes before a header that is not there may be one."""
    return not text.lstrip().startswith(("#", "<", "apiVersion", "---", "[", "{")) and (
        UNKNOWN_PART in text[:_HEAD]
    )


def _kind_of(text: str) -> str:
    begin = text.lstrip()
    for start, kind in (
        ("#!", "a script"),
        ("#cloud-config", "a cloud-config"),
        ("#cloud-boothook", "a boothook"),
        ("apiVersion", "a bare NodeConfig"),
        ("---", "a bare YAML document"),
    ):
        if begin.startswith(start):
            return kind
    return "a text without MIME header"


def node_configs(text: str) -> tuple[NodeConfig, ...]:
    """Every NodeConfig of user data: those of its parts, or the whole text when it is one."""
    if len(text) > _LONGEST or (_API not in text and NODE_CONFIG_TYPE not in text):
        return ()
    parts = mime_parts(text)
    if parts:
        texts = [part.text for part in parts if part.content_type == NODE_CONFIG_TYPE]
    else:
        texts = [text] if re.match(r"\s*(---|apiVersion:|kind:)", text) else []
    return tuple(config for part in texts for config in _documents(part))


def _documents(text: str) -> Iterable[NodeConfig]:
    is_partial = has_unknown_lines(text)
    plain = text.replace(UNKNOWN_PART, GAP)
    try:
        documents = [yaml.load(part, yaml.BaseLoader) for part in _split(plain)]  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError):
        return [NodeConfig(None, is_partial or GAP in plain)]
    return [
        NodeConfig(cast("Mapping[str, Any]", document), is_partial)
        for document in documents
        if as_mapping(document) is not None
    ]


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"(?m)^---[ \t]*$", text) if part.strip()]


def setting(configs: Iterable[NodeConfig], *path: str) -> Any:
    """What the NodeConfigs together say at a path below `spec`: the last one wins."""
    found = [config.setting(*path) for config in configs]
    return next((value for value in reversed(found) if value is not None), None)


def kubelet_setting(configs: tuple[NodeConfig, ...], key: str, flag: str) -> str | None:
    """A setting of the kubelet, by its configuration or by its flag; None when it is not there."""
    value = setting(configs, "kubelet", "config", key)
    if value is not None:
        return value if isinstance(value, str) else GAP
    for config in configs:
        for written in as_list(config.setting("kubelet", "flags")) or ():
            name, _, given = written.partition("=") if isinstance(written, str) else ("", "", "")
            if name == flag:
                return given
    return None


def has_unknown_lines(text: str) -> bool:
    """Whether whole lines are left to the deployment, which may say anything."""
    return bool(_ONLY_GAP.search(text[:_LONGEST]))


def shell_lines(text: str) -> list[str]:
    """The lines of user data without comments and without what is only white space."""
    lines = (line.strip() for line in text[:_LONGEST].splitlines())
    return [line for line in lines if line and (not line.startswith("#") or line.startswith("#!"))]
