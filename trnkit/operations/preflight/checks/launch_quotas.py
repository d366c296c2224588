"""TRN918: the Region has room for the cluster's Auto Scaling groups, volumes, placement groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.aws.autoscaling import (
    DESCRIBE_ACCOUNT_LIMITS,
    DESCRIBE_AUTO_SCALING_GROUPS,
    AutoScalingGateway,
)
from trnkit.aws.ec2_usage import DESCRIBE_PLACEMENT_GROUPS, DESCRIBE_VOLUMES, Ec2UsageGateway
from trnkit.aws.failures import AwsFailure
from trnkit.aws.service_quotas import GET_AWS_DEFAULT_SERVICE_QUOTA, GET_SERVICE_QUOTA
from trnkit.catalog import placement_facts, resource_quota
from trnkit.layout.resource_counts import gp3_gib, placement_groups
from trnkit.layout.tags import CLUSTER_TAG
from trnkit.operations.preflight.check import PreflightCheck
from trnkit.operations.preflight.quota_room import (
    Demand,
    Limit,
    Use,
    amount,
    judge,
    judge_use,
    look_up,
)
from trnkit.operations.preflight.result import ok, unanswered, unknown, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.aws.ec2_usage import VolumeDescription
    from trnkit.config.yaml_reader import Path
    from trnkit.operations.preflight.account import AccountView
    from trnkit.operations.preflight.result import CheckResult

_HERE: Path = ("compute", "node_groups")
_GIB_PER_TIB = 1024
_MOST_VOLUMES = 20_000
"""Read at the most, which takes 40 calls."""


def _run(account: AccountView) -> Iterator[CheckResult]:
    for ask in (_auto_scaling_groups, _volumes, _placement_groups):
        try:
            result = ask(account)
        except AwsFailure as failure:
            yield unanswered(failure, path=_HERE)
        else:
            if result is not None:
                yield result


def _auto_scaling_groups(account: AccountView) -> CheckResult | None:
    """Auto Scaling itself tells its quota, and how much of it is used."""
    cluster, quota = account.cluster, resource_quota("auto-scaling-groups")
    wanted = len(cluster.compute.node_groups)
    gateway = account.gateway(AutoScalingGateway)
    limits = gateway.limits()
    if limits.groups is None or limits.most_groups is None:
        return unknown(
            f"Auto Scaling does not say how many groups {cluster.region} has and may have",
            remedy="try again later, or look at the quota in the console",
            look=f"aws autoscaling describe-account-limits --region {cluster.region}",
            path=_HERE,
        )
    own = len(gateway.group_names(CLUSTER_TAG, cluster.name))
    asked = max(0, wanted - own)
    if not asked:
        return ok(f"the cluster has its {amount(wanted, quota.unit)} already", path=_HERE)
    limit = Limit(
        quota=quota,
        region=cluster.region,
        value=limits.most_groups,
        unit=quota.unit,
        each=1,
        is_default=False,
    )
    demand = Demand(
        asks=f"the cluster takes {amount(asked, quota.unit, more=bool(own))}",
        asked=asked,
        certain=limits.groups,
        counted=f"{amount(limits.groups, quota.unit)} there",
    )
    return judge(limit, demand, path=_HERE)


def _volumes(account: AccountView) -> CheckResult | None:
    wanted = gp3_gib(account.cluster)
    if not wanted:
        return None
    there = account.gateway(Ec2UsageGateway).volumes("gp3", most=_MOST_VOLUMES)
    volumes: tuple[VolumeDescription, ...] = there or ()
    own = sum(volume.size_gib for volume in volumes if account.is_own(volume.tags))
    use = Use(
        wanted=wanted,
        own=own,
        others=sum(volume.size_gib for volume in volumes) - own,
        uncounted=_too_many(account) if there is None else None,
    )
    return judge_use(
        account,
        resource_quota("gp3-storage"),
        use,
        path=_HERE,
        where="on gp3 volumes",
        unit="GiB",
        each=_GIB_PER_TIB,
    )


def _too_many(account: AccountView) -> CheckResult:
    quota, region = resource_quota("gp3-storage"), account.cluster.region
    return unknown(
        f"{region} has more than {_MOST_VOLUMES} gp3 volumes, and their storage was not added up",
        remedy="compare the quota with its use in the console",
        look=look_up(quota, region),
        path=_HERE,
    )


def _placement_groups(account: AccountView) -> CheckResult | None:
    """A documented number without a code of Service Quotas, so that no more than a warning."""
    wanted, region = placement_groups(account.cluster), account.cluster.region
    if not wanted:
        return None
    there = account.gateway(Ec2UsageGateway).placement_groups()
    own = sum(account.is_own(group.tags) for group in there)
    asked, most = max(0, wanted - own), placement_facts().groups_per_region
    if asked + len(there) <= most or not asked:
        return ok(
            f"the cluster has {amount(wanted, 'placement group')}, {asked + len(there)} of {most} "
            "with all else",
            path=_HERE,
        )
    return warning(
        f"the cluster takes {amount(asked, 'placement group')}, {region} has {len(there)}, and AWS "
        f"documents {most} at most",
        remedy="delete placement groups that nothing uses",
        look=f"aws ec2 describe-placement-groups --region {region} --query "
        "'PlacementGroups[].[GroupName,State]' --output text",
        path=_HERE,
    )


CHECK = PreflightCheck(
    id="TRN918",
    name="launch-quotas",
    title="The quotas of Auto Scaling groups, gp3 storage and placement groups have room",
    why="Without room for groups the deployment rolls back; without room for the nodes' volumes "
    "it succeeds and launches fail with VolumeLimitExceeded. What carries the cluster's tag does "
    "not count twice. Of placement groups AWS documents a number and has no quota to raise: there "
    "a lack of room is a warning.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ebs-resource-quotas.html",
    needs=(
        DESCRIBE_ACCOUNT_LIMITS,
        DESCRIBE_AUTO_SCALING_GROUPS,
        DESCRIBE_VOLUMES,
        DESCRIBE_PLACEMENT_GROUPS,
        GET_SERVICE_QUOTA,
        GET_AWS_DEFAULT_SERVICE_QUOTA,
    ),
    run=_run,
)
