"""What `trnkit diff` says is replaced or refused, and what the emulated AWS then does.

The engine under the emulated AWS was not written for `trnkit diff` and knows none of its tables. It
does not refuse to change exports that are in use, as CloudFormation does, so none is changed here.
"""

from __future__ import annotations

import json

import pytest

from tests.rehearsal.deployments import ACCOUNT, Cloud, seeds_of_all
from tests.rehearsal.mutant import all_of, drop, put
from trnkit.emulation.process import emulated_aws
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.inputs import read_stacks, recognise

EXAMPLE = "trn2-pretrain"
LUSTRE = "AWS::FSx::FileSystem"
BUDGET = "AWS::Budgets::Budget"
LINK = "AWS::FSx::DataRepositoryAssociation"
OTHERS = [{"SubscriptionType": "EMAIL", "Address": "other@example.com"}]


def renamed(name):
    """A change that gives a resource another logical id."""

    def change(template):
        resources = template["Resources"]
        logical_id = next(key for key in resources if key.startswith(name))
        resources[f"Another{logical_id}"] = resources.pop(logical_id)
        text = json.dumps(template).replace(f'"{logical_id}"', f'"Another{logical_id}"')
        template.clear()
        template.update(json.loads(text))

    return change


# In this order, since each update stands on the one before.
EDITS = [
    ("Cost", put(BUDGET, "NotificationsWithSubscribers.0.Subscribers", OTHERS)),
    ("Cost", put(BUDGET, "Budget.BudgetLimit.Amount", 9)),
    ("Compute", put("AWS::EC2::LaunchTemplate", "LaunchTemplateData.EbsOptimized", True)),
    ("Compute", put("AWS::IAM::Role", "Path", "/trainium/")),
    ("Compute", put("AWS::AutoScaling::AutoScalingGroup", "MaxSize", "5")),
    ("Storage", put(LINK, "FileSystemPath", "/corpus")),
    (
        "Storage",
        all_of(
            put(LINK, "FileSystemPath", "/corpus"),
            put(LINK, "DataRepositoryPath", "s3://example-training-corpus/other"),
        ),
    ),
    ("Storage", put(LUSTRE, "StorageCapacity", 7200)),
    ("Storage", put(LUSTRE, "StorageCapacity", 2400)),
    ("Storage", renamed("LustrefsxNodesToIngress988")),
    ("Network", renamed("ClusterVpcPrivateDefaultRoute")),
    (
        "Network",
        all_of(
            put("AWS::EC2::NatGateway", "ConnectivityType", "private"),
            drop("AWS::EC2::NatGateway", "AllocationId"),  # which a private one does not have
        ),
    ),
]


@pytest.fixture(scope="module")
def cluster():
    """A cluster of our own: what these updates leave is not good for others."""
    with emulated_aws(ACCOUNT, seeds=seeds_of_all([EXAMPLE])) as aws:
        yield Cloud(aws).example(EXAMPLE)


def judged(folder, templates, stack, new):
    """The changes between all stacks of the cluster and the same with one of them changed."""
    sides = []
    for side, bodies in (("old", templates), ("new", templates | {stack: new})):
        (folder / side).mkdir()
        for name, body in bodies.items():
            (folder / side / f"{name}.json").write_text(json.dumps(body))
        sides.append(read_stacks(recognise(str(folder / side))))
    return compare_stacks(*sides).changes


def test_what_is_said_to_be_replaced_or_refused_is(cluster, tmp_path_factory):
    standing = {name: cluster.template(name) for name in cluster.assembly.templates}
    for number, (stack, change) in enumerate(EDITS):
        new = json.loads(json.dumps(standing[stack]))
        change(new)
        changes = judged(tmp_path_factory.mktemp(f"edit{number}"), standing, stack, new)
        before = cluster.physical_ids(stack)
        done = cluster.update(stack, new)
        after = cluster.physical_ids(stack)
        assert (done.status != "UPDATE_COMPLETE") == any(
            change.verdict == "refused" for change in changes
        ), (number, done, changes)
        if done.status == "UPDATE_COMPLETE":
            standing[stack] = new
            replaced = {key for key in after if before.get(key) not in (None, after[key])}
            said = {c.logical_id for c in changes if c.kind == "replaced" and c.stack == stack}
            assert said == replaced, (number, changes)
