"""Credentials are in no message: neither those in use nor what is shaped like some."""

from __future__ import annotations

import pytest

from trnkit import hidden_values
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.identities import without_identities
from trnkit.hidden_values import hide, without_secrets

KEY = "AKIAI44QH8DHBEXAMPLE"
HEADER = (
    f"AWS4-HMAC-SHA256 Credential={KEY}/20261130/us-east-2/sts/aws4_request, "
    "SignedHeaders=host;x-amz-date, Signature=0a1b2c3d4e5f60718293a4b5c6d7e8f9"
)


@pytest.fixture(autouse=True)
def nothing_in_use(monkeypatch):
    monkeypatch.setattr(hidden_values, "_VALUES", set())


@pytest.mark.parametrize(
    ("text", "secrets"),
    [
        (f"the key {KEY} is not valid", [KEY]),
        ("ASIAQNZGKIQY56JQ7WML is temporary", ["ASIAQNZGKIQY56JQ7WML"]),
        (f"Invalid header value b'{HEADER}\\n'", [KEY, "0a1b2c3d"]),
        ("Invalid header value b'IQoJb3JpZ2luX2Vj\\n'", ["IQoJ"]),
        (f"Authorization header requires 'Signature'. Authorization={HEADER}", [KEY, "0a1b2c3d"]),
        ("{'Authorization': 'Bearer abcdefgh12345678'}", ["abcdefgh"]),
        ("GET /?X-Amz-Security-Token=FwoGZXIvYXdz%2F&X-Amz-Date=2026", ["FwoG"]),
        ("x-amz-security-token: FwoGZXIvYXdzEXAMPLE", ["FwoG"]),
        (
            "https://h/?X-Amz-Credential=abcdefgh%2F2026&X-Amz-Signature=0a1b2c3d4e",
            ["0a1b2c", "abcd"],
        ),
        ("cannot reach http://user:pass@proxy.example.com:3128/", ["user", "pass@"]),
    ],
)
def test_what_is_shaped_like_credentials_is_hidden(text, secrets):
    for told in (without_secrets(text), without_identities(text)):
        assert "(hidden)" in told
        assert [secret for secret in secrets if secret in told] == []


@pytest.mark.parametrize(
    "text",
    [
        "User: (an ARN) is not authorized to perform: ssm:GetParameter",
        "The security token included in the request is expired",
        "The request signature we calculated does not match the signature you provided.",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/x.html#a@b",
        "sns: ops@example.com is not confirmed",
        "AWS_SESSION_TOKEN holds a line break",
        "Credential should be scoped to a valid region.",
    ],
)
def test_words_about_credentials_stay(text):
    assert without_secrets(text) == text


def test_the_credentials_in_use_are_hidden_also_where_something_was_added_to_them():
    hide(["wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY\n", None, "testing"])
    told = without_secrets(r"sent b'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY\n' while testing")
    assert told == r"sent b'(hidden)\n' while testing"


def test_no_failure_of_aws_holds_credentials():
    failure = AwsFailure(
        FailureKind.REFUSED,
        f"sts was refused (for {KEY})",
        service="sts",
        operation="GetCallerIdentity",
        region="us-east-2",
    )
    assert str(failure) == "sts was refused (for (hidden))"
