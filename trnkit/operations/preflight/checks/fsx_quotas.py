"""TRN917: the account's quotas have room for the Lustre file systems that the cluster makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure
from trnkit.aws.fsx import DESCRIBE_FILE_SYSTEMS, FsxGateway
from trnkit.aws.service_quotas import GET_AWS_DEFAULT_SERVICE_QUOTA, GET_SERVICE_QUOTA
from trnkit.catalog import resource_quota
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.lustre_use import HDD, LustreMeasure, lustre_measures
from trnkit.operations.preflight.quota_room import Demand, Use, ask_limit, judge, judge_use
from trnkit.operations.preflight.result import CheckResult, ok, unanswered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trnkit.aws.fsx import FileSystemDescription
    from trnkit.config import LustreConfig
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.lustre_use import Share

_HERE: Path = ("storage", "lustre_file_systems")


def _run(account: AccountView) -> Iterator[CheckResult]:
    configs = account.cluster.storage.lustre_file_systems
    if not configs:
        return
    there = account.once("fsx file systems", account.gateway(FsxGateway).file_systems)
    for measure in lustre_measures():
        concerned = [index for index, config in enumerate(configs) if _all(measure.wanted(config))]
        path: Path = (*_HERE, concerned[0]) if concerned else _HERE
        try:
            result = _in_quota(account, measure, configs, there, path)
        except AwsFailure as failure:
            yield unanswered(failure, path=path)
        else:
            if result is not None:
                yield result
    for index, config in enumerate(configs):
        if config.storage_type == HDD:
            path = (*_HERE, index, "storage_capacity_gib")
            try:
                yield _of_one(account, config, there, path)
            except AwsFailure as failure:
                yield unanswered(failure, path=path)


def _in_quota(
    account: AccountView,
    measure: LustreMeasure,
    configs: Sequence[LustreConfig],
    there: Sequence[FileSystemDescription],
    path: Path,
) -> CheckResult | None:
    wanted = [measure.wanted(config) for config in configs]
    own = [measure.there(system) for system in there if account.is_own(system.tags)]
    others = [measure.there(system) for system in there if not account.is_own(system.tags)]
    use = Use(
        wanted=_certain(wanted),
        own=_certain(own),
        others=_certain(others),
        wanted_perhaps=_perhaps(wanted),
        own_perhaps=_perhaps(own),
        others_perhaps=_perhaps(others),
        perhaps_why=measure.perhaps_why,
    )
    return judge_use(account, resource_quota(measure.quota_id), use, path=path, where=measure.of)


def _of_one(
    account: AccountView,
    config: LustreConfig,
    there: Sequence[FileSystemDescription],
    path: Path,
) -> CheckResult:
    """The quota of each HDD file system by itself; one that is there already has passed it."""
    gib = config.storage_capacity_gib or 0
    asks = f"file system {config.name} has {gib} GiB on HDD"
    own = [s for s in there if account.is_own(s.tags) and s.storage_type == HDD]
    if any((system.capacity_gib or 0) >= gib for system in own):
        return ok(f"{asks} already", path=path)
    limit = ask_limit(account, resource_quota("lustre-hdd-storage"), asks=asks, path=path)
    if isinstance(limit, CheckResult):
        return limit
    demand = Demand(asks=asks, asked=gib, certain=0, counted="of each file system")
    return judge(limit, demand, path=path)


def _all(share: Share) -> int:
    return share.certain + share.perhaps


def _certain(shares: Iterable[Share]) -> int:
    return sum(share.certain for share in shares)


def _perhaps(shares: Iterable[Share]) -> int:
    return sum(share.perhaps for share in shares)


CHECK = PreflightCheck(
    id="TRN917",
    name="fsx-quotas",
    title="The quotas of FSx have room for the file systems of the file",
    why="FSx refuses with ServiceLimitExceeded, and the deployment rolls back. Counted are number "
    "and storage of the deployment type, throughput and read cache of Intelligent-Tiering, and the "
    "size of one file system on HDD, beside all that the account has in the Region. What carries "
    "the cluster's tag is there already and does not count twice.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/limits.html",
    needs=(DESCRIBE_FILE_SYSTEMS, GET_SERVICE_QUOTA, GET_AWS_DEFAULT_SERVICE_QUOTA),
    run=_run,
)
