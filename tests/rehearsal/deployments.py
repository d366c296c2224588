"""Deployments of templates by boto3 to one emulated AWS, as fast as it answers."""

from __future__ import annotations

import copy
import functools
import io
import json
import time
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from tests.rehearsal.census import Census, census
from tests.synthesis import ROOT, Assembly, example_assembly
from trnkit.config import load_cluster
from trnkit.operations.rehearsal.assumptions import buckets_of, make_named, seeds_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trnkit.config import ClusterFile
    from trnkit.emulation.process import EmulatedAws
    from trnkit.emulation.resources.resource import Clients

ACCOUNT = "111122223333"
SECONDS = 30.0
LONGEST_BODY = 51_200
"""Bytes of a template in a request; longer ones come from a bucket."""
ORDER = ("Network", "Storage", "Images", "Compute", "Cost", "Guard")
"""The order in which the stacks of a cluster import from each other."""

Template = dict[str, Any]


@dataclass(frozen=True)
class Deployed:
    """What became of a deployment.

    Attributes:
        status: The stack's status; empty when the request itself was refused.
        reasons: What the events of failed resources, or the refusal of the request, say.
    """

    status: str
    reasons: str

    @property
    def refused_at_once(self) -> bool:
        """Whether CloudFormation took no stack operation up at all."""
        return not self.status


class Cloud:
    """An emulated AWS with examples in it."""

    def __init__(self, aws: EmulatedAws) -> None:
        self.aws = aws
        self._standing: dict[str, Example] = {}

    def example(self, name: str) -> Example:
        """An example all of whose stacks stand."""
        if name not in self._standing:
            for other in self._standing.values():
                other.forget_census()
            file = ROOT / "examples" / f"{name}.yaml"
            self._standing[name] = Example(self.aws, cluster_of(name), example_assembly(file))
        return self._standing[name]


class Example:
    """One cluster, deployed."""

    def __init__(self, aws: EmulatedAws, cluster: ClusterFile, assembly: Assembly) -> None:
        self._aws = aws
        self.cluster = cluster.config.name
        self.region = cluster.config.region
        self.assembly = assembly
        self._attempts = 0
        self._good: dict[str, Census] = {}
        make_named_once(aws, cluster)
        self._upload_code()
        for stack in ORDER:
            if stack in self.assembly.templates:
                made = self.create(stack, self.template(stack))
                assert made.status == "CREATE_COMPLETE", (self.cluster, stack, made.reasons)

    def _upload_code(self) -> None:
        """What the CDK CLI does before a deployment: the code of functions comes from a bucket."""
        for stack in self.assembly.templates:
            for function in self.assembly.resources(stack, "AWS::Lambda::Function").values():
                code = function["Properties"]["Code"]
                bucket, key = code["S3Bucket"], code["S3Key"]
                region = bucket.partition(f"{ACCOUNT}-")[2]
                s3 = _clients_of(self._aws, region)("s3")
                if bucket not in [held["Name"] for held in s3.list_buckets()["Buckets"]]:
                    where = {"LocationConstraint": region}
                    s3.create_bucket(Bucket=bucket, CreateBucketConfiguration=where)
                folder = self.assembly.directory / f"asset.{key.removesuffix('.zip')}"
                s3.put_object(Bucket=bucket, Key=key, Body=_zipped(folder))

    def template(self, stack: str) -> Template:
        """A copy of the good template of a stack."""
        return copy.deepcopy(self.assembly.templates[stack])

    def census(self, stack: str) -> Census:
        """All that is in the services, of the types that a stack has."""
        types = sorted(
            {one["Type"] for one in self.assembly.templates[stack]["Resources"].values()}
        )
        return census(self._clients(stack), self._aws.account, types)

    def census_when_good(self, stack: str) -> Census:
        """The same, taken once, when nothing but good templates was deployed."""
        if stack not in self._good:
            self._good[stack] = self.census(stack)
        return self._good[stack]

    def forget_census(self) -> None:
        """More is there now than there was."""
        self._good.clear()

    def create(self, stack: str, template: Template, suffix: str = "") -> Deployed:
        """Create a stack; with a suffix to its name it exports nothing."""
        if suffix:
            template = {**template, "Outputs": _without_exports(template)}
        return self._run("create_stack", f"{self.cluster}-{stack}{suffix}", stack, template)

    def update(self, stack: str, template: Template) -> Deployed:
        """Update a stack that stands."""
        name = f"{self.cluster}-{stack}"
        return self._run("update_stack", name, stack, template, after_others=True)

    def update_as_it_was(self, stack: str) -> Deployed:
        """Deploy the good template, with an output by which there is something to do."""
        self._attempts += 1
        template = self.template(stack)
        template.setdefault("Outputs", {})["Attempt"] = {"Value": str(self._attempts)}
        return self._run("update_stack", f"{self.cluster}-{stack}", stack, template)

    def physical_ids(self, stack: str) -> dict[str, str]:
        """The physical id of every resource of a stack, by logical id."""
        name = f"{self.cluster}-{stack}"
        told = self._client(stack).describe_stack_resources(StackName=name)["StackResources"]
        return {one["LogicalResourceId"]: one["PhysicalResourceId"] for one in told}

    def delete(self, stack: str, suffix: str = "") -> str:
        """Delete a stack."""
        name = f"{self.cluster}-{stack}{suffix}"
        client = self._client(stack)
        stack_id = client.describe_stacks(StackName=name)["Stacks"][0]["StackId"]
        client.delete_stack(StackName=name)
        return self._wait(client, stack_id)

    def _clients(self, stack: str) -> Clients:
        region = self.assembly.regions[stack]
        return _clients_of(self._aws, self.region if region == "unknown-region" else region)

    def _client(self, stack: str) -> Any:
        return self._clients(stack)("cloudformation")

    def _run(
        self,
        operation: str,
        name: str,
        stack: str,
        template: Template,
        *,
        after_others: bool = False,
    ) -> Deployed:
        client = self._client(stack)
        body = json.dumps(template, separators=(",", ":"))
        given = (
            {"TemplateBody": body}
            if len(body) <= LONGEST_BODY
            else {"TemplateURL": self._uploaded(body)}
        )
        began = _last_event(client, name) if after_others else None
        try:
            stack_id = getattr(client, operation)(
                StackName=name, Capabilities=["CAPABILITY_NAMED_IAM"], **given
            )["StackId"]
        except ClientError as error:
            return Deployed("", str(error))
        status = self._wait(client, stack_id)
        went_well = status in ("CREATE_COMPLETE", "UPDATE_COMPLETE")
        return Deployed(status, "" if went_well else _reasons(client, stack_id, began))

    def _uploaded(self, body: str) -> str:
        s3 = self._aws.clients("us-east-1")("s3")
        s3.create_bucket(Bucket="templates")
        s3.put_object(Bucket="templates", Key="template.json", Body=body.encode())
        return "https://s3.us-east-1.amazonaws.com/templates/template.json"

    @staticmethod
    def _wait(client: Any, stack_id: str) -> str:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            (told,) = client.describe_stacks(StackName=stack_id)["Stacks"]
            if not told["StackStatus"].endswith("_IN_PROGRESS"):
                return told["StackStatus"]
            time.sleep(0.01)
        raise AssertionError(f"{stack_id} is still {told['StackStatus']}")


def _zipped(folder: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(folder.rglob("*")):
            archive.write(file, file.relative_to(folder))
    return packed.getvalue()


@functools.cache
def _clients_of(aws: EmulatedAws, region: str) -> Clients:
    """Clients, which take long to make."""
    return aws.clients(region)


def cluster_of(name: str) -> ClusterFile:
    """The cluster file of an example."""
    return load_cluster(ROOT / "examples" / f"{name}.yaml")


def make_named_once(aws: EmulatedAws, cluster: ClusterFile) -> None:
    """Make what a file takes to exist, unless it is there: examples share a bucket."""
    wanted = {*buckets_of(cluster.config)}
    listed = aws.clients(cluster.config.region)("s3").list_buckets()["Buckets"]
    if not wanted or not wanted <= {bucket["Name"] for bucket in listed}:
        make_named(aws, cluster.config)


def seeds_of_all(names: Iterable[str]) -> list[dict[str, Any]]:
    """What exists before any of the examples, each thing once."""
    seeds = [seed for name in names for seed in seeds_of(cluster_of(name))]
    return list({json.dumps(seed, sort_keys=True): seed for seed in seeds}.values())


def _without_exports(template: Template) -> Template:
    outputs = template.get("Outputs", {})
    return {name: {"Value": output["Value"]} for name, output in outputs.items()}


def _last_event(client: Any, name: str) -> str:
    return client.describe_stack_events(StackName=name)["StackEvents"][0]["EventId"]


def _reasons(client: Any, stack_id: str, began: str | None) -> str:
    """What failed, in the events since one."""
    said: list[str] = []
    for page in client.get_paginator("describe_stack_events").paginate(StackName=stack_id):
        for event in page["StackEvents"]:
            if event["EventId"] == began:
                return "; ".join(reversed(said))
            if event["ResourceStatus"].endswith(("FAILED", "ROLLBACK_IN_PROGRESS")):
                said.append(
                    f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', '')}"
                )
    return "; ".join(reversed(said))
