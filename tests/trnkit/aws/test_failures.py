"""Botocore's errors, each as the kind and the remedy that a person needs."""

from __future__ import annotations

import pytest
from botocore import exceptions
from botocore.exceptions import ClientError

from trnkit.aws.failures import FailureKind, failure_from
from trnkit.aws.session import AwsSession
from trnkit.aws.ssm import SsmGateway
from trnkit.errors import AwsError


def failed(error):
    return failure_from(error, service="ssm", operation="GetParameter", region="ap-south-2")


def answered(code, status=400, message="as AWS says it"):
    response = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(response, "GetParameter")


@pytest.mark.parametrize(
    ("code", "kind", "remedy"),
    [
        ("AccessDeniedException", "denied", "let the role or user call ssm:GetParameter"),
        ("UnauthorizedOperation", "denied", "ssm:GetParameter"),
        ("ThrottlingException", "throttled", "try again"),
        ("RequestLimitExceeded", "throttled", "try again"),
        ("ParameterNotFound", "not-found", "exists in ap-south-2"),
        ("ParameterVersionNotFound", "not-found", "exists in ap-south-2"),
        ("InvalidAMIID.NotFound", "not-found", "exists in ap-south-2"),
        ("ExpiredTokenException", "expired", "sign in again"),
        ("RequestExpired", "expired", "sign in again"),
        ("UnrecognizedClientException", "not-accepted", "whether ap-south-2 is switched on"),
        ("AuthFailure", "not-accepted", "whether ap-south-2 is switched on"),
        ("SignatureDoesNotMatch", "not-accepted", "check the keys"),
        ("OptInRequired", "region-off", "enable-region --region-name ap-south-2"),
        ("ServiceUnavailable", "unreachable", "try again"),
        ("ValidationException", "refused", "see what AWS says"),
    ],
)
def test_error_codes(code, kind, remedy):
    failure = failed(answered(code))
    assert (failure.kind, failure.code) == (FailureKind(kind), code)
    assert remedy in str(failure)
    assert f"({code}: as AWS says it)" in str(failure)


@pytest.mark.parametrize(
    ("status", "kind"), [(500, "unreachable"), (503, "unreachable"), (429, "throttled")]
)
def test_a_code_that_nobody_knows_is_told_by_its_status(status, kind):
    assert failed(answered("SomethingNew", status)).kind == kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (exceptions.NoCredentialsError(), "no-credentials"),
        (exceptions.PartialCredentialsError(provider="env", cred_var="x"), "no-credentials"),
        (exceptions.CredentialRetrievalError(provider="x", error_msg="y"), "no-credentials"),
        (exceptions.ProfileNotFound(profile="nobody"), "no-credentials"),
        (exceptions.ConfigParseError(path="config", error="x"), "no-credentials"),
        (exceptions.UnauthorizedSSOTokenError(), "expired"),
        (exceptions.SSOTokenLoadError(profile_name="x", error_msg="y"), "expired"),
        (exceptions.TokenRetrievalError(provider="sso", error_msg="y"), "expired"),
        (exceptions.EndpointConnectionError(endpoint_url="https://x"), "unreachable"),
        (exceptions.ConnectTimeoutError(endpoint_url="https://x"), "unreachable"),
        (exceptions.ReadTimeoutError(endpoint_url="https://x"), "unreachable"),
        (exceptions.ProxyConnectionError(proxy_url="http://x"), "unreachable"),
        (exceptions.SSLError(endpoint_url="https://x", error="y"), "unreachable"),
        (exceptions.ConnectionClosedError(endpoint_url="https://x"), "unreachable"),
        (exceptions.InvalidRegionError(region_name="a b"), "wrong-endpoint"),
        (exceptions.NoRegionError(), "wrong-endpoint"),
        (exceptions.UnknownEndpointError(service_name="x", region_name="y"), "wrong-endpoint"),
        (exceptions.DataNotFoundError(data_path="x"), "refused"),
        (ValueError("Invalid endpoint: x"), "wrong-endpoint"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_what_fails_before_or_after_aws(error, kind):
    failure = failed(error)
    assert (failure.kind, failure.code) == (FailureKind(kind), None)
    assert isinstance(failure, AwsError)


def test_a_message_is_one_line_and_not_a_page():
    failure = failed(answered("AccessDenied", message="a long\n story " * 200))
    assert "\n" not in str(failure)
    assert len(str(failure)) < 600


def test_an_answer_without_code_or_reason():
    failure = failed(ClientError({}, "GetParameter"))
    assert failure.kind is FailureKind.REFUSED
    assert "no reason given" in str(failure)


@pytest.mark.parametrize(
    ("variables", "kind"),
    [
        ({"AWS_PROFILE": "nobody"}, "no-credentials"),
        ({"AWS_ENDPOINT_URL": "no address"}, "wrong-endpoint"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, "unreachable"),
        ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "no-credentials"),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, dict) else value,
)
def test_settings_that_cannot_work(monkeypatch, variables, kind):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter("/x")
    assert caught.value.kind == kind


def test_a_region_that_is_no_name(monkeypatch):
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(), "not a region").parameter("/x")
    assert caught.value.kind == "wrong-endpoint"


def test_a_configuration_file_that_is_none(monkeypatch, tmp_path):
    (tmp_path / "config").write_bytes(b"\x00[[[")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter("/x")
    assert caught.value.kind == "no-credentials"
