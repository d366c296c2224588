"""TRN585: Neuron nodes of AWS PCS do not start AWS's sample image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import pcs_facts
from trnkit.findings import Severity
from trnkit.rules.reading.pcs_resources import pcs_node_groups
from trnkit.rules.reading.template_value import as_mapping
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.pcs_resources import PcsNodeGroup
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    facts = pcs_facts()
    for group in pcs_node_groups(stack_set):
        if group.instance_type is None or _installs(group):
            continue
        image = group.properties["AmiId"]
        if image.is_absent and group.launch_template is not None:
            image = group.launch_template.data["ImageId"]
        if facts.image_parameter_prefix in _parameter_of(image):
            yield Violation(
                message=f"{image.resource.logical_id}: starts {group.instance_type.name} with "
                "AWS's sample image for AWS PCS, which has no Neuron driver",
                hint="install the AWS PCS agent on a Neuron Deep Learning AMI, and name that",
                resource=image.resource,
                path=image.path,
                evidence=f"catalogue, AWS PCS ({facts.date})",
            )


def _installs(group: PcsNodeGroup) -> bool:
    """Whether something at boot may install what the image lacks."""
    if not group.properties["NodeLifecycleActions"].is_absent:
        return True
    template = group.launch_template
    data = template.data["UserData"] if template is not None else None
    if data is None or data.is_absent:
        return False
    text = user_data_text(data)
    return text is None or UNKNOWN_PART in text or "neuron" in text.lower()


def _parameter_of(image: TemplateValue) -> str:
    """The name of the Systems Manager parameter behind an image, as far as it is written."""
    if isinstance(image.raw, str):
        return image.raw
    named = as_mapping(image.raw)
    parameters = as_mapping(image.resource.template.body.get("Parameters"))
    if named is None or parameters is None or len(named) != 1 or "Ref" not in named:
        return ""
    name = named["Ref"]
    parameter = as_mapping(parameters.get(name)) if isinstance(name, str) else None
    is_public = str((parameter or {}).get("Type")).startswith("AWS::SSM::Parameter::Value")
    return str((parameter or {}).get("Default")) if is_public else ""


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        ImageId: resolve:ssm:%s
  Group:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      ClusterId: pcs_0123456789
      IamInstanceProfileArn: arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes
      InstanceConfigs: [{InstanceType: trn2.48xlarge}]
      ScalingConfiguration: {MinInstanceCount: 0, MaxInstanceCount: 4}
      SubnetIds: [subnet-1]
      CustomLaunchTemplate:
        TemplateId: {Ref: Nodes}
        Version: {Fn::GetAtt: [Nodes, LatestVersionNumber]}
"""

RULE = TemplateRule(
    id="TRN585",
    title="Neuron nodes of AWS PCS do not start AWS's sample image",
    severity=Severity.WARNING,
    why="The sample images are for trials on CPUs and GPUs: jobs find no Neuron device, unless the "
    "boot script installs driver and tools.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ami_samples.html",
    good=_HEAD % "/example/pcs-neuron/image_id",
    bad=_HEAD % "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id",
    check=_check,
)
