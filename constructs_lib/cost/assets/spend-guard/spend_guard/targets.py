"""What scales node groups: one small driver for each kind, behind one interface.

A driver reads how a group stands, denies its launches, scales it to zero and restores it. Each of
these may be done twice and comes to the same. None of them deletes anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from .asking import ASKING_ERRORS
from .standing import Target
from .target_asg import AutoScalingDriver
from .target_batch import BatchDriver
from .target_eks import EksDriver
from .target_hyperpod import HyperPodDriver
from .target_pcs import PcsDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .enforcement_plan import Group, Plan


class Driver(Protocol):
    """Of one kind of resource that scales nodes."""

    def read(self, groups: Sequence[Group]) -> dict[str, Target]:
        """How groups stand now, by name; one that there is not is `gone`."""
        ...

    def deny_launches(self, resource: str, target: Target) -> None:
        """Let the group start nothing more; what runs goes on."""
        ...

    def scale_in(self, resource: str, target: Target) -> None:
        """Scale the group to zero."""
        ...

    def restore(self, resource: str, target: Target, before: dict[str, Any]) -> str | None:
        """Allow launches again, and restore sizes where they are still those that were set.

        Returns:
            What was not restored, and why; None when all was.
        """
        ...


DRIVERS: dict[str, Callable[[Any, str], Driver]] = {
    "asg": AutoScalingDriver,
    "pcs": PcsDriver,
    "eks": EksDriver,
    "batch": BatchDriver,
    "sagemaker": HyperPodDriver,
}
"""By the name that boto3 has for the service, `asg` for Auto Scaling."""

CLIENTS = {"asg": "autoscaling"}
"""boto3's name of the service, where the driver is called otherwise."""


class Targets:
    """All groups of a cluster, whatever scales them."""

    def __init__(self, plan: Plan, client: Callable[[str], Any]) -> None:
        self._plan, self._client = plan, client
        self._drivers: dict[str, Driver] = {}
        self._read: dict[str, Target] = {}

    def driver(self, kind: str) -> Driver:
        """The driver of a kind, made when it is first used."""
        if kind not in self._drivers:
            client = self._client(CLIENTS.get(kind, kind))
            self._drivers[kind] = DRIVERS[kind](client, self._plan.cluster)
        return self._drivers[kind]

    def read(self, also: Sequence[Group] = ()) -> dict[str, Target]:
        """How every group stands now; what has no answer is `unreadable`, and the rest is told.

        Args:
            also: Groups that are held and not in the plan any more.
        """
        known = {group.name for group in self._plan.groups}
        groups = [*self._plan.groups, *(group for group in also if group.name not in known)]
        found: dict[str, Target] = {}
        for kind in dict.fromkeys(group.driver for group in groups):
            ours = [group for group in groups if group.driver == kind]
            try:
                found |= self.driver(kind).read(ours)
            except ASKING_ERRORS as error:
                nothing = Target(status="unreadable", driver=kind, detail=str(error))
                found |= dict.fromkeys((group.name for group in ours), nothing)
        return found
