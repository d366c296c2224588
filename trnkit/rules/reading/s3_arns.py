"""ARNs of S3 in templates, put together in whatever way: the bucket, and whether objects in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.template_value import as_list, as_mapping, function_of, properties_of

if TYPE_CHECKING:
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, Template

BUCKET = "AWS::S3::Bucket"
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SERVICE = ":s3:::"
_MAX_DEPTH = 10
_SOME_TEXT = "\0"
"""Stands for a text that is not known and is no path: an account id, a Region."""
_GENERATED_NAME = re.compile(".*-[a-z0-9]{8,}")
"""CloudFormation ends the names that it makes like this."""
_PSEUDO = ("AWS::AccountId", "AWS::Region", "AWS::Partition", "AWS::StackName")

Piece = str | Reference | None
"""Known text, a reference to a resource, or None for what is not known."""


@dataclass(frozen=True, slots=True)
class S3Arn:
    """What an ARN names.

    Attributes:
        bucket: The bucket of the set, the text of its name, or None when it is not known.
        level: Whether the ARN is the bucket's, that of objects, or either.
    """

    bucket: Resource | str | None
    level: Literal["bucket", "object", "unknown"]


def s3_arn(value: TemplateValue) -> S3Arn:
    """Read an ARN of S3. Names with wildcards may be those of several buckets, and of objects."""
    pieces = pieces_of(value)
    first = pieces[0] if pieces else None
    if _names(first, "Arn"):
        return _beginning_with(first, pieces[1:])
    for index, piece in enumerate(pieces):
        _, found, rest = piece.partition(_SERVICE) if isinstance(piece, str) else ("", "", "")
        if found:
            return _named([rest, *pieces[index + 1 :]] if rest else pieces[index + 1 :])
    # The beginning is not known. Only a path tells that objects are meant.
    known = pieces[1:] if first is None else ()
    has_path = any(isinstance(piece, str) and "/" in piece for piece in known)
    return S3Arn(None, "object" if has_path else "unknown")


def _named(pieces: list[Piece]) -> S3Arn:
    """What a name stands for that begins with the first of the pieces."""
    first = pieces[0] if pieces else None
    if _names(first, None):
        return _beginning_with(first, pieces[1:])
    if not isinstance(first, str):
        return S3Arn(None, _level(pieces))
    name, slash, _ = first.partition("/")
    if slash:
        return S3Arn(_literal(name), "object")
    if _is_pattern(name):
        return S3Arn(None, "object" if _level(pieces[1:]) == "object" else "unknown")
    following = pieces[1] if len(pieces) > 1 else ""
    whole = isinstance(following, str) and following[:1] in ("", "/")
    return S3Arn(_literal(name) if whole else None, _level(pieces[1:]))


def _beginning_with(bucket: Piece, rest: list[Piece]) -> S3Arn:
    following = rest[0] if rest else ""
    whole = isinstance(following, str) and following[:1] in ("", "/")
    known = bucket.resource if isinstance(bucket, Reference) and whole else None
    return S3Arn(known, _level(rest))


def _level(rest: list[Piece]) -> Literal["bucket", "object", "unknown"]:
    """What the pieces after (a part of) a bucket's name make of the ARN."""
    if any(isinstance(piece, str) and "/" in piece for piece in rest):
        return "object"
    certain = all(_names(p, None) or (isinstance(p, str) and not _is_pattern(p)) for p in rest)
    return "bucket" if certain else "unknown"


def _names(piece: Piece, attribute: str | None) -> bool:
    is_bucket = isinstance(piece, Reference) and piece.resource.type == BUCKET
    return isinstance(piece, Reference) and is_bucket and piece.attribute == attribute


def _literal(name: str) -> str | None:
    return None if _is_pattern(name) or _SOME_TEXT in name else name


def _is_pattern(name: str) -> bool:
    return "*" in name or "?" in name


def are_different(own: Resource | str, other: Resource | str) -> bool:
    """Whether two are certainly not one bucket: a resource may well have the other's name."""
    if isinstance(own, str) and isinstance(other, str):
        return own != other
    if isinstance(own, str) or isinstance(other, str):
        resource, name = (other, own) if isinstance(own, str) else (own, other)
        if isinstance(resource, str) or not isinstance(name, str):
            return False
        given = properties_of(resource)["BucketName"]
        if given.is_absent:
            return _GENERATED_NAME.fullmatch(name) is None
        return given.text() is not None and given.text() != name
    return own is not other


def pieces_of(value: TemplateValue) -> list[Piece]:
    """A text put together by functions, in its pieces; one text when all of it is known."""
    return _pieces(value.raw, value.resource.template)


def _pieces(raw: Any, template: Template, depth: int = 0) -> list[Piece]:
    value = template.resolve(raw)
    text = template.text(raw)
    if text is not None:
        return [text]
    if isinstance(value, Reference):
        return [value]
    function, arguments = function_of(raw)
    if function == "Ref" and arguments and arguments[0] in _PSEUDO:
        return [_SOME_TEXT]
    if depth > _MAX_DEPTH or not arguments:
        return [None]
    if function == "Fn::Join" and arguments[0] == "":
        parts = as_list(arguments[-1])
        found = [piece for part in parts or () for piece in _pieces(part, template, depth + 1)]
        return _merged(found) or [None]
    if function == "Fn::Sub" and isinstance(arguments[0], str):
        values = as_mapping(arguments[1]) if len(arguments) > 1 else None
        return _merged(_substituted(arguments[0], values or {}, template, depth)) or [None]
    return [None]


def _substituted(pattern: str, values: Any, template: Template, depth: int) -> list[Piece]:
    found: list[Piece] = []
    for index, part in enumerate(_VARIABLE.split(pattern)):
        if index % 2 == 0:
            found.append(part)
        elif part.startswith("!"):
            found.append(f"${{{part[1:]}}}")
        elif part in values:
            found += _pieces(values[part], template, depth + 1)
        else:
            logical_id, dot, attribute = part.partition(".")
            call = {"Fn::GetAtt": [logical_id, attribute]} if dot else {"Ref": part}
            found += _pieces(call, template, depth + 1)
    return found


def _merged(pieces: list[Piece]) -> list[Piece]:
    """The pieces with neighbouring texts as one, and without empty ones."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if isinstance(piece, str) and isinstance(last, str):
            merged[-1] = last + piece
        elif piece != "":
            merged.append(piece)
    return merged
