"""TRN369: S3 links are for file systems that have them, and not for too many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection, evidence_of, kind_of
from trnkit.layout.storage import MOST_ASSOCIATIONS
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.lustre_resources import lustre_file_systems
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        tier, links = found.tier, found.associations
        for link in links if tier and not tier.supports_data_repository_associations else ():
            kind, evidence = (kind_of(tier), evidence_of(tier)) if tier else ("", None)
            text = f"is {found.name}; {kind} has no associations"
            yield at_value(
                link["FileSystemId"], Objection(text, "take another type of storage", evidence)
            )
        if len(links) > MOST_ASSOCIATIONS:
            last = links[MOST_ASSOCIATIONS]["FileSystemId"]
            text = f"is {found.name}, which has {len(links)} associations; 8 is the most"
            yield at_value(last, Objection(text, "link fewer, larger prefixes"))


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: "2.15"
      SubnetIds: [subnet-1]
      StorageCapacity: 7200
      LustreConfiguration: {DeploymentType: %s}
  Link:
    Type: AWS::FSx::DataRepositoryAssociation
    Properties:
      FileSystemId: {Ref: Fsx}
      FileSystemPath: /data
      DataRepositoryPath: s3://example-bucket/data
"""


RULE = TemplateRule(
    id="TRN369",
    title="S3 links are for file systems that have them, at most 8",
    severity=Severity.ERROR,
    why="FSx refuses associations of SCRATCH_1 and Intelligent-Tiering file systems, and the "
    "ninth of any other.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html",
    good=_HEAD % "PERSISTENT_2, PerUnitStorageThroughput: 125",
    bad=_HEAD % "SCRATCH_1",
    check=_check,
)
