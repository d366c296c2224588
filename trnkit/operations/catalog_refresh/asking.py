"""Asks Regions what they have. One that does not answer costs its own answer, not the others'."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trnkit.catalog import find_region, instance_type_names, service_quotas
from trnkit.report.words import count_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.instance_types import NeuronTypeDescription
    from trnkit.aws.read_operation import ReadOperation
    from trnkit.aws.session import AwsSession
    from trnkit.catalog import Quota
    from trnkit.operations.planning.questions import Questions

SERVICE_CODE = "ec2"
_HEAD_START = 5.0
"""Seconds in which the first Region can save the others the asking: without credentials."""


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
    regions: Sequence[str],
    session: AwsSession,
    progress: Callable[[str], None] | None,
    *,
    most_seconds: float,
) -> tuple[RegionAnswer, ...]:
    """Ask Regions: the first, and when it has shown that there are credentials, all others at once.

    Args:
        regions: Their names.
        session: Where AWS is asked.
        progress: Told each Region as it is asked.
        most_seconds: Seconds for all together; what has no answer by then is unanswered.
    """
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.operations.planning.questions import Questions

    questions = Questions(most_seconds)

    def begin(region: str) -> Future[RegionAnswer]:
        if progress:
            progress(f"ask {region}: instance types, zones and quotas")
        return _begin(region, session, questions)

    first = begin(regions[0])
    wait([first], timeout=min(_HEAD_START, most_seconds / 4))
    told = first.result().unanswered if first.done() else ()
    if hopeless := next(filter(_is_hopeless, told), None):
        others = [_nothing(region, _not_asked(region, hopeless)) for region in regions[1:]]
        return (first.result(), *others)
    asked = [first, *map(begin, regions[1:])]
    return tuple(future.result() for future in asked)


def _begin(region: str, session: AwsSession, questions: Questions) -> Future[RegionAnswer]:
    """Ask in a thread, which ends when its questions do."""
    future: Future[RegionAnswer] = Future()

    def work() -> None:
        try:
            future.set_result(_ask_region(region, session, questions))
        except BaseException as error:  # A mistake of ours, for who waits.
            future.set_exception(error)

    threading.Thread(target=work, name=region, daemon=True).start()
    return future


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


def _ask_region(region: str, session: AwsSession, questions: Questions) -> RegionAnswer:
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.instance_types import (
        DESCRIBE_INSTANCE_TYPE_OFFERINGS,
        DESCRIBE_INSTANCE_TYPES,
        InstanceTypeGateway,
    )

    gateway = InstanceTypeGateway(session, region)

    def neuron_types() -> tuple[NeuronTypeDescription, ...]:
        session.credentials(region)  # They are looked at before they are used.
        return gateway.neuron_types()

    found = questions.ask(DESCRIBE_INSTANCE_TYPES, region, neuron_types).told()
    if isinstance(found, AwsFailure):
        return _nothing(region, _unanswered(region, found))
    described = {one.name: one.entry for one in found}
    if not described and _known_in(region):
        return _nothing(region, _unanswered(region, _empty(DESCRIBE_INSTANCE_TYPES, region)))
    names = sorted({*described, *instance_type_names()})
    operation = DESCRIBE_INSTANCE_TYPE_OFFERINGS
    zones = questions.ask(
        operation, region, lambda: gateway.offerings(names, "availability-zone-id")
    ).told()
    if isinstance(zones, AwsFailure):
        return _nothing(region, _unanswered(region, zones))
    offered = questions.ask(operation, region, lambda: gateway.offerings(names, "region")).told()
    if isinstance(offered, AwsFailure):
        return _nothing(region, _unanswered(region, offered))
    if not zones and not offered and _known_in(region):
        return _nothing(region, _unanswered(region, _empty(operation, region)))
    quotas, unanswered = _ask_quotas(region, session, questions)
    return RegionAnswer(
        region=region,
        descriptions=described,
        zones=zones,
        in_region=frozenset(offered),
        quotas=quotas,
        unanswered=unanswered,
        types_answered=True,
    )


def _known_in(region: str) -> int:
    """How many types the catalogue has in a Region."""
    known = find_region(region)
    return 0 if known is None else sum(map(bool, known.offerings.values()))


def _empty(operation: ReadOperation, region: str) -> AwsFailure:
    """An answer without a type, where there are some: an emulator's, not that all are gone."""
    from trnkit.aws.failures import unusable_failure

    known = count_of(_known_in(region), "instance type")
    lacking = f"it is empty, and the catalogue has {known} there"
    return unusable_failure(operation.service, operation.name, region, None, lacking=lacking)


def _ask_quotas(
    region: str, session: AwsSession, questions: Questions
) -> tuple[tuple[QuotaAnswer, ...], tuple[Unanswered, ...]]:
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.service_quotas import (
        GET_AWS_DEFAULT_SERVICE_QUOTA,
        LIST_SERVICE_QUOTAS,
        ServiceQuotasGateway,
    )

    gateway = ServiceQuotasGateway(session, region)
    wanted = [quota for quota in service_quotas() if quota.service_code == SERVICE_CODE]
    codes = [quota.quota_code for quota in wanted]
    applied = questions.ask(
        LIST_SERVICE_QUOTAS, region, lambda: gateway.applied(SERVICE_CODE, set(codes))
    ).told()
    if isinstance(applied, AwsFailure):
        return (), (_unanswered(region, applied),)
    defaults = questions.ask(
        GET_AWS_DEFAULT_SERVICE_QUOTA,
        region,
        lambda: {code: gateway.default(SERVICE_CODE, code) for code in codes},
    ).told()
    if isinstance(defaults, AwsFailure):
        return (), (_unanswered(region, defaults),)
    answers = (
        QuotaAnswer(
            quota=quota,
            applied=applied.get(quota.quota_code),
            default=defaults[quota.quota_code],
        )
        for quota in wanted
    )
    return tuple(answers), ()


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
