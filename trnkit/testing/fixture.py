"""What the pytest fixture ``rehearsal`` gives."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trnkit.emulation.needs import require_emulation
from trnkit.emulation.process import EmulatedAws, emulated_aws
from trnkit.operations.rehearsal.cdk_cli import CdkCli, Event, Ran
from trnkit.operations.rehearsal.proof import ProofOfStacks, prove
from trnkit.rules.cloud_assembly import read_assembly

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients

ACCOUNT = "111122223333"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What became of a command.

    Attributes:
        succeeded: Whether the command line ended with exit code 0.
        output: What it wrote.
        reasons: Why resources failed, as the stack events say it.
        events: The resource events that it showed.
    """

    succeeded: bool
    output: str
    reasons: tuple[str, ...]
    events: tuple[Event, ...]


class RehearsalFixture:
    """An emulated AWS and the real CDK command line.

    Args:
        aws: The emulated AWS.
    """

    def __init__(self, aws: EmulatedAws) -> None:
        self.aws = aws
        self._events: list[Event] = []
        self._cdk = CdkCli(aws, dict(os.environ), self._events.append)
        self._bootstrapped: set[str] = set()

    def clients(self, region: str) -> Clients:
        """What gives boto3 clients of a region: ``rehearsal.clients("us-east-2")("ec2")``."""
        return self.aws.clients(region)

    def deploy(self, assembly: str | Path, *, region: str = "us-east-1") -> Deployment:
        """Deploy every stack of a cloud assembly, as ``app.synth().directory`` names it.

        Args:
            assembly: The folder of the cloud assembly.
            region: For stacks that fix none.
        """
        folder = Path(assembly).absolute()
        for place in {stack.region or region for stack in read_assembly(folder)}:
            if place not in self._bootstrapped:
                ran = self._cdk.run(place, "bootstrap", f"aws://{self.aws.account}/{place}")
                if not ran.succeeded:
                    return self._deployment(ran)
                self._bootstrapped.add(place)
        arguments = ("--app", str(folder), "**", "--require-approval", "never")
        return self._deployment(self._cdk.run(region, "deploy", *arguments))

    def destroy(self, assembly: str | Path, *, region: str = "us-east-1") -> Deployment:
        """Destroy every stack of a cloud assembly."""
        folder = Path(assembly).absolute()
        ran = self._cdk.run(region, "destroy", "--app", str(folder), "**", "--force")
        return self._deployment(ran)

    def prove(self) -> ProofOfStacks:
        """Compare every property of every deployed resource with what the services tell."""
        return prove(self.aws)

    def stacks(self) -> list[dict[str, Any]]:
        """Every stack with its resources: type, physical id and resolved properties."""
        return self.aws.inventory()

    def _deployment(self, ran: Ran) -> Deployment:
        events = tuple(self._events)
        self._events.clear()
        return Deployment(
            succeeded=ran.succeeded, output=ran.output, reasons=ran.reasons, events=events
        )


@contextlib.contextmanager
def running_rehearsal(account: str = ACCOUNT) -> Generator[RehearsalFixture]:
    """A rehearsal for the time of a ``with`` block, for those who do without pytest.

    Args:
        account: The account id of the emulated AWS.

    Yields:
        What deploys, proves and destroys.

    Raises:
        ToolchainError: The extra ``trnkit[rehearse]`` or the CDK command line is missing.
    """
    require_emulation()
    with emulated_aws(account) as aws:
        yield RehearsalFixture(aws)
