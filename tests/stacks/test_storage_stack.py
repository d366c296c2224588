"""What the Storage stack hands to the nodes, and what a change of the file does to data."""

from __future__ import annotations

import json

import botocore.session
import pytest

from tests.synthesis import ROOT, example_assembly
from trnkit.config import LustreConfig, read_cluster

HEAD = """
name: pretrain
region: us-east-2
network: {availability_zone_id: use2-az3}
compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 4}]}
budget: {limit_usd: 5000, emails: [ml-platform@example.com]}
"""
KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
OLD = (
    "{{name: {0}, file_system_id: fs-0123456789abcdef0, mount_name: abcd, mount_path: /{0}, "
    "security_group_id: sg-0123456789abcdef0{1}}}"
)


def cluster(storage):
    return read_cluster(f"{HEAD}storage: {{{storage}}}\n", "f").config


def lustre(**keys):
    text = ", ".join(f"{key}: {value}" for key, value in keys.items())
    return f"lustre_file_systems: [{{name: fsx, {text}}}]"


def user_data(built):
    launch = built.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    return json.dumps(launch["UserData"])


# One example a change: field, the section before, after.
P2 = {"storage_capacity_gib": 38400, "per_unit_storage_throughput": 125}
SOME = {**P2, "metadata_configuration": "{mode: AUTOMATIC}"}
CHANGES = [
    ("deployment_type", {"storage_capacity_gib": 4800, "deployment_type": "SCRATCH_2"}, P2),
    (
        "storage_type",
        P2,
        {
            "storage_type": "INTELLIGENT_TIERING",
            "throughput_capacity_mbps": 4000,
            "metadata_configuration": "{mode: USER_PROVISIONED, iops: 6000}",
        },
    ),
    ("kms_key_arn", P2, {**P2, "kms_key_arn": KEY}),
    ("efa_enabled", SOME, {**SOME, "efa_enabled": "true"}),
    ("metadata_configuration", P2, SOME),
    (
        "drive_cache_type",
        {"deployment_type": "PERSISTENT_1", "storage_type": "HDD", "storage_capacity_gib": 6000},
        {
            "deployment_type": "PERSISTENT_1",
            "storage_type": "HDD",
            "storage_capacity_gib": 6000,
            "drive_cache_type": "READ",
        },
    ),
    ("storage_capacity_gib", P2, {**P2, "storage_capacity_gib": 76800}),
    ("per_unit_storage_throughput", P2, {**P2, "per_unit_storage_throughput": 250}),
    ("data_compression_type", P2, {**P2, "data_compression_type": "NONE"}),
    ("automatic_backup_retention_days", P2, {**P2, "automatic_backup_retention_days": 7}),
    ("weekly_maintenance_start_time", P2, {**P2, "weekly_maintenance_start_time": "'7:03:00'"}),
    ("log_configuration", P2, {**P2, "log_configuration": "{}"}),
]


def differences(before, after):
    """Properties of the file system that differ, those of its LustreConfiguration by name."""

    def flat(properties):
        return {**properties, **properties["LustreConfiguration"], "LustreConfiguration": None}

    one, two = flat(before), flat(after)
    return {key for key in one.keys() | two.keys() if one.get(key) != two.get(key)}


@pytest.mark.parametrize(("field", "before", "after"), CHANGES, ids=[c[0] for c in CHANGES])
def test_fsx_10_13_what_a_change_does_is_what_the_field_says(synthesize, field, before, after):
    """A property that UpdateFileSystem does not take makes another file system; the old is kept."""
    service = botocore.session.get_session().get_service_model("fsx")
    update = service.operation_model("UpdateFileSystem").input_shape.members
    # Its StorageType is for other kinds than Lustre.
    in_place = {*update, *update["LustreConfiguration"].members} - {"StorageType"}
    if field == "metadata_configuration":  # It is changed in place and never added.
        in_place -= {"MetadataConfiguration"}
    built = [synthesize(cluster(lustre(**section))) for section in (before, after)]
    (old,), (new,) = (b.resources("Storage", "AWS::FSx::FileSystem").items() for b in built)
    assert old[0] == new[0], "CloudFormation sees the same resource"
    changed = differences(old[1]["Properties"], new[1]["Properties"])
    assert changed
    says = LustreConfig.model_fields[field].json_schema_extra["change"]
    assert says == ("destroys data" if changed - in_place else "in place")
    for resource in (old[1], new[1]):
        assert resource["DeletionPolicy"] == "RetainExceptOnCreate"
        assert resource["UpdateReplacePolicy"] == "Retain"


def test_fsx_10_subnet_and_security_group_never_change_with_the_storage_section(synthesize):
    """They follow from the network alone, whatever else changes beside them."""
    sections = [
        lustre(**P2),
        lustre(**SOME, efa_enabled="true"),
        lustre(**P2) + ", home_file_system: {}, checkpoint_bucket: {}",
    ]
    found = []
    for section in sections:
        (resource,) = (
            synthesize(cluster(section)).resources("Storage", "AWS::FSx::FileSystem").values()
        )
        found.append([resource["Properties"][key] for key in ("SubnetIds", "SecurityGroupIds")])
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {"automatic_backup_retention_days": 7, "copy_tags_to_backups": "false"}),
        ({"automatic_backup_retention_days": 7}, {"copy_tags_to_backups": "true"}),
        ({"automatic_backup_retention_days": 7}, {"automatic_backup_retention_days": 90}),
    ],
    ids=["on", "off", "longer"],
)
def test_fsx_10_17_backups_can_be_switched_without_a_new_file_system(synthesize, before, after):
    """CopyTagsToBackups is no part of UpdateFileSystem: what is written keeps it as it was."""
    found = [
        synthesize(cluster(lustre(**P2, **keys))).only("Storage", "AWS::FSx::FileSystem")
        for keys in (before, after)
    ]
    assert differences(*found) == {"AutomaticBackupRetentionDays"}


@pytest.mark.parametrize("example", ["trn1-efa-lustre", "intelligent-tiering"])
def test_cdk_01_storage_exports_what_nodes_use_and_no_more_is_imported(example):
    built = example_assembly(ROOT / "examples" / f"{example}.yaml")
    exported = {
        entry["Export"]["Name"]
        for stack in ("Network", "Storage")
        for entry in built.templates[stack]["Outputs"].values()
        if "Export" in entry
    }
    imported = set()

    def walk(value):
        if isinstance(value, dict):
            if "Fn::ImportValue" in value:
                imported.add(value["Fn::ImportValue"])
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(built.templates["Compute"])
    assert imported <= exported
    assert any("CheckpointBucket" in name for name in imported)


STATEFUL = {
    "trn1-efa-lustre": {
        "Lustrefsx62C39ECD": "AWS::FSx::FileSystem",
        "LustrefsxSecurityGroup189B9F94": "AWS::EC2::SecurityGroup",
        "LustrefsxLogGroupEDDFE8AB": "AWS::Logs::LogGroup",
        "CheckpointBucketDFE4871A": "AWS::S3::Bucket",
        "CheckpointBucketPolicyD0580348": "AWS::S3::BucketPolicy",
        "CheckpointLink27E13642": "AWS::FSx::DataRepositoryAssociation",
    },
    "intelligent-tiering": {
        "LustrecorpusBDC274D7": "AWS::FSx::FileSystem",
        "CheckpointBucketDFE4871A": "AWS::S3::Bucket",
        "HomeFileSystem9CDE197A": "AWS::EFS::FileSystem",
        "HomeFileSystemMountTargetB1454C28": "AWS::EFS::MountTarget",
        "HomeFileSystemSecurityGroupE5692ECA": "AWS::EC2::SecurityGroup",
    },
}


@pytest.mark.parametrize("example", STATEFUL)
def test_logical_ids_of_stateful_resources_never_move(example):
    resources = example_assembly(ROOT / "examples" / f"{example}.yaml").templates["Storage"][
        "Resources"
    ]
    found = {key: resources[key]["Type"] for key in STATEFUL[example] if key in resources}
    assert found == STATEFUL[example]


def test_fsx_12_only_nodes_that_can_set_lustre_up_for_efa(synthesize):
    storage = "storage: {" + lustre(**SOME, efa_enabled="true") + "}"
    groups = (
        "compute: {node_groups: [{name: one, instance_type: trn1.32xlarge, count: 1}, "
        "{name: two, instance_type: trn2.48xlarge, count: 1}]}"
    )
    lines = [line for line in HEAD.splitlines() if not line.startswith("compute")]
    built = synthesize(read_cluster("\n".join([*lines, groups, storage]), "f").config)
    found = {
        resource["Properties"]["LaunchTemplateData"]["InstanceType"]: "TRNKIT_LUSTRE_EFA=1"
        in json.dumps(resource)
        for resource in built.resources("Compute", "AWS::EC2::LaunchTemplate").values()
    }
    assert found == {"trn1.32xlarge": True, "trn2.48xlarge": False}


def test_existing_file_systems_are_mounted_and_their_group_opened_once(synthesize):
    both = ", ".join([OLD.format("old", ""), OLD.format("older", "")])
    built = synthesize(cluster(f"existing_lustre_file_systems: [{both}]"))
    assert "fs-0123456789abcdef0.fsx.us-east-2.amazonaws.com abcd /old\\n" in user_data(built)
    assert "abcd /older'" in user_data(built)
    storage = built.templates["Storage"]["Resources"]
    kinds = [resource["Type"].rpartition("Group")[2] for resource in storage.values()]
    assert sorted(kinds) == ["Egress"] * 4 + ["Ingress"] * 4
    assert not built.resources("Storage", "AWS::FSx::FileSystem")


def test_a_group_that_one_of_them_leaves_to_others_is_not_changed(synthesize):
    both = ", ".join([OLD.format("old", ""), OLD.format("older", ", change_security_group: false")])
    built = synthesize(cluster(f"existing_lustre_file_systems: [{both}]"))
    owners = {
        json.dumps(resource["Properties"]["GroupId"])
        for resource in built.templates["Storage"]["Resources"].values()
    }
    assert len(owners) == 1
    assert "sg-0123456789abcdef0" not in owners.pop()


def test_the_link_of_the_bucket_waits_for_the_others(synthesize):
    links = (
        "[{file_system_path: /a, data_repository_path: 's3://example-bucket/a'}, "
        "{file_system_path: /b, data_repository_path: 's3://example-bucket/b'}]"
    )
    built = synthesize(
        cluster(
            lustre(storage_capacity_gib=1200, data_repository_associations=links)
            + ", checkpoint_bucket: {data_repository_association: {file_system: fsx}}"
        )
    )
    chain = built.resources("Storage", "AWS::FSx::DataRepositoryAssociation")
    ids = list(chain)
    waits = [resource.get("DependsOn", []) for resource in chain.values()]
    assert waits == [[], [ids[0]], [ids[1]]]
    path = chain[ids[2]]["Properties"]["DataRepositoryPath"]["Fn::Join"][1]
    assert path == ["s3://", {"Ref": "CheckpointBucketDFE4871A"}]


def test_fsx_08_with_links_the_backup_key_is_absent(synthesize):
    built = synthesize(
        cluster(
            lustre(storage_capacity_gib=1200)
            + ", checkpoint_bucket: {data_repository_association: {file_system: fsx}}"
        )
    )
    configuration = built.only("Storage", "AWS::FSx::FileSystem")["LustreConfiguration"]
    assert "AutomaticBackupRetentionDays" not in configuration
    assert "CopyTagsToBackups" not in configuration


def test_host_11_the_nodes_may_use_the_bucket_and_no_other(synthesize):
    built = synthesize(cluster("checkpoint_bucket: {}"))
    statements = built.only("Compute", "AWS::IAM::Policy")["PolicyDocument"]["Statement"]
    resources = [
        json.dumps(statement["Resource"])
        for statement in statements
        if "CheckpointBucket" in json.dumps(statement["Resource"])
    ]
    assert sum(text.count("CheckpointBucket") for text in resources) == 2
    others = [s for s in statements if json.dumps(s["Resource"]) not in resources]
    in_s3 = [s for s in others if "s3:" in str(s["Action"])]
    assert [s["Action"] for s in in_s3] == ["s3:GetObject"], "the bundle, and nothing else"
    assert '"*"' not in json.dumps([s["Resource"] for s in in_s3])


def test_without_a_bucket_the_nodes_may_fetch_their_scripts_and_report_alone(synthesize):
    built = synthesize(cluster(lustre(storage_capacity_gib=1200)))
    statements = built.only("Compute", "AWS::IAM::Policy")["PolicyDocument"]["Statement"]
    actions = [statement["Action"] for statement in statements]
    assert [action for action in actions if "s3:" in str(action)] == ["s3:GetObject"]


def test_keys_reach_what_they_are_for(synthesize):
    built = synthesize(
        cluster(
            lustre(storage_capacity_gib=1200, kms_key_arn=KEY)
            + f", checkpoint_bucket: {{kms_key_arn: '{KEY}'}}"
            + f", home_file_system: {{kms_key_arn: '{KEY}', encryption_in_transit: required}}"
        )
    )
    assert built.only("Storage", "AWS::FSx::FileSystem")["KmsKeyId"] == KEY
    assert built.only("Storage", "AWS::EFS::FileSystem")["KmsKeyId"] == KEY
    bucket = json.dumps(built.only("Storage", "AWS::S3::Bucket")["BucketEncryption"])
    assert KEY in bucket
    policy = json.dumps(built.only("Compute", "AWS::IAM::Policy"))
    assert KEY in policy
    assert " /home/shared required'" in user_data(built)
