"""How much room the vCPU quotas of a Region have for what is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from trnkit.aws.ec2_capacity import (
    DESCRIBE_CAPACITY_RESERVATIONS,
    DESCRIBE_INSTANCES,
    DESCRIBE_SPOT_INSTANCE_REQUESTS,
    Ec2CapacityGateway,
    family_of,
)
from trnkit.aws.failures import AwsFailure, unusable_failure
from trnkit.aws.instance_types import DESCRIBE_INSTANCE_TYPES, InstanceTypeGateway
from trnkit.aws.service_quotas import GET_SERVICE_QUOTA, ServiceQuotasGateway
from trnkit.catalog import find_instance_type, quota_for
from trnkit.layout.tags import CLUSTER_TAG
from trnkit.operations.planning.market import QuotaRoom
from trnkit.operations.vcpu_room import counting_reservations, on_demand_usage, spot_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from trnkit.aws.ec2_capacity import ReservationDescription, RunningInstance
    from trnkit.aws.instance_types import TypeDescription
    from trnkit.aws.session import AwsSession
    from trnkit.aws.sts import CallerIdentity
    from trnkit.catalog import Quota
    from trnkit.operations.planning.market import NodeNeed, Told
    from trnkit.operations.planning.questions import Pending, Questions
    from trnkit.operations.vcpu_room import VcpuUsage

T = TypeVar("T")
Tagged = TypeVar("Tagged", "RunningInstance", "ReservationDescription")
Purchase: TypeAlias = Literal["on-demand", "spot"]


class QuotaRooms:
    """Asks a Region for quotas and for what takes them, all at once, when it is made."""

    def __init__(
        self,
        questions: Questions,
        session: AwsSession,
        region: str,
        needs: Sequence[NodeNeed],
        purchases: Collection[Purchase],
        caller: Pending[CallerIdentity],
        cluster: str | None = None,
    ) -> None:
        """Ask.

        Args:
            questions: Through which AWS is asked.
            session: Who asks.
            region: The Region.
            needs: What is wanted at once; all of it counts.
            purchases: Which quotas are of interest.
            caller: Whose quotas they are; waited for only where there are reservations, which
                others may have shared.
            cluster: Whose nodes and reservations are told apart from the others.
        """
        self._questions, self._region, self._needs = questions, region, needs
        self._caller, self._cluster = caller, cluster
        self._types = InstanceTypeGateway(session, region)
        types = sorted({need.instance_type for need in needs})
        quotas = {quota for name in types for p in purchases if (quota := quota_for(name, p))}
        gateway = ServiceQuotasGateway(session, region)
        self._limits = {
            quota: questions.ask(
                GET_SERVICE_QUOTA,
                region,
                lambda quota=quota: gateway.quota(quota.service_code, quota.quota_code),
                about=quota.quota_code,
            )
            for quota in sorted(quotas, key=lambda quota: quota.quota_code)
        }
        if not quotas:
            return
        capacity = Ec2CapacityGateway(session, region)
        families = sorted({family for quota in quotas for family in quota.families})
        self._running = questions.ask(
            DESCRIBE_INSTANCES, region, lambda: capacity.running(families)
        )
        self._reservations = self._waiting = None
        if any(quota.purchase == "on-demand" for quota in quotas):
            self._reservations = questions.ask(
                DESCRIBE_CAPACITY_RESERVATIONS, region, capacity.live_reservations
            )
        if any(quota.purchase == "spot" for quota in quotas):
            self._waiting = questions.ask(
                DESCRIBE_SPOT_INSTANCE_REQUESTS,
                region,
                lambda: capacity.open_spot_requests(families),
            )
        self._wanted_types = self._ask_types(lambda: set(types))
        self._other_types = self._ask_types(lambda: self._found_types(families) - set(types))

    def room(self, instance_type: str, purchase: Purchase) -> Told[QuotaRoom] | None:
        """The room of the quota that a type counts against.

        Returns:
            None when nobody knows such a quota, or it was not asked about.
        """
        quota = quota_for(instance_type, purchase)
        if quota is None or quota not in self._limits:
            return None
        try:
            return self._room(quota)
        except AwsFailure as failure:
            return failure

    def _room(self, quota: Quota) -> QuotaRoom:
        limit = _answer(self._limits[quota])
        if limit.value is None:
            raise unusable_failure(
                GET_SERVICE_QUOTA.service,
                GET_SERVICE_QUOTA.name,
                self._region,
                quota.quota_code,
                lacking="the quota has no value",
            )
        (usage, own), needed = self._usages(quota), self._needed(quota)
        return QuotaRoom(
            quota_code=quota.quota_code,
            name=limit.name if limit.name != quota.quota_code else quota.name,
            limit=limit.value,
            used=usage.certain,
            needed=None if usage.unknown_types else needed,
            own=own.certain,
        )

    def _usages(self, quota: Quota) -> tuple[VcpuUsage, VcpuUsage]:
        """What is taken of a quota, and what of it by the cluster itself."""
        families = quota.families
        running = [i for i in _answer(self._running) if family_of(i.instance_type) in families]
        if quota.purchase == "spot":
            waiting = [kind for kind in _all(self._waiting) if family_of(kind) in families]
            vcpus = self._vcpus({*_types(running), *waiting})
            return spot_usage(running, waiting, vcpus), spot_usage(self._own(running), (), vcpus)
        held = _all(self._reservations)
        if held:
            held = counting_reservations(held, families, _answer(self._caller).account)
        vcpus = self._vcpus({*_types(running), *_types(held)})
        own = on_demand_usage(self._own(running), self._own(held), vcpus)
        return on_demand_usage(running, held, vcpus), own

    def _own(self, described: Iterable[Tagged]) -> list[Tagged]:
        """What the cluster's own stacks made."""
        if self._cluster is None:
            return []
        return [one for one in described if one.tags.get(CLUSTER_TAG) == self._cluster]

    def _needed(self, quota: Quota) -> int | None:
        counting = [n for n in self._needs if family_of(n.instance_type) in quota.families]
        vcpus = self._vcpus({need.instance_type for need in counting})
        if any(need.instance_type not in vcpus for need in counting):
            return None
        return sum(need.count * vcpus[need.instance_type] for need in counting)

    def _vcpus(self, names: Iterable[str]) -> dict[str, int]:
        """Default vCPUs; types that nobody knows are left out."""
        found: dict[str, int | None] = {}
        for name in names:
            if kind := find_instance_type(name):
                found[name] = kind.vcpus
                continue
            described = _answer(self._wanted_types) | _answer(self._other_types)
            if name in described:
                found[name] = described[name].vcpus
        return {name: vcpus for name, vcpus in found.items() if vcpus is not None}

    def _ask_types(self, names: Callable[[], set[str]]) -> Pending[dict[str, TypeDescription]]:
        """Describe types that the catalogue lacks, if there are any."""

        def ask() -> dict[str, TypeDescription]:
            missing = sorted(name for name in names() if find_instance_type(name) is None)
            return self._types.types(missing) if missing else {}

        return self._questions.ask(DESCRIBE_INSTANCE_TYPES, self._region, ask)

    def _found_types(self, families: Collection[str]) -> set[str]:
        """Types of what runs, waits or is reserved; what was not answered fails elsewhere."""
        found: set[str] = set()
        for told in (self._running.told(), _told(self._reservations)):
            if not isinstance(told, AwsFailure):
                found |= _types(told)
        waiting = _told(self._waiting)
        if not isinstance(waiting, AwsFailure):
            found |= set(waiting)
        return {name for name in found if family_of(name) in families}


def _answer(pending: Pending[T]) -> T:
    """The answer.

    Raises:
        AwsFailure: There is none.
    """
    told = pending.told()
    if isinstance(told, AwsFailure):
        raise told
    return told


def _told(pending: Pending[tuple[T, ...]] | None) -> Told[tuple[T, ...]]:
    """The answer; nothing for a question that was not asked."""
    return pending.told() if pending else ()


def _all(pending: Pending[tuple[T, ...]] | None) -> Sequence[T]:
    """The same.

    Raises:
        AwsFailure: There is no answer.
    """
    return _answer(pending) if pending else ()


def _types(described: Iterable[RunningInstance | ReservationDescription]) -> set[str]:
    return {entry.instance_type for entry in described}
