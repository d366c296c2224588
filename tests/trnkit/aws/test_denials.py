"""What AWS's words say of the reason for a denial; the sentences are those of AWS's own pages."""

from __future__ import annotations

import botocore.session
import pytest
from botocore.exceptions import ClientError

from trnkit.aws.denials import denial_in
from trnkit.aws.failures import FailureKind, failure_from
from trnkit.aws.permissions import read_operations

USER = "User: arn:aws:iam::111122223333:user/John is not authorized to perform: "
ACTION = "codecommit:ListRepositories"


def failed(message, *, code="AccessDeniedException", service="ssm", status=400):
    response = {
        "Error": {"Code": code, "Message": message},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return failure_from(
        ClientError(response, "GetParameter"),
        service=service,
        operation="GetParameter",
        region="us-east-2",
    )


@pytest.mark.parametrize(
    ("reason", "kind", "remedy"),
    [
        (
            f"because no service control policy allows the {ACTION} action",
            "denied-by-organization",
            "ask the organization's administrators",
        ),
        (
            "with an explicit deny in a service control policy",
            "denied-by-organization",
            "ask the organization's administrators",
        ),
        (
            "on resource: arn:aws:secretsmanager:us-east-1:123456789012:secret:* with an explicit "
            "deny in a resource control policy",
            "denied-by-organization",
            "ask the organization's administrators",
        ),
        (
            "with an explicit deny in a service control policy: arn:aws:organizations::"
            "111122223333:policy/o-exampleorgid/service_control_policy/p-examplepolicyid",
            "denied-by-organization",
            "ask the organization's administrators",
        ),
        (
            f"because no VPC endpoint policy allows the {ACTION} action",
            "denied",
            "let the VPC endpoint's policy allow ssm:GetParameter",
        ),
        (
            "with an explicit deny in a VPC endpoint policy",
            "denied",
            "remove the explicit deny of ssm:GetParameter from the VPC endpoint's policy",
        ),
        (
            f"because no permissions boundary allows the {ACTION} action",
            "denied",
            "let the permissions boundary of the role or user allow ssm:GetParameter",
        ),
        (
            "with an explicit deny in a permissions boundary",
            "denied",
            "from the permissions boundary of the role or user",
        ),
        (
            f"because no session policy allows the {ACTION} action",
            "denied",
            "let the session policy allow ssm:GetParameter",
        ),
        (
            "with an explicit deny in a sessions policy",
            "denied",
            "from the session policy",
        ),
        (
            f"because no resource-based policy allows the {ACTION} action",
            "denied",
            "let the policy of what is asked for allow ssm:GetParameter",
        ),
        (
            "with an explicit deny in a resource-based policy",
            "denied",
            "from the policy of what is asked for",
        ),
        (
            "because no role trust policy allows the sts:AssumeRole action",
            "denied",
            "let the trust policy of the role allow",
        ),
        (
            "with an explicit deny in the role trust policy",
            "denied",
            "from the trust policy of the role",
        ),
        (
            f"because no identity-based policy allows the {ACTION} action",
            "denied",
            "let the role or user call ssm:GetParameter",
        ),
        (
            "with an explicit deny in an identity-based policy, with policy ARN: "
            "arn:aws:iam::123456789012:policy/Example",
            "denied",
            "remove the explicit deny of ssm:GetParameter from the policies of the role or user",
        ),
        ("", "denied", "let the role or user call ssm:GetParameter"),
        (
            "because no new kind of policy allows it",
            "denied",
            "let the role or user call ssm:GetParameter",
        ),
    ],
)
def test_the_remedy_follows_from_whose_policy_denies(reason, kind, remedy):
    failure = failed(f"{USER}{ACTION} {reason}")
    assert failure.kind == kind
    assert remedy in str(failure)
    assert "111122223333" not in str(failure)
    assert "o-exampleorgid" not in str(failure)


def test_an_encoded_message_says_how_it_is_read():
    failure = failed(
        "You are not authorized to perform this operation. Encoded authorization failure message: "
        "AbC-_123",
        code="UnauthorizedOperation",
    )
    assert "let the role or user call ssm:GetParameter" in str(failure)
    assert "aws sts decode-authorization-message" in str(failure)
    assert "AbC-_123" not in str(failure)


def test_a_reason_beside_an_encoded_message_goes_before_it():
    message = (
        f"{USER}ec2:DescribeImages with an explicit deny in a service control policy. Encoded "
        "authorization failure message: AbC-_123"
    )
    assert failed(message, code="UnauthorizedOperation").kind == "denied-by-organization"


def test_what_only_the_management_account_may_see_needs_other_credentials_and_no_permission():
    failure = failed(
        "Failed to list Cost Allocation Tags: Linked account doesn't have access to cost "
        "allocation tags.",
        service="ce",
    )
    assert failure.kind is FailureKind.MANAGEMENT_ACCOUNT_ONLY
    assert failure.kind.is_answer
    assert failure.permission is None
    assert "credentials of the organization's management account" in str(failure)


def test_cost_explorer_that_is_off_is_no_missing_permission_alone():
    failure = failed("User not enabled for cost explorer access", service="ce")
    assert failure.kind is FailureKind.DENIED
    assert "switch on Cost Explorer" in str(failure)


def test_words_that_say_nothing_of_a_policy_are_no_reason():
    assert denial_in("not authorized, because no policy allows it") is None
    assert denial_in("") is None


@pytest.mark.parametrize(
    ("service", "kind"), [("ce", "throttled"), ("budgets", "quota"), ("fsx", "quota")]
)
def test_only_cost_explorer_calls_too_many_questions_an_exceeded_limit(service, kind):
    assert failed("x", code="LimitExceededException", service=service).kind == kind


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("NoSuchEntity", "not-found"),
        ("NotFound", "not-found"),
        ("NotFoundException", "not-found"),
        ("InvalidSpotInstanceRequestID.NotFound", "not-found"),
        ("FileSystemNotFound", "not-found"),
        ("ResourceNotFoundException", "not-found"),
        ("NoSuchBucket", "not-found"),
        ("UnknownMonitorException", "not-found"),
        ("AWSOrganizationsNotInUseException", "not-found"),
        ("404", "not-found"),
        ("403", "denied"),
        ("301", "wrong-region"),
        ("NoSuchthing", "refused"),
        ("NotFoundYet", "refused"),
        ("InvalidSecurity", "not-accepted"),
        ("EC2ThrottledException", "throttled"),
        ("ServiceFailure", "unreachable"),
        ("PendingVerification", "account-not-ready"),
        ("Blocked", "account-not-ready"),
        ("RequestTimeTooSkewed", "clock"),
    ],
)
def test_codes_that_services_have_of_their_own(code, kind):
    assert failed("as AWS says it", code=code).kind == kind


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Signature expired: 20261130T100000Z is now earlier than 20261130T110000Z", "clock"),
        ("Signature not yet current: 20261130T120000Z is still later than now", "clock"),
        ("The request signature we calculated does not match", "not-accepted"),
    ],
)
def test_a_wrong_clock_is_told_by_the_words_about_the_signature(message, kind):
    failure = failed(message, code="SignatureDoesNotMatch")
    assert failure.kind == kind
    assert failure.kind.is_answer is False


MODEL = botocore.session.get_session().get_service_model
# What is wrong with the question itself, or with the state of what it asks about, is no kind of its
# own: a test of the question finds it.
OF_THE_QUESTION = (
    "BadRequest",
    "ClientException",
    "ConcurrentModification",
    "ExpiredNextToken",
    "IllegalArgument",
    "Invalid",
    "KMSInvalidState",
    "MethodNotAllowed",
    "Validation",
)


def modelled():
    for operation in read_operations():
        shapes = MODEL(operation.service).operation_model(operation.name).error_shapes
        for shape in shapes:
            code = shape.metadata.get("error", {}).get("code") or shape.name
            yield operation.service, code


@pytest.mark.parametrize(
    ("service", "code"),
    sorted({(s, c) for s, c in modelled() if not c.startswith(OF_THE_QUESTION)}),
)
def test_every_error_that_the_model_of_a_question_names_has_a_kind(service, code):
    failure = failed("as AWS says it", code=code, service=service)
    assert failure.kind is not FailureKind.REFUSED
