"""TRN921: the monitor of Cost Anomaly Detection exists, or can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.ce import GET_ANOMALY_MONITORS, CostExplorerGateway
from trnkit.aws.cloudformation import DESCRIBE_STACKS, LIST_STACK_RESOURCES
from trnkit.aws.failures import AwsFailure
from trnkit.aws.identities import without_identities
from trnkit.aws.organizations import DESCRIBE_ORGANIZATION
from trnkit.aws.sts import GET_CALLER_IDENTITY
from trnkit.catalog import anomaly_limits
from trnkit.layout.tags import CLUSTER_TAG, budget_region
from trnkit.operations.preflight.billing import own_ids, pays_itself
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.result import fail, ok, unanswered, warning
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trnkit.aws.ce import AnomalyMonitorDescription
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_TYPE = "AWS::CE::AnomalyMonitor"
_PATH = ("budget", "anomaly_detection", "monitor")
_ARN_PATH = ("budget", "anomaly_detection", "monitor_arn")
_LIST = "aws ce get-anomaly-monitors --query 'AnomalyMonitors[].[MonitorName,MonitorArn]'"
_EXISTING = "write `monitor: existing` and the `monitor_arn:` that the command prints"


def _run(account: AccountView) -> Iterator[CheckResult]:
    config = account.cluster.budget.anomaly_detection
    if config is None:
        return
    pays = None
    if config.monitor == "cluster":
        try:
            pays = pays_itself(account)
        except AwsFailure as failure:
            yield unanswered(failure, path=_PATH)
    if pays is False:
        # Certain already; and Cost Explorer bills each question.
        yield _not_here()
        return
    gateway = account.gateway(CostExplorerGateway, budget_region(account.cluster))
    monitors = gateway.anomaly_monitors()
    if config.monitor == "existing":
        yield _existing(config.monitor_arn, monitors)
        return
    own = own_ids(account, _TYPE)
    others = [monitor for monitor in monitors if monitor.arn not in own]
    if config.monitor == "services":
        yield _services(others, has_own=any(m.arn in own and _is_of_services(m) for m in monitors))
        return
    yield from _cluster(account, others, may=bool(pays))


def _not_here() -> CheckResult:
    return fail(
        "this account is not its organization's management account, which alone can make a "
        "monitor over a tag",
        remedy=_EXISTING,
        look=_LIST,
        path=_PATH,
    )


def _existing(arn: str | None, monitors: Sequence[AnomalyMonitorDescription]) -> CheckResult:
    found = [monitor for monitor in monitors if monitor.arn == arn]
    if found:
        return ok(f"monitor {without_identities(found[0].name)} exists", path=_ARN_PATH)
    return fail(
        "this account has no anomaly monitor of that ARN",
        remedy="name one that the command prints",
        look=_LIST,
        path=_ARN_PATH,
    )


def _services(others: Sequence[AnomalyMonitorDescription], *, has_own: bool) -> CheckResult:
    most = anomaly_limits().service_monitors_per_account
    taken = [monitor for monitor in others if _is_of_services(monitor)]
    if len(taken) >= most:
        return fail(
            f"the account has a monitor over its AWS services already, "
            f"{without_identities(taken[0].name)}, and may have {most}",
            evidence="CloudFormation would say AlreadyExists",
            remedy=_EXISTING,
            look=_LIST,
            path=_PATH,
        )
    whose = "this cluster's own" if has_own else "none yet"
    return ok(f"of monitors over the account's AWS services there is {whose}", path=_PATH)


def _is_of_services(monitor: AnomalyMonitorDescription) -> bool:
    return (monitor.type, monitor.dimension) == ("DIMENSIONAL", "SERVICE")


def _cluster(
    account: AccountView, others: Sequence[AnomalyMonitorDescription], *, may: bool
) -> Iterator[CheckResult]:
    most = anomaly_limits().custom_monitors_per_management_account
    custom = [monitor for monitor in others if monitor.type == "CUSTOM"]
    if len(custom) >= most:
        yield fail(
            f"the account has {count_of(len(custom), 'monitor')} beside this cluster's, and may "
            f"have {most}",
            remedy="delete one that nobody needs, or write `monitor: existing`",
            look=_LIST,
            path=_PATH,
        )
        return
    name = account.cluster.name
    doubles = [m for m in custom if m.tag_key == CLUSTER_TAG and name in m.tag_values]
    for monitor in doubles:
        yield warning(
            f"monitor {without_identities(monitor.name)} watches this cluster's tag as well, and "
            "is not of its stack: anomalies may be told twice",
            remedy="delete it where an earlier deployment left it behind, or write `monitor: "
            "existing`",
            look=_LIST,
            path=_PATH,
        )
    if may and not doubles:
        yield ok("a monitor over the cluster's tag can be made here", path=_PATH)


CHECK = PreflightCheck(
    id="TRN921",
    name="anomaly-monitor",
    title="The monitor of Cost Anomaly Detection exists, or can be made",
    why="An account has one monitor over its AWS services, and many have it from the start: a "
    "second fails the deployment. A monitor over a tag is for the management account alone.",
    source="https://docs.aws.amazon.com/cost-management/latest/userguide/getting-started-ad.html",
    needs=(
        DESCRIBE_ORGANIZATION,
        DESCRIBE_STACKS,
        GET_ANOMALY_MONITORS,
        GET_CALLER_IDENTITY,
        LIST_STACK_RESOURCES,
    ),
    run=_run,
)
