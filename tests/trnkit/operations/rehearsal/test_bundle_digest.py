"""A bundle whose user data has one digest over the list of all its files."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile

import pytest

from constructs_lib.compute.node_bundle import FOLDER, file_digests
from trnkit.operations.rehearsal.node_boot import wrong_files
from trnkit.operations.rehearsal.user_data import boot_text

FILES = {"boot": b"x", "steps/a.sh": b"y", "lib.sh": b"z"}


def archive(files):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as bundle:
        for name, content in files.items():
            bundle.writestr(name, content)
    return body.getvalue()


def text_with(digest):
    script = f"#!/bin/sh\nTRNKIT_BUNDLE_SHA256={digest}\n"
    return boot_text(base64.b64encode(script.encode()).decode())


def digest_of(files):
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_the_files_that_were_published_are_right():
    assert wrong_files(archive(FILES), text_with(digest_of(FILES))) == (3, [])


@pytest.mark.parametrize(
    "files",
    [
        FILES | {"boot": b"other"},
        FILES | {"foreign": b""},
        {name: text for name, text in FILES.items() if name != "lib.sh"},
        {"Boot": b"x", "steps/a.sh": b"y", "lib.sh": b"z"},
        {},
    ],
)
def test_any_other_files_are_not(files):
    _, wrong = wrong_files(archive(files), text_with(digest_of(FILES)))
    assert wrong == ["its files are not those of the user data's checksum"]


def test_it_is_the_digest_of_our_own_bundle():
    names = [line.partition("  ")[2] for line in file_digests().splitlines()]
    files = {name: (FOLDER / name).read_bytes() for name in names}
    digest = hashlib.sha256(f"{file_digests()}\n".encode()).hexdigest()
    assert wrong_files(archive(files), text_with(digest)) == (len(names), [])
