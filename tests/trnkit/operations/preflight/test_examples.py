"""Every example of the project, before accounts that answer everything and nothing."""

from __future__ import annotations

import pytest

from tests.synthesis import EXAMPLES
from tests.trnkit.operations.preflight.fake_account import (
    DENIED,
    THROTTLED,
    FakeAccount,
)
from tests.trnkit.operations.preflight.situations import answers, empty_account
from trnkit.config import load_cluster
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks
from trnkit.operations.preflight.preflight import preflight
from trnkit.operations.preflight.running import run_checks


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("refusal", [DENIED, THROTTLED], ids=["denied", "throttled"])
def test_what_is_refused_is_never_ok(path, refusal):
    cluster = load_cluster(path).config
    for check in list_checks():
        session = FakeAccount(dict.fromkeys(answers(), refusal))
        (run,) = run_checks([check], AccountView(cluster, session), most_seconds=60)
        assert run.error is None
        if session.asked:
            assert run.status == "unknown", (check.name, run.results)
            told = [result.status for result in run.results]
            assert "ok" not in told
        else:
            assert {result.status for result in run.results} <= {"ok", "unknown", "fail"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_finding_has_its_place_in_the_file(path):
    done = preflight(str(path), session=FakeAccount(empty_account()))
    assert len(done.runs) == len(list_checks())
    assert not done.passed
    assert [run.check.name for run in done.runs if run.error] == []
    for finding in done.findings:
        assert finding.file == str(path)
        assert finding.line
        assert finding.hint
        assert finding.source
