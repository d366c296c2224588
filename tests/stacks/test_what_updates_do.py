"""Real edits of a cluster file, and what `trnkit diff` says that they do: the class is pinned.

The class agrees with the word that the key's documentation has under "change".
"""

from __future__ import annotations

import functools

import pytest

from tests.synthesis import ROOT, synthesize_cluster
from trnkit.config import ClusterConfig, read_cluster
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.inputs import assembly_stacks, together

EXAMPLE = (ROOT / "examples" / "trn2-pretrain.yaml").read_text()
DOCUMENTED = {
    "in place": {"safe", "interrupts", "refused"},
    "new nodes only": {"safe"},
    "replaces nodes": {"replaces-nodes"},
    "replaces": {"replaces", "interrupts", "refused"},
    "destroys data": {"destroys-data", "refused"},
}
ANOTHER_KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
LUSTRE = "storage.lustre_file_systems[]"
GROUP = "compute.node_groups[]"
THROUGHPUT = "      per_unit_storage_throughput: 250\n"
SECOND = """\
    - name: corpus
      storage_capacity_gib: 1200
      mount_path: /corpus
"""

# The key, the edit, the class, and the resource types of that class.
EDITS = [
    (
        f"{LUSTRE}.kms_key_arn",
        THROUGHPUT,
        f"{THROUGHPUT}      kms_key_arn: {ANOTHER_KEY}\n",
        "destroys-data",
        {"FileSystem"},
    ),
    (f"{LUSTRE}.storage_capacity_gib", "gib: 4800", "gib: 7200", "interrupts", {"FileSystem"}),
    (f"{LUSTRE}.storage_capacity_gib", "gib: 4800", "gib: 2400", "refused", {"FileSystem"}),
    (f"{LUSTRE}.per_unit_storage_throughput", "put: 250", "put: 500", "interrupts", {"FileSystem"}),
    (
        f"{LUSTRE}.metadata_configuration",
        THROUGHPUT,
        f"{THROUGHPUT}      metadata_configuration: {{mode: AUTOMATIC}}\n",
        "destroys-data",
        {"FileSystem"},
    ),
    (
        f"{LUSTRE}.deployment_type",
        f"PERSISTENT_2\n      storage_capacity_gib: 4800\n{THROUGHPUT}",
        "PERSISTENT_1\n      storage_capacity_gib: 4800\n      per_unit_storage_throughput: 200\n",
        "destroys-data",
        {"FileSystem"},
    ),
    (f"{LUSTRE}.name", "name: fsx", "name: scratch", "destroys-data", {"FileSystem"}),
    ("budget.emails", "[ml-platform@example.com]", "[a@example.com]", "replaces", {"Budget"}),
    ("budget.limit_usd", "120000", "130000", "safe", {"Budget"}),
    (
        f"{GROUP}.image",
        "neuron/dlami/base/ubuntu-24.04",
        "neuron/dlami/base/amazon-linux-2023",
        "safe",
        {"LaunchTemplate", "AutoScalingGroup"},
    ),
    (
        f"{GROUP}.instance_type",
        "trn2.48xlarge",
        "trn2u.48xlarge",
        "safe",
        {"LaunchTemplate", "AutoScalingGroup"},
    ),
    (f"{GROUP}.count", "count: 4", "count: 8", "safe", {"AutoScalingGroup"}),
    (f"{GROUP}.count", "count: 4", "count: 2", "interrupts", {"AutoScalingGroup"}),
    (
        f"{GROUP}.efa",
        "layout: ena-primary",
        "layout: all-efa",
        "safe",
        {"LaunchTemplate", "AutoScalingGroup"},
    ),
    (
        f"{GROUP}.root_volume_size_gib",
        "gib: 512",
        "gib: 800",
        "safe",
        {"LaunchTemplate", "AutoScalingGroup"},
    ),
    (f"{GROUP}.name", "name: train", "name: other", "replaces-nodes", {"AutoScalingGroup"}),
    (
        "storage.lustre_file_systems",
        "budget:\n",
        SECOND + "budget:\n",
        "safe",
        {"FileSystem", "LaunchTemplate"},
    ),
    ("network.availability_zone_id", "use2-az3", "use2-az1", "refused", {"Subnet", "output"}),
    ("name", "name: pretrain", "name: other", "destroys-data", {None}),
    ("region", "us-east-2\n", "us-west-2\n", "destroys-data", {None}),
]


@functools.cache
def stacks_of(text):
    directory = synthesize_cluster(read_cluster(text, "cluster.yaml").config).directory
    return tuple(together([*assembly_stacks(directory, shown=False)]))


def compared(old, new):
    return compare_stacks(stacks_of(old), stacks_of(new)).changes


def type_of(change):
    return change.type.rpartition("::")[2] if change.type else None


@pytest.mark.parametrize(
    ("key", "old", "new", "verdict", "types"),
    EDITS,
    ids=[f"{key}-{new.strip()[-24:]}" for key, _, new, _, _ in EDITS],
)
def test_the_class_of_an_edit_is_pinned_and_is_the_documented_one(key, old, new, verdict, types):
    assert EXAMPLE.count(old) >= 1
    text = EXAMPLE.replace(old, new)
    if key == "region":
        text = text.replace("use2-az3", "usw2-az4").replace("trn2.48", "trn1.32")
        text = text.replace("      logical_neuroncore_size: 2\n", "").replace(
            "ena-primary", "all-efa"
        )
    changes = compared(EXAMPLE, text)
    assert changes[0].verdict == verdict
    assert types <= {type_of(change) for change in changes if change.verdict == verdict}
    assert verdict in DOCUMENTED[documented(key)]


def documented(key):
    """The word under "change" in the documentation of a key."""
    model, change = ClusterConfig, "in place"
    for name in key.replace("[]", "").split("."):
        field = model.model_fields[name]
        change = field.json_schema_extra["change"]
        inner = [field.annotation, *getattr(field.annotation, "__args__", ())]
        model = next((kind for kind in inner if hasattr(kind, "model_fields")), None)
    return change


@pytest.mark.parametrize(
    ("key", "type_", "verdict"),
    [
        ("storage_subnet_id", "FileSystem", "destroys-data"),
        ("compute_subnet_id", "AutoScalingGroup", "replaces-nodes"),
    ],
)
def test_fsx_10_another_subnet_of_an_existing_network(key, type_, verdict):
    text = (ROOT / "examples" / "imported-vpc.yaml").read_text()
    line = next(line for line in text.splitlines() if line.strip().startswith(f"{key}:"))
    other = f"{line.partition(':')[0]}: subnet-0aaaabbbbccccdddd"
    changes = compared(text, text.replace(line, other))
    assert changes[0].verdict == verdict
    assert type_ in {type_of(change) for change in changes if change.verdict == verdict}
    assert verdict in DOCUMENTED[documented(f"network.existing.{key}")]


def test_no_edit_of_the_fleet_or_the_budget_touches_a_file_system():
    text = EXAMPLE.replace("count: 4", "count: 8").replace("120000", "130000")
    assert not [c for c in compared(EXAMPLE, text) if c.type and c.type.startswith("AWS::FSx::")]


def test_fsx_08_a_tag_alone_may_be_refused_of_the_linked_file_system_and_is_said():
    changes = compared(EXAMPLE, EXAMPLE.replace("ml-platform\n", "ml\n", 1))
    (lustre,) = [change for change in changes if change.type == "AWS::FSx::FileSystem"]
    assert lustre.verdict == "safe"
    assert any("has refused updates of nothing but tags" in e.message for e in lustre.effects)
    assert changes[0].verdict == "replaces"
    assert changes[0].type == "AWS::EC2::PlacementGroup"


def test_fsx_10_storage_that_is_taken_out_of_the_file_is_kept_behind():
    before, _, after = EXAMPLE.partition("storage:\n")
    changes = compared(EXAMPLE, before + "budget:\n" + after.partition("budget:\n")[2])
    gone = next(change for change in changes if change.stack == "pretrain-Storage")
    assert (gone.kind, gone.verdict, gone.effects[0].data) == (
        "removed",
        "interrupts",
        "stays behind",
    )


def test_a_comment_of_the_file_is_no_change():
    assert compared(EXAMPLE, EXAMPLE.replace("# yours", "# ours")) == ()
