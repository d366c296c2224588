"""TRN596: containers hold a framework that runs on the family of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.neuron_frameworks import judge_container_framework
from trnkit.rules.reading.container_images import container_images
from trnkit.rules.reading.neuron_hosts import neuron_hosts
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    anywhere = _types(stack_set)
    for image in container_images(stack_set):
        found = judge_container_framework(image.text, image.types or anywhere)
        if found is not None:
            yield Violation(
                message=f"{image.user}: {image.text} {found.text}",
                hint=found.hint,
                resource=image.value.resource,
                path=image.value.path,
                evidence=found.evidence,
            )


def _types(stack_set: StackSet) -> tuple[InstanceType, ...]:
    """The types of all Neuron nodes; empty when one is not known."""
    hosts = neuron_hosts(stack_set)
    if any(not host.types for host in hosts):
        return ()
    return tuple(dict.fromkeys(kind for host in hosts for kind in host.types))


_EXAMPLE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: %s
        ImageId: resolve:ssm:/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: serve
          Memory: 1024
          Image: public.ecr.aws/neuron/pytorch-inference-vllm-neuronx:0.24.0.1.1.0-sdk2.32.0
"""

RULE = TemplateRule(
    id="TRN596",
    title="containers hold a framework that runs on their nodes",
    severity=Severity.WARNING,
    why="The native PyTorch backend and the vLLM plugin are for newer chips: on others a job fails "
    "when it loads them.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/components/torchneuron.html",
    good=_EXAMPLE % "trn2.48xlarge",
    bad=_EXAMPLE % "trn1.32xlarge",
    check=_check,
)
