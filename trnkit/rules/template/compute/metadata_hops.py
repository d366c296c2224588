"""TRN286: the hop limit of the instance metadata is one that EC2 takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import metadata_limits
from trnkit.findings import Severity
from trnkit.rules.reading.launch_settings import launch_settings
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    limits = metadata_limits()
    least, most = limits.minimum_hops, limits.maximum_hops
    for settings in launch_settings(stack_set):
        hops = settings["MetadataOptions"]["HttpPutResponseHopLimit"]
        number = hops.integer()
        if number is not None and not least <= number <= most:
            yield Violation(
                message=f"{settings.resource.logical_id}: HttpPutResponseHopLimit is {number}; it "
                f"is {least} to {most}",
                hint="write 2, which lets containers reach the metadata",
                resource=settings.resource,
                path=hops.path,
                evidence=f"catalogue, instance metadata options ({limits.date})",
            )


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        MetadataOptions: {HttpTokens: required, HttpPutResponseHopLimit: %d}
"""

RULE = TemplateRule(
    id="TRN286",
    title="the hop limit of the instance metadata is one that EC2 takes",
    severity=Severity.ERROR,
    why="EC2 refuses a launch with any other.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceMetadataOptionsRequest.html",
    good=_HEAD % 64,
    bad=_HEAD % 65,
    check=_check,
)
