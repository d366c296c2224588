"""Whether a quota has room for what a cluster asks, beside what counts already."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.operations.preflight.result import CheckResult, fail, ok, unknown, warning

if TYPE_CHECKING:
    from trnkit.catalog import Quota, ResourceQuota
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView

LARGER_QUOTA = "ask AWS for a larger quota"
_MEASURES = ("GiB", "TiB", "MBps")
"""Units that have no plural."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a quota allows this account.

    Attributes:
        quota: Which.
        region: Where.
        value: How much, in `unit`.
        unit: What is counted, as one of it.
        each: How many `unit` are one of the quota's own.
        is_default: Whether it is AWS's default.
    """

    quota: Quota | ResourceQuota
    region: str
    value: int
    unit: str
    each: int
    is_default: bool

    def words(self) -> str:
        """The quota and its value, and whose that is."""
        whose = "AWS's default" if self.is_default else "the account's value"
        return (
            f"{self.quota.name} ({self.quota.quota_code}) in {self.region}: "
            f"{amount(self.value, self.unit)}, {whose}"
        )

    def increase_to(self, needed: int) -> str:
        """The command that asks AWS for that much.

        Args:
            needed: How much, in `unit`.
        """
        return (
            f"aws service-quotas request-service-quota-increase --region {self.region} "
            f"--service-code {self.quota.service_code} --quota-code {self.quota.quota_code} "
            f"--desired-value {ceil(needed / self.each)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What a cluster asks of a quota.

    Attributes:
        asks: Who asks for how much, as a message begins.
        asked: How much, beside what counts already.
        certain: What counts already.
        counted: What was counted, for the evidence.
        perhaps: What may count too, of the cluster or beside it.
        perhaps_why: What that is, in a few words.
        uncounted: Why more may count than is known; a failure is one all the same.
    """

    asks: str
    asked: int
    certain: int
    counted: str
    perhaps: int = 0
    perhaps_why: str = ""
    uncounted: CheckResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How much there is of something, and how much a cluster wants to have.

    Attributes:
        wanted: What the cluster has in the end.
        own: What it has now.
        others: What there is beside the cluster.
        wanted_perhaps: What the cluster has in the end that may not count.
        own_perhaps: What it has now of that.
        others_perhaps: What there is beside the cluster that may not count.
        perhaps_why: What may not count, in a few words.
        uncounted: Why there may be more than is known.
    """

    wanted: int
    own: int = 0
    others: int = 0
    wanted_perhaps: int = 0
    own_perhaps: int = 0
    others_perhaps: int = 0
    perhaps_why: str = ""
    uncounted: CheckResult | None = None


def amount(number: int, unit: str, *, more: bool = False) -> str:
    """A number of something, in words: `1 VPC`, `5 more VPCs`, `100 GiB`."""
    ending = "es" if unit.endswith("s") else "s"
    plural = "" if number == 1 or unit in _MEASURES else ending
    return f"{number} {'more ' if more else ''}{unit}{plural}"


def look_up(quota: Quota | ResourceQuota, region: str) -> str:
    """The command that shows what a quota allows the account."""
    return (
        f"aws service-quotas get-service-quota --region {region} --service-code "
        f"{quota.service_code} --quota-code {quota.quota_code}"
    )


def ask_limit(
    account: AccountView,
    quota: Quota | ResourceQuota,
    *,
    asks: str,
    path: Path,
    unit: str | None = None,
    each: int = 1,
) -> Limit | CheckResult:
    """Ask what a quota allows the account.

    Args:
        account: Whom to ask.
        quota: Which.
        asks: Who asks for how much, as a message begins.
        path: The YAML path of what wants to know.
        unit: What is counted, where that is another unit than the quota's.
        each: How many of `unit` are one of the quota's.

    Returns:
        Unknown, when the Region does not know the quota, or not its value.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    region = account.cluster.region
    try:
        told = account.quotas.quota(quota.service_code, quota.quota_code)
    except AwsFailure as failure:
        if failure.kind is not FailureKind.NOT_FOUND:
            raise
        return _not_known(quota, region, asks=asks, path=path)
    if told.value is None:
        return unknown(
            f"{asks}, and AWS could not tell the value of {quota.name} ({quota.quota_code}) in "
            f"{region}",
            remedy="try again later, or look at the quota in the console",
            look=look_up(quota, region),
            path=path,
        )
    return Limit(
        quota=quota,
        region=region,
        value=int(told.value * each),
        unit=unit or quota.unit,
        each=each,
        is_default=told.is_default,
    )


def _not_known(quota: Quota | ResourceQuota, region: str, *, asks: str, path: Path) -> CheckResult:
    """A code may be another, or missing, in some Region: the name is what a person can look for."""
    default = quota.documented_default
    usual = "" if default is None else f"; AWS documents {amount(default, quota.unit)} as default"
    return unknown(
        f"{asks}, and Service Quotas in {region} knows no quota {quota.quota_code}, "
        f"`{quota.name}`{usual}",
        remedy="look it up by its name, and ask AWS Support when this prints nothing",
        look=f"aws service-quotas list-service-quotas --region {region} --service-code "
        f"{quota.service_code} --query \"Quotas[?QuotaName=='{quota.name}'].[QuotaCode,Value]\" "
        "--output text",
        path=path,
    )


def judge(limit: Limit, demand: Demand, *, path: Path, remedy: str = LARGER_QUOTA) -> CheckResult:
    """Whether a quota has room for a demand.

    Args:
        limit: What the quota allows.
        demand: What is asked of it.
        path: The YAML path of what asks.
        remedy: What to do when there is no room.
    """
    needed = demand.certain + demand.asked
    evidence = f"{limit.words()}; {demand.counted}"
    if needed > limit.value:
        left = limit.value - demand.certain
        room = f"the quota has {left} left"
        if left < 0:
            room = f"of the quota's {limit.value} already {demand.certain} are used"
        return fail(
            f"{demand.asks}, and {room}: {needed - limit.value} too few",
            evidence=evidence,
            remedy=remedy,
            command=limit.increase_to(needed + demand.perhaps),
            path=path,
        )
    if demand.uncounted:
        return demand.uncounted
    if needed + demand.perhaps > limit.value:
        return warning(
            f"{demand.asks}, which has room only if AWS does not count "
            f"{amount(demand.perhaps, limit.unit)} ({demand.perhaps_why})",
            evidence=evidence,
            remedy=f"{LARGER_QUOTA}, to be sure",
            command=limit.increase_to(needed + demand.perhaps),
            path=path,
        )
    return ok(
        f"{demand.asks}, {needed} of {limit.value} with all else", evidence=evidence, path=path
    )


def judge_use(
    account: AccountView,
    quota: Quota | ResourceQuota,
    use: Use,
    *,
    path: Path,
    where: str = "",
    unit: str | None = None,
    each: int = 1,
) -> CheckResult | None:
    """Whether a quota has room for what a cluster still wants of something.

    What the cluster has already does not count twice: an update makes what is missing, and what
    there is too much of stays until the update is over.

    Args:
        account: Whom to ask for the quota's value.
        quota: Which.
        use: How much there is, and how much is wanted.
        path: The YAML path of what asks.
        where: Of what or where the quota counts, when its unit alone does not tell: `in use2-az3`.
        unit: What is counted, where that is another unit than the quota's.
        each: How many of `unit` are one of the quota's.

    Returns:
        None when the cluster wants none.

    Raises:
        AwsFailure: AWS gave no answer.
    """
    noun, place = unit or quota.unit, f" {where}" if where else ""
    if not use.wanted and not use.wanted_perhaps:
        return None
    asked = max(0, use.wanted - use.own)
    asked_perhaps = max(0, use.wanted_perhaps - use.own_perhaps)
    if not asked and not asked_perhaps:
        has = amount(use.wanted + use.wanted_perhaps, noun)
        return ok(f"the cluster has its {has}{place} already", path=path)
    more = bool(use.own or use.own_perhaps)
    beside = f" and {asked_perhaps} that may not count" if asked and asked_perhaps else ""
    asks = f"the cluster takes {amount(asked or asked_perhaps, noun, more=more)}{place}{beside}"
    limit = ask_limit(account, quota, asks=asks, path=path, unit=unit, each=each)
    if isinstance(limit, CheckResult):
        return limit
    own = f" and {amount(use.own, noun)} of it" if use.own else ""
    perhaps = asked_perhaps + use.own_perhaps + use.others_perhaps
    demand = Demand(
        asks=asks,
        asked=asked,
        certain=use.own + use.others,
        counted=f"{amount(use.others, noun)}{place} beside this cluster{own}",
        perhaps=perhaps,
        perhaps_why=use.perhaps_why,
        uncounted=use.uncounted,
    )
    return judge(limit, demand, path=path)
