"""TRN330: a Lustre file system's type, capacity and throughput go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.lustre_configuration import LustreSettings, judge_settings
from trnkit.rules.judging.objections import in_document
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet
    from trnkit.rules.reading_documents.file_systems import DocumentFileSystem


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for found in documents.file_systems:
        places = {
            "deployment_type": found.deployment,
            "throughput": found.throughput,
            "capacity": found.capacity,
            "efa": found.efa,
            "version": found.version,
        }
        for part, wrong in judge_settings(_settings(found)):
            place = places[part]
            named = Objection(f"{place.path[-1]} {wrong.text}", wrong.hint, wrong.evidence)
            yield in_document(found.name, place, named)


def _settings(found: DocumentFileSystem) -> LustreSettings:
    return LustreSettings(
        region=found.region,
        deployment_type=found.deployment.text(),
        tier=found.tier,
        throughput=found.throughput.integer(),
        lacks_throughput=found.throughput.is_absent and not found.is_restored,
        capacity_gib=found.capacity.integer(),
        efa_enabled=found.efa.boolean() is True,
        version=found.version.text(),
        has_metadata=not found.metadata.is_absent,
    )


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
      DeploymentType: PERSISTENT_2
      PerUnitStorageThroughput: 250
"""

RULE = DocumentRule(
    id="TRN330",
    title="Lustre type, capacity and throughput go together",
    severity=Severity.ERROR,
    why="FSx refuses other combinations when the cluster is made, after everything before it.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/"
    "API_CreateFileSystemLustreConfiguration.html",
    good=_CLUSTER + "      StorageCapacity: 4800\n",
    bad=_CLUSTER + "      StorageCapacity: 3600\n",
    check=_check,
)
