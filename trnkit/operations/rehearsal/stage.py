"""Everything a step needs: the emulated AWS, the command line, the assembly, and who is told."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.report.rehearsal_results import Fact
from trnkit.rules.cloud_assembly import AssemblyStack, read_assembly

if TYPE_CHECKING:
    from trnkit.config import ClusterFile
    from trnkit.emulation.process import EmulatedAws
    from trnkit.operations.rehearsal.cdk_cli import CdkCli, Ran
    from trnkit.operations.rehearsal.progress import Progress

_LAST_LINES = 8

Stacks = dict[str, dict[str, Any]]


@dataclass(kw_only=True)
class Stage:
    """The state of a rehearsal while it runs.

    Attributes:
        aws: The emulated AWS.
        cdk: The command line.
        cluster: The cluster file as it was given.
        assembly: The assembly that is deployed now.
        progress: Who is told.
        folder: Where files of the rehearsal go.
    """

    aws: EmulatedAws
    cdk: CdkCli
    cluster: ClusterFile
    assembly: Path
    progress: Progress
    folder: Path
    facts: list[Fact] = field(default_factory=list[Fact])

    @property
    def stacks(self) -> tuple[AssemblyStack, ...]:
        """The stacks of the assembly."""
        return read_assembly(self.assembly)

    @property
    def region(self) -> str:
        """The cluster's region."""
        return self.cluster.config.region

    @property
    def regions(self) -> tuple[str, ...]:
        """All regions that the stacks are for, each once."""
        return tuple(dict.fromkeys(stack.region or self.region for stack in self.stacks))

    def tell(self, holds: bool, text: str, *details: str) -> bool:
        """Keep a fact and tell it.

        Returns:
            Whether it holds.
        """
        fact = Fact(holds=holds, text=text, details=details)
        self.facts.append(fact)
        self.progress.fact(fact)
        return holds

    def taken(self) -> tuple[Fact, ...]:
        """The facts since the last call."""
        facts = tuple(self.facts)
        self.facts.clear()
        return facts

    def inventory(self) -> Stacks:
        """What the emulated AWS holds of every stack but the bootstrap stack, by name."""
        stacks = self.aws.inventory()
        return {
            stack["name"]: stack
            for stack in stacks
            if stack["name"] != "CDKToolkit" and stack["resources"]
        }

    def deploy(self, directory: Path, *more: str) -> Ran:
        """`cdk deploy` of everything in an assembly."""
        return self.cdk.run(
            self.region,
            *("deploy", "--app", str(directory), "**", "--require-approval", "never", *more),
        )


def last_lines(ran: Ran) -> tuple[str, ...]:
    """The last that a command said, for a fact that does not hold."""
    lines = [line for line in ran.output.splitlines() if line.strip() and "| " not in line]
    return tuple(line[:300] for line in lines[-_LAST_LINES:])


def file_systems(stacks: Stacks) -> dict[str, str]:
    """Physical ids of what holds data, by logical id."""
    return {
        f"{stack['name']}/{logical_id}": resource["physical_id"]
        for stack in stacks.values()
        for logical_id, resource in stack["resources"].items()
        if resource["type"] in STATEFUL
    }


STATEFUL = frozenset(
    {
        "AWS::DynamoDB::Table",
        "AWS::EFS::FileSystem",
        "AWS::FSx::FileSystem",
        "AWS::S3::Bucket",
    }
)
"""Types whose resources hold data."""
