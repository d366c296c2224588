"""TRN351: a Lustre file system's type, capacity, throughput and version go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_region
from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, judge_efa
from trnkit.rules.judging.lustre_judgement import (
    judge_capacity,
    judge_throughput,
    judge_version,
)
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.template_region import region_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.template_value import TemplateValue
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        region = region_of(found.resource.template, stack_set)
        for value, objection in (*_in_region(found, region), *_objections(found)):
            yield Violation(
                message=f"{found.name}: {value.path[-1]} {objection.text}",
                hint=objection.hint,
                resource=found.resource,
                path=value.path,
                evidence=objection.evidence,
            )


def _in_region(
    found: LustreFileSystem, name: str | None
) -> Iterator[tuple[TemplateValue, Objection]]:
    region = find_region(name or "")
    kind = found.configuration["DeploymentType"]
    if region is not None and kind.text() == "PERSISTENT_2" and region.persistent_2 is False:
        text = f"is PERSISTENT_2, which {region.name} does not offer"
        evidence = f"catalogue, {region.name}: no PERSISTENT_2 ({region.date})"
        yield kind, Objection(text, "take SCRATCH_2 or another region", evidence)


def _objections(found: LustreFileSystem) -> Iterator[tuple[TemplateValue, Objection]]:
    """What is wrong, each with the value at fault."""
    tier = found.tier
    if tier is None:
        return
    # A file system made from a backup may leave out what the backup has.
    restored = not found.properties["BackupId"].is_absent
    throughput = found.configuration["PerUnitStorageThroughput"]
    number = throughput.integer()
    if number is not None or (throughput.is_absent and not restored):
        wrong = judge_throughput(tier, number)
        if wrong is not None:
            yield throughput, wrong
    capacity, efa = found.properties["StorageCapacity"], found.configuration["EfaEnabled"]
    gib = capacity.integer()
    if gib is not None and not efa.is_unknown:
        enabled = efa.boolean() is True and bool(tier.efa_capacity_multiple_gib)
        wrong = judge_capacity(
            tier, gib, _one_of(tier.allowed_throughputs, number), efa_enabled=enabled
        )
        if wrong is not None:
            yield capacity, wrong
    wrong = judge_efa(tier) if efa.boolean() else None
    if wrong is not None:
        yield efa, wrong
    version = found.properties["FileSystemTypeVersion"]
    if version.text() is not None:
        wrong = judge_version(
            tier,
            version.text() or "",
            has_associations=bool(found.associations),
            has_metadata=found.configuration["MetadataConfiguration"].mapping() is not None,
        )
        if wrong is not None:
            yield version, wrong


def _one_of(allowed: tuple[int, ...] | None, number: int | None) -> int | None:
    """The throughput where it is a possible one; a wrong one is another finding."""
    return number if number in (allowed or ()) else None


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
