"""Asks Regions what they have. One that does not answer costs its own answer, not the others'."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.catalog import instance_type_names, service_quotas

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.session import AwsSession
    from trnkit.catalog import Quota

SERVICE_CODE = "ec2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that AWS did not answer.

    Attributes:
        region: The Region.
        kind: Why, as one of the kinds of `trnkit.aws.failures`.
        operation: The API's name of the operation.
        message: One line with the remedy, without ids of accounts and ARNs.
    """

    region: str
    kind: str
    operation: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaAnswer:
    """A quota of a Region.

    Attributes:
        quota: What the catalogue knows of it.
        applied: What the account may use; None when AWS has only the default.
        default: What AWS gives everybody; None when the Region has no such quota.
    """

    quota: Quota
    applied: float | None
    default: float | None

    @property
    def differs(self) -> bool:
        """Whether the default is another one than the catalogue says."""
        known = self.quota.documented_default
        return known is not None and self.default is not None and self.default != known


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionAnswer:
    """What one Region said.

    Attributes:
        region: Its name.
        descriptions: DescribeInstanceTypes entries of types with Neuron chips, by name.
        zones: Ids of the zones that offer a type, by name.
        in_region: Types that the Region as a whole offers.
        quotas: Quotas that were read.
        unanswered: What AWS did not answer.
        types_answered: Whether types and zones were answered whole; then only quotas may be
            unanswered.
    """

    region: str
    descriptions: Mapping[str, Mapping[str, Any]]
    zones: Mapping[str, tuple[str, ...]]
    in_region: frozenset[str]
    quotas: tuple[QuotaAnswer, ...]
    unanswered: tuple[Unanswered, ...]
    types_answered: bool

    @property
    def complete(self) -> bool:
        """Whether everything was answered."""
        return not self.unanswered


def ask_regions(
    regions: Sequence[str], session: AwsSession, progress: Callable[[str], None] | None
) -> tuple[RegionAnswer, ...]:
    """Ask Regions, one after the other.

    Args:
        regions: Their names.
        session: Where AWS is asked.
        progress: Told each Region as it is asked.
    """
    answers: list[RegionAnswer] = []
    hopeless: Unanswered | None = None
    for region in regions:
        if hopeless is None:
            if progress:
                progress(f"ask {region}: instance types, zones and quotas")
            answers.append(_ask_region(region, session))
            hopeless = next(filter(_is_hopeless, answers[-1].unanswered), None)
        else:
            answers.append(_nothing(region, _not_asked(region, hopeless)))
    return tuple(answers)


def _is_hopeless(unanswered: Unanswered) -> bool:
    """Whether no Region will answer either."""
    return unanswered.kind in ("no-credentials", "expired")


def _not_asked(region: str, cause: Unanswered) -> Unanswered:
    return Unanswered(
        region=region,
        kind=cause.kind,
        operation="connect",
        message=f"{region} was not asked, for the same reason",
    )


def _ask_region(region: str, session: AwsSession) -> RegionAnswer:
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.instance_types import InstanceTypeGateway

    gateway = InstanceTypeGateway(session, region)
    try:
        session.credentials(region)
        described = {found.name: found.entry for found in gateway.neuron_types()}
        names = sorted({*described, *instance_type_names()})
        zones = gateway.offerings(names, "availability-zone-id")
        in_region = frozenset(gateway.offerings(names, "region"))
    except AwsFailure as failure:
        return _nothing(region, _unanswered(region, failure))
    quotas, unanswered = _ask_quotas(region, session)
    return RegionAnswer(
        region=region,
        descriptions=described,
        zones=zones,
        in_region=in_region,
        quotas=quotas,
        unanswered=unanswered,
        types_answered=True,
    )


def _ask_quotas(
    region: str, session: AwsSession
) -> tuple[tuple[QuotaAnswer, ...], tuple[Unanswered, ...]]:
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.service_quotas import ServiceQuotasGateway

    gateway = ServiceQuotasGateway(session, region)
    wanted = [quota for quota in service_quotas() if quota.service_code == SERVICE_CODE]
    try:
        applied = gateway.applied(SERVICE_CODE, {quota.quota_code for quota in wanted})
        answers = tuple(
            QuotaAnswer(
                quota=quota,
                applied=applied.get(quota.quota_code),
                default=gateway.default(SERVICE_CODE, quota.quota_code),
            )
            for quota in wanted
        )
    except AwsFailure as failure:
        return (), (_unanswered(region, failure),)
    return answers, ()


def _nothing(region: str, why: Unanswered) -> RegionAnswer:
    return RegionAnswer(
        region=region,
        descriptions={},
        zones={},
        in_region=frozenset(),
        quotas=(),
        unanswered=(why,),
        types_answered=False,
    )


def _unanswered(region: str, failure: AwsFailure) -> Unanswered:
    return Unanswered(
        region=region,
        kind=str(failure.kind),
        operation=failure.operation,
        message=str(failure),
    )
