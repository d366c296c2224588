"""Credentials that no request can carry are refused before the first one, and never shown."""

from __future__ import annotations

import json
import shlex
import sys
from http.client import HTTPConnection

import pytest
from botocore import exceptions

from trnkit.aws.failures import AwsFailure, FailureKind, failure_from
from trnkit.aws.session import AwsSession

GOOD = {
    "AWS_ACCESS_KEY_ID": "AKIAI44QH8DHBEXAMPLE",
    "AWS_SECRET_ACCESS_KEY": "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    "AWS_SESSION_TOKEN": "FwoGZXIvYXdzEXAMPLETOKEN",
}


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """No credentials but what a test gives."""
    for name in ("AWS_PROFILE", "AWS_SECURITY_TOKEN", "AWS_WEB_IDENTITY_TOKEN_FILE", *GOOD):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return monkeypatch


def refused():
    with pytest.raises(AwsFailure) as caught:
        AwsSession().credentials("us-east-2")
    assert caught.value.kind is FailureKind.NO_CREDENTIALS
    return str(caught.value)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    ("added", "words"),
    [
        ("{}\n", "holds a line break"),
        ("{}\r", "holds a line break"),
        ("{}\nmore", "holds a line break"),
        ("{} ", "begins or ends with a blank"),
        ("\t{}", "begins or ends with a blank"),
        ("{}\x1b[0m", "holds a control character"),
        ("\N{LEFT DOUBLE QUOTATION MARK}{}", "holds a character that is not ASCII"),
    ],
)
def test_a_variable_that_no_header_can_carry_is_named_without_its_value(
    environment, name, added, words
):
    for variable, value in GOOD.items():
        environment.setenv(variable, added.format(value) if variable == name else value)
    told = refused()
    assert f"{name} {words}; set it again" in told
    assert [value for value in GOOD.values() if value[:8] in told] == []


def test_the_older_name_of_the_token_is_named_where_it_is_the_one_in_use(environment):
    environment.setenv("AWS_ACCESS_KEY_ID", GOOD["AWS_ACCESS_KEY_ID"])
    environment.setenv("AWS_SECRET_ACCESS_KEY", GOOD["AWS_SECRET_ACCESS_KEY"])
    environment.setenv("AWS_SECURITY_TOKEN", "FwoGZXIvYXdzEXAMPLETOKEN\n")
    assert "AWS_SECURITY_TOKEN holds a line break" in refused()


def test_credentials_that_can_be_sent_are_taken(environment):
    for variable, value in GOOD.items():
        environment.setenv(variable, value)
    assert AwsSession().credentials("us-east-2").temporary


def process(environment, tmp_path, printed):
    script = tmp_path / "give.py"
    script.write_text(f"print({printed!r})\n", encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    (tmp_path / "config").write_text(
        f"[default]\ncredential_process = {command}\n", encoding="utf-8"
    )


def test_what_a_credential_process_added_to_its_token_is_named(environment, tmp_path):
    told = {"Version": 1, "AccessKeyId": "AKIAI44QH8DHBEXAMPLE", "SecretAccessKey": "s" * 40}
    process(environment, tmp_path, json.dumps(told | {"SessionToken": "FwoGZXIvYXdzEXAMPLE\n"}))
    assert "SessionToken of what credential_process prints holds a line break" in refused()


@pytest.mark.parametrize("printed", ["please sign in first", "", "[]", "5", "{"])
def test_a_credential_process_that_prints_something_else_gives_no_credentials(
    environment, tmp_path, printed
):
    process(environment, tmp_path, printed)
    told = refused()
    assert "from credential_process: " in told
    assert "run the profile's credential_process by hand: it must print one JSON object" in told


def test_a_web_identity_s_token_that_is_not_there_is_said_with_the_variable(environment, tmp_path):
    environment.setenv("AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/deploy")
    environment.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    told = refused()
    assert f"No such file or directory: '{tmp_path / 'token'}'" in told
    assert "which AWS_WEB_IDENTITY_TOKEN_FILE" in told


def header_error():
    connection = HTTPConnection("127.0.0.1")
    connection.putrequest("GET", "/")
    with pytest.raises(ValueError, match="Invalid header value") as caught:
        connection.putheader("X-Amz-Security-Token", "FwoGZXIvYXdzEXAMPLETOKEN\n")
    return caught.value


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (exceptions.HTTPClientError(error=header_error()), "unhandled exception: ValueError)"),
        (exceptions.ConnectionError(error=header_error()), "establish a connection: ValueError)"),
        (exceptions.ResponseStreamingError(error=header_error()), "response stream: ValueError)"),
        (
            exceptions.HTTPClientError(error=OSError(24, "Too many open files")),
            "unhandled exception: Too many open files)",
        ),
        (
            exceptions.SSLError(
                endpoint_url="https://ssm.us-east-2.amazonaws.com/",
                error=OSError("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed"),
            ),
            "CERTIFICATE_VERIFY_FAILED",
        ),
    ],
)
def test_words_that_botocore_only_passes_on_are_not_said(error, words):
    told = str(failure_from(error, service="ssm", operation="GetParameter", region="us-east-2"))
    assert words in told
    assert "FwoG" not in told


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://127.0.0.1:port"])
def test_an_endpoint_that_is_no_address_is_said_before_anything_is_asked(environment, url):
    for variable, value in GOOD.items():
        environment.setenv(variable, value)
    environment.setenv("AWS_ENDPOINT_URL", url)
    with pytest.raises(AwsFailure, match="AWS_ENDPOINT_URL") as caught:
        AwsSession().client("ssm", "us-east-2")
    assert caught.value.kind is FailureKind.WRONG_ENDPOINT
