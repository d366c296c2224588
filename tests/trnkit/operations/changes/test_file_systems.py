"""FSx for Lustre: what moves data, what is refused, what grows in place."""

from __future__ import annotations

import copy
import json

import pytest

from tests.synthesis import ROOT
from tests.trnkit.operations.changes.comparing import by_id, change_of, compare, stacks
from trnkit.operations.changes.comparison import compare_stacks
from trnkit.operations.changes.lustre import ASSOCIATION

KIND = "AWS::FSx::FileSystem"
KEPT = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
OLD = {
    "FileSystemType": "LUSTRE",
    "FileSystemTypeVersion": "2.15",
    "StorageCapacity": 4800,
    "SubnetIds": ["subnet-1"],
    "SecurityGroupIds": ["sg-1"],
    "LustreConfiguration": {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 250,
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 6000},
    },
}


def edited(path, value, old=OLD):
    """The properties with another value; None takes the key away."""
    new = copy.deepcopy(old)
    node = new
    *way, last = path.split(".")
    for name in way:
        node = node[name]
    if value is None:
        node.pop(last, None)
    else:
        node[last] = value
    return new


REPLACED = [
    ("SubnetIds", ["subnet-2"]),
    ("SecurityGroupIds", ["sg-1", "sg-2"]),
    ("KmsKeyId", "arn:aws:kms:us-east-2:111122223333:key/x"),
    ("BackupId", "backup-1"),
    ("StorageType", "HDD"),
    ("FileSystemTypeVersion", "2.12"),
    ("LustreConfiguration.DeploymentType", "PERSISTENT_1"),
    ("LustreConfiguration.EfaEnabled", True),
    ("LustreConfiguration.MetadataConfiguration", None),
    ("LustreConfiguration.CopyTagsToBackups", True),
    ("LustreConfiguration.ImportPath", "s3://example"),
    ("LustreConfiguration.DriveCacheType", "READ"),
]


@pytest.mark.parametrize(("path", "value"), REPLACED, ids=[path for path, _ in REPLACED])
def test_fsx_10_what_is_chosen_at_creation_makes_a_new_empty_one(tmp_path, path, value):
    change = change_of(tmp_path, KIND, OLD, edited(path, value))
    assert (change.verdict, change.kind) == ("destroys-data", "replaced")
    assert any("will not move" in effect.message for effect in change.effects)
    assert [effect.data for effect in change.effects if effect.data] == ["lost"]


def test_fsx_13_metadata_that_is_added_later_makes_a_new_empty_one(tmp_path):
    old = edited("LustreConfiguration.MetadataConfiguration", None)
    assert change_of(tmp_path, KIND, old, OLD).verdict == "destroys-data"


def test_fsx_10_a_kept_one_stays_behind_with_its_data(tmp_path):
    change = change_of(tmp_path, KIND, OLD, edited("SubnetIds", ["subnet-2"]), **KEPT)
    (effect,) = [effect for effect in change.effects if effect.data]
    assert (change.verdict, effect.data) == ("destroys-data", "stays behind")
    assert "UpdateReplacePolicy keeps" in effect.message


def test_fsx_10_deletion_policy_alone_saves_nothing_from_a_replacement(tmp_path):
    change = change_of(
        tmp_path, KIND, OLD, edited("SubnetIds", ["subnet-2"]), DeletionPolicy="Retain"
    )
    (effect,) = [effect for effect in change.effects if effect.data]
    assert effect.data == "lost"
    assert "DeletionPolicy does not count" in effect.message


def test_a_policy_that_file_systems_do_not_take_saves_nothing(tmp_path):
    new = edited("SubnetIds", ["subnet-2"])
    change = change_of(tmp_path, KIND, OLD, new, UpdateReplacePolicy="Snapshot")
    assert [effect.data for effect in change.effects if effect.data] == ["lost"]


IN_PLACE = [
    ("StorageCapacity", 7200, "interrupts", "grows in place"),
    ("StorageCapacity", 2400, "refused", "only grows"),
    ("LustreConfiguration.PerUnitStorageThroughput", 500, "interrupts", "file servers"),
    ("LustreConfiguration.MetadataConfiguration.Iops", 12000, "interrupts", "in place"),
    ("LustreConfiguration.MetadataConfiguration.Iops", 3000, "refused", "only grow"),
    ("LustreConfiguration.DataCompressionType", "LZ4", "safe", "in place"),
    ("LustreConfiguration.AutomaticBackupRetentionDays", 7, "safe", "in place"),
    ("Tags", [{"Key": "a", "Value": "b"}], "safe", "in place"),
]


@pytest.mark.parametrize(("path", "value", "verdict", "words"), IN_PLACE)
def test_what_fsx_changes_in_place_or_refuses(tmp_path, path, value, verdict, words):
    change = change_of(tmp_path, KIND, OLD, edited(path, value))
    assert (change.verdict, change.kind) == (verdict, "changed")
    assert words in change.effects[0].message


@pytest.mark.parametrize(
    ("beside", "value"), [("LustreConfiguration.EfaEnabled", True), ("StorageType", "HDD")]
)
def test_throughput_that_cannot_be_changed_is_refused(tmp_path, beside, value):
    old = edited(beside, value)
    new = edited("LustreConfiguration.PerUnitStorageThroughput", 500, old)
    assert change_of(tmp_path, KIND, old, new).verdict == "refused"


@pytest.mark.parametrize("beside", ["LustreConfiguration.EfaEnabled", "StorageType"])
def test_throughput_of_what_may_be_fixed_cannot_be_told(tmp_path, beside):
    old = edited(beside, {"Fn::ImportValue": "x"})
    new = edited("LustreConfiguration.PerUnitStorageThroughput", 500, old)
    change = change_of(tmp_path, KIND, old, new)
    assert change.verdict == "cannot-be-told"
    assert "whether this is one cannot be told" in change.effects[0].message


def test_what_has_a_lustre_configuration_is_lustre_although_its_kind_is_not_known(tmp_path):
    old = edited("FileSystemType", {"Fn::ImportValue": "x"})
    assert change_of(tmp_path, KIND, old, edited("StorageCapacity", 2400, old)).verdict == "refused"


def test_a_scratch_1_never_grows(tmp_path):
    old = edited("LustreConfiguration.DeploymentType", "SCRATCH_1")
    assert change_of(tmp_path, KIND, old, edited("StorageCapacity", 7200, old)).verdict == "refused"


def test_a_capacity_that_is_not_known_cannot_be_told(tmp_path):
    change = change_of(tmp_path, KIND, OLD, edited("StorageCapacity", {"Fn::ImportValue": "x"}))
    assert change.verdict == "cannot-be-told"


def test_what_is_in_place_alone_does_not_count_beside_a_replacement(tmp_path):
    new = edited("StorageCapacity", 2400, edited("SubnetIds", ["subnet-2"]))
    change = change_of(tmp_path, KIND, OLD, new)
    assert change.verdict == "destroys-data"
    assert not any(effect.verdict == "refused" for effect in change.effects)


def test_another_kind_of_file_system_is_not_judged_by_lustres_rules(tmp_path):
    old = {"FileSystemType": "ONTAP", "OntapConfiguration": {"DeploymentType": "MULTI_AZ_1"}}
    new = {"FileSystemType": "ONTAP", "OntapConfiguration": {"DeploymentType": "SINGLE_AZ_1"}}
    assert change_of(tmp_path, KIND, old, new).verdict == "cannot-be-told"


LINKED = """
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      LustreConfiguration: {DeploymentType: PERSISTENT_2}
      SubnetIds: [subnet-1]
      Tags: [{Key: team, Value: ml}]
  Link:
    Type: AWS::FSx::DataRepositoryAssociation
    Properties:
      FileSystemId: !Ref Fsx
      FileSystemPath: /data
      DataRepositoryPath: s3://example
"""


def test_fsx_08_nothing_but_tags_of_a_linked_one_may_be_refused(tmp_path):
    retagged = LINKED.replace("Value: ml", "Value: other")
    change = by_id(compare(tmp_path, LINKED, retagged))["Fsx"]
    assert any("has refused updates of nothing but tags" in e.message for e in change.effects)
    days = ("PERSISTENT_2", "PERSISTENT_2, AutomaticBackupRetentionDays: 0")
    found = compare(tmp_path, LINKED.replace(*days), retagged.replace(*days))
    assert by_id(found)["Fsx"].verdict == "refused"


def test_links_and_rules_follow_the_file_system_that_is_replaced(tmp_path):
    found = by_id(compare(tmp_path, LINKED, LINKED.replace("subnet-1", "subnet-2")))
    assert found["Fsx"].verdict == "destroys-data"
    assert (found["Link"].verdict, found["Link"].kind) == ("interrupts", "replaced")
    assert found["Link"].properties[0].indirect


def test_a_link_that_leaves_leaves_the_files(tmp_path):
    old, _, _ = LINKED.partition("  Link:")
    found = compare(tmp_path, LINKED, old).changes
    assert [(c.logical_id, c.verdict, c.kind) for c in found] == [("Link", "interrupts", "removed")]


def test_a_security_group_that_is_replaced_replaces_the_file_system_that_carries_it(tmp_path):
    text = LINKED.replace(
        "      Tags:", "      SecurityGroupIds: [!GetAtt Group.GroupId]\n      Tags:"
    )
    text += """
  Group:
    Type: AWS::EC2::SecurityGroup
    Properties: {GroupDescription: one, VpcId: vpc-1}
  Rule:
    Type: AWS::EC2::SecurityGroupIngress
    Properties: {GroupId: !GetAtt Group.GroupId, IpProtocol: tcp, CidrIp: 10.0.0.0/8}
"""
    found = by_id(compare(tmp_path, text, text.replace(": one,", ": two,")))
    assert found["Group"].kind == "replaced"
    assert found["Rule"].kind == "replaced"
    assert found["Fsx"].verdict == "destroys-data"
    assert found["Link"].kind == "replaced"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("/data", "/other", "refused"),
        ("s3://example", "s3://example/deeper", "refused"),
        ("s3://example", "s3://elsewhere", "refused"),
    ],
)
def test_a_link_that_keeps_one_of_its_ends_cannot_be_remade(tmp_path, old, new, verdict):
    found = by_id(compare(tmp_path, LINKED, LINKED.replace(old, new)))
    assert found["Link"].verdict == verdict
    assert "overlaps" in found["Link"].effects[0].message


def test_a_link_with_two_other_ends_is_remade(tmp_path):
    new = LINKED.replace("/data", "/other").replace("s3://example", "s3://elsewhere")
    link = by_id(compare(tmp_path, LINKED, new))["Link"]
    assert (link.verdict, link.kind) == ("interrupts", "replaced")


@pytest.mark.parametrize(
    ("ends", "refused"),
    [
        ((("/data", "/corpus"),), ["DataRepositoryPath"]),
        ((("s3://example", "s3://elsewhere"),), ["FileSystemPath"]),
        ((("/data", "/corpus"), ("s3://example", "s3://elsewhere")), []),
        ((), ["FileSystemPath", "DataRepositoryPath"]),
    ],
)
def test_a_link_under_another_id_with_another_end_is_no_mere_move(tmp_path, ends, refused):
    events = "{Events: [NEW, CHANGED, DELETED]}"
    policies = f"S3: {{AutoImportPolicy: {events}, AutoExportPolicy: {events}}}"
    old = f"{LINKED.rstrip()}\n      {policies}\n"
    new = old.replace("  Link:", "  Corpus:")
    for before, after in ends:
        new = new.replace(before, after)
    found = by_id(compare(tmp_path, old, new))
    link = found["Link"]
    made = found["Corpus"] if ends else link
    assert (link.kind, made.kind) == (("removed", "added") if ends else ("moved", "moved"))
    overlaps = [e.message for e in made.effects if e.verdict == "refused"]
    assert len(overlaps) == len(refused)
    assert all(name in message for name, message in zip(refused, overlaps, strict=True))
    leaving = link.effects[-1]
    assert "files that were not exported are in the file system only" in leaving.message
    if ends:
        assert leaving.hint.startswith("export first: aws fsx create-data-repository-task")
        is_alike = len(ends) == 1
        assert ("Corpus, which is made, differs in " in leaving.message) is is_alike
    assert ("cdk refactor" in leaving.hint) is (not ends)


def test_another_folder_in_a_cluster_file_makes_another_link_under_another_id(tmp_path):
    old = (ROOT / "tests/golden/templates/trn2-pretrain/Storage.json").read_text()
    link = next(i for i, r in json.loads(old)["Resources"].items() if r["Type"] == ASSOCIATION)
    new = old.replace(link, "LustrefsxcorpusF5D0ED3B").replace('"/data"', '"/corpus"')
    stack = {side: json.loads(text) for side, text in (("old", old), ("new", new))}
    for side in stack:
        (tmp_path / side).mkdir()
    sides = [stacks(tmp_path / side, Storage=body) for side, body in stack.items()]
    found = by_id(compare_stacks(*sides))
    assert {found[link].kind, found["LustrefsxcorpusF5D0ED3B"].kind} == {"removed", "added"}
    assert found["LustrefsxcorpusF5D0ED3B"].verdict == "refused"
    assert found[link].effects[0].hint.startswith("export first")
