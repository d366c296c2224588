"""TRN579: AWS Batch starts Neuron nodes from an image that somebody has chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.reading.batch_jobs import COMPUTE_ENVIRONMENT
from trnkit.rules.reading.fleets import fleets
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import Resource, StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    started: dict[Resource, list[LaunchTemplate]] = {}
    for fleet in fleets(stack_set):
        started.setdefault(fleet.resource, []).append(fleet.launch_template)
    for environment in stack_set.resources(COMPUTE_ENVIRONMENT):
        properties = properties_of(environment)
        computing = properties["ComputeResources"]
        # What AWS Batch starts on EKS follows the cluster's version.
        if not properties["EksConfiguration"].is_absent or _names_an_image(computing):
            continue
        types = computing["InstanceTypes"].entries() or ()
        found = [find_instance_type(value.text() or "") for value in types]
        known = [kind.name for kind in found if kind is not None]
        templates = started.get(environment, [])
        is_somebodys = not computing["LaunchTemplate"].is_absent and not templates
        if not known or is_somebodys or any(_may_choose(template) for template in templates):
            continue
        yield Violation(
            message=f"{environment.logical_id}: starts {known[0]} and names no image, so AWS Batch "
            "takes its default, which has no Neuron driver",
            hint="set Ec2Configuration.ImageIdOverride to a Neuron image for Amazon ECS",
            resource=environment,
            path=computing.path,
        )


def _names_an_image(computing: TemplateValue) -> bool:
    """Whether it does, or may do so."""
    entries = computing["Ec2Configuration"].entries()
    if entries is None or not computing["ImageId"].is_absent:
        return True
    return any(
        entry.is_unknown
        or not entry["ImageIdOverride"].is_absent
        or "NEURON" in (entry["ImageType"].text() or "").upper()
        for entry in entries
    )


def _may_choose(template: LaunchTemplate) -> bool:
    """Whether a launch template names an image, or its script may install the driver."""
    data = template.data["UserData"]
    if not template.data["ImageId"].is_absent:
        return True
    text = "" if data.is_absent else user_data_text(data)
    return text is None or UNKNOWN_PART in text or "neuron" in text.lower()


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      ComputeResources:
        Type: EC2
        InstanceRole: arn:aws:iam::111122223333:instance-profile/ecsInstanceRole
        InstanceTypes: [trn2.48xlarge]
        Subnets: [subnet-1]
        SecurityGroupIds: [sg-1]
        MaxvCpus: 384
        Ec2Configuration:
          - ImageType: ECS_AL2023
"""

RULE = TemplateRule(
    id="TRN579",
    title="AWS Batch starts Neuron nodes from an image that somebody has chosen",
    severity=Severity.WARNING,
    why="The image types of AWS Batch for Amazon ECS are plain, or for NVIDIA: containers on "
    "Trainium find no device.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/ami-selection-order.html",
    good=_HEAD + "            ImageIdOverride: ami-0123456789abcdef0\n",
    bad=_HEAD,
    check=_check,
)
