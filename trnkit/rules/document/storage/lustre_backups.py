"""TRN332: backups of a Lustre file system are possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_links import judge_retention
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for found in documents.file_systems:
        days = found.retention.integer()
        wrong = judge_retention(days, found.deployment_type or "") if days is not None else None
        if wrong is not None:
            named = Objection(f"{found.retention.path[-1]} {wrong.text}", wrong.hint)
            yield in_document(found.name, found.retention, named)


_CLUSTER = """\
Region: us-west-2
Image: {Os: ubuntu2204, CustomAmi: ami-0123456789abcdef0}
HeadNode: {InstanceType: c6i.xlarge, Networking: {SubnetId: subnet-1}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: train
      Networking: {SubnetIds: [subnet-2], PlacementGroup: {Enabled: true}}
      ComputeResources:
        - {Name: trn1, InstanceType: trn1.32xlarge, MaxCount: 4, Efa: {Enabled: true}}
SharedStorage:
  - Name: fsx
    MountDir: /fsx
    StorageType: FsxLustre
    FsxLustreSettings:
      StorageCapacity: 1200
      AutomaticBackupRetentionDays: 7
"""

RULE = DocumentRule(
    id="TRN332",
    title="backups of a Lustre file system are possible",
    severity=Severity.ERROR,
    why="FSx refuses them on SCRATCH file systems (ParallelCluster's default), and longer times.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    good=_CLUSTER + "      DeploymentType: PERSISTENT_2\n      PerUnitStorageThroughput: 125\n",
    bad=_CLUSTER,
    check=_check,
)
