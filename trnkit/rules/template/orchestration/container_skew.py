"""TRN595: Neuron's driver on the nodes and its runtime in the containers go together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.catalog.neuron_sdk import container_sdk
from trnkit.findings import Severity
from trnkit.rules.judging.host_drivers import driver_of_image, may_be_older
from trnkit.rules.judging.neuron_skew import judge_skew
from trnkit.rules.reading.container_images import container_images
from trnkit.rules.reading.neuron_hosts import neuron_hosts
from trnkit.rules.reading.neuron_packages import DRIVER
from trnkit.rules.reading.user_data import UNKNOWN_PART, user_data_text
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.judging.neuron_skew import HostDriver
    from trnkit.rules.reading.neuron_hosts import NeuronHost
    from trnkit.rules.stack_set import StackSet

_IMAGE = re.compile(r"[a-z0-9][a-z0-9.-]{0,80}/(?:neuron/)?[a-z0-9._/-]{0,80}:[a-z0-9._-]{1,120}")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    hosts = neuron_hosts(stack_set)
    drivers = [_driver_of(host) for host in hosts]
    dated = any(map(may_be_older, hosts, drivers))
    for image in container_images(stack_set):
        found = judge_skew(image.text, drivers)
        if found is not None:
            yield Violation(
                message=f"{image.user}: {image.text} {found.text}",
                hint=found.hint,
                resource=image.value.resource,
                path=image.value.path,
                severity=Severity.INFO if dated else None,
                evidence=found.evidence,
            )
    for host, driver in zip(hosts, drivers, strict=True):
        yield from _in_user_data(host, driver)


def _driver_of(host: NeuronHost) -> HostDriver | None:
    if host.user_data is not None:
        text = user_data_text(host.user_data)
        if text is None or text == UNKNOWN_PART or DRIVER in text:
            return None
    return driver_of_image(host)


def _in_user_data(host: NeuronHost, driver: HostDriver | None) -> Iterator[Violation]:
    """Containers that the nodes themselves start."""
    text = user_data_text(host.user_data) if host.user_data is not None else None
    if host.user_data is None or text is None or driver is None:
        return
    for image in dict.fromkeys(_IMAGE.findall(text)):
        found = judge_skew(image, [driver]) if container_sdk(image) else None
        if found is not None:
            yield Violation(
                message=f"{host.user_data.resource.logical_id}: {image} in its user data "
                f"{found.text}",
                hint=found.hint,
                resource=host.user_data.resource,
                path=host.user_data.path,
                severity=Severity.INFO if may_be_older(host, driver) else None,
                evidence=found.evidence,
            )


_EXAMPLE = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn2.48xlarge
        ImageId: resolve:ssm:/aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: train
          Memory: 1024
          Image: public.ecr.aws/neuron/jax-training-neuronx:0.10.0-neuronx-py313-sdk%s-ubuntu24.04
"""

RULE = TemplateRule(
    id="TRN595",
    title="driver on the nodes and runtime in the containers go together",
    severity=Severity.WARNING,
    why="The driver is the host's and the runtime the container's. Where one is too old for the "
    "other, nrt_init fails: the container starts, and finds no device.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/release-notes/components/runtime.html",
    good=_EXAMPLE % "2.32.0",
    bad=_EXAMPLE % "2.29.0",
    check=_check,
)
