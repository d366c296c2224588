"""The stack that bakes images: there when asked for, and nothing else changes with it."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.synthesis import ROOT
from trnkit.config import read_cluster

EXAMPLE = (ROOT / "examples" / "baked-image.yaml").read_text()
BUILDER = "AWS::ImageBuilder::"


@pytest.fixture
def built(synthesize):
    """The example, with other settings of its pipeline; None takes the pipeline away."""

    def build(**settings):
        data = yaml.safe_load(EXAMPLE)
        data["compute"]["image_pipeline"] |= settings
        return synthesize(read_cluster(yaml.safe_dump(data), "cluster.yaml").config)

    return build


def test_without_the_section_there_is_no_such_stack(synthesize):
    data = yaml.safe_load(EXAMPLE)
    with_pipeline = synthesize(read_cluster(EXAMPLE, "cluster.yaml").config).templates
    del data["compute"]["image_pipeline"]
    without = synthesize(read_cluster(yaml.safe_dump(data), "cluster.yaml").config).templates
    assert set(with_pipeline) - set(without) == {"Images"}
    assert {name: with_pipeline[name] for name in without} == without


def test_the_parameter_that_is_written_is_the_one_that_nodes_boot(built):
    assembly = built()
    where = assembly.only("Images", f"{BUILDER}DistributionConfiguration")["Distributions"]
    (recorded,) = where[0]["SsmParameterConfigurations"]
    data = assembly.only("Compute", "AWS::EC2::LaunchTemplate")["LaunchTemplateData"]
    assert data["ImageId"] == f"resolve:ssm:{recorded['ParameterName']}"
    assert recorded["ParameterName"] == "/imagebuilder/trnkit/baked"


def test_it_builds_in_the_private_subnet_of_the_nodes(built):
    assembly = built()
    found = assembly.only("Images", f"{BUILDER}InfrastructureConfiguration")
    assert "ComputeSubnet" in json.dumps(found["SubnetId"])
    assert len(found["SecurityGroupIds"]) == 1
    assert found["ResourceTags"]["trnkit-cluster"] == "baked"


def test_settings_reach_the_pipeline(built):
    topic = "arn:aws:sns:us-east-2:111122223333:images"
    assembly = built(
        parent_ssm_parameter="/aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id",
        root_volume_size_gib=300,
        instance_type="c7i.4xlarge",
        topic_arn=topic,
        regions=["us-west-2"],
        image_scanning=True,
        schedule="rate(7 days)",
        parameter_name="/imagebuilder/ours",
    )
    recipe = assembly.only("Images", f"{BUILDER}ImageRecipe")
    (mapping,) = recipe["BlockDeviceMappings"]
    assert (mapping["DeviceName"], mapping["Ebs"]["VolumeSize"]) == ("/dev/xvda", 300)
    infrastructure = assembly.only("Images", f"{BUILDER}InfrastructureConfiguration")
    assert infrastructure["InstanceTypes"] == ["c7i.4xlarge"]
    assert infrastructure["SnsTopicArn"] == topic
    pipeline = assembly.only("Images", f"{BUILDER}ImagePipeline")
    assert pipeline["Schedule"]["ScheduleExpression"] == "rate(7 days)"
    assert pipeline["ImageScanningConfiguration"] == {"ImageScanningEnabled": True}
    where = assembly.only("Images", f"{BUILDER}DistributionConfiguration")["Distributions"]
    assert [entry["Region"] for entry in where] == ["us-east-2", "us-west-2"]
    assert "/imagebuilder/ours" in json.dumps(where)


def test_a_fixed_image_is_taken_as_it_is(built):
    data = yaml.safe_load(EXAMPLE)
    assert data["compute"]["image_pipeline"].pop("parent_ssm_parameter")
    recipe = built(parent_ssm_parameter=None, parent_ami_id="ami-0123456789abcdef0").only(
        "Images", f"{BUILDER}ImageRecipe"
    )
    assert recipe["ParentImage"] == "ami-0123456789abcdef0"


def test_the_outputs_say_how_to_begin(built):
    outputs = built().templates["Images"]["Outputs"]
    assert outputs["ImageParameterName"]["Value"] == "/imagebuilder/trnkit/baked"
    command = json.dumps(outputs["StartImageBuild"]["Value"])
    assert "start-image-pipeline-execution --region us-east-2 --image-pipeline-arn" in command
