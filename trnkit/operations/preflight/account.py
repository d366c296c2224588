"""The account as the checks see it: gateways, and what several checks want to know asked once."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from trnkit.aws.cloudformation import CloudFormationGateway
from trnkit.aws.ec2 import Ec2Gateway
from trnkit.aws.ec2_capacity import Ec2CapacityGateway, family_of
from trnkit.aws.ec2_network import Ec2NetworkGateway
from trnkit.aws.failures import AwsFailure, FailureKind
from trnkit.aws.instance_types import InstanceTypeGateway
from trnkit.aws.service_quotas import ServiceQuotasGateway
from trnkit.aws.ssm import SsmGateway
from trnkit.aws.sts import StsGateway
from trnkit.catalog import find_instance_type
from trnkit.layout.tags import CLUSTER_TAG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trnkit.aws.cloudformation import StackDescription
    from trnkit.aws.ec2 import ZoneDescription
    from trnkit.aws.ec2_capacity import ReservationDescription, RunningInstance
    from trnkit.aws.ec2_network import SubnetDescription
    from trnkit.aws.gateway import Gateway
    from trnkit.aws.instance_types import TypeDescription
    from trnkit.aws.session import AwsSession
    from trnkit.aws.sts import CallerIdentity
    from trnkit.config import ClusterConfig

Answer = TypeVar("Answer")
AnyGateway = TypeVar("AnyGateway", bound="Gateway")


class AccountView:
    """One cluster file and one account; several checks use it at once.

    Attributes:
        cluster: What the file asks for.
        file: The file, for commands that take it.
        session: Who asks.
        now: The moment that windows of time are compared with.
        ec2: Images and zones of the cluster's Region.
        instance_types: Types there, and where they are offered.
        capacity: What runs and is reserved there.
        network: Networks there.
        quotas: Quotas there.
    """

    def __init__(
        self,
        cluster: ClusterConfig,
        session: AwsSession,
        *,
        file: str = "cluster.yaml",
        now: datetime | None = None,
    ) -> None:
        """Ask nothing yet."""
        self.cluster, self.session, self.file = cluster, session, file
        self.now = now or datetime.now(UTC)
        region = cluster.region
        self.ec2 = Ec2Gateway(session, region)
        self.instance_types = InstanceTypeGateway(session, region)
        self.capacity = Ec2CapacityGateway(session, region)
        self.network = Ec2NetworkGateway(session, region)
        self.quotas = ServiceQuotasGateway(session, region)
        self._asking = threading.Lock()
        self._answers: dict[object, Future[Any]] = {}

    def gateway(self, kind: type[AnyGateway], region: str | None = None) -> AnyGateway:
        """A gateway of the cluster's Region, or of another; made anew, since clients are kept."""
        return kind(self.session, region or self.cluster.region)

    def ssm(self, region: str) -> SsmGateway:
        """Parameters of a Region."""
        return SsmGateway(self.session, region)

    def cloudformation(self, region: str) -> CloudFormationGateway:
        """Stacks of a Region."""
        return CloudFormationGateway(self.session, region)

    def stack(self, name: str, region: str | None = None) -> StackDescription | None:
        """A stack of the cluster's Region, or of another; None when no stack has the name."""
        region = region or self.cluster.region
        gateway = self.cloudformation(region)
        return self.once(("stack", region, name), lambda: gateway.stack(name))

    def caller(self, region: str) -> CallerIdentity:
        """Who asks, as STS of a Region says it."""
        return self.once(("caller", region), StsGateway(self.session, region).caller)

    def zones(self) -> tuple[ZoneDescription, ...]:
        """The zones of the cluster's Region."""
        return self.once("zones", self.ec2.zones)

    def subnet(self, subnet_id: str) -> SubnetDescription | None:
        """An existing subnet."""
        return self.once(("subnet", subnet_id), lambda: self.network.subnet(subnet_id))

    def running(self) -> tuple[RunningInstance, ...]:
        """What runs of the families that the file asks for."""
        families = sorted({family_of(g.instance_type) for g in self.cluster.compute.node_groups})
        return self.once("running", lambda: self.capacity.running(families))

    def reservation(self, reservation_id: str) -> ReservationDescription | None:
        """A reservation, of the account or shared with it; None when it sees none."""

        def ask() -> ReservationDescription | None:
            try:
                return self.capacity.reservation(reservation_id)
            except AwsFailure as failure:
                if failure.kind is FailureKind.NOT_FOUND:
                    return None
                raise

        return self.once(("reservation", reservation_id), ask)

    def live_reservations(self) -> tuple[ReservationDescription, ...]:
        """Every reservation that is active or about to be."""
        return self.once("live reservations", self.capacity.live_reservations)

    def is_own(self, tags: Mapping[str, str]) -> bool:
        """Whether something belongs to this cluster, as deployed before."""
        return tags.get(CLUSTER_TAG) == self.cluster.name

    def types(self, names: Iterable[str]) -> dict[str, TypeDescription]:
        """Instance types that the catalogue does not have; only these are asked for."""
        missing = sorted({name for name in names if find_instance_type(name) is None})
        if not missing:
            return {}
        return self.once(("types", *missing), lambda: self.instance_types.types(missing))

    def vcpus(self, names: Iterable[str]) -> dict[str, int]:
        """Default vCPUs of instance types; those that nobody knows are left out."""
        names = set(names)
        told = {name: kind.vcpus for name, kind in self.types(names).items()}
        known = {name: kind.vcpus for name in names if (kind := find_instance_type(name))}
        return {name: vcpus for name, vcpus in (told | known).items() if vcpus is not None}

    def once(self, question: object, ask: Callable[[], Answer]) -> Answer:
        """Ask the first time; whoever wants to know meanwhile waits for the same answer."""
        with self._asking:
            waiting = self._answers.get(question)
            mine = self._answers.setdefault(question, Future())
        if waiting is None:
            try:
                mine.set_result(ask())
            except BaseException as error:
                mine.set_exception(error)
                raise
        return mine.result()
