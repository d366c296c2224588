"""What a change of a group of nodes, or of what it starts them from, does to nodes that run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.differences import lines_of
from trnkit.operations.changes.pairs import number_at, value_at
from trnkit.operations.changes.showing import differing_lines
from trnkit.report.change_results import Effect, Verdict
from trnkit.rules.reading.fleets import fleets_of
from trnkit.rules.reading.launch_templates import read_launch_template
from trnkit.rules.reading.template_value import as_mapping, attribute_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.operations.changes.differences import Difference
    from trnkit.operations.changes.pairs import ResourcePair
    from trnkit.rules.stack_set import Resource

LAUNCH_TEMPLATE = "AWS::EC2::LaunchTemplate"
VERSION_ATTRIBUTES = ("LatestVersionNumber",)
"""Attributes of a launch template that change with it. The default version stays what it was."""

_UPDATE_POLICY_PAGE = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-attribute-updatepolicy.html"
)
_VERSIONS_PAGE = (
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/manage-launch-template-versions.html"
)
_EKS_PAGE = "https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html"
_BATCH_PAGE = (
    "https://docs.aws.amazon.com/batch/latest/userguide/updating-compute-environments.html"
)
_STARTED_FROM = ("LaunchTemplate", "MixedInstancesPolicy", "LaunchConfigurationName")
_SIZES = ("DesiredCapacity", "MaxSize", "MinSize")
_DRAIN_FIRST = "let the jobs write a checkpoint and end before you deploy"
_REFRESH = (
    "start an instance refresh when you want it on every node: "
    "aws autoscaling start-instance-refresh"
)


def judge_launch_template(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A new version; who starts from it is judged at its own `Version`."""
    if difference.top != "LaunchTemplateData":
        return None
    if difference.name == "UserData" and only_comments(difference):
        return Effect(
            verdict=Verdict.SAFE,
            message="a new version, although only comments of its user data differ",
        )
    return Effect(verdict=Verdict.SAFE, message="it gets a new version")


def judge_launch_template_whole(pair: ResourcePair) -> Iterator[Effect]:
    """Those who start from it and do not follow its versions (AMI-09)."""
    if not any(difference.top == "LaunchTemplateData" for difference in pair.differences):
        return
    stack_set = pair.new.template.stack_set
    for fleet in fleets_of(read_launch_template(pair.new), stack_set):
        version, name = fleet.version.text(), fleet.resource.logical_id
        if version == "$Latest":
            yield Effect(
                verdict=Verdict.SAFE,
                message=f"{name} takes $Latest, so CloudFormation sees no change of it: nodes that "
                "start afterwards get the new version, whenever that is",
                hint=f"set its Version to !GetAtt {pair.new.logical_id}.LatestVersionNumber",
                source=_VERSIONS_PAGE,
            )
        elif version == "$Default" or (version is not None and version.isdecimal()):
            yield Effect(
                verdict=Verdict.SAFE,
                message=f"{name} stays at version {version}: the change reaches none of its nodes",
                hint=f"set its Version to !GetAtt {pair.new.logical_id}.LatestVersionNumber",
                source=_VERSIONS_PAGE,
            )


def judge_auto_scaling_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """An Auto Scaling group leaves running nodes alone, unless its UpdatePolicy says otherwise."""
    top = difference.top
    if top in _STARTED_FROM:
        return _started_from(pair)
    if top == "VPCZoneIdentifier":
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message="nodes in subnets that are no longer listed are terminated and others started",
            hint=_DRAIN_FIRST,
            source=_UPDATE_POLICY_PAGE,
            replaces=_is_replacing(pair.new),
        )
    if top in _SIZES:
        return _size(pair, (top,))
    if top == "Tags":
        return Effect(verdict=Verdict.SAFE, message="nodes that start afterwards carry these tags")
    return None


def _is_replacing(group: Resource) -> bool:
    policy = as_mapping(attribute_of(group, "UpdatePolicy").value) or {}
    replacing = as_mapping(group.resolve(policy.get("AutoScalingReplacingUpdate"))) or {}
    return str(group.resolve(replacing.get("WillReplace"))).lower() == "true"


def _started_from(pair: ResourcePair) -> Effect:
    group = pair.new
    policy = attribute_of(group, "UpdatePolicy")
    block = _of_a_block(group)
    if _is_replacing(group):
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message="its UpdatePolicy (AutoScalingReplacingUpdate) makes another group and deletes "
            f"this one with its nodes{block}",
            hint=_DRAIN_FIRST,
            source=_UPDATE_POLICY_PAGE,
            replaces=True,
        )
    if policy.is_unknown:
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="what its UpdatePolicy does to running nodes cannot be told",
            hint="make a change set and read its replacements",
            source=_UPDATE_POLICY_PAGE,
        )
    names = [str(name) for name in as_mapping(policy.value) or {}]
    rolling = [name for name in names if "Rolling" in name or "Refresh" in name]
    if rolling:
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message=f"its UpdatePolicy ({rolling[0]}) terminates the nodes, batch by batch, and "
            f"starts others{block}",
            hint=_DRAIN_FIRST,
            source=_UPDATE_POLICY_PAGE,
        )
    return Effect(
        verdict=Verdict.SAFE,
        message="nodes that run keep what they have; nodes that start afterwards get it",
        hint=_REFRESH,
        source=_UPDATE_POLICY_PAGE,
    )


def _of_a_block(group: Resource) -> str:
    """A warning where the nodes come from a Capacity Block."""
    stack_set = group.template.stack_set
    for template in stack_set.resources(LAUNCH_TEMPLATE):
        found = read_launch_template(template)
        market = found.data["InstanceMarketOptions"]["MarketType"].text()
        starts_it = any(fleet.resource is group for fleet in fleets_of(found, stack_set))
        if market == "capacity-block" and starts_it:
            return "; near the end of a Capacity Block they do not come back"
    return ""


def judge_node_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """An EKS node group replaces its nodes for another version of anything."""
    if difference.top in ("LaunchTemplate", "ReleaseVersion", "Version"):
        return Effect(
            verdict=Verdict.REPLACES_NODES,
            message="EKS starts nodes of the new version, drains the old ones and terminates them",
            hint=_DRAIN_FIRST,
            source=_EKS_PAGE,
        )
    if difference.top == "ScalingConfig":
        path = tuple(str(part) for part in difference.path)
        return _size(pair, path)
    return None


def judge_compute_environment(pair: ResourcePair, difference: Difference) -> Effect | None:
    """AWS Batch: sizes change in place, everything about instances replaces them."""
    name = difference.name
    if difference.top != "ComputeResources":
        return None
    path = ("ComputeResources", name)
    if name in ("MinvCpus", "MaxvCpus", "DesiredvCpus"):
        return _size(pair, path)
    if name == "UpdateToLatestImageVersion":
        return None
    return Effect(
        verdict=Verdict.REPLACES_NODES,
        message="Batch makes another environment, or updates this one's infrastructure: its "
        "instances are replaced, with jobs on them ended or waited for as UpdatePolicy says",
        hint="set ReplaceComputeEnvironment: false and UpdatePolicy, and let the queue run empty",
        source=_BATCH_PAGE,
    )


def judge_compute_node_group(pair: ResourcePair, difference: Difference) -> Effect | None:
    """AWS PCS: sizes change in place."""
    if difference.top == "ScalingConfiguration":
        path = tuple(str(part) for part in difference.path)
        return _size(pair, path)
    if difference.top in ("CustomLaunchTemplate", "AmiId", "SubnetIds", "PurchaseOption"):
        return Effect(
            verdict=Verdict.CANNOT_BE_TOLD,
            message="nodes that start afterwards get it; whether PCS ends nodes that run is not "
            "documented",
            hint=_DRAIN_FIRST,
            source="https://docs.aws.amazon.com/pcs/latest/APIReference/"
            "API_UpdateComputeNodeGroup.html",
        )
    return None


def judge_hyperpod(pair: ResourcePair, difference: Difference) -> Effect | None:
    """A HyperPod cluster: what a change of instance groups does is the service's to say."""
    if difference.top not in ("InstanceGroups", "RestrictedInstanceGroups"):
        return None
    if difference.name == "InstanceCount":
        path = difference.path
        return _size(pair, path)
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message="whether HyperPod changes the instance group in place cannot be told",
        hint="read the plan of a change set, and `aws sagemaker update-cluster`",
        source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html",
    )


def _size(pair: ResourcePair, path: tuple[str | int, ...]) -> Effect:
    old, new = (number_at(form, *path) for form in (pair.old_form, pair.new_form))
    if path[-1] == "MinSize" or (old is not None and new is not None and new >= old):
        return Effect(verdict=Verdict.SAFE, message="no node ends for it")
    if old is not None and new is not None:
        return Effect(
            verdict=Verdict.INTERRUPTS,
            message="the group gets smaller: nodes beyond its new size are terminated",
            hint=_DRAIN_FIRST,
        )
    if value_at(pair.new_form, *path) is None:
        return Effect(verdict=Verdict.SAFE, message="the number of nodes is left to others")
    return Effect(
        verdict=Verdict.CANNOT_BE_TOLD,
        message="whether nodes are terminated cannot be told",
        hint="write the numbers into the template",
    )


def only_comments(difference: Difference) -> bool:
    """Whether only comments and empty lines of a script differ (CDK-06)."""
    if len(lines_of(difference.old)) < 2 or len(lines_of(difference.new)) < 2:
        return False
    gone, come = differing_lines(difference)
    lines = [text.strip() for _, text in (*gone, *come)]
    return all(not line or (line.startswith("#") and not line.startswith("#!")) for line in lines)
