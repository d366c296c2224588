"""The proof: every resource of every deployed stack is there, and is what its template says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from trnkit.emulation.borrowed import errors
from trnkit.emulation.process import EmulatedAws
from trnkit.emulation.resources.catalog import READABLE
from trnkit.emulation.resources.resource import Clients, Proof, Readable
from trnkit.operations.rehearsal.comparison import Difference, compare
from trnkit.operations.rehearsal.references import Names, left_in

BOOTSTRAP = "CDKToolkit"
"""The stack of ``cdk bootstrap``, which is no part of a cluster."""

_STANDING = frozenset(
    {"CREATE_COMPLETE", "IMPORT_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE"}
)


class Outcome(Enum):
    """What became of one resource's proof."""

    PROVED = "proved by service state"
    SCHEMA_ONLY = "checked against the registry schema only"
    DIFFERS = "the service tells something else"
    UNRESOLVED = "refers to nothing"
    MISSING = "not there"
    UNREADABLE = "the service gave no answer"

    @property
    def failed(self) -> bool:
        """Whether the resource is not what its template says."""
        return self not in (Outcome.PROVED, Outcome.SCHEMA_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceProof:
    """What is known of one resource.

    Attributes:
        stack: The stack's name.
        region: The region's name.
        logical_id: Its name in the template.
        type_name: Its type.
        physical_id: What the service calls it.
        outcome: What became of the proof.
        equal: Properties that the service tells as the template says.
        not_told: Properties that the service does not tell.
        differences: Where the service tells something else.
        unresolved: Where its properties refer to nothing.
        reason: Why there is no answer.
    """

    stack: str
    region: str
    logical_id: str
    type_name: str
    physical_id: str
    outcome: Outcome
    equal: tuple[str, ...] = ()
    not_told: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    unresolved: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StackStanding:
    """How a stack stands.

    Attributes:
        name: Its name.
        region: The region's name.
        status: CloudFormation's word for its state.
    """

    name: str
    region: str
    status: str

    @property
    def stands(self) -> bool:
        """Whether its last operation ended with all its resources there."""
        return self.status in _STANDING


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many resources and properties were proved how.

    Attributes:
        proved: Resources that are what their template says, by their service.
        schema_only: Resources that nothing but the registry schema stands behind.
        failed: Resources that are something else, or are not there.
        equal: Properties that a service tells as the template says.
        not_told: Properties that no service tells.
        differing: Places where a service tells something else.
    """

    proved: int
    schema_only: int
    failed: int
    equal: int
    not_told: int
    differing: int

    @property
    def resources(self) -> int:
        """All resources."""
        return self.proved + self.schema_only + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofOfStacks:
    """What is known of all resources of all stacks.

    Attributes:
        stacks: One entry for each stack.
        resources: One entry for each resource.
    """

    stacks: tuple[StackStanding, ...]
    resources: tuple[ResourceProof, ...]

    @property
    def holds(self) -> bool:
        """Whether all stacks stand, and each resource is what its template says.

        As far as can be told: a resource that only a schema stands behind is no failure. Where
        there is nothing, nothing holds.
        """
        return bool(self.resources) and not self.failures and not self.fallen

    @property
    def fallen(self) -> tuple[StackStanding, ...]:
        """The stacks that were not made, or not to the end."""
        return tuple(stack for stack in self.stacks if not stack.stands)

    @property
    def failures(self) -> tuple[ResourceProof, ...]:
        """The resources that are not what their template says."""
        return tuple(resource for resource in self.resources if resource.outcome.failed)

    @property
    def schema_only(self) -> tuple[str, ...]:
        """The types that nothing but the registry schema stands behind."""
        found = self.resources
        return tuple(sorted({r.type_name for r in found if r.outcome is Outcome.SCHEMA_ONLY}))

    @property
    def counts(self) -> Counts:
        """Of all resources."""
        return _counts(self.resources)

    def by_stack(self) -> dict[str, Counts]:
        """The counts of each stack, by ``region/name``."""
        return self._grouped(lambda resource: f"{resource.region}/{resource.stack}")

    def by_type(self) -> dict[str, Counts]:
        """The counts of each resource type."""
        return self._grouped(lambda resource: resource.type_name)

    def _grouped(self, key: Callable[[ResourceProof], str]) -> dict[str, Counts]:
        groups: dict[str, list[ResourceProof]] = {}
        for resource in self.resources:
            groups.setdefault(key(resource), []).append(resource)
        return {name: _counts(groups[name]) for name in sorted(groups)}


def prove(aws: EmulatedAws) -> ProofOfStacks:
    """Ask every service about every resource of every stack.

    Args:
        aws: The emulated AWS that the stacks are deployed to.

    Raises:
        EmulationError: It does not say which stacks it has.
    """
    return proof_of(aws.inventory(), aws.clients)


def proof_of(
    stacks: Iterable[Mapping[str, Any]],
    clients: Callable[[str], Clients],
    readable: Iterable[Readable] = READABLE,
) -> ProofOfStacks:
    """The proof of the stacks of an inventory.

    Args:
        stacks: What `trnkit.emulation.server.inventory` tells.
        clients: Gives what gives the boto3 clients of a region.
        readable: The resource types that a service can be asked about.
    """
    readers = {kind.name: kind for kind in readable if kind.proof is Proof.SERVICE}
    standings: list[StackStanding] = []
    proofs: list[ResourceProof] = []
    for stack in stacks:
        name, region, status = stack["name"], stack["region"], stack["status"]
        if name != BOOTSTRAP and status != "DELETE_COMPLETE":
            standings.append(StackStanding(name=name, region=region, status=status))
            proofs += _of_stack(stack, clients(region), readers)
    return ProofOfStacks(stacks=tuple(standings), resources=tuple(proofs))


def _of_stack(
    stack: Mapping[str, Any], clients: Clients, readers: Mapping[str, Readable]
) -> list[ResourceProof]:
    wanted: Mapping[str, Any] = stack["template"].get("Resources") or {}
    found: Mapping[str, Any] = stack["resources"]
    names = Names(stack["template"], found)
    proofs: list[ResourceProof] = []
    for logical_id, resource in wanted.items():
        if logical_id in found:
            record = found[logical_id]
            proofs.append(
                _of_resource(stack, logical_id, record, resource, clients, readers, names)
            )
        # Whether a condition holds, only the engine knows.
        elif "Condition" not in resource:
            proofs.append(
                ResourceProof(
                    stack=stack["name"],
                    region=stack["region"],
                    logical_id=logical_id,
                    type_name=resource["Type"],
                    physical_id="",
                    outcome=Outcome.MISSING,
                    reason=f"the stack is {stack['status']} and has no such resource",
                )
            )
    return proofs


def _of_resource(
    stack: Mapping[str, Any],
    logical_id: str,
    record: Mapping[str, Any],
    resource: Mapping[str, Any],
    clients: Clients,
    readers: Mapping[str, Readable],
    names: Names,
) -> ResourceProof:
    written: Mapping[str, Any] = resource.get("Properties") or {}
    expected: Mapping[str, Any] = record["properties"]
    lost = [name for name in written if name not in expected and not _may_be_absent(written[name])]
    unresolved = (*names.unknown_in(written), *left_in(expected), *lost)

    def proof(outcome: Outcome, **known: Any) -> ResourceProof:
        return ResourceProof(
            stack=stack["name"],
            region=stack["region"],
            logical_id=logical_id,
            type_name=record["type"],
            physical_id=record["physical_id"],
            outcome=Outcome.UNRESOLVED if unresolved and not outcome.failed else outcome,
            unresolved=unresolved,
            **known,
        )

    reader = readers.get(record["type"])
    if reader is None:
        return proof(Outcome.SCHEMA_ONLY)
    try:
        answer = reader.read(clients, record["physical_id"], expected)
    except errors() as error:
        return proof(Outcome.UNREADABLE, reason=str(error))
    if answer is None:
        return proof(Outcome.MISSING, reason="the service does not know it")
    compared = compare(expected, answer)
    return proof(
        Outcome.PROVED if compared.agrees else Outcome.DIFFERS,
        equal=compared.equal,
        not_told=compared.not_told,
        differences=compared.differences,
    )


def _may_be_absent(written: Any) -> bool:
    """Whether a property of the template may resolve to no value."""
    return isinstance(written, Mapping) and (
        "Fn::If" in written or written.get("Ref") == "AWS::NoValue"
    )


def _counts(resources: Iterable[ResourceProof]) -> Counts:
    found = tuple(resources)
    outcomes = Counter(resource.outcome for resource in found)
    return Counts(
        proved=outcomes[Outcome.PROVED],
        schema_only=outcomes[Outcome.SCHEMA_ONLY],
        failed=sum(resource.outcome.failed for resource in found),
        equal=sum(len(resource.equal) for resource in found),
        not_told=sum(len(resource.not_told) for resource in found),
        differing=sum(len(resource.differences) for resource in found),
    )
