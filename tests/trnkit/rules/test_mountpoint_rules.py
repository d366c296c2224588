"""Rules about S3 buckets that nodes mount, in cluster files and in templates."""

from __future__ import annotations

import base64

import pytest

from tests.trnkit.rules.judging import judge_cluster, judge_template, of_rule, severities
from trnkit.catalog import mountpoint_download, operating_systems

IMAGE = "{ssm_parameter: /aws/service/neuron/dlami/base/%s/latest/image_id}"
KEY = "arn:aws:kms:%s:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"


def mounts(*entries: str, more: str = "") -> str:
    listed = ", ".join(f"{{{entry}}}" for entry in entries)
    return f"storage: {{s3_mountpoints: [{listed}]{more}}}\n"


def one(**keys: object) -> str:
    plain = {"bucket_name": "our-corpus", "mount_path": "/data/corpus"}
    return ", ".join(f"{key}: '{value}'" for key, value in (plain | keys).items())


def writable(**keys: object) -> str:
    return f"{one(**keys)}, read_only: false"


def nodes(image: str, *, nat_gateway: bool = True) -> str:
    gateway = "" if nat_gateway else "network: {nat_gateway: false}\n"
    return (
        f"{gateway}compute: {{node_groups: [{{name: train, instance_type: trn2.48xlarge, count: 1, "
        f"image: {image}}}]}}\n"
    )


@pytest.mark.parametrize("name", ["our-corpus", "abc", "a.b.c", "123", "a" * 63, "data-s3", "mrap"])
def test_names_of_buckets(name):
    assert not of_rule("TRN380", judge_cluster(mounts(one(bucket_name=name))))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("s3://our-corpus", "the bucket's name alone"),
        ("arn:aws:s3:::our-corpus", "the bucket's name alone"),
        ("our-corpus/raw", "3 to 63"),
        ("Our-Corpus", "3 to 63"),
        ("our_corpus", "3 to 63"),
        ("ab", "3 to 63"),
        ("a" * 64, "3 to 63"),
        ("-corpus", "3 to 63"),
        ("corpus.", "3 to 63"),
        ("our..corpus", "two full stops"),
        ("10.0.0.1", "IP address"),
        ("xn--corpus", "begin with xn--"),
        ("sthree-corpus", "begin with sthree-"),
        ("corpus--use2-az1--x-s3", "a directory bucket"),
        ("corpus-abcdefgh-s3alias", "an access point"),
        ("corpus.mrap", "a Multi-Region Access Point"),
    ],
)
def test_names_that_are_of_no_bucket(name, words):
    (found,) = of_rule("TRN380", judge_cluster(mounts(one(bucket_name=name))))
    assert words in found.message
    assert found.path == "storage.s3_mountpoints[0].bucket_name"


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ({}, {}, ["warning"]),
        ({"prefix": "raw"}, {"prefix": "raw/"}, ["warning"]),
        ({"prefix": "raw/"}, {"prefix": "raw/v2/"}, []),
        ({"prefix": "raw/"}, {}, []),
        ({}, {"bucket_name": "our-results"}, []),
    ],
)
def test_the_same_place_twice(first, second, found):
    text = mounts(one(mount_path="/a", **first), one(mount_path="/b", **second))
    assert severities("TRN381", judge_cluster(text)) == found


@pytest.mark.parametrize(
    ("path", "other", "found"),
    [
        ("/data", "/data", ["error"]),
        ("/data", "/data/more", ["error"]),
        ("/data", "/database", []),
        ("/opt/aws/x", "/data", ["error"]),
    ],
)
def test_mount_paths_are_judged_with_all_others(path, other, found):
    text = mounts(one(mount_path=path), one(mount_path=other, prefix="x"))
    assert severities("TRN307", judge_cluster(text)) == found


@pytest.mark.parametrize(
    "more",
    [
        "lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, mount_path: /data}]",
        "home_file_system: {mount_path: /data/corpus/home}",
    ],
)
def test_mount_paths_clash_with_file_systems(more):
    text = mounts(one(), more=f", {more}")
    (found,) = of_rule("TRN307", judge_cluster(text))
    assert found.path == "storage.s3_mountpoints[0].mount_path"


LINKED = (
    ", lustre_file_systems: [{name: fsx, storage_capacity_gib: 4800, "
    "data_repository_associations: [{file_system_path: /runs, "
    "data_repository_path: 's3://our-results/runs'}]}]"
)


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (writable(bucket_name="our-results", prefix="runs"), ["warning"]),
        (writable(bucket_name="our-results", prefix="runs/a/"), ["warning"]),
        (writable(bucket_name="our-results"), ["warning"]),
        (writable(bucket_name="our-results", prefix="runs-of-others"), []),
        (writable(bucket_name="our-results-2"), []),
        (one(bucket_name="our-results", prefix="runs"), []),
    ],
)
def test_written_on_both_sides(entry, found):
    assert severities("TRN382", judge_cluster(mounts(entry, more=LINKED))) == found


def test_the_clusters_own_bucket_has_no_known_name_and_is_not_judged():
    text = mounts(writable(), more=", checkpoint_bucket: {}")
    assert not of_rule("TRN382", judge_cluster(text))


@pytest.mark.parametrize(
    ("image", "nat_gateway", "found"),
    [
        (IMAGE % "ubuntu-24.04", True, []),
        (IMAGE % "ubuntu-24.04", False, ["error"]),
        (IMAGE % "ubuntu-22.04", False, ["error"]),
        (IMAGE % "amazon-linux-2023", False, []),
        ("{ami_id: ami-0123456789abcdef0}", False, []),
        ("{ssm_parameter: /my/image, operating_system: amazon-linux-2023}", False, []),
        ("{ssm_parameter: /my/image}", True, []),
    ],
)
def test_whether_mountpoint_can_be_installed(image, nat_gateway, found):
    text = nodes(image, nat_gateway=nat_gateway)
    assert severities("TRN383", judge_cluster(text + mounts(one()))) == found
    assert not of_rule("TRN383", judge_cluster(text)), "nothing is mounted"


def test_without_knowledge_of_an_existing_network_nothing_is_judged():
    text = (
        "network: {existing: {vpc_id: vpc-0123456789abcdef0, availability_zone_id: use2-az3, "
        "compute_subnet_id: subnet-0123456789abcdef0}}\n"
    )
    assert not of_rule("TRN383", judge_cluster(text + mounts(one())))


def test_every_system_of_the_images_has_a_source_of_mountpoint():
    from trnkit.catalog import mountpoint_repository

    known = {*mountpoint_repository().operating_systems, *mountpoint_download().operating_systems}
    assert known == set(operating_systems())


def test_a_system_without_a_signed_package_is_refused(monkeypatch):
    from trnkit.rules.config.storage import mountpoint_package

    class Nothing:
        operating_systems = ()
        date = "2026-11-30"

    monkeypatch.setattr(mountpoint_package, "mountpoint_download", Nothing)
    (found,) = of_rule("TRN383", judge_cluster(nodes(IMAGE % "ubuntu-24.04") + mounts(one())))
    assert "no signed package of Mountpoint is known" in found.message


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        (writable(mount_path="/checkpoints"), ["warning"]),
        (writable(mount_path="/data/ckpt-a"), ["warning"]),
        (writable(mount_path="/data/Checkpoint_1"), ["warning"]),
        (writable(mount_path="/data/results"), []),
        (writable(mount_path="/data/checkpointing-papers"), []),
        (one(mount_path="/checkpoints"), []),
    ],
)
def test_checkpoints_through_a_mount(entry, found):
    assert severities("TRN384", judge_cluster(mounts(entry))) == found


def test_keys_are_of_the_clusters_region():
    assert severities("TRN319", judge_cluster(mounts(one(kms_key_arn=KEY % "us-west-2"))))
    assert not of_rule("TRN319", judge_cluster(mounts(one(kms_key_arn=KEY % "us-east-2"))))


def test_buckets_of_the_examples():
    (found,) = of_rule("TRN327", judge_cluster(mounts(one(bucket_name="example-corpus"))))
    assert found.message == (
        "storage.s3_mountpoints[0].bucket_name is example-corpus, a bucket of the examples"
    )


def test_ami_06_buckets_count_in_user_data():
    long = "/" + "/".join(["a" * 200] * 4)
    entries = [one(mount_path=f"{long}/{n}", prefix=str(n)) for n in range(8)]
    (found,) = of_rule("TRN326", judge_cluster(mounts(*entries)))
    assert found.path.startswith("storage.s3_mountpoints[")
    assert not of_rule("TRN326", judge_cluster(mounts(*entries[:2])))


# Templates.


def launch(user_data: object, kind: str = "trn1.32xlarge") -> dict[str, object]:
    data = {"InstanceType": kind, "UserData": user_data}
    properties = {"LaunchTemplateData": data}
    return {"Resources": {"Nodes": {"Type": "AWS::EC2::LaunchTemplate", "Properties": properties}}}


def found_in(user_data: object, kind: str = "trn1.32xlarge") -> list[str]:
    return severities("TRN387", judge_template(launch(user_data, kind)))


LINE = "echo 's3://our-corpus/%s /data mount-s3 %s 0 0' >>/etc/fstab\n"
GOOD = "_netdev,nosuid,nodev,nofail,ro"


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (GOOD, []),
        ("ro,region=us-east-2,nofail,nodev,nosuid,_netdev", []),
        ("_netdev,nosuid,nodev,ro", ["warning"]),
        ("nosuid,nodev,nofail", ["error"]),
        ("defaults", ["error"]),
        ("_netdev,nosuid,nodev_,nofail", ["error"]),
        ("$OPTIONS", []),
        ("_netdev,${MORE}", []),
        ("`options`", []),
    ],
)
def test_options_in_fstab(options, found):
    text = "#!/bin/sh\n" + LINE % ("", options)
    assert found_in({"Fn::Base64": text}) == found
    assert found_in(base64.b64encode(text.encode()).decode()) == found


@pytest.mark.parametrize(
    ("user_data", "found"),
    [
        pytest.param({"Fn::Sub": LINE % ("${!X}", "defaults")}, [], id="of the shell"),
        pytest.param({"Fn::Sub": LINE % ("${AWS::Region}", "defaults")}, [], id="place unknown"),
        pytest.param({"Fn::Sub": LINE % ("", "_netdev,${More}")}, [], id="options unknown"),
        pytest.param({"Fn::Sub": "${X}\n" + LINE % ("", "ro")}, ["error"], id="line known"),
        pytest.param(
            {"Fn::Join": ["", [LINE % ("", "ro"), {"Ref": "Missing"}]]}, ["error"], id="joined"
        ),
        pytest.param(
            {"Fn::Join": ["", ["s3://b/ /data mount-s3 ro", {"Ref": "Missing"}]]}, [], id="cut"
        ),
        pytest.param({"Ref": "Missing"}, [], id="nothing known"),
        pytest.param("mount s3://our-corpus/ by hand", [], id="no line of fstab"),
    ],
)
def test_only_what_is_known_is_judged(user_data, found):
    assert found_in({"Fn::Base64": user_data}) == found


@pytest.mark.parametrize("user_data", ["not base64!", 5, None, ["x"], {"Fn::Base64": ["a", "b"]}])
def test_user_data_of_another_shape_is_not_judged(user_data):
    assert found_in(user_data) == []


def test_other_instances_are_somebody_elses():
    assert found_in({"Fn::Base64": LINE % ("", "ro")}, kind="m7i.large") == []


def test_every_line_is_judged():
    text = LINE % ("a/", "ro") + LINE % ("b/", GOOD) + LINE % ("c/", "_netdev,nosuid,nodev")
    assert found_in({"Fn::Base64": text}) == ["error", "warning"]
