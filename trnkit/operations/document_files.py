"""Recognises files of other tools among what is linted, and parses them.

A file is taken for one by the keys that every such file has at its top (`apiVersion` and `kind`, or
ParallelCluster's sections). Everything else stays what it was: no template.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from trnkit.config.yaml_reader import read_yaml_documents, unreadable
from trnkit.errors import UnreadableInputError
from trnkit.rules.document_engine import check_documents
from trnkit.rules.judging.wording import alternatives, count
from trnkit.rules.reading_documents.document_set import (
    DocumentSet,
    is_understood,
    kind_in_words,
)
from trnkit.rules.reading_documents.document_value import Document
from trnkit.rules.reading_documents.manifests import manifests

if TYPE_CHECKING:
    from pathlib import Path

    from trnkit.findings import Finding

MAX_VALUES = 400_000
"""Values of one file; a rendered chart of thousands of manifests has fewer."""
MAX_DEPTH = 150
"""The schemas of custom resources nest deeper than any manifest."""
_BLANKS = r"[^\S\n]*"
_MANIFEST = re.compile(rf"""(?:^|[{{,]){_BLANKS}["']?apiVersion["']?\s*:""", re.MULTILINE)
_KIND = re.compile(r"""(?:^|[\s{,"'])kind["']?\s*:""", re.MULTILINE)
_CLUSTER = tuple(
    re.compile(rf"^{key}\s*:", re.MULTILINE) for key in ("HeadNode", "Scheduling", "Image")
)
_HELM = re.compile(r"\{\{-?\s*(?:[.$]|/\*|(?:if|range|with|end|else|include|template|define)\b)")
_NEURON = re.compile(
    r"\b(?:trn|inf)[0-9][a-z0-9]*\.[0-9a-z]|aws\.amazon\.com/neuron|vpc\.amazonaws\.com/efa"
)

Outcome = Literal["judged", "not understood", "not ours"]


@dataclass(slots=True)
class DocumentFiles:
    """Files of other tools, by the folder whose documents are judged together.

    Attributes:
        region: Region of documents that do not say theirs.
        files: Those in which something is understood, as the user named them.
    """

    region: str | None
    files: list[str] = field(default_factory=list[str])
    _groups: dict[Path, list[Document]] = field(default_factory=dict["Path", list[Document]])
    _kinds: dict[str, int] = field(default_factory=dict[str, int])
    _unrendered: int = 0
    _twice: list[Finding] = field(default_factory=list["Finding"])

    def add(self, text: str | None, file: str, folder: Path, *, named: bool) -> Outcome:
        """Take a file that is no template.

        Args:
            text: Its content; None when it is no text.
            file: How messages name it.
            folder: Where it is.
            named: Whether the user named it, and did not name a folder that holds it.

        Returns:
            Whether it is judged, is of kinds that are not understood, or is none of these files.

        Raises:
            UnreadableInputError: It is such a file, about Neuron or named, and cannot be parsed.
        """
        if text is None or not is_recognised(text):
            return "not ours"
        try:
            read = read_yaml_documents(text, file, most_values=MAX_VALUES, most_depth=MAX_DEPTH)
        except UnreadableInputError:
            if "{{" in text:
                if named:
                    raise _unrendered(text, file) from None
                self._unrendered += 1
                return "not understood"
            if named or _NEURON.search(text):
                raise
            return "not understood"
        documents = [Document(file, part, self.region) for part in read]
        found = [manifest for document in documents for manifest in manifests(document)]
        if not found:
            return "not ours"
        self._groups.setdefault(folder, []).extend(documents)
        for manifest in found:
            kind = kind_in_words(manifest)
            if not is_understood(manifest) and kind is not None:
                self._kinds[kind] = self._kinds.get(kind, 0) + 1
        if not any(is_understood(manifest) for manifest in found):
            return "not understood"
        if _NEURON.search(text):
            self._twice += [finding for part in read for finding in part.findings]
        self.files.append(file)
        return "judged"

    def findings(self) -> list[Finding]:
        """What the document rules find, and keys that stand twice where Neuron is named."""
        judged = [
            finding
            for documents in self._groups.values()
            for finding in check_documents(DocumentSet(documents))
        ]
        return [*self._twice, *judged]

    def notes(self) -> tuple[str, ...]:
        """What was not judged, in words."""
        lines: list[str] = []
        if self._kinds:
            number, kinds = sum(self._kinds.values()), alternatives(self._kinds, "and")
            names = f"kind {kinds} is" if len(self._kinds) == 1 else f"kinds {kinds} are"
            lines.append(f"{count(number, 'document')} skipped: the {names} not understood")
        if self._unrendered:
            files = count(self._unrendered, "file")
            lines.append(f"{files} skipped: templates with {{{{ }}}}; render them first")
        return tuple(lines)


def is_recognised(text: str) -> bool:
    """Whether a text has the keys of a manifest, or of a ParallelCluster configuration."""
    if _MANIFEST.search(text) and _KIND.search(text):
        return True
    return all(section.search(text) for section in _CLUSTER)


def _unrendered(text: str, file: str) -> UnreadableInputError:
    if _HELM.search(text):
        return unreadable(
            file,
            "a Helm chart's template, not the YAML that it makes",
            "render it first: `helm template CHART | trnkit lint -`",
        )
    return unreadable(
        file, "a template with {{ }} in it, not the YAML that it makes", "render it first"
    )
