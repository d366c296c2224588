"""What changes although its text is the same: references to what is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.differences import Difference
from trnkit.operations.changes.fleets import LAUNCH_TEMPLATE, VERSION_ATTRIBUTES
from trnkit.operations.changes.knowledge import judge_property
from trnkit.operations.changes.pairs import ResourcePair, references_by_path, value_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trnkit.operations.changes.normal_form import Reference


class Stale:
    """References of one stack whose value an update changes.

    Attributes:
        replaced: Logical ids of resources that are replaced.
        versioned: Logical ids of launch templates that get a new version.
    """

    def __init__(self, pairs: Mapping[str, ResourcePair]) -> None:
        """Find them, and add to each pair the differences that follow from others."""
        self.replaced: set[str] = set()
        self.versioned: set[str] = set()
        ways = {key: references_by_path(dict(pair.new_form)) for key, pair in pairs.items()}
        todo = {*pairs}
        while todo:
            for logical_id in sorted(todo):
                self._look_at(pairs[logical_id])
            todo = set()
            for logical_id, found in ways.items():
                pair = pairs[logical_id]
                for path, references in found.items():
                    if any(map(self.concerns, references)) and not pair.differs_at(path):
                        value = value_at(dict(pair.new_form), *path)
                        pair.differences.append(Difference(path, value, value, indirect=True))
                        todo.add(logical_id)

    def concerns(self, reference: Reference) -> bool:
        """Whether a reference has another value after the update."""
        if reference.logical_id in self.replaced:
            return True
        return reference.logical_id in self.versioned and reference.attribute in VERSION_ATTRIBUTES

    def _look_at(self, pair: ResourcePair) -> None:
        if any(judge_property(pair, difference).replaces for difference in pair.differences):
            self.replaced.add(pair.new.logical_id)
        tops = {difference.top for difference in pair.differences}
        if pair.new.type == LAUNCH_TEMPLATE and "LaunchTemplateData" in tops:
            self.versioned.add(pair.new.logical_id)
