"""Clusters and accounts of the checks' tests."""

from __future__ import annotations

import re
import shlex
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


WITHOUT_REGION = {"account", "budgets", "ce", "iam", "organizations", "sts"}


def runs_as_it_is(command):
    """Whether a command can be pasted into any shell, and asks the Region that it is about."""
    _, *arguments = shlex.split(command)
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", command)
    regional = command.startswith("aws ") and arguments[0] not in WITHOUT_REGION
    # zsh takes these for patterns, and stops where nothing fits.
    return not re.search(r"[][*?{}<>]", bare) and (not regional or "--region" in arguments)


def only_shows(command):
    """Whether a command changes nothing: AWS's own read verbs, and trnkit's plan."""
    program, service_or_verb, *rest = shlex.split(command)
    if program != "aws":
        return (program, service_or_verb) == ("trnkit", "plan")
    return re.match(r"(describe|list|get)-", rest[0]) is not None


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
        told_at = [(result.message, result.path) for result in done.results]
        assert len(set(told_at)) == len(told_at), "an answer stands twice"
        for result in done.results:
            for pasted in filter(None, (result.command, result.look)):
                assert runs_as_it_is(pasted), pasted
            assert not result.command or not only_shows(result.command), result.command
            assert not result.look or only_shows(result.look), result.look
        operations = {(o.service, o.name) for o in check.needs}
        assert {(service, name) for service, name, _ in session.asked} <= operations
        done_session.append(session)
        return done

    done_session: list[FakeAccount] = []
    run.sessions = done_session
    return run
