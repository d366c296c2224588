"""The pipeline that bakes images: what it creates, and that an update never meets an old name."""

from __future__ import annotations

import json
import re

import pytest
from aws_cdk import App, DefaultStackSynthesizer, Environment, Stack, assertions
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3

import constructs_lib.compute.node_image_pipeline as module
from constructs_lib.compute import ImageBuild, ImageDistribution, NodeImagePipeline, SourceImage
from constructs_lib.compute.image_version import content_version
from tests.synthesis import cdk_context
from trnkit.errors import ConstructError

BASE = "/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id"
AMI = "ami-0123456789abcdef0"
KEY = "arn:aws:kms:us-east-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
TOPIC = "arn:aws:sns:us-east-2:111122223333:images"
COMPONENT = "arn:aws:imagebuilder:us-east-2:aws:component/amazon-corretto-21-headless/1.0.0"
IMAGE_BUILDER = "AWS::ImageBuilder::"


@pytest.fixture
def pipeline(stack, subnet, security_group):
    def make(image=BASE, *, key=None, size=200, **arguments):
        source = SourceImage(image=image, kms_key_arn=key, root_volume_size_gib=size)
        groups = arguments.pop("security_groups", [security_group])
        return NodeImagePipeline(
            stack, "Pipeline", source=source, subnet=subnet, security_groups=groups, **arguments
        )

    return make


def only(found):
    ((_, resource),) = found.items()
    return resource["Properties"]


def test_components_stand_in_order_with_those_of_the_user_before_the_hold(pipeline, resources):
    pipeline(component_arns=[COMPONENT])
    recipe = only(resources(f"{IMAGE_BUILDER}ImageRecipe"))
    order = [entry["ComponentArn"] for entry in recipe["Components"]]
    names = [arn if isinstance(arn, str) else arn["Fn::GetAtt"][0] for arn in order]
    assert [re.sub(r"^Pipeline|[0-9A-F]{8}$", "", name) for name in names] == [
        "LustreClient",
        "Efa",
        "CloudwatchAgent",
        COMPONENT,
        "HoldPackages",
        "Cleanup",
        "Verify",
    ]


@pytest.mark.parametrize(("image", "parent"), [(AMI, AMI), (BASE, f"ssm:{BASE}")])
def test_the_recipe_begins_with_the_image_and_an_encrypted_root(pipeline, resources, image, parent):
    pipeline(image, key=KEY, size=300)
    recipe = only(resources(f"{IMAGE_BUILDER}ImageRecipe"))
    assert recipe["ParentImage"] == parent
    assert recipe["BlockDeviceMappings"] == [
        {
            "DeviceName": "/dev/sda1",
            "Ebs": {
                "DeleteOnTermination": True,
                "Encrypted": True,
                "KmsKeyId": KEY,
                "VolumeSize": 300,
                "VolumeType": "gp3",
            },
        }
    ]


def test_machines_that_build_are_private_and_end_when_they_fail(pipeline, resources):
    pipeline(build=ImageBuild(topic_arn=TOPIC), tags={"trnkit-cluster": "pretrain"})
    found = only(resources(f"{IMAGE_BUILDER}InfrastructureConfiguration"))
    assert found["SubnetId"] == "subnet-0123456789abcdef0"
    assert found["SecurityGroupIds"] == ["sg-0123456789abcdef0"]
    assert found["InstanceTypes"] == ["m7i.2xlarge"]
    assert found["InstanceMetadataOptions"] == {
        "HttpTokens": "required",
        "HttpPutResponseHopLimit": 1,
    }
    assert found["TerminateInstanceOnFailure"] is True
    assert found["SnsTopicArn"] == TOPIC
    assert found["ResourceTags"]["trnkit-cluster"] == "pretrain"
    assert "KeyPair" not in found


def test_the_builder_may_what_image_builder_needs_and_no_more(pipeline, resources):
    pipeline()
    role = only(resources("AWS::IAM::Role"))
    assert role["AssumeRolePolicyDocument"]["Statement"][0]["Principal"] == {
        "Service": "ec2.amazonaws.com"
    }
    arns = json.dumps(role["ManagedPolicyArns"])
    assert re.findall(r":policy/([A-Za-z0-9]+)", arns) == [
        "AmazonSSMManagedInstanceCore",
        "EC2InstanceProfileForImageBuilder",
    ]
    assert not resources("AWS::IAM::Policy")


def test_logs_go_to_a_bucket_below_the_name_alone(stack, pipeline, resources):
    bucket = s3.Bucket.from_bucket_name(stack, "Logs", "our-logs")
    pipeline(build=ImageBuild(log_bucket=bucket))
    (statement,) = only(resources("AWS::IAM::Policy"))["PolicyDocument"]["Statement"]
    assert set(statement["Action"]) >= {"s3:PutObject"}
    name = only(resources(f"{IMAGE_BUILDER}ImageRecipe"))["Name"]
    assert f":s3:::our-logs/{name}/*" in json.dumps(statement["Resource"])
    logs = only(resources(f"{IMAGE_BUILDER}InfrastructureConfiguration"))["Logging"]["S3Logs"]
    assert logs == {"S3BucketName": "our-logs", "S3KeyPrefix": name}


def test_every_region_gets_the_image_and_records_it(pipeline, resources):
    where = ImageDistribution(
        parameter_name="/imagebuilder/trnkit/pretrain", regions=["us-west-2", "us-east-2"]
    )
    pipeline(distribution=where, tags={"a": "b"})
    found = only(resources(f"{IMAGE_BUILDER}DistributionConfiguration"))["Distributions"]
    assert [entry["Region"] for entry in found] == ["us-east-2", "us-west-2"]
    for entry in found:
        assert entry["SsmParameterConfigurations"] == [
            {"ParameterName": "/imagebuilder/trnkit/pretrain", "DataType": "aws:ec2:image"}
        ]
        image = entry["AmiDistributionConfiguration"]
        assert set(image) == {"Name", "Description", "AmiTags"}
        assert image["Name"].endswith("-{{ imagebuilder:buildDate }}")
        assert image["AmiTags"]["a"] == "b"


def test_with_a_key_the_copy_is_encrypted_with_it_too(pipeline, resources):
    pipeline(key=KEY)
    (found,) = only(resources(f"{IMAGE_BUILDER}DistributionConfiguration"))["Distributions"]
    assert found["AmiDistributionConfiguration"]["KmsKeyId"] == KEY
    assert "SsmParameterConfigurations" not in found


def test_images_are_tested_and_built_when_asked(pipeline, resources):
    pipeline()
    found = only(resources(f"{IMAGE_BUILDER}ImagePipeline"))
    assert found["ImageTestsConfiguration"]["ImageTestsEnabled"] is True
    assert found["ImageScanningConfiguration"] == {"ImageScanningEnabled": False}
    assert found["Status"] == "ENABLED"
    assert "Schedule" not in found
    assert not resources(f"{IMAGE_BUILDER}LifecyclePolicy")


def test_a_schedule_builds_what_is_new_and_stops_when_it_fails(pipeline, resources):
    pipeline(build=ImageBuild(schedule="cron(0 6 ? * MON *)", image_scanning=True))
    found = only(resources(f"{IMAGE_BUILDER}ImagePipeline"))
    assert found["Schedule"] == {
        "ScheduleExpression": "cron(0 6 ? * MON *)",
        "PipelineExecutionStartCondition": "EXPRESSION_MATCH_AND_DEPENDENCY_UPDATES_AVAILABLE",
        "AutoDisablePolicy": {"FailureCount": 3},
    }
    assert found["ImageScanningConfiguration"] == {"ImageScanningEnabled": True}


def test_old_images_are_deleted_unless_they_are_in_use(pipeline, resources):
    pipeline(distribution=ImageDistribution(keep_images=3))
    policy = only(resources(f"{IMAGE_BUILDER}LifecyclePolicy"))
    (detail,) = policy["PolicyDetails"]
    assert detail["Action"] == {
        "Type": "DELETE",
        "IncludeResources": {"Amis": True, "Snapshots": True},
    }
    assert detail["Filter"] == {"Type": "COUNT", "Value": 3}
    assert detail["ExclusionRules"] == {"Amis": {"LastLaunched": {"Unit": "DAYS", "Value": 180}}}
    # It finds what the pipeline makes, and nothing else.
    tags = only(resources(f"{IMAGE_BUILDER}ImagePipeline"))["ImageTags"]
    assert policy["ResourceSelection"]["TagMap"].items() <= tags.items()
    assert len(resources("AWS::IAM::Role")) == 2


# Versions.

DOCUMENT = "name: a\ndescription: b\nschemaVersion: 1.0\nphases: []\n"


def versions(folder=None, *, image=BASE, size=200, arns=(), region="us-east-2", key=None):
    """Versions of everything that never changes, in a stack of its own."""
    app = App(context=cdk_context(), builtin_cloud_formation_validation=False)
    stack = Stack(
        app,
        "Test",
        env=Environment(region=region),
        synthesizer=DefaultStackSynthesizer(generate_bootstrap_version_rule=False),
    )
    subnet = ec2.Subnet.from_subnet_id(stack, "Subnet", "subnet-0123456789abcdef0")
    group = ec2.SecurityGroup.from_security_group_id(stack, "Group", "sg-0123456789abcdef0")
    arn = kms.Key(stack, "Key").key_arn if key == "new" else key
    NodeImagePipeline(
        stack,
        "Pipeline",
        source=SourceImage(image=image, root_volume_size_gib=size, kms_key_arn=arn),
        subnet=subnet,
        security_groups=[group],
        component_arns=arns,
    )
    found = assertions.Template.from_stack(stack).to_json()["Resources"].values()
    return {
        (entry["Type"].rpartition("::")[2], entry["Properties"]["Name"]): entry["Properties"][
            "Version"
        ]
        for entry in found
        if "Version" in entry["Properties"]
    }


@pytest.fixture
def documents(tmp_path, monkeypatch):
    """The documents in a folder where they may be changed."""
    for path in module._DOCUMENTS.glob("*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(module, "_DOCUMENTS", tmp_path)
    return tmp_path


def test_the_version_of_some_content_is_the_same_everywhere_for_ever():
    assert content_version({"b": 1, "a": ["x", None]}) == "1.343577216.364861363"
    assert content_version({"a": ["x", None], "b": 1}) == content_version(
        {"b": 1, "a": ["x", None]}
    )


def test_every_number_of_a_version_is_one_that_image_builder_takes():
    for number in range(300):
        parts = [int(part) for part in content_version(number).split(".")]
        assert len(parts) == 3
        assert all(0 <= part < 2**30 for part in parts)


def test_the_same_content_keeps_its_versions():
    assert versions() == versions()
    assert len(set(versions().values())) == 7
    assert versions(key="new") == versions(key="new")


def test_a_changed_document_is_a_new_component_and_a_new_recipe(documents):
    before = versions()
    changed = documents / "efa.yaml"
    changed.write_text(changed.read_text() + "# another word\n")
    after = versions()
    assert set(before) == set(after), "names stay, so that what is old is found again"
    moved = {key for key in before if before[key] != after[key]}
    assert {(kind, name.rpartition("-")[2]) for kind, name in moved if kind == "Component"} == {
        ("Component", "efa")
    }
    assert {kind for kind, _ in moved} == {"Component", "ImageRecipe"}
    # Back again: CloudFormation has removed that version, and makes it anew.
    changed.write_text(changed.read_text().replace("# another word\n", ""))
    assert versions() == before


@pytest.mark.parametrize(
    "other",
    [
        {"image": AMI},
        {"size": 201},
        {"arns": [COMPONENT]},
        {"key": KEY},
        {"key": "new"},
    ],
)
def test_whatever_replaces_a_recipe_gives_it_another_version(other):
    before, after = versions(), versions(**other)
    moved = {kind for kind, _ in before if before.get((kind, _)) != after.get((kind, _))}
    assert moved == {"ImageRecipe"}


def test_everything_that_replaces_a_recipe_or_component_is_in_its_version(pipeline, resources):
    """A property that is not, and changes, would meet its own name and version."""
    pipeline(component_arns=[COMPONENT])
    recipe = only(resources(f"{IMAGE_BUILDER}ImageRecipe"))
    counted = {"ParentImage", "BlockDeviceMappings", "Components", "Description"}
    constant = {"Name", "Version", "AdditionalInstanceConfiguration"}
    assert set(recipe) == counted | constant
    for component in resources(f"{IMAGE_BUILDER}Component").values():
        assert set(component["Properties"]) == {
            "Name",
            "Version",
            "Data",
            "Description",
            "Platform",
        }


# What is refused.


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SourceImage(image="my image"), "image must"),
        (lambda: SourceImage(image="ami-1"), "image must"),
        (
            lambda: SourceImage(image=AMI, root_volume_size_gib=4),
            "root_volume_size_gib must be 8 to",
        ),
        (lambda: SourceImage(image=AMI, root_device_name="sda"), "root_device_name"),
        (lambda: SourceImage(image=AMI, kms_key_arn="alias/x"), "kms_key_arn"),
        (lambda: ImageBuild(instance_type="m7g.2xlarge"), "must be of x86_64"),
        (lambda: ImageBuild(instance_type="c7gn.xlarge"), "must be of x86_64"),
        (lambda: ImageBuild(instance_type="large"), "must be a family and a size"),
        (lambda: ImageBuild(schedule="every monday"), "schedule"),
        (lambda: ImageBuild(schedule="cron(0 6 * * *)"), "schedule"),
        (lambda: ImageBuild(topic_arn="images"), "topic_arn"),
        (lambda: ImageBuild(log_bucket="our-logs"), "log_bucket"),
        (lambda: ImageDistribution(parameter_name="/ours/image"), "must be /imagebuilder/"),
        (lambda: ImageDistribution(regions="us-west-2"), "regions must be a list"),
        (lambda: ImageDistribution(regions=["west"]), "a Region like"),
        (lambda: ImageDistribution(keep_images=0), "keep_images must be 1 to 10"),
    ],
)
def test_settings_of_no_known_form_are_refused(make, words):
    with pytest.raises(ConstructError, match=re.escape(words)):
        make()


@pytest.mark.parametrize("kind", ["trn1.2xlarge", "g5.xlarge", "m7i.2xlarge", "c6a.4xlarge"])
def test_types_of_x86_build(kind):
    assert ImageBuild(instance_type=kind).instance_type == kind


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"security_groups": []}, "security_groups must name at least one group"),
        ({"component_arns": ["efa"]}, "the ARN of an Image Builder component"),
        ({"tags": {"aws:a": "b"}}, "each key of tags"),
        ({"build": "m7i"}, "build must be an ImageBuild"),
        (
            {"key": KEY, "distribution": ImageDistribution(regions=["us-west-2"])},
            "kms_key_arn must be left out with further regions (us-west-2)",
        ),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(stack, pipeline, arguments, words):
    with pytest.raises(ConstructError, match=re.escape(words)):
        pipeline(**arguments)
