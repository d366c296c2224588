"""TRN374: the words of FSx are spelled as FSx spells them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import at_value
from trnkit.rules.reading.template_value import TemplateValue, properties_of
from trnkit.rules.rule import TemplateRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.stack_set import StackSet

_OF_FILE_SYSTEM = {
    "FileSystemType": ("LUSTRE", "ONTAP", "OPENZFS", "WINDOWS"),
    "StorageType": ("SSD", "HDD", "INTELLIGENT_TIERING"),
}
_OF_LUSTRE = {
    "DeploymentType": ("SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"),
    "DataCompressionType": ("NONE", "LZ4"),
    "DriveCacheType": ("NONE", "READ"),
    "AutoImportPolicy": ("NONE", "NEW", "NEW_CHANGED", "NEW_CHANGED_DELETED"),
}
_MODES = {"MetadataConfiguration": ("AUTOMATIC", "USER_PROVISIONED")}
_EVENTS = ("NEW", "CHANGED", "DELETED")


def _check(stack_set: StackSet) -> Iterator[Violation]:
    for resource in stack_set.resources("AWS::FSx::FileSystem"):
        properties = properties_of(resource)
        configuration = properties["LustreConfiguration"]
        for key, words in _OF_FILE_SYSTEM.items():
            yield from _judge(properties[key], words)
        for key, words in _OF_LUSTRE.items():
            yield from _judge(configuration[key], words)
        for key, words in _MODES.items():
            yield from _judge(configuration[key]["Mode"], words)
    for resource in stack_set.resources("AWS::FSx::DataRepositoryAssociation"):
        links = properties_of(resource)["S3"]
        for key in ("AutoImportPolicy", "AutoExportPolicy"):
            events = links[key]["Events"]
            for event in events.entries() or ():
                yield from _judge(event, _EVENTS, events)


def _judge(
    value: TemplateValue, words: tuple[str, ...], listed: TemplateValue | None = None
) -> Iterator[Violation]:
    """Only a known word in another spelling is wrong: FSx may have words that we do not know."""
    text = value.text()
    if text is None or text in words:
        return
    meant = next((word for word in words if _letters(word) == _letters(text)), None)
    if meant is not None:
        wrong = Objection(f"is {text}; FSx spells it {meant}", f"write {meant}")
        yield at_value(listed or value, wrong)


def _letters(word: str) -> str:
    return re.sub("[^a-z0-9]", "", word.lower())


_HEAD = """\
Resources:
  Fsx:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: RetainExceptOnCreate
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      StorageCapacity: 1200
      SubnetIds: [subnet-1]
      LustreConfiguration:
        DeploymentType: SCRATCH_2
"""

RULE = TemplateRule(
    id="TRN374",
    title="the words of FSx are spelled as FSx spells them",
    severity=Severity.ERROR,
    why="FSx tells capitals apart and refuses `lz4` when the stack is deployed; the registry's "
    "schema takes any text, and so do checkers that rest on it.",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    good=_HEAD + "        DataCompressionType: LZ4\n",
    bad=_HEAD + "        DataCompressionType: lz4\n",
    check=_check,
)
