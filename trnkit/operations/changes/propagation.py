"""What changes although its text is the same: references to what is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.operations.changes.differences import Difference
from trnkit.operations.changes.fleets import LAUNCH_TEMPLATE, VERSION_ATTRIBUTES
from trnkit.operations.changes.knowledge import judge_property
from trnkit.operations.changes.normal_form import ANYTHING, OutputReference
from trnkit.operations.changes.opaque import is_made_by_macro, is_opaque
from trnkit.operations.changes.pairs import ResourcePair, references_by_path, value_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trnkit.operations.changes.normal_form import Reference
    from trnkit.operations.changes.registry import Path


class Stale:
    """References of one stack whose value an update changes.

    Attributes:
        replaced: Logical ids of resources that are replaced.
        versioned: Logical ids of launch templates that get a new version.
        uncertain: Logical ids of resources whose attributes may change.
        outputs: Stack and name of outputs of other stacks that have another value.
    """

    def __init__(self, pairs: Mapping[str, ResourcePair]) -> None:
        """Find them, and add to each pair the differences that follow from others."""
        self.replaced: set[str] = set()
        self.versioned: set[str] = set()
        self.uncertain: set[str] = set()
        self.outputs: set[tuple[str, str]] = set()
        self._pairs = pairs
        self._ways = {key: references_by_path(dict(p.new_form)) for key, p in pairs.items()}
        self.spread()

    def spread(self) -> None:
        """Follow references until no more changes with them: first what does, then what may."""
        for uncertain in (False, True):
            self._look()
            while self._add(uncertain=uncertain):
                self._look()

    def concerns(self, reference: Reference | OutputReference) -> bool:
        """Whether a reference has another value after the update."""
        if isinstance(reference, OutputReference):
            return (reference.stack, reference.output) in self.outputs
        if reference.logical_id in self.replaced:
            return True
        return reference.logical_id in self.versioned and reference.attribute in VERSION_ATTRIBUTES

    def touches(self, reference: Reference | OutputReference) -> bool:
        """Whether a reference has another value after the update, or may have."""
        return self.concerns(reference) or self._may_concern(reference)

    def _may_concern(self, reference: Reference | OutputReference) -> bool:
        if isinstance(reference, OutputReference):
            return False
        if reference.logical_id == ANYTHING:
            return bool(self.replaced or self.versioned or self.uncertain)
        is_any = reference.attribute == ANYTHING and reference.logical_id in self.versioned
        return is_any or reference.logical_id in self.uncertain or self._is_of_macro(reference)

    def _is_of_macro(self, reference: Reference) -> bool:
        """Whether it leads to what a module or macro makes (`FunctionRole`, `Module.Bucket`)."""
        return reference.logical_id not in self._pairs and any(
            reference.logical_id.startswith(logical_id)
            for logical_id in self.uncertain
            if is_made_by_macro(self._pairs[logical_id].new.type)
        )

    def _add(self, *, uncertain: bool) -> bool:
        """Add the differences that follow from what is known; whether there are any."""
        found = [*self._following(uncertain=uncertain)]
        for pair, path in found:
            value = value_at(dict(pair.new_form), *path)
            difference = Difference(path, value, value, indirect=True, uncertain=uncertain)
            pair.differences.append(difference)
        return bool(found)

    def _following(self, *, uncertain: bool) -> Iterator[tuple[ResourcePair, Path]]:
        concerns = self._may_concern if uncertain else self.concerns
        for logical_id, ways in self._ways.items():
            pair = self._pairs[logical_id]
            for path, references in ways.items():
                if not any(map(concerns, references)) or pair.differs_at(path):
                    continue
                # What may change is told only where it matters.
                if not uncertain or judge_property(pair, Difference(path, None, None)).replaces:
                    yield pair, path

    def _look(self) -> None:
        """Find what is replaced, or may be, with the differences that are known."""
        for logical_id, pair in self._pairs.items():
            if not pair.differences:
                continue
            if any(judge_property(pair, difference).replaces for difference in pair.differences):
                self.replaced.add(logical_id)
            tops = {difference.top for difference in pair.differences}
            if pair.new.type == LAUNCH_TEMPLATE and "LaunchTemplateData" in tops:
                self.versioned.add(logical_id)
            if is_opaque(pair.new.type) or any(
                difference.uncertain for difference in pair.differences
            ):
                self.uncertain.add(logical_id)
