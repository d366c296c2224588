"""TRN290: a single accelerated instance is stopped or replaced when its boot script changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.findings import Severity
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.reading.fleets import INSTANCE, fleets
from trnkit.rules.reading.known_values import Reference
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.catalog import InstanceType
    from trnkit.rules.stack_set import StackSet

_HINT = (
    "start it in an Auto Scaling group, or keep the script on S3 and its data on a file system that"
    " is not the instance's"
)


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for instance in stack_set.resources(INSTANCE):
        properties = properties_of(instance)
        known = find_instance_type(properties["InstanceType"].text() or "")
        data = properties["UserData"]
        if known is not None and not data.is_absent:
            yield Violation(
                message=f"{instance.logical_id}: every change of its UserData stops the instance"
                f"{_loses(known)}; the changed script does not run, and {known.name} may not be "
                "there to start again",
                hint=_HINT,
                resource=instance,
                path=data.path,
                evidence=_disks(known),
            )
    for fleet in fleets(stack_set):
        kinds, version = fleet.known_types, fleet.version.value
        follows = isinstance(version, Reference) and version.attribute == "LatestVersionNumber"
        if fleet.resource.type == INSTANCE and kinds and follows:
            template = fleet.launch_template.resource.logical_id
            yield Violation(
                message=f"{fleet.resource.logical_id}: every change of {template} replaces the "
                f"instance{_loses(kinds[0])}, and {kinds[0].name} may not be there for a new one",
                hint=_HINT,
                resource=fleet.resource,
                path=fleet.version.path,
                evidence=_disks(kinds[0]),
            )


def _loses(known: InstanceType) -> str:
    return " and empties its local disks" if known.nvme_disks else ""


def _disks(known: InstanceType) -> str | None:
    disks = known.nvme_disks
    return from_catalogue(known, count(disks, "instance store disk")) if disks else None


_HEAD = """\
Resources:
  Box:
    Type: AWS::EC2::Instance
    Properties:
      ImageId: ami-0123456789abcdef0
      SubnetId: subnet-1
      UserData: {Fn::Base64: "#!/bin/sh"}
      InstanceType: """

RULE = TemplateRule(
    id="TRN290",
    title="a change of the boot script does not stop the only instance",
    severity=Severity.INFO,
    why="CloudFormation stops and starts an instance whose user data changed, even a comment, and "
    "replaces one whose launch template did; capacity for Trainium may be gone in between.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-instance.html",
    good=_HEAD + "m7i.xlarge\n",
    bad=_HEAD + "trn1.32xlarge\n",
    check=_check,
)
