"""Names that an image stack would meet when it is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.trnkit.operations.preflight.fake_account import DENIED, OWN
from tests.trnkit.operations.preflight.situations.physical_names import with_pipeline
from trnkit.layout.image_pipeline import pipeline_name

NAME = pipeline_name(with_pipeline())
PIPELINE = {"ListImagePipelines": {"imagePipelineList": [{"name": NAME}]}}
KEPT = with_pipeline(keep_images=3)

TEMPLATES = Path(__file__).parents[3] / "golden" / "templates"
# Names within something else, and of services and metrics; anomaly monitors are another check's
# matter. A chat channel's configuration is named after the cluster, and no API is asked for it.
NO_NAMES = {
    "AWS::CE::AnomalyMonitor",
    "AWS::CE::AnomalySubscription",
    "AWS::Chatbot::SlackChannelConfiguration",
    "AWS::CloudWatch::Alarm",
    "AWS::EC2::VPCEndpoint",
    "AWS::IAM::Policy",
}


def fixed_names(template):
    """Type and text of each name that a template writes out."""
    for resource in json.loads(template.read_text())["Resources"].values():
        for key, value in resource.get("Properties", {}).items():
            if (key == "Name" or key.endswith("Name")) and isinstance(value, str):
                yield resource["Type"], value


def test_no_other_resources_of_our_templates_have_names_of_their_own():
    found = {kind for path in TEMPLATES.rglob("*.json") for kind, _ in fixed_names(path)} - NO_NAMES
    assert found == {
        "AWS::ImageBuilder::Component",
        "AWS::ImageBuilder::DistributionConfiguration",
        "AWS::ImageBuilder::ImagePipeline",
        "AWS::ImageBuilder::ImageRecipe",
        "AWS::ImageBuilder::InfrastructureConfiguration",
        "AWS::ImageBuilder::LifecyclePolicy",
    }


def test_the_name_is_that_of_the_template():
    names = {
        name
        for kind, name in fixed_names(TEMPLATES / "baked-image" / "Images.json")
        if kind != "AWS::ImageBuilder::Component"
    }
    assert names == {pipeline_name(with_pipeline().model_copy(update={"name": "baked"}))}


def stack(**changes):
    told = {
        "StackName": "pretrain-Images",
        "StackStatus": "CREATE_COMPLETE",
        "CreationTime": "2027-01-01T00:00:00Z",
        "Tags": OWN,
    }
    return {"DescribeStacks": {"Stacks": [told | changes]}}


def part_filters(operation):
    """AWS's page names the filters of lifecycle policies `Name` and `Status`, all others `name`."""
    return operation != "ListLifecyclePolicies"


@pytest.mark.parametrize(
    ("operation", "member", "status", "words"),
    [
        ("ListImagePipelines", "imagePipelineList", "fail", f"has a pipeline {NAME}"),
        (
            "ListInfrastructureConfigurations",
            "infrastructureConfigurationSummaryList",
            "fail",
            "has an infrastructure configuration",
        ),
        (
            "ListDistributionConfigurations",
            "distributionConfigurationSummaryList",
            "fail",
            "has a distribution configuration",
        ),
        (
            "ListLifecyclePolicies",
            "lifecyclePolicySummaryList",
            "fail",
            "has a lifecycle policy",
        ),
        ("ListImageRecipes", "imageRecipeSummaryList", "warning", "with the same contents"),
    ],
)
def test_a_name_that_is_taken(operation, member, status, words, ask):
    asked = []

    def list_parts(told, region):
        asked.append(told)
        return {member: [{"name": NAME}]}

    done = ask("physical-names", KEPT, **{operation: list_parts})
    assert (done.status, len(done.results)) == (status, 1)
    assert words in done.results[0].message
    by_name = part_filters(operation)
    assert done.results[0].look.endswith(
        f" --region us-east-2 --filters name=name,values={NAME}" if by_name else " us-east-2"
    )
    assert asked == [{"filters": [{"name": "name", "values": [NAME]}]} if by_name else {}]
    # In ARNs the name is in lower case.
    assert ask(
        "physical-names", KEPT, **{operation: {member: [{"name": NAME.lower()}]}}
    ).status == (status)
    assert ask("physical-names", KEPT, **{operation: {member: [{"name": f"{NAME}-x"}]}}).status == (
        "ok"
    )


def test_the_names_of_the_cluster_s_own_stack_are_its_own(ask):
    assert ask("physical-names", KEPT, **PIPELINE, **stack()).status == "ok"
    assert [name for _, name, _ in ask.sessions[0].asked] == ["DescribeStacks"]
    assert ask("physical-names", KEPT, **PIPELINE, **stack(Tags=[])).status == "fail"


@pytest.mark.parametrize("status", ["ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"])
def test_a_first_try_that_was_rolled_back_has_no_names(status, ask):
    tried = stack(StackStatus=status)
    assert ask("physical-names", KEPT, **PIPELINE, **tried).status == "fail"
    assert ask("physical-names", KEPT, **tried).status == "ok"


def test_a_pipeline_that_keeps_all_images_has_no_lifecycle_policy(ask):
    ask("physical-names", with_pipeline(keep_images=None))
    assert "ListLifecyclePolicies" not in [name for _, name, _ in ask.sessions[0].asked]


def test_what_one_list_does_not_tell_hides_no_other(ask):
    done = ask("physical-names", KEPT, ListImageRecipes=DENIED, **PIPELINE)
    assert [result.status for result in done.results] == ["fail", "unknown"]


def test_a_cluster_without_a_pipeline_fixes_no_names(ask):
    assert ask("physical-names").status == "ok"
    assert ask.sessions[0].asked == []
