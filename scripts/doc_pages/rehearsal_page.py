"""docs/rehearsal.md: how each resource type of the examples is proved in a rehearsal."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from scripts.doc_pages.markdown import bullets, page, table, wrap
from trnkit.emulation.resources.catalog import READABLE, TYPES
from trnkit.emulation.resources.resource import Proof
from trnkit.report.rehearsal_results import NOT_PROVABLE

_TEMPLATES = Path(__file__).resolve().parent.parent.parent / "tests" / "golden" / "templates"

_INTRO = """\
`trnkit rehearse` deploys a cluster with the unmodified CDK command line to an emulated AWS on this
machine, and proves what was made. This page says how far the proof goes, resource type by resource
type. Why it is built this way is in decisions [0030](decisions/0030-emulated-aws.md) and
[0031](decisions/0031-proof-by-the-services.md)."""

_STEPS = (
    "**create**: `cdk bootstrap` of every region, `cdk deploy`, the proof, spend of twice the"
    " limit in "
    "every budget (each alert must go off, and come through the topic's policy), what guards the "
    "spending (below), and the same "
    "deployment again, which must change nothing.",
    "**update**: one node more, another image, another subscriber, more throughput, as far as"
    " the file "
    "lets them; file systems and buckets must keep their ids, and the proof is made again.",
    "**fault**: updates that AWS refuses (a file system that shall shrink, a network card "
    "that the type "
    "does not have), each rolled back with everything as it was before; then a rule for EFA "
    "is taken "
    "away by hand, and `cdk drift` must find it.",
    "**destroy**: termination protection must hold; then everything goes but what the "
    "templates keep, "
    "which is listed, and still there.",
)

_KINDS = (
    "**service state**: after each step boto3 asks the service for the resource, and every "
    "property of "
    "the template is compared with the answer. A property that the service does not tell is listed "
    "in the report.",
    "**registry schema only**: the properties fit the type's schema in the CloudFormation "
    "registry, "
    "nothing more. Every report names these types. A type that the registry does not know is "
    "an error.",
)

_BOOT = (
    "Nodes do not run here: no script of theirs is executed. What they would boot with is looked "
    "at after each deployment, in the user data that EC2 tells of each launch template:"
)

_BOOT_POINTS = (
    "the multipart text can be read and has at most 16,384 bytes",
    "the bundle is in the bucket under the key that stands there; its files, no "
    "more and no fewer, are those of the digest that stands there",
    "the lifecycle hook or the resource that nodes report to exists, and so does the log group, "
    "with a retention",
    "the role of the instance profile may fetch the bundle, report, tag itself, log and publish "
    "metrics; conditions about tags are judged with the tags of the group and its instances, one "
    "about the namespace of metrics with that of the user data, others are taken to hold",
)

_WAITING = (
    "An instance of a group with a launch hook stands in `Pending:Wait`, as on AWS, until its "
    "lifecycle action is completed, or until the hook's time-out gives it the default result. "
    "The rehearsal completes it in the node's place, with the calls that a node makes, and says "
    "for how many instances it did. With `--keep` further ones wait for you: `aws autoscaling "
    "complete-lifecycle-action`. CloudFormation does not wait for them here."
)

_GUARD = (
    "Functions do run here: the emulated Lambda gives each call a process of its own, with this "
    "Python and boto3, and the emulated AWS as its endpoint. So what guards the spending is proved "
    "by what it does, once, after the creation:"
)

_GUARD_POINTS = (
    "every alarm goes from `OK` to `ALARM`, and its message must come out of its topic, whose "
    "policy and key must let `cloudwatch.amazonaws.com` in",
    "every function: Lambda may assume its role; the object that the template names is in the "
    "bucket, has the sum that Lambda tells, and holds the handler's module; the log group exists, "
    "with a retention; table and topic of its environment exist, and the role may use them",
    "every rule: the function's policy lets `events.amazonaws.com` call it with the ARN of the "
    "rule, and so does that of the queue for what fails",
    "every function that a schedule calls is called, and must not fail; then the spend rate, the "
    "ledger and the metric of the watchdog must be those of the instances that run, at the prices "
    "of its settings",
    "every action of a budget: it goes off with the spend, waits for approval where the template "
    "says so, and is approved; the roles that it names must then have the policy, and its own role "
    "may attach it",
    "every schedule that sends a command to nodes: Scheduler may assume its role, which may send "
    "the document to instances of these tags, a group gives its instances these tags, and the "
    "moment is to come",
)

_GUARD_LIMITS = (
    "The runtime is not Lambda's (Python 3.13 on arm64), and nothing enforces permissions: they "
    "are judged by the policies of roles, topics, keys, queues and functions. Conditions about "
    "tags, policies, namespaces and the ARN and account of the source are judged, others are taken "
    "to hold. No command reaches a node."
)

_REFUSALS = (
    "What AWS refuses the emulated AWS refuses too, with the service's error, and rolls back: "
    "[docs/rehearsal-refusals.md](rehearsal-refusals.md) lists the changes to the examples' "
    "templates with which this is tested, beside what `trnkit lint` says of them."
)

NOT_TOLD = {
    "AWS::EC2::FlowLog": ("ResourceType",),
    "AWS::EC2::VPCEndpoint": ("DnsOptions", "IpAddressType"),
}
"""By type, the properties of the examples that no service tells; a test compares it with a run."""


def render() -> str:
    """The page."""
    return page(
        "# What a rehearsal proves",
        wrap(_INTRO),
        "## Steps",
        bullets(_STEPS),
        "## How a resource is proved",
        bullets(_KINDS),
        "## What nodes boot with",
        wrap(_BOOT),
        bullets(_BOOT_POINTS),
        wrap(_WAITING),
        "## What guards the spending",
        wrap(_GUARD),
        bullets(_GUARD_POINTS),
        wrap(_GUARD_LIMITS),
        "## Resource types of the examples",
        _types(),
        "## Wrong templates",
        wrap(_REFUSALS),
        "## What no emulator can tell",
        bullets(NOT_PROVABLE),
    )


def _types() -> str:
    counts: Counter[str] = Counter()
    for file in sorted(_TEMPLATES.rglob("*.json")):
        template = json.loads(file.read_text(encoding="utf-8"))
        counts.update(resource["Type"] for resource in template["Resources"].values())
    ours = {kind.name for kind in TYPES}
    by_service = {kind.name for kind in READABLE if kind.proof is Proof.SERVICE}
    rows = [
        [
            f"`{name}`",
            str(counts[name]),
            (Proof.SERVICE if name in by_service else Proof.SCHEMA).value,
            ("moto" if name in ours else "MiniStack") if name in by_service else "none",
            ", ".join(f"`{part}`" for part in NOT_TOLD.get(name, ())),
        ]
        for name in sorted(counts)
        if name != "AWS::CDK::Metadata"
    ]
    return table(["Type", "In the examples", "Proved by", "State kept by", "Not told"], rows)
