"""The two ends of a data repository association: a folder, and a place in S3.

Sources:
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
"""

from __future__ import annotations

import ipaddress
import re

from trnkit.layout.lustre_judgement import Objection

_REPOSITORY = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(/.*)?", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def judge_file_system_path(path: str) -> Objection | None:
    """Judge an association's folder. The API takes a trailing slash, so this does too."""
    kept = [part for part in _CONTROL.sub("", path).split("/") if part not in ("", ".", "..")]
    hint = f"write /{'/'.join(kept)}"
    if not path.startswith("/"):
        return Objection(f"is {path}, which does not begin with a slash", hint)
    if "//" in path:
        return Objection(f"is {path}, which holds an empty folder name", hint)
    if any(part in (".", "..") for part in path.split("/")):
        return Objection(f"is {path}, which holds . or .. as a folder name", hint)
    if _CONTROL.search(path):
        return Objection(f"is {path!r}, which holds control characters", hint)
    return None


def judge_repository_path(path: str) -> Objection | None:
    """Judge an association's bucket or prefix."""
    found = _REPOSITORY.fullmatch(path)
    if found is None or _CONTROL.search(path):
        text = f"is {path if path.isprintable() else repr(path)}; "
        return Objection(f"{text}must be s3://bucket or s3://bucket/prefix", _nearest(path))
    bucket = found[1]
    if ".." in bucket:
        text = f"is {path}; a bucket's name has no two full stops side by side"
        return Objection(text, "write the bucket's own name")
    if _is_address(bucket):
        text = f"is {path}; a bucket's name does not look like an IP address"
        return Objection(text, "write the bucket's own name")
    return None


def _is_address(bucket: str) -> bool:
    try:
        ipaddress.IPv4Address(bucket)
    except ValueError:
        return False
    return True


def _nearest(path: str) -> str:
    bucket, _, prefix = path.partition("://")[2].partition("/")
    clean = re.sub("/+", "/", prefix).strip("/")
    right = "/".join(filter(None, [bucket, clean]))
    if "://" not in path:
        right = re.sub("/+", "/", path.removeprefix("arn:aws:s3:::")).strip("/")
    possible = f"s3://{_CONTROL.sub('', right)}"
    fits = _REPOSITORY.fullmatch(possible) is not None
    return f"write {possible}" if fits else "write s3:// and the bucket's name"
