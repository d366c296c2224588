"""TRN371: EFS file systems are encrypted and outlive their stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.judging.wording import alternatives
from trnkit.rules.reading.template_value import attribute_of, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import Resource, StackSet

_POLICIES = {"DeletionPolicy": "deleted", "UpdateReplacePolicy": "replaced"}
_KEEPING = {"DeletionPolicy": "RetainExceptOnCreate", "UpdateReplacePolicy": "Retain"}


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::EFS::FileSystem"):
        encrypted = properties_of(resource)["Encrypted"]
        if encrypted.is_absent or encrypted.boolean() is False:
            text = "is not true, so the data is stored in the clear, for ever"
            yield at_value(encrypted, Objection(text, "set it to true"))
        loses = [name for name in _POLICIES if attribute_of(resource, name).is_absent]
        if loses:
            yield _lost(resource, loses)


def _lost(resource: Resource, loses: list[str]) -> Violation:
    """A policy that is written, `Delete` too, is somebody's will."""
    events = alternatives(_POLICIES[name] for name in loses)
    return Violation(
        message=f"{resource.logical_id}: its data is lost when the file system is {events}",
        hint="set " + alternatives([f"{name} to {_KEEPING[name]}" for name in loses], "and"),
        resource=resource,
        path=(loses[0],),
    )


_HEAD = """\
Resources:
  Home:
    Type: AWS::EFS::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
"""

RULE = TemplateRule(
    id="TRN371",
    title="EFS file systems are encrypted and retained",
    severity=Severity.WARNING,
    why="Encryption cannot be switched on later: another encryption or key is another, empty file "
    "system. Without policies CloudFormation deletes the old one with all home folders.",
    source="https://docs.aws.amazon.com/efs/latest/ug/encryption-at-rest.html",
    good=_HEAD + "      Encrypted: true\n",
    bad=_HEAD + "      ThroughputMode: elastic\n",
    check=_check,
)
