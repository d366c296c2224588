"""Clusters and accounts of the checks' tests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.trnkit.operations.preflight.fake_account import (
    ACCOUNT,
    SUBNET,
    VPC,
    FakeAccount,
    answers,
)
from trnkit.config import ClusterConfig
from trnkit.operations.preflight.account import AccountView
from trnkit.operations.preflight.check import list_checks
from trnkit.operations.preflight.running import run_checks

NOW = datetime(2027, 2, 1, 12, tzinfo=UTC)
IMPORTED = {
    "existing": {
        "vpc_id": VPC,
        "compute_subnet_id": SUBNET,
        "availability_zone_id": "use2-az3",
    }
}


def make_cluster(*groups, region="us-east-2", account=ACCOUNT, network=None, **keys):
    """A cluster with these node groups; four trn2.48xlarge without any."""
    each = {"instance_type": "trn2.48xlarge", "count": 4}
    listed = [{"name": f"group-{i}"} | each | group for i, group in enumerate(groups or [{}])]
    return ClusterConfig(
        name="pretrain",
        region=region,
        account=account,
        network={"availability_zone_id": "use2-az3"} if network is None else network,
        compute={"node_groups": listed},
        budget={"limit_usd": 100.0, "emails": ["a@example.com"]},
        **keys,
    )


@pytest.fixture
def ask():
    """Run one check; returns what became of it, and the session that was asked."""

    def run(name, cluster=None, told=None, **changes):
        (check,) = [check for check in list_checks() if check.name == name]
        session = FakeAccount((told or answers()) | changes)
        account = AccountView(cluster or make_cluster(), session, now=NOW)
        (done,) = run_checks([check], account, most_seconds=60)
        operations = {(o.service, o.name) for o in check.needs}
        assert {(service, name) for service, name, _ in session.asked} <= operations
        done_session.append(session)
        return done

    done_session: list[FakeAccount] = []
    run.sessions = done_session
    return run
