"""TRN351: a Lustre file system's type, capacity, throughput and version go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.rules.judging.lustre_configuration import LustreSettings, judge_settings
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.layout.lustre_judgement import Objection
    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        for value, objection in _objections(found):
            yield Violation(
                message=f"{found.name}: {value.path[-1]} {objection.text}",
                hint=objection.hint,
                resource=found.resource,
                path=value.path,
                evidence=objection.evidence,
            )


def _objections(found: LustreFileSystem) -> Iterator[tuple[TemplateValue, Objection]]:
    """What is wrong, each with the value at fault."""
    properties, configuration = found.properties, found.configuration
    throughput, efa = configuration["PerUnitStorageThroughput"], configuration["EfaEnabled"]
    version = properties["FileSystemTypeVersion"]
    values = {
        "deployment_type": configuration["DeploymentType"],
        "throughput": throughput,
        "capacity": properties["StorageCapacity"],
        "efa": efa,
        "version": version,
    }
    settings = LustreSettings(
        region=found.resource.template.region,
        deployment_type=configuration["DeploymentType"].text(),
        tier=found.tier,
        throughput=throughput.integer(),
        # A file system made from a backup may leave out what the backup has.
        lacks_throughput=throughput.is_absent and properties["BackupId"].is_absent,
        capacity_gib=properties["StorageCapacity"].integer(),
        efa_enabled=None if efa.is_unknown else efa.boolean() is True,
        version=version.text(),
        has_associations=bool(found.associations),
        has_metadata=configuration["MetadataConfiguration"].mapping() is not None,
    )
    for part, objection in judge_settings(settings):
        yield values[part], objection


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 250}
"""

RULE = TemplateRule(
    id="TRN351",
    title="Lustre type, capacity, throughput and version go together",
    severity=Severity.ERROR,
    why="FSx refuses other combinations at deployment; neither CloudFormation's schema nor the "
    "CDK's L1 looks at them.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_HEAD + "      StorageCapacity: 4800\n",
    bad=_HEAD + "      StorageCapacity: 3600\n",
    check=_check,
)
