"""What a rehearsal found out, as values."""

from __future__ import annotations

from dataclasses import dataclass

STEPS = ("create", "update", "fault", "destroy")
"""The steps of a rehearsal, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that was tried.

    Attributes:
        holds: Whether it came out as it must.
        text: What was found, in one sentence.
        details: More lines, such as properties that differ or the last lines of a command.
    """

    holds: bool
    text: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What a step found.

    Attributes:
        name: One of `STEPS`, or ``prepare``.
        seconds: How long it took.
        facts: What was tried, in order.
    """

    name: str
    seconds: float
    facts: tuple[Fact, ...]

    @property
    def succeeded(self) -> bool:
        """Whether everything came out as it must."""
        return all(fact.holds for fact in self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeProof:
    """How far a resource type was proved.

    Attributes:
        type: The CloudFormation type.
        resources: How many of them were deployed.
        properties: How many properties the service told, equal to the template's.
        not_told: Properties of the template that the service does not tell.
        by: ``service state`` or ``registry schema only``.
    """

    type: str
    resources: int
    properties: int
    not_told: tuple[str, ...]
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """A rehearsal of one cluster file.

    Attributes:
        file: The cluster file as the user named it.
        cluster: The cluster's name.
        account: The account id of the emulated AWS.
        regions: The regions that were deployed to.
        steps: What each step found.
        types: How far each resource type was proved.
        assumed: What the file takes to exist, and was made first.
        start_seconds: How long the emulated AWS took to start.
        memory_mib: The most memory that the emulated AWS used, None where it cannot be read.
    """

    file: str
    cluster: str
    account: str
    regions: tuple[str, ...]
    steps: tuple[StepResult, ...]
    types: tuple[TypeProof, ...]
    assumed: tuple[str, ...]
    start_seconds: float
    memory_mib: int | None

    @property
    def succeeded(self) -> bool:
        """Whether every step came out as it must."""
        return all(step.succeeded for step in self.steps)


NOT_PROVABLE = (
    "whether AWS has the capacity, the quota and the reservation when you deploy",
    "EFA traffic and its speed; that the boot script works on a real node; what is in the image",
    "whether the times of Capacity Blocks and schedules still lie ahead on the day you deploy",
    "that the tag is active in billing, and how long cost data takes to arrive (up to a day)",
    "permissions of the real account: service control policies, boundaries, your own role",
)
"""What only a real account can tell; every report says it."""
