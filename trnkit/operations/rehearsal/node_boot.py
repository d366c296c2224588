"""Whether what the user data of a launch template refers to is there, and the role may use it.

Nodes do not run here: that the scripts work is for other tests. What can be proved is that they
would come: the bundle is in the bucket, is what its checksums say, and is open to the node's role;
the hook, the log group and the permissions that the boot reports with exist.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trnkit.emulation.borrowed import errors
from trnkit.layout.node_settings import STATE_TAG
from trnkit.operations.rehearsal.permissions import RESOURCE_TAG, Context, Role, role_of_profile
from trnkit.operations.rehearsal.user_data import LONGEST, BootText, boot_text

if TYPE_CHECKING:
    from trnkit.emulation.resources.resource import Clients

LAUNCHING = "autoscaling:EC2_INSTANCE_LAUNCHING"


@dataclass(kw_only=True)
class BootCheck:
    """The boot of the nodes of one group.

    Attributes:
        group: The Auto Scaling group's name.
        words: What is as it must be.
        problems: What is not.
    """

    group: str
    words: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])

    @property
    def holds(self) -> bool:
        """Whether everything is there."""
        return not self.problems


@dataclass(frozen=True, kw_only=True)
class _Node:
    """What is known of the nodes of a group before they boot."""

    clients: Clients
    account: str
    region: str
    group: Mapping[str, Any]
    text: BootText
    role: Role | None

    def arn(self, service: str, rest: str) -> str:
        return f"arn:aws:{service}:{self.region}:{self.account}:{rest}"

    def must_be_allowed(
        self,
        check: BootCheck,
        what: str,
        *actions: tuple[str, str],
        known: Context | None = None,
    ) -> bool:
        """Note each action that the role is not allowed."""
        if self.role is None:
            check.problems.append(f"it has no role to {what} with")
            return False
        denied = [name for name, resource in actions if not self.role.may(name, resource, known)]
        check.problems += [f"{self.role.name} may not {name}, to {what}" for name in denied]
        return not denied


def check_boots(clients: Clients, account: str, region: str) -> tuple[BootCheck, ...]:
    """Look at the boot of the nodes of every Auto Scaling group of a region.

    Args:
        clients: Gives boto3 clients of the region.
        account: The account id.
        region: The region's name.
    """
    pages = clients("autoscaling").get_paginator("describe_auto_scaling_groups").paginate()
    found: list[BootCheck] = []
    for group in (group for page in pages for group in page["AutoScalingGroups"]):
        data = _launch_template_data(clients("ec2"), group)
        if data.get("UserData"):
            found.append(_check(clients, account, region, group, data))
    return tuple(found)


def _check(
    clients: Clients,
    account: str,
    region: str,
    group: Mapping[str, Any],
    data: Mapping[str, Any],
) -> BootCheck:
    check = BootCheck(group=str(group["AutoScalingGroupName"]))
    text = boot_text(data["UserData"])
    if text.broken:
        check.problems.append(f"the user data cannot be read: {text.broken}")
        return check
    if text.size > LONGEST:
        check.problems.append(f"the user data has {text.size} bytes; {LONGEST} are allowed")
    profile = data.get("IamInstanceProfile")
    try:
        role = role_of_profile(clients, profile) if profile else None
    except errors() as error:
        check.problems.append(f"the role of its instance profile cannot be read: {error}")
        return check
    check.words.append(f"{text.size} of {LONGEST} bytes of user data")
    node = _Node(clients=clients, account=account, region=region, group=group, text=text, role=role)
    _bundles(node, check)
    _report(node, check)
    _logs(node, check)
    return check


def _launch_template_data(ec2: Any, group: Mapping[str, Any]) -> Mapping[str, Any]:
    mixed = group.get("MixedInstancesPolicy", {}).get("LaunchTemplate", {})
    named = group.get("LaunchTemplate") or mixed.get("LaunchTemplateSpecification")
    if not named:
        return {}
    answer = ec2.describe_launch_template_versions(
        LaunchTemplateId=named["LaunchTemplateId"], Versions=[named.get("Version", "$Default")]
    )
    return answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]


def _bundles(node: _Node, check: BootCheck) -> None:
    """Each asset that the user data names is in its bucket, and is what the checksums say."""
    s3 = node.clients("s3")
    there = [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
    for key in node.text.keys:
        named = node.text.named(there)
        if not named:
            check.problems.append(f"the user data names {key} and no bucket that exists")
            continue
        place = f"s3://{named[0]}/{key}"
        try:
            body = s3.get_object(Bucket=named[0], Key=key)["Body"].read()
        except errors() as error:
            check.problems.append(f"{place} is not there: {error}")
            continue
        object_arn = f"arn:aws:s3:::{named[0]}/{key}"
        count, wrong = wrong_files(body, node.text)
        check.problems += [f"{place}: {problem}" for problem in wrong]
        allowed = node.must_be_allowed(check, f"fetch {place}", ("s3:GetObject", object_arn))
        if allowed and not wrong:
            check.words.append(
                f"{place} is there, its {count} files have the checksums of the user data, and "
                "the role may read it"
            )


def wrong_files(body: bytes, text: BootText) -> tuple[int, list[str]]:
    """How many files a bundle has, and what is wrong with them."""
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as bundle:
            names = [info.filename for info in bundle.infolist() if not info.is_dir()]
            sums = {name: hashlib.sha256(bundle.read(name)).hexdigest() for name in names}
    except zipfile.BadZipFile as error:
        return 0, [f"no zip file: {error}"]
    checksums, digest = text.checksums, text.bundle_digest
    if not checksums and digest:
        listing = "".join(f"{sums[name]}  {name}\n" for name in sorted(sums))
        right = hashlib.sha256(listing.encode()).hexdigest() == digest
        return len(sums), [] if right else ["its files are not those of the user data's checksum"]
    if not checksums:
        return len(sums), ["the user data has no checksum of any file"]
    wrong: list[str] = []
    found: set[str] = set()
    for path, expected in checksums.items():
        name = next((one for one in sums if path == one or path.endswith(f"/{one}")), None)
        if name is None:
            wrong.append(f"{path} has a checksum and is not in it")
            continue
        found.add(name)
        if sums[name] != expected:
            wrong.append(f"{path} has another checksum than in the user data")
    wrong += [f"{name} has no checksum in the user data" for name in sums if name not in found]
    return len(sums), wrong


def _report(node: _Node, check: BootCheck) -> None:
    """How a node tells what became of its boot: by a hook of its group, or by a signal."""
    kind, _, name = node.text.settings.get("TRNKIT_REPORT", "").partition(" ")
    group = str(node.group["AutoScalingGroupName"])
    if kind == "lifecycle":
        hooks = launch_hooks(node.clients, group)
        if name not in hooks:
            told = ", ".join(hooks) or "none"
            check.problems.append(f"nodes report to the launch hook {name}; the group has {told}")
            return
        arn = node.group["AutoScalingGroupARN"]
        actions = ("CompleteLifecycleAction", "RecordLifecycleActionHeartbeat")
        allowed = [("autoscaling:DescribeAutoScalingInstances", "*")]
        allowed += [(f"autoscaling:{action}", arn) for action in actions]
        tags = _tags(node.group.get("Tags", ()))
        if node.must_be_allowed(check, f"report to {name}", *allowed, known=tags):
            check.words.append(
                f"nodes report to {name} within {hooks[name]['HeartbeatTimeout']} s, else "
                f"{hooks[name]['DefaultResult']}"
            )
    elif kind == "signal":
        _signal(node, check, *name.split()[:2])
    if node.text.settings.get("TRNKIT_TAG_STATE") == "1":
        _tag_themselves(node, check)


def _tag_themselves(node: _Node, check: BootCheck) -> None:
    """Whether the role may tag the instances of the group, which conditions may name by tags."""
    ids = [one["InstanceId"] for one in node.group.get("Instances", ())][:1]
    if not ids:
        return
    told = node.clients("ec2").describe_instances(InstanceIds=ids)
    (instance,) = [one for held in told["Reservations"] for one in held["Instances"]]
    known = {**_tags(instance.get("Tags", ())), "aws:TagKeys": [STATE_TAG]}
    action = ("ec2:CreateTags", node.arn("ec2", f"instance/{ids[0]}"))
    if node.must_be_allowed(check, f"tag themselves with {STATE_TAG}", action, known=known):
        check.words.append(f"they may tag themselves with {STATE_TAG}")


def _tags(tags: Iterable[Mapping[str, str]]) -> dict[str, list[str]]:
    return {f"{RESOURCE_TAG}{tag['Key']}": [tag["Value"]] for tag in tags}


def _signal(node: _Node, check: BootCheck, stack: str = "", logical_id: str = "") -> None:
    client = node.clients("cloudformation")
    try:
        (told,) = client.describe_stacks(StackName=stack)["Stacks"]
        client.describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
    except errors() as error:
        check.problems.append(f"nodes signal {stack}/{logical_id}, which is not there: {error}")
        return
    action = ("cloudformation:SignalResource", told["StackId"])
    if node.must_be_allowed(check, f"signal {stack}/{logical_id}", action):
        check.words.append(f"nodes signal {stack}/{logical_id}")


def _logs(node: _Node, check: BootCheck) -> None:
    """The log group of the nodes exists and does not grow for ever; the role may write to it."""
    settings = node.text.settings
    name = settings.get("TRNKIT_LOG_GROUP")
    if settings.get("TRNKIT_CLOUDWATCH") == "1":
        namespace = settings.get("TRNKIT_METRICS_NAMESPACE")
        node.must_be_allowed(
            check,
            "publish metrics",
            ("cloudwatch:PutMetricData", "*"),
            known={"cloudwatch:namespace": [namespace]} if namespace else None,
        )
    if not name:
        return
    pages = (
        node.clients("logs").get_paginator("describe_log_groups").paginate(logGroupNamePrefix=name)
    )
    groups = {group["logGroupName"]: group for page in pages for group in page["logGroups"]}
    if name not in groups:
        check.problems.append(f"nodes write to the log group {name}, which is not there")
        return
    days = groups[name].get("retentionInDays")
    if days is None:
        check.problems.append(f"the log group {name} keeps everything for ever")
        return
    stream = node.arn("logs", f"log-group:{name}:log-stream:node")
    actions = [(f"logs:{action}", stream) for action in ("CreateLogStream", "PutLogEvents")]
    if node.must_be_allowed(check, f"write to {name}", *actions):
        check.words.append(f"they log to {name}, kept for {days} days")


def launch_hooks(clients: Clients, group: str) -> dict[str, Mapping[str, Any]]:
    """The hooks that instances of a group wait for when they are launched, by name.

    Args:
        clients: Gives boto3 clients of the region.
        group: The group's name.
    """
    answer = clients("autoscaling").describe_lifecycle_hooks(AutoScalingGroupName=group)
    return {
        hook["LifecycleHookName"]: hook
        for hook in answer["LifecycleHooks"]
        if hook["LifecycleTransition"] == LAUNCHING
    }
