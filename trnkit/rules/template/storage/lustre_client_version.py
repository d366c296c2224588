"""TRN391: the nodes' Lustre client can mount the file system's version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trnkit.catalog import lustre_clients_by_system
from trnkit.findings import Severity
from trnkit.rules.reading.fleets import accelerated_templates
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.mounts import names_in_user_data
from trnkit.rules.reading.template_value import as_mapping, function_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading.launch_templates import LaunchTemplate
    from trnkit.rules.stack_set import StackSet


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        version = _version(found)
        if version is None:
            continue
        for template in accelerated_templates(stack_set):
            path = _image_path(template)
            for client in lustre_clients_by_system():
                if client.os in path and version in client.cannot_mount:
                    mounts = names_in_user_data(template.data["UserData"], found.resource)
                    yield Violation(
                        message=f"{found.name}: is Lustre {version}, which the {client.version} "
                        f"client of {client.os} on {template.resource.logical_id} does not mount",
                        hint='write FileSystemTypeVersion: "2.15"',
                        resource=found.resource,
                        path=("Properties", "FileSystemTypeVersion"),
                        evidence=f"catalogue, Lustre clients ({client.date})",
                        severity=Severity.ERROR if mounts else None,
                    )


def _version(found: LustreFileSystem) -> str | None:
    """The version, FSx's default when none is written; one from a backup has the backup's."""
    version, tier = found.properties["FileSystemTypeVersion"], found.tier
    metadata = found.configuration["MetadataConfiguration"]
    if not version.is_absent:
        return version.text()
    if tier is None or not metadata.is_absent or not found.properties["BackupId"].is_absent:
        return None
    return tier.default_version


def _image_path(template: LaunchTemplate) -> str:
    """The SSM parameter of the image, as far as the template tells it."""
    known = template.data["ImageId"].text()
    if known is not None:
        return known
    raw: Any = template.data["ImageId"].raw
    function, arguments = function_of(raw)
    if function == "Ref" and arguments:
        parameters = as_mapping(template.resource.template.body.get("Parameters")) or {}
        raw = (as_mapping(parameters.get(arguments[0])) or {}).get("Default")
    return raw if isinstance(raw, str) else ""


_HEAD = """\
Resources:
  Nodes:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: trn1.2xlarge
        ImageId: resolve:ssm:/aws/service/neuron/dlami/base/amazon-linux-2023/latest/image_id
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration: {DeploymentType: SCRATCH_2}
"""

RULE = TemplateRule(
    id="TRN391",
    title="the nodes' Lustre client can mount the file system's version",
    severity=Severity.WARNING,
    why="A client of 2.15 does not mount a 2.10 file system, which is FSx's default for scratch "
    "and PERSISTENT_1; the version cannot be lowered, and raising it is a change of its own.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html",
    good=_HEAD + '      FileSystemTypeVersion: "2.15"\n',
    bad=_HEAD + '      FileSystemTypeVersion: "2.10"\n',
    check=_check,
)
