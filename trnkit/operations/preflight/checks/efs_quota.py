"""TRN919: the account's quota has room for the file system of home folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.efs import DESCRIBE_EFS_FILE_SYSTEMS, EfsGateway
from trnkit.aws.service_quotas import GET_AWS_DEFAULT_SERVICE_QUOTA, GET_SERVICE_QUOTA
from trnkit.catalog import resource_quota
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.quota_room import Use, judge_use

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult


def _run(account: AccountView) -> Iterator[CheckResult]:
    if account.cluster.storage.home_file_system is None:
        return
    there = account.gateway(EfsGateway).file_systems()
    own = sum(account.is_own(system.tags) for system in there)
    result = judge_use(
        account,
        resource_quota("efs-file-systems"),
        Use(wanted=1, own=own, others=len(there) - own),
        path=("storage", "home_file_system"),
        where="of EFS",
    )
    if result is not None:
        yield result


CHECK = PreflightCheck(
    id="TRN919",
    name="efs-quota",
    title="The quota of EFS has room for the file system of home folders",
    why="EFS refuses with FileSystemLimitExceeded, and the deployment rolls back.",
    source="https://docs.aws.amazon.com/efs/latest/ug/limits.html",
    needs=(DESCRIBE_EFS_FILE_SYSTEMS, GET_SERVICE_QUOTA, GET_AWS_DEFAULT_SERVICE_QUOTA),
    run=_run,
)
