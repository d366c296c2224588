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
        ("NoSuchResourceException", "not-found", "exists in ap-south-2"),
        ("InvalidSubnetID.NotFound", "not-found", "exists in ap-south-2"),
        ("VcpuLimitExceeded", "quota", "Service Quotas"),
        ("MaxConfigLimitExceeded", "quota", "Service Quotas"),
        ("CapacityBlockDescribeLimitExceeded", "quota", "Service Quotas"),
        ("InsufficientInstanceCapacity", "capacity", "another zone"),
        ("PermanentRedirect", "wrong-region", "not ap-south-2"),
        # Of HEAD requests, whose answers have no text.
        ("301", "wrong-region", "not ap-south-2"),
        ("403", "denied", "ssm:GetParameter"),
        ("404", "not-found", "exists in ap-south-2"),
        ("NoSuchBucket", "not-found", "exists in ap-south-2"),
        ("NoSuchBucketPolicy", "not-found", "exists in ap-south-2"),
        ("NotFoundException", "not-found", "exists in ap-south-2"),
        ("FileSystemNotFound", "not-found", "exists in ap-south-2"),
        ("InvalidSnapshot.NotFound", "not-found", "exists in ap-south-2"),
        ("ForbiddenException", "denied", "ssm:GetParameter"),
        ("CallRateLimitExceededException", "throttled", "try again"),
        ("ServiceUnavailable", "unreachable", "try again"),
        ("ValidationException", "refused", "see what AWS says"),
    ],
)
def test_error_codes(code, kind, remedy):
    failure = failed(answered(code))
    assert (failure.kind, failure.code) == (FailureKind(kind), code)
    assert remedy in str(failure)
    assert f"({code}: as AWS says it)" in str(failure)


@pytest.mark.parametrize("region", ["us-west-2", None])
def test_the_region_of_a_bucket_is_kept_where_s3_tells_it(region):
    error = answered("403", 403)
    headers = {"x-amz-bucket-region": region} if region else {}
    error.response["ResponseMetadata"]["HTTPHeaders"] = headers
    assert failed(error).home == region
    assert failed(answered("403", 403)).home is None
    assert failed(exceptions.NoCredentialsError()).home is None


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


@pytest.mark.parametrize(
    ("code", "operation", "kind", "words"),
    [
        ("AccessDenied", "AssumeRole", "denied", "let the role or user call sts:AssumeRole"),
        ("ExpiredTokenException", "AssumeRoleWithWebIdentity", "expired", "sign in again"),
        ("ForbiddenException", "GetRoleCredentials", "denied", "sso:GetRoleCredentials"),
    ],
)
def test_a_role_that_aws_does_not_give(code, operation, kind, words, monkeypatch):
    def refuse(self):
        raise ClientError({"Error": {"Code": code, "Message": "as AWS says it"}}, operation)

    monkeypatch.setattr("botocore.credentials.Credentials.get_frozen_credentials", refuse)
    with pytest.raises(AwsError) as caught:
        AwsSession().credentials("us-east-2")
    assert (caught.value.kind, caught.value.operation) == (kind, operation)
    assert words in str(caught.value)
    # Nor is it taken for a refusal of what was to be asked.
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter("/x")
    assert (caught.value.kind, caught.value.operation) == (kind, operation)


def test_a_web_identity_whose_token_is_not_there(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_WEB_IDENTITY_TOKEN_FILE", str(tmp_path / "token"))
    monkeypatch.setenv("AWS_ROLE_ARN", "arn:aws:iam::111122223333:role/reads")
    with pytest.raises(AwsError) as caught:
        AwsSession().credentials("us-east-2")
    assert caught.value.kind == "no-credentials"
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(), "us-east-2").parameter("/x")
    assert caught.value.kind == "no-credentials"


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConnectTimeoutError(endpoint_url="https://sts.us-east-2.amazonaws.com"),
        exceptions.ReadTimeoutError(endpoint_url="https://sts.us-east-2.amazonaws.com"),
        exceptions.ProxyConnectionError(proxy_url="http://proxy.example.com"),
        exceptions.SSLError(
            endpoint_url="https://sts.us-east-2.amazonaws.com", error="self-signed"
        ),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_network_that_fails_is_no_file_of_credentials(error, monkeypatch):
    """Botocore's are errors of the system too, by their classes."""
    session = AwsSession()

    def fails(**_):
        raise error

    monkeypatch.setattr(session.client("ssm", "us-east-2"), "get_parameter", fails)
    with pytest.raises(AwsError) as caught:
        SsmGateway(session, "us-east-2").parameter("/x")
    assert (caught.value.kind, caught.value.operation) == (FailureKind.UNREACHABLE, "GetParameter")
    assert "check network, proxy" in str(caught.value)


def denied(reason, *, permission="servicequotas:GetServiceQuota"):
    who = "arn:aws:sts::111122223333:assumed-role/ci/run-7"
    message = f"User: {who} is not authorized to perform: {permission} {reason}"
    return failure_from(
        answered("AccessDeniedException", message=message),
        service="service-quotas",
        operation="GetServiceQuota",
        region="us-east-2",
        permission=permission,
    )


@pytest.mark.parametrize(
    ("reason", "kind", "remedy"),
    [
        (
            "because no identity-based policy allows the action",
            "denied",
            "let the role or user call servicequotas:GetServiceQuota",
        ),
        (
            "with an explicit deny in an identity-based policy",
            "denied",
            "remove the explicit deny of servicequotas:GetServiceQuota",
        ),
        (
            "because no permissions boundary allows the action",
            "denied",
            "permissions boundary of the role or user allow servicequotas:GetServiceQuota",
        ),
        (
            "because no VPC endpoint policy allows the action",
            "denied",
            "let the VPC endpoint's policy allow",
        ),
        (
            "with an explicit deny in a service control policy",
            "denied-by-organization",
            "ask the organization's administrators for servicequotas:GetServiceQuota in us-east-2",
        ),
        (
            "because no service control policy allows the action",
            "denied-by-organization",
            "no policy of the account can give it",
        ),
    ],
)
def test_a_denial_says_which_permission_is_missing_and_whose_policy_denies(reason, kind, remedy):
    failure = denied(reason)
    assert (failure.kind, failure.permission) == (kind, "servicequotas:GetServiceQuota")
    assert remedy in str(failure)


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("not authorized to perform: sts:GetCallerIdentity", "needs no permission"),
        ("because no identity-based policy allows the action", "STS's VPC endpoint"),
        ("because no VPC endpoint policy allows the action", "AWS_ENDPOINT_URL"),
        (
            "with an explicit deny in an identity-based policy",
            "remove the explicit deny of sts:GetCallerIdentity",
        ),
    ],
)
def test_nobody_is_told_to_allow_what_needs_no_permission(words, remedy):
    error = answered("AccessDenied", 403, words)
    told = failure_from(error, service="sts", operation="GetCallerIdentity", region="us-east-2")
    assert told.kind is FailureKind.DENIED
    assert told.permission is None
    assert remedy in str(told)
    assert "let the role or user call" not in str(told)


def test_a_message_says_nothing_of_who_asked():
    text = str(denied("with an explicit deny in a service control policy"))
    assert "111122223333" not in text
    assert "run-7" not in text


def test_an_encoded_message_is_left_out():
    message = "You are not authorized. Encoded authorization failure message: AbC-_123 and more"
    assert "AbC-_123" not in str(failed(answered("UnauthorizedOperation", message=message)))


def test_a_stack_that_is_not_there_is_told_by_its_message_alone():
    message = "Stack with id pretrain-Network does not exist"
    assert failed(answered("ValidationError", message=message)).kind == "not-found"
    assert failed(answered("ValidationError", message="1 error detected")).kind == "refused"


def test_a_region_in_the_signature_that_is_not_the_endpoints():
    message = "Credential should be scoped to a valid region."
    assert failed(answered("SignatureDoesNotMatch", message=message)).kind == "wrong-region"


def test_what_is_asked_when_the_time_is_over_is_not_asked():
    with pytest.raises(AwsError) as caught:
        SsmGateway(AwsSession(most_seconds=0), "us-east-2").parameter("/x")
    assert caught.value.kind is FailureKind.LATE
    assert "allow more time with --timeout" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "answer"),
    [("denied", True), ("throttled", True), ("expired", False), ("unreachable", False)],
)
def test_a_refusal_is_an_answer_of_an_account(kind, answer):
    assert FailureKind(kind).is_answer is answer
