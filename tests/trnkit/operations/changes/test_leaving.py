"""Resources that leave a stack, move to another logical id, or lose what protects them."""

from __future__ import annotations

import pytest
import yaml

from tests.trnkit.operations.changes.comparing import by_id, change_of, compare, resource

NOTHING = "Resources:\n  Other: {Type: 'AWS::SNS::Topic'}\n"
LUSTRE = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": ["subnet-1"]}


def leaving(tmp_path, kind, properties=None, **attributes):
    old = resource(kind, properties or {}, **attributes)
    return by_id(compare(tmp_path, old, NOTHING))["It"]


@pytest.mark.parametrize(
    ("kind", "policy", "verdict", "data"),
    [
        ("AWS::FSx::FileSystem", None, "destroys-data", "lost"),
        ("AWS::FSx::FileSystem", "Delete", "destroys-data", "lost"),
        ("AWS::FSx::FileSystem", "Retain", "interrupts", "stays behind"),
        ("AWS::FSx::FileSystem", "RetainExceptOnCreate", "interrupts", "stays behind"),
        ("AWS::FSx::FileSystem", "Snapshot", "destroys-data", "lost"),
        ("AWS::EFS::FileSystem", None, "destroys-data", "lost"),
        ("AWS::EC2::Volume", "Snapshot", "interrupts", "stays behind"),
        ("AWS::EC2::Volume", None, "destroys-data", "lost"),
        ("AWS::RDS::DBCluster", None, "interrupts", "stays behind"),
        ("AWS::RDS::DBInstance", None, "interrupts", "stays behind"),
        ("AWS::S3::Bucket", None, "interrupts", "stays behind"),
        ("AWS::KMS::Key", None, "destroys-data", "lost"),
        ("AWS::KMS::Key", "Retain", "interrupts", "stays behind"),
        ("AWS::Logs::LogGroup", None, "destroys-data", "lost"),
        ("AWS::DynamoDB::Table", {"Ref": "P"}, "destroys-data", "lost"),
        ("AWS::AutoScaling::AutoScalingGroup", None, "replaces-nodes", None),
        ("AWS::EC2::Instance", None, "replaces-nodes", None),
        ("AWS::EC2::CapacityReservation", None, "replaces-nodes", None),
        ("AWS::EC2::CapacityReservation", "Retain", "safe", None),
        ("AWS::EC2::SecurityGroupIngress", None, "interrupts", None),
        ("AWS::EC2::LaunchTemplate", None, "replaces", None),
        ("Custom::Thing", None, "cannot-be-told", None),
        ("MyOrg::Data::Lake", None, "cannot-be-told", None),
    ],
)
def test_what_is_lost_with_a_resource_that_leaves(tmp_path, kind, policy, verdict, data):
    attributes = {} if policy is None else {"DeletionPolicy": policy}
    change = leaving(tmp_path, kind, **attributes)
    assert (change.verdict, change.effects[0].data, change.kind) == (verdict, data, "removed")
    assert change.file == str(tmp_path / "old.yaml")


def test_a_database_of_a_cluster_makes_no_snapshot_by_itself(tmp_path):
    change = leaving(tmp_path, "AWS::RDS::DBInstance", {"DBClusterIdentifier": "c"})
    assert change.verdict == "destroys-data"


def test_a_bucket_that_something_empties_is_lost_with_its_objects(tmp_path):
    tags = [{"Key": "aws-cdk:auto-delete-objects", "Value": "true"}]
    assert leaving(tmp_path, "AWS::S3::Bucket", {"Tags": tags}).verdict == "destroys-data"
    images = {"EmptyOnDelete": True}
    assert leaving(tmp_path, "AWS::ECR::Repository", images).verdict == "destroys-data"
    assert leaving(tmp_path, "AWS::ECR::Repository").verdict == "interrupts"


def moved(kind, properties, **attributes):
    text = resource(kind, properties, **attributes)
    return text, text.replace("  It:", "  That:")


@pytest.mark.parametrize(
    ("kind", "policy", "verdict", "data"),
    [
        ("AWS::FSx::FileSystem", None, "destroys-data", "lost"),
        ("AWS::FSx::FileSystem", "Retain", "destroys-data", "stays behind"),
        ("AWS::AutoScaling::AutoScalingGroup", None, "replaces-nodes", None),
        ("AWS::SNS::Topic", None, "replaces", None),
        ("AWS::KMS::Key", None, "destroys-data", "lost"),
        ("AWS::KMS::Key", "Retain", "replaces", None),
    ],
)
def test_a_moved_logical_id_is_told_with_both_ids(tmp_path, kind, policy, verdict, data):
    attributes = {} if policy is None else {"DeletionPolicy": policy}
    (change,) = compare(tmp_path, *moved(kind, LUSTRE, **attributes)).changes
    assert (change.kind, change.verdict, change.effects[0].data) == ("moved", verdict, data)
    assert (change.logical_id, change.file) == ("It", str(tmp_path / "new.yaml"))
    assert "moves to That" in change.effects[0].message
    assert "cdk refactor" in change.effects[0].hint


def test_another_resource_of_the_type_is_no_move(tmp_path):
    other = {"FileSystemType": "LUSTRE", "StorageCapacity": 7200, "SubnetIds": ["subnet-9"]}
    old = resource("AWS::FSx::FileSystem", LUSTRE)
    new = resource("AWS::FSx::FileSystem", other).replace("It:", "That:")
    found = compare(tmp_path, old, new)
    assert {c.kind for c in found.changes} == {"added", "removed"}


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"Tags": [{"Key": "Name", "Value": "new"}]}, "moved"),
        ({"StorageCapacity": 2400}, "removed"),
        ({"SubnetIds": ["subnet-2"]}, "removed"),
    ],
)
def test_a_move_changes_nothing_but_tags(tmp_path, changed, kind):
    settings = {
        "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "DataCompressionType": "LZ4"}
    }
    before = LUSTRE | settings | {"Tags": [{"Key": "Name", "Value": "old"}]}
    new = resource("AWS::FSx::FileSystem", before | changed).replace("It:", "That:")
    change = by_id(compare(tmp_path, resource("AWS::FSx::FileSystem", before), new))["It"]
    assert (change.kind, change.verdict) == (kind, "destroys-data")
    (effect,) = change.effects
    assert ("cdk refactor" in effect.hint) is (kind == "moved")
    # Where the change could be made in place, the old id is worth keeping.
    assert effect.hint.startswith("keep the logical id") is ("SubnetIds" not in changed)
    if kind == "removed":
        (name,) = changed
        assert f"; That, which is made, is empty and differs in {name}" in effect.message
        assert "deleted with its data (files)" in effect.message


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("A", "A", "moved"),  # the subnet stays as well
        ("A", "B", "removed"),  # another subnet, which is there before and after
        ("C", "D", "moved"),  # the subnet moves too
    ],
)
def test_a_move_keeps_what_it_refers_to(tmp_path, old, new, kind):
    def template(logical_id, subnet, third):
        body = {
            name: {"Type": "AWS::EC2::Subnet", "Properties": {"CidrBlock": block}}
            for name, block in (("A", "10.0.0.0/24"), ("B", "10.0.1.0/24"), (third, "10.0.2.0/24"))
        }
        body[logical_id] = {
            "Type": "AWS::FSx::FileSystem",
            "Properties": LUSTRE | {"SubnetIds": [{"Ref": subnet}]},
        }
        return yaml.safe_dump({"Resources": body})

    found = by_id(compare(tmp_path, template("It", old, "C"), template("That", new, "D")))
    assert (found["It"].kind, found["It"].verdict) == (kind, "destroys-data")


@pytest.mark.parametrize(
    ("kind", "policy", "verdict", "data"),
    [
        ("AWS::FSx::FileSystem", None, "destroys-data", "lost"),
        ("AWS::FSx::FileSystem", "Retain", "destroys-data", "stays behind"),
        ("AWS::S3::Bucket", None, "destroys-data", "stays behind"),
        ("AWS::KMS::Key", "Retain", "interrupts", "stays behind"),
        ("AWS::SNS::Topic", None, "interrupts", None),
    ],
)
def test_what_takes_the_place_of_data_is_empty_whatever_a_policy_keeps(
    tmp_path, kind, policy, verdict, data
):
    attributes = {} if policy is None else {"DeletionPolicy": policy}
    same = {f"P{number}": "a" for number in range(9)}
    old = resource(kind, same | {"Other": "a"}, **attributes)
    new = resource(kind, same | {"Other": "b"}, **attributes).replace("It:", "That:")
    found = by_id(compare(tmp_path, old, new))
    assert (found["It"].kind, found["That"].kind) == ("removed", "added")
    assert (found["It"].verdict, found["It"].effects[0].data) == (verdict, data)
    assert "differs in Other" in found["It"].effects[0].message


def test_a_move_finds_the_one_that_differs_in_tags_only(tmp_path):
    def volume(size, owner):
        tags = [{"Key": f"k{n}", "Value": owner} for n in range(9)]
        return {"Type": "AWS::EC2::Volume", "Properties": {"Size": size, "Tags": tags}}

    old = yaml.safe_dump({"Resources": {"A": volume(100, "a"), "B": volume(200, "b")}})
    new = yaml.safe_dump({"Resources": {"C": volume(100, "b"), "D": volume(200, "a")}})
    found = by_id(compare(tmp_path, old, new))
    assert "moves to C" in found["A"].effects[0].message
    assert "moves to D" in found["B"].effects[0].message


@pytest.mark.parametrize(
    ("kind", "rest"),
    [
        ("AWS::FSx::FileSystem", "no stack manages it from then on, and it is still charged for"),
        ("AWS::EC2::CapacityReservation", "no stack manages it from then on, and it is still"),
        ("AWS::IAM::Role", "no stack manages it from then on"),
    ],
)
def test_what_a_policy_keeps_is_said_to_cost_where_it_does(tmp_path, kind, rest):
    message = leaving(tmp_path, kind, DeletionPolicy="Retain").effects[0].message
    assert rest in message
    assert message.endswith("charged for") is (kind != "AWS::IAM::Role")


def test_a_kept_resource_that_moves_is_not_said_to_be_deleted(tmp_path):
    found = compare(tmp_path, *moved("AWS::SNS::Topic", {}, DeletionPolicy="Retain"))
    message = found.changes[0].effects[0].message
    assert message.endswith("makes another and leaves this one outside the stack")


def test_a_move_with_a_name_is_refused(tmp_path):
    (change,) = compare(tmp_path, *moved("AWS::S3::Bucket", {"BucketName": "corpus"})).changes
    assert {effect.verdict for effect in change.effects} == {"destroys-data", "refused"}


def test_moves_find_their_partners_among_many(tmp_path):
    def volumes(prefix):
        sizes = "".join(
            f"  {prefix}{n}: {{Type: 'AWS::EC2::Volume', Properties: {{Size: {n}, "
            f"AvailabilityZone: a, VolumeType: gp3, Iops: {n}}}}}\n"
            for n in range(3000, 3040)
        )
        return f"Resources:\n{sizes}"

    found = compare(tmp_path, volumes("Old"), volumes("New")).changes
    assert len(found) == 40
    for change in found:
        assert f"moves to {change.logical_id.replace('Old', 'New')}" in change.effects[0].message


@pytest.mark.parametrize("policy", ["DeletionPolicy", "UpdateReplacePolicy"])
def test_weaker_protection_loses_nothing_now_and_is_said(tmp_path, policy):
    kept = resource("AWS::FSx::FileSystem", LUSTRE, **{policy: "Retain"})
    plain = resource("AWS::FSx::FileSystem", LUSTRE)
    (change,) = compare(tmp_path, kept, plain).changes
    assert change.verdict == "safe"
    assert change.effects[0].message.startswith("weaker protection")
    assert change.effects[0].hint == f"keep {policy}"
    (change,) = compare(tmp_path, plain, kept).changes
    assert (change.verdict, change.effects[0].hint) == ("safe", None)


def test_a_replacement_is_kept_only_when_both_templates_say_so(tmp_path):
    old = resource("AWS::FSx::FileSystem", LUSTRE)
    new = resource(
        "AWS::FSx::FileSystem", LUSTRE | {"SubnetIds": ["subnet-2"]}, UpdateReplacePolicy="Retain"
    )
    (change,) = compare(tmp_path, old, new).changes
    assert [effect.data for effect in change.effects if effect.data] == ["lost"]


def test_another_condition_may_take_a_resource_away(tmp_path):
    conditions = "Conditions: {Wanted: !Equals [!Ref 'AWS::Region', REGION]}\n"
    text = conditions + resource("AWS::FSx::FileSystem", LUSTRE, Condition="Wanted")
    found = compare(tmp_path, text.replace("REGION", "a"), text.replace("REGION", "b")).changes
    assert [c.verdict for c in found] == ["cannot-be-told"]
    assert "deleted with its data (files)" in found[0].effects[0].message


RULE = {"GroupId": "sg-1", "IpProtocol": "tcp", "CidrIp": "10.0.0.0/8"}


def test_a_rule_under_another_id_is_refused_since_the_group_has_it(tmp_path):
    (change,) = compare(tmp_path, *moved("AWS::EC2::SecurityGroupIngress", RULE)).changes
    assert (change.kind, change.verdict) == ("moved", "refused")
    assert "a rule that the group has already" in change.effects[0].message


def test_loops_and_macros_that_differ_cannot_be_told(tmp_path):
    text = """
Transform: AWS::LanguageExtensions
Resources:
  Fn::ForEach::Files:
    - Name
    - [A, B]
    - ${Name}: {Type: AWS::FSx::FileSystem, Properties: {FileSystemType: LUSTRE}}
  Topic: {Type: AWS::SNS::Topic}
"""
    one = compare(tmp_path, text, text.replace("[A, B]", "[A]")).changes
    assert [(c.logical_id, c.verdict) for c in one] == [("B", "destroys-data")]
    unknown = text.replace("[A, B]", "{Ref: Names}")
    found = compare(tmp_path, unknown, text.replace("[A, B]", "{Ref: Others}")).changes
    assert [(c.logical_id, c.verdict) for c in found] == [("Fn::ForEach::Files", "cannot-be-told")]
    assert found[0].line == 5
    other = compare(tmp_path, text, text.replace("LanguageExtensions", "Serverless-2016-10-31"))
    assert [c.verdict for c in other.changes] == ["cannot-be-told"]
    assert "macro AWS::Serverless-2016-10-31 makes resources" in other.notes[0]
    assert compare(tmp_path, text, text).changes == ()


def test_another_type_under_one_id_is_refused(tmp_path):
    old, new = resource("AWS::SNS::Topic", {}), resource("AWS::SQS::Queue", {})
    assert [c.verdict for c in compare(tmp_path, old, new).changes] == ["refused"]


def test_the_order_of_creation_is_no_change(tmp_path):
    topic = resource("AWS::SNS::Topic", {}, DependsOn="First")
    assert compare(tmp_path, topic, topic.replace("First", "Last")).changes == ()


@pytest.mark.parametrize(
    ("kind", "old", "new", "verdict"),
    [
        ("AWS::S3::Bucket", {"BucketName": "a"}, {"BucketName": "b"}, "destroys-data"),
        ("AWS::EFS::FileSystem", {"KmsKeyId": "a"}, {"KmsKeyId": "b"}, "destroys-data"),
        ("AWS::EFS::FileSystem", {"ThroughputMode": "a"}, {"ThroughputMode": "b"}, "safe"),
        ("AWS::Logs::LogGroup", {"RetentionInDays": 90}, {"RetentionInDays": 7}, "destroys-data"),
        ("AWS::Logs::LogGroup", {"RetentionInDays": 7}, {"RetentionInDays": 90}, "safe"),
        ("AWS::Logs::LogGroup", {}, {"RetentionInDays": 7}, "destroys-data"),
        ("AWS::EC2::Volume", {"Size": 100}, {"Size": 200}, "safe"),
        ("AWS::EC2::Volume", {"Size": 200}, {"Size": 100}, "refused"),
        ("AWS::EC2::Volume", {"AvailabilityZone": "a"}, {"AvailabilityZone": "b"}, "refused"),
        ("AWS::KMS::Key", {"KeySpec": "a"}, {"KeySpec": "b"}, "refused"),
        ("AWS::KMS::Key", {"Enabled": True}, {"Enabled": False}, "interrupts"),
        ("AWS::IAM::Role", {"RoleName": "a"}, {"RoleName": "b"}, "replaces"),
        ("AWS::IAM::Role", {"Policies": []}, {"Policies": [{"PolicyName": "a"}]}, "safe"),
        (
            "AWS::EC2::SecurityGroup",
            {"GroupDescription": "a"},
            {"GroupDescription": "b"},
            "replaces",
        ),
        ("AWS::EC2::VPC", {"CidrBlock": "a"}, {"CidrBlock": "b"}, "replaces"),
        ("AWS::SNS::Subscription", {"Endpoint": "a"}, {"Endpoint": "b"}, "interrupts"),
        (
            "AWS::Scheduler::Schedule",
            {"ScheduleExpression": "at(2027-03-08T10:35:00)"},
            {"ScheduleExpression": "at(2027-04-08T10:35:00)"},
            "safe",
        ),
        ("AWS::Scheduler::Schedule", {"Name": "a"}, {"Name": "b"}, "replaces"),
        ("Custom::Thing", {"a": 1}, {"a": 2}, "cannot-be-told"),
        ("Custom::Thing", {"ServiceToken": "a"}, {"ServiceToken": "b"}, "refused"),
        ("AWS::EFS::MountTarget", {"IpAddress": "a"}, {"IpAddress": "b"}, "refused"),
        ("AWS::EFS::MountTarget", {"SubnetId": "a"}, {"SubnetId": "b"}, "cannot-be-told"),
        ("AWS::EC2::VPC", {"Fn::Transform": {"Name": "a"}}, {}, "cannot-be-told"),
        ("AWS::EC2::VPC", {"Strange": "a"}, {"Strange": "b"}, "cannot-be-told"),
        (
            "AWS::CloudFormation::Stack",
            {"TemplateURL": "a"},
            {"TemplateURL": "b"},
            "cannot-be-told",
        ),
        ("MyOrg::Own::Type", {"a": 1}, {"a": 2}, "cannot-be-told"),
        (
            "AWS::Lambda::Function",
            {"Code": {"S3Key": "a" * 64 + ".zip"}},
            {"Code": {"S3Key": "b" * 64 + ".zip"}},
            "safe",
        ),
    ],
)
def test_what_the_schemas_and_the_tables_say(tmp_path, kind, old, new, verdict):
    assert change_of(tmp_path, kind, old, new).verdict == verdict


def test_a_rule_that_expires_objects_deletes_those_that_are_there(tmp_path):
    def bucket(days):
        rules = [{"Status": "Enabled", "Id": "x", "ExpirationInDays": days}]
        return {"LifecycleConfiguration": {"Rules": rules}}

    kind = "AWS::S3::Bucket"
    assert change_of(tmp_path, kind, {}, bucket(30)).verdict == "destroys-data"
    assert change_of(tmp_path, kind, bucket(30), bucket(7)).verdict == "destroys-data"
    assert change_of(tmp_path, kind, bucket(7), bucket(30)).verdict == "safe"
    assert change_of(tmp_path, kind, bucket(7), {}).verdict == "safe"


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ({"Status": "Disabled", "ExpirationInDays": 7}, {}, "destroys-data"),
        ({"Prefix": "tmp/", "ExpirationInDays": 7}, {"Prefix": "data/"}, "destroys-data"),
        ({"Prefix": "tmp/", "ExpirationInDays": 7}, {"Prefix": None}, "destroys-data"),
        ({"ExpirationInDays": 7}, {"Status": "Disabled"}, "safe"),
        ({"Prefix": "tmp/"}, {"Prefix": "data/"}, "safe"),
        ({}, {"NoncurrentVersionExpiration": {"NoncurrentDays": 7}}, "destroys-data"),
        (
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 30}},
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 7}},
            "destroys-data",
        ),
        (
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 7}},
            {"NoncurrentVersionExpiration": {"NoncurrentDays": 30}},
            "safe",
        ),
        ({"NoncurrentVersionExpirationInDays": 7}, {"ExpirationInDays": 9}, "destroys-data"),
        ({"ExpirationInDays": 7}, {"AbortIncompleteMultipartUpload": {"a": 1}}, "safe"),
    ],
)
def test_a_rule_that_meets_more_objects_deletes_them(tmp_path, old, new, verdict):
    def bucket(*parts):
        rule = {"Id": "x", "Status": "Enabled"}
        for part in parts:
            rule |= part
        rules = [{name: value for name, value in rule.items() if value is not None}]
        return {"LifecycleConfiguration": {"Rules": rules}}

    after = bucket(old, {"Status": "Enabled"}, new)
    assert change_of(tmp_path, "AWS::S3::Bucket", bucket(old), after).verdict == verdict


def test_a_budgets_alerts_and_name(tmp_path):
    def budget(address, name=None, amount=1):
        what = {"BudgetType": "COST", "BudgetLimit": {"Amount": amount, "Unit": "USD"}}
        if name:
            what["BudgetName"] = name
        alert = {"Subscribers": [{"SubscriptionType": "EMAIL", "Address": address}]}
        return {"Budget": what, "NotificationsWithSubscribers": [alert]}

    kind, a, b = "AWS::Budgets::Budget", "a@example.com", "b@example.com"
    assert change_of(tmp_path, kind, budget(a), budget(b)).verdict == "replaces"
    assert change_of(tmp_path, kind, budget(a), budget(a, amount=2)).verdict == "safe"
    assert change_of(tmp_path, kind, budget(a, "x"), budget(b, "x")).verdict == "refused"
    assert change_of(tmp_path, kind, budget(a, "x"), budget(b, "y")).verdict == "replaces"


def test_a_subnet_cannot_be_remade_with_its_block(tmp_path):
    def subnet(zone, block="10.0.0.0/24"):
        return {"VpcId": "vpc-1", "AvailabilityZone": zone, "CidrBlock": block}

    kind = "AWS::EC2::Subnet"
    assert change_of(tmp_path, kind, subnet("a"), subnet("b")).verdict == "refused"
    assert change_of(tmp_path, kind, subnet("a"), subnet("b", "10.0.1.0/24")).verdict == "replaces"


def test_rules_of_a_group_that_go_cut_traffic(tmp_path):
    def group(*ports):
        rules = [{"IpProtocol": "tcp", "FromPort": p, "ToPort": p} for p in ports]
        return {"GroupDescription": "x", "SecurityGroupIngress": rules}

    kind = "AWS::EC2::SecurityGroup"
    assert change_of(tmp_path, kind, group(1), group(1, 2)).verdict == "safe"
    assert change_of(tmp_path, kind, group(1, 2), group(2)).verdict == "interrupts"
