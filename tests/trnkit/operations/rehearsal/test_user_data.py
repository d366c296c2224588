"""User data is read as a node's first minutes need it."""

from __future__ import annotations

import base64
import gzip

import pytest

from trnkit.operations.rehearsal.user_data import boot_text

SUM = "0f" * 32
OTHER = "a1" * 32


def encoded(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def multipart(*parts):
    whole = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="BB"\n'
    for kind, text in parts:
        whole += f"\n--BB\nContent-Type: {kind}; charset=utf-8\n\n{text}"
    return encoded(f"{whole}\n--BB--\n")


SCRIPT = f"#!/bin/sh\nBUCKET='b'\nKEY={SUM}.zip\nSHA='{SUM}  boot\n{OTHER}  steps/lustre.sh'\n"


@pytest.mark.parametrize(
    "user_data",
    [
        multipart(("text/x-shellscript", SCRIPT)),
        multipart(("text/cloud-config", "#cloud-config\n"), ("text/x-shellscript", SCRIPT)),
        encoded(SCRIPT),
        encoded(gzip.compress(SCRIPT.encode())),
    ],
    ids=["multipart", "two parts", "script", "compressed"],
)
def test_bundle_and_checksums_are_found(user_data):
    text = boot_text(user_data)
    assert text.broken == ""
    assert text.keys == (f"{SUM}.zip",)
    assert text.checksums == {"boot": SUM, "steps/lustre.sh": OTHER}


def test_the_listing_of_sha256sum_may_stand_by_itself():
    listing = f"{SUM}  ./boot\n{OTHER} *steps/a.sh\n"
    text = boot_text(multipart(("text/x-shellscript", f"#!/bin/sh\ncat <<E\n{listing}E\n")))
    assert text.checksums == {"boot": SUM, "steps/a.sh": OTHER}


def test_settings_are_read_as_a_shell_reads_them_also_in_a_cloud_config():
    files = "#cloud-config\nwrite_files:\n  - content: |\n"
    files += "      TRNKIT_REPORT='lifecycle trnkit-node-ready'\n      TRNKIT_TAG_STATE=1\n"
    script = "#!/bin/sh\nTRNKIT_HOME=\nTRNKIT_LIST='several\nlines'\necho TRNKIT_NO=1\n"
    text = boot_text(multipart(("text/cloud-config", files), ("text/x-shellscript", script)))
    assert text.settings == {
        "TRNKIT_REPORT": "lifecycle trnkit-node-ready",
        "TRNKIT_TAG_STATE": "1",
        "TRNKIT_HOME": "",
    }


def test_names_are_found_as_whole_words():
    text = boot_text(encoded("get s3://assets-1/key"))
    assert text.named(["assets", "assets-1", "ssets-1", "s3"]) == ("assets-1", "s3")


@pytest.mark.parametrize(
    ("user_data", "says"),
    [
        ("no base64!", "not base64"),
        (multipart().replace("LS0=", ""), ""),
        (
            encoded("Content-Type: multipart/mixed; boundary=BB\n\n--CC\n\n--CC--\n"),
            "StartBoundaryNotFoundDefect",
        ),
        (
            encoded("Content-Type: multipart/mixed; boundary=BB\n\n--BB\n\na\n"),
            "CloseBoundaryNotFoundDefect",
        ),
    ],
)
def test_what_cannot_be_read_is_said(user_data, says):
    assert says in boot_text(user_data).broken
