"""No check tells who asked: AWS's words hold ARNs, account ids and encoded messages."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace

import pytest

from tests.trnkit.operations.preflight.conftest import NOW
from tests.trnkit.operations.preflight.fake_account import FakeAccount, Refusal
from tests.trnkit.operations.preflight.situations import answers, situations
from trnkit.aws import session as session_module
from trnkit.cli.main import run
from trnkit.operations.preflight import account as account_module
from trnkit.operations.preflight import preflight as operation
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks

CHECKS = list_checks()
# The clusters of the situations name 111122223333, which is the user's own word.
WHO = "arn:aws:sts::123456789012:assumed-role/secret-role/secret-session"
WHAT = "arn:aws:iam::123456789012:role/secret-target"
BLOB = "c2VjcmV0-encoded-" + "x" * 900
SECRETS = ("123456789012", "secret", "c2VjcmV0", "xxxx", "arn:aws:sts", "arn:aws:iam")
REFUSALS = {
    "who-and-what": Refusal(
        "AccessDeniedException",
        f"User: {WHO} is not authorized to perform: an:Action on resource: {WHAT} because no "
        "identity-based policy allows the action",
        403,
    ),
    "encoded": Refusal(
        "UnauthorizedOperation",
        f"You are not authorized to perform this operation. User: {WHO} is not authorized. "
        f"Encoded authorization failure message: {BLOB}",
        403,
    ),
    "organization": Refusal(
        "AccessDenied",
        f"User: {WHO} is not authorized to perform: an:Action with an explicit deny in a service "
        "control policy",
        403,
    ),
    "late-in-the-text": Refusal("AccessDenied", f"{'words ' * 48}{WHO} and account 123456789012"),
    "refused": Refusal("ValidationError", f"Account 123456789012 and {WHAT} are not well"),
}


@pytest.fixture
def command(monkeypatch, capsys):
    """Run the command for a cluster of a situation; what it wrote, in one text."""

    def call(cluster, account, name, report_format):
        place = SimpleNamespace(config=cluster, place=lambda finding, path: finding)
        checked = SimpleNamespace(findings=(), clusters=(place,))
        monkeypatch.setattr(operation, "check_files", lambda files: checked)
        monkeypatch.setattr(session_module, "AwsSession", lambda **_: account)
        # The moment of the situations: what is begun then is asked for its nodes.
        view = partial(AccountView, now=NOW)
        monkeypatch.setattr(account_module, "AccountView", view)
        capsys.readouterr()
        code = run(["preflight", "cluster.yaml", "--only", name, "--format", report_format])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def secrets_in(*texts):
    return [secret for text in texts for secret in SECRETS if secret in text]


# One of the refusals in every form, and the others in one each: the forms add no words of AWS's.
FORMS = [("who-and-what", form) for form in ("text", "json", "sarif", "junit")]
OTHERS = [name for name in REFUSALS if name != "who-and-what"]
FORMS += zip(OTHERS, ("text", "json", "sarif", "junit"), strict=True)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_refusal_is_told_without_who_asked(check, command):
    situation = situations()[check.name]
    for refusal, report_format in FORMS:
        account = FakeAccount(dict.fromkeys(answers(), REFUSALS[refusal]))
        code, out, err = command(situation.cluster, account, check.name, report_format)
        assert account.asked
        assert code in (1, 3)
        assert secrets_in(out, err) == []


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_each_operation_s_refusal_is_told_without_who_asked(check, command):
    situation = situations()[check.name]
    for operation_ in check.needs:
        named = f"{operation_.service}.{operation_.name}"
        told = answers(**situation.whole) | {named: REFUSALS["who-and-what"]}
        code, out, err = command(situation.cluster, FakeAccount(told), check.name, "json")
        assert code in (1, 3)
        assert secrets_in(out, err) == []
        # AWS's own reason stays, or it would be of no use.
        assert "no identity-based policy allows the action" in out + err


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@pytest.mark.parametrize("report_format", ["text", "json"])
def test_what_is_well_is_told_without_who_asked(report_format, check, command):
    situation = situations()[check.name]
    account = FakeAccount(answers(**situation.whole))
    code, out, err = command(situation.cluster, account, check.name, report_format)
    assert code == 0, out
    assert "deployer" not in out + err
    assert "arn:aws" not in out + err
