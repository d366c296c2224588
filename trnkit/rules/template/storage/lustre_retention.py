"""TRN353: file systems outlive their stack, and so does what they depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import clipped
from trnkit.findings import Severity
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.lustre_resources import LustreFileSystem, lustre_file_systems
from trnkit.rules.reading.retention import retains
from trnkit.rules.reading.security_groups import SECURITY_GROUP
from trnkit.rules.reading.template_value import attribute_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_POLICIES = {"DeletionPolicy": "deleted", "UpdateReplacePolicy": "replaced"}
_KEEPING = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}
"""With `Retain` for both, a first deployment that fails leaves a file system behind, billed."""
_TAKEN = {
    "DeletionPolicy": ("Delete", "Retain", "RetainExceptOnCreate"),
    "UpdateReplacePolicy": ("Delete", "Retain"),
}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for found in lustre_file_systems(stack_set):
        loses = {
            name: event
            for name, event in _POLICIES.items()
            if retains(found.resource, name) is False
        }
        if loses:
            yield _lost(found, loses)
        if retains(found.resource, "DeletionPolicy"):
            yield from _groups_left_behind(found)


def _lost(found: LustreFileSystem, loses: dict[str, str]) -> Violation:
    """Scratch data exists elsewhere by definition; a written `Delete` is somebody's will."""
    scratch = (found.deployment_type or "").startswith("SCRATCH")
    forgotten = any(attribute_of(found.resource, name).is_absent for name in loses)
    by_mistake = Severity.ERROR if forgotten else Severity.WARNING
    message = f"its data is lost when the file system is {alternatives(loses.values())}"
    severity = Severity.INFO if scratch else by_mistake
    place = next(iter(loses))
    for name in loses:
        written = attribute_of(found.resource, name).text()
        if written is not None and written not in _TAKEN[name]:
            # CloudFormation refuses the template, whatever is in the file system.
            message = f"{name} must be {alternatives(_TAKEN[name])}, got {clipped(written)!r}"
            severity, place = Severity.ERROR, name
            break
    return Violation(
        message=f"{found.name}: {message}",
        hint="set " + alternatives([f"{name} to {_KEEPING[name]}" for name in loses], "and"),
        resource=found.resource,
        path=(place,),
        severity=severity,
        evidence="without a policy CloudFormation deletes, and FSx makes no final backup of Lustre",
    )


def _groups_left_behind(found: LustreFileSystem) -> Iterator[Violation]:
    for value in found.properties["SecurityGroupIds"].entries() or ():
        group = value.referred(SECURITY_GROUP)
        if group is not None and retains(group, "DeletionPolicy") is False:
            yield Violation(
                message=f"{found.name}: is retained, but its security group {group.logical_id} is "
                "not, so deleting that stack fails while the file system uses it",
                hint=f"set DeletionPolicy of {group.logical_id} to RetainExceptOnCreate",
                resource=found.resource,
                path=value.path,
                severity=Severity.WARNING,
            )


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 125}
    DeletionPolicy: RetainExceptOnCreate
"""

RULE = TemplateRule(
    id="TRN353",
    title="file systems and what they use are retained",
    severity=Severity.ERROR,
    why="A changed subnet, key or group replaces the file system by an empty one; without "
    "UpdateReplacePolicy, the forgotten one of the two, the old one is deleted.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-attribute-updatereplacepolicy.html",
    good=_HEAD + "    UpdateReplacePolicy: Retain\n",
    bad=_HEAD,
    check=_check,
)
