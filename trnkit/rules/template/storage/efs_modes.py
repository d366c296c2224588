"""TRN375: the performance and throughput modes of an EFS file system go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::EFS::FileSystem"):
        properties = properties_of(resource)
        performance, mode = properties["PerformanceMode"], properties["ThroughputMode"]
        number, zone = (
            properties["ProvisionedThroughputInMibps"],
            properties["AvailabilityZoneName"],
        )
        if performance.text() == "maxIO":
            hint = "take generalPurpose, which has the shorter latencies too"
            if mode.text() == "elastic":
                text = "is maxIO, which Elastic throughput does not have"
                yield at_value(performance, Objection(text, hint))
            if not zone.is_absent and not zone.is_unknown:
                text = "is maxIO, which One Zone file systems do not have"
                yield at_value(performance, Objection(text, hint))
        if mode.text() == "provisioned" and number.is_absent:
            text = "is missing; provisioned throughput needs a number"
            yield at_value(number, Objection(text, "write it in MiB/s, or take elastic"))


_HEAD = """\
Resources:
  Home:
    Type: AWS::EFS::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      Encrypted: true
      ThroughputMode: elastic
"""

RULE = TemplateRule(
    id="TRN375",
    title="the modes of an EFS file system go together",
    severity=Severity.ERROR,
    why="EFS refuses the file system when the stack is deployed, and the performance mode cannot "
    "be changed later.",
    source="https://docs.aws.amazon.com/efs/latest/ug/performance.html",
    good=_HEAD + "      PerformanceMode: generalPurpose\n",
    bad=_HEAD + "      PerformanceMode: maxIO\n",
    check=_check,
)
