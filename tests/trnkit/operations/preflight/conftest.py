"""Clusters and accounts of the checks' tests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.clusters import IMPORTED, make_cluster
from tests.trnkit.operations.preflight.fake_account import FakeAccount
from tests.trnkit.operations.preflight.situations import answers
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks
from trnkit.operations.preflight.running import run_checks

__all__ = ["IMPORTED", "NOW", "make_cluster"]

NOW = datetime(2027, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def ask():
    """Run one check; returns what became of it, and the session that was asked."""

    def run(name, cluster=None, told=None, **changes):
        (check,) = [check for check in list_checks() if check.name == name]
        session = FakeAccount((told or answers()) | changes)
        account = AccountView(cluster or make_cluster(), session, now=NOW)
        (done,) = run_checks([check], account, most_seconds=60)
        if done.error is not None:
            raise done.error
        operations = {(o.service, o.name) for o in check.needs}
        assert {(service, name) for service, name, _ in session.asked} <= operations
        done_session.append(session)
        return done

    done_session: list[FakeAccount] = []
    run.sessions = done_session
    return run
