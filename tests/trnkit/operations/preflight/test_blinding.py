"""One cause is told once, and what is about one thing stands for itself."""

from __future__ import annotations

import pytest

from trnkit.aws.failure_kinds import FailureKind
from trnkit.aws.failures import AwsFailure
from trnkit.findings import Finding, Severity
from trnkit.operations.preflight.blinding import CheckFinding, cause_of, told_once
from trnkit.operations.preflight.result import unanswered

FOUND = Finding(
    rule_id="TRN906",
    severity=Severity.WARNING,
    message="unknown: ec2 DescribeSubnets for a is not allowed",
    hint="let the role call it",
    path="network.vpc",
    file="cluster.yaml",
    line=3,
    column=5,
    source="https://docs.aws.amazon.com/",
)


def found(check, cause=None, **changes):
    return CheckFinding(
        check=check,
        finding=Finding(**(FOUND.as_dict() | {"severity": Severity.WARNING} | changes)),
        cause=cause,
    )


def failure(kind, permission=None):
    return AwsFailure(
        kind,
        "ec2 DescribeSubnets in us-east-2 was refused; do something",
        service="ec2",
        operation="DescribeSubnets",
        region="us-east-2",
        permission=permission,
    )


def test_one_cause_is_one_finding_about_no_line():
    other = "unknown: ec2 DescribeSubnets for b is not allowed"
    told = told_once(
        [
            found("subnets", "x is not allowed"),
            found("ways-out", "x is not allowed", message=other, line=7, rule_id="TRN910"),
        ]
    )
    (finding,) = told.findings
    assert finding.message == (
        "unknown: x is not allowed, and 2 checks cannot tell: subnets, ways-out"
    )
    assert finding.evidence == "ec2 DescribeSubnets for a is not allowed"
    assert (finding.rule_id, finding.hint) == ("TRN906", "let the role call it")
    assert (finding.file, finding.line, finding.path, finding.source) == (
        "cluster.yaml",
        None,
        None,
        None,
    )
    assert told.of_checks == {"subnets": 1, "ways-out": 1}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (found("a"), found("b", line=9)),
        (found("a", "x"), found("b", "y", line=9)),
        # One cause, and a different way out: a boundary and a policy deny the same action.
        (found("a", "x"), found("b", "x", hint="ask the administrators")),
        (found("a", "x"), found("b", line=9)),
    ],
)
def test_what_has_nothing_in_common_stands_for_itself(first, second):
    told = told_once([first, second])
    assert set(told.findings) == {first.finding, second.finding}
    assert told.of_checks == {"a": 1, "b": 1}


def test_one_alone_keeps_its_line():
    assert told_once([found("subnets", "x")]).findings == (FOUND,)


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        (FailureKind.DENIED, "ec2:DescribeSubnets is not allowed"),
        (
            FailureKind.DENIED_BY_ORGANIZATION,
            "a policy of the organization does not allow ec2:DescribeSubnets",
        ),
        (FailureKind.THROTTLED, "AWS throttles"),
        (FailureKind.LATE, "the time is over"),
        (FailureKind.UNREACHABLE, "AWS cannot be reached"),
        (FailureKind.REGION_OFF, "us-east-2 is off for this account"),
        (FailureKind.NOT_FOUND, None),
        (FailureKind.REFUSED, None),
    ],
)
def test_the_cause_of_a_failure(kind, cause):
    failed = failure(kind, permission="ec2:DescribeSubnets")
    assert cause_of(failed) == unanswered(failed).cause == cause
