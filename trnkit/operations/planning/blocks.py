"""Capacity Blocks for a need: what is asked of EC2."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from trnkit.aws.ec2_blocks import Ec2BlockGateway
from trnkit.catalog import capacity_block_facts, capacity_block_hours, find_instance_type

if TYPE_CHECKING:
    from trnkit.aws.ec2_blocks import CapacityBlockOffering
    from trnkit.aws.session import AwsSession
    from trnkit.catalog import UltraServerMembership
    from trnkit.operations.planning.market import NodeNeed
    from trnkit.operations.planning.request import PlanRequest

# A block may be this much longer than asked: all of them end at one time of day.
_LONGER = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockQuestion:
    """What is asked of EC2 for a need.

    Attributes:
        need: The need.
        hours: A duration that is sold, no shorter than wanted.
        earliest: When it may start, at the earliest.
        latest: When it must have started, at the latest.
    """

    need: NodeNeed
    hours: int
    earliest: datetime | None
    latest: datetime | None

    @property
    def server(self) -> UltraServerMembership | None:
        """The UltraServer that the type is sold in, where it is."""
        kind = find_instance_type(self.need.instance_type)
        return kind.ultraserver if kind else None

    @property
    def count(self) -> int:
        """How many are asked for: instances, or whole UltraServers."""
        server = self.server
        return self.need.count if server is None else -(-self.need.count // server.instances)

    def may_start(self, start: datetime) -> bool:
        """Whether a block of this start is wanted; what EC2 was asked for is no proof of it."""
        is_early = self.earliest is not None and start < self.earliest
        return not is_early and (self.latest is None or start <= self.latest)

    def ask(self, session: AwsSession, region: str) -> tuple[CapacityBlockOffering, ...]:
        """Ask a Region. An UltraServer's type is sold as whole UltraServers only.

        Raises:
            AwsFailure: AWS gave no answer.
        """
        gateway = Ec2BlockGateway(session, region)
        # EC2 bounds the end and not the start.
        end = self.latest + timedelta(hours=self.hours) + _LONGER if self.latest else None
        server = self.server
        ask, name = (
            (gateway.offerings, self.need.instance_type)
            if server is None
            else (gateway.ultraserver_offerings, server.type_name)
        )
        return ask(name, self.count, self.hours, earliest=self.earliest, latest_end=end)


def block_question(need: NodeNeed, request: PlanRequest) -> BlockQuestion | None:
    """What is to be asked; None when no single block can be so long or so large.

    Args:
        need: The need.
        request: With the hours; without them nothing is asked.
    """
    if request.hours is None:
        return None
    hours = capacity_block_hours(request.hours)
    if hours is None or over_block_size(need, request.hours):
        return None
    return BlockQuestion(need=need, hours=hours, earliest=request.earliest, latest=request.latest)


def over_block_size(need: NodeNeed, hours: int) -> str | None:
    """Why no single block can be so long or so large; None when one can.

    Args:
        need: The need.
        hours: For how long.
    """
    facts = capacity_block_facts()
    if need.count > facts.maximum_instances:
        return f"a Capacity Block has {facts.maximum_instances} instances at most: ask for fewer"
    if capacity_block_hours(hours) is None:
        return f"a Capacity Block has {facts.maximum_days * 24} hours at most: ask for fewer"
    return None
