"""Stacks in an emulated AWS that runs as a process of its own."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

from trnkit.emulation.process import INVENTORY_PATH as PATH
from trnkit.emulation.process import EmulatedAws
from trnkit.emulation.resources.catalog import READABLE
from trnkit.operations.rehearsal.proof import Outcome, ProofOfStacks, ResourceProof, prove

ACCOUNT = "111122223333"
REGION = "us-east-2"
READERS = {kind.name: kind for kind in READABLE}
SECONDS = 20.0


class Stack:
    """One stack, from its creation on."""

    def __init__(self, aws: EmulatedAws, name: str, resources: dict[str, Any]) -> None:
        self.aws, self.name = aws, name
        self.clients = aws.clients(REGION)
        self._cloudformation = self.clients("cloudformation")
        made = self._cloudformation.create_stack(StackName=name, **self._body(resources))
        self._id = made["StackId"]
        self.status = self._wait()

    def update(self, resources: dict[str, Any]) -> None:
        self._cloudformation.update_stack(StackName=self.name, **self._body(resources))
        self.status = self._wait()

    def delete(self) -> None:
        self._cloudformation.delete_stack(StackName=self._id)
        self.status = self._wait()

    def remove(self) -> None:
        """Delete it if it is there, so that its names are free."""
        if self.status != "DELETE_COMPLETE":
            self.delete()

    def reasons(self) -> str:
        """Why its resources failed."""
        events = self._cloudformation.describe_stack_events(StackName=self._id)["StackEvents"]
        failed = [event for event in events if event["ResourceStatus"].endswith("FAILED")]
        return "; ".join(event.get("ResourceStatusReason", "") for event in failed)

    def id_of(self, logical_id: str) -> str:
        """The physical id of a resource."""
        told = self._cloudformation.describe_stack_resource(
            StackName=self._id, LogicalResourceId=logical_id
        )
        return told["StackResourceDetail"]["PhysicalResourceId"]

    def properties_of(self, logical_id: str) -> dict[str, Any]:
        """The properties of a resource as the engine resolved them."""
        with urllib.request.urlopen(self.aws.endpoint + PATH) as answer:
            stacks = json.load(answer)
        (found,) = [stack for stack in stacks if stack["name"] == self.name]
        return found["resources"][logical_id]["properties"]

    def proof(self) -> ProofOfStacks:
        return prove(self.aws)

    def proof_of(self, logical_id: str) -> ResourceProof:
        (found,) = [
            resource
            for resource in self.proof().resources
            if (resource.stack, resource.logical_id) == (self.name, logical_id)
        ]
        return found

    def proved(self) -> list[ResourceProof]:
        """All its resources, which must be as the template says."""
        found = [resource for resource in self.proof().resources if resource.stack == self.name]
        assert [r for r in found if r.outcome is not Outcome.PROVED] == []
        return found

    def _body(self, resources: dict[str, Any]) -> dict[str, Any]:
        template = json.dumps({"Resources": resources})
        return {"TemplateBody": template, "Capabilities": ["CAPABILITY_NAMED_IAM"]}

    def _wait(self) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            status = self._cloudformation.describe_stacks(StackName=self._id)["Stacks"][0][
                "StackStatus"
            ]
            if not status.endswith("_IN_PROGRESS"):
                return status
            time.sleep(0.05)
        raise AssertionError(f"{self.name} is still {status}")
