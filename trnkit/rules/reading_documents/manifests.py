"""Kubernetes' way to name things, shared by the formats that follow it: kind, group, name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_value import Document, DocumentValue


def manifests(document: Document) -> Iterator[DocumentValue]:
    """The objects of a document: itself, or the items of a `List`."""
    root = document.root
    if root["kind"].text() == "List" and isinstance(root["items"].raw, list):
        yield from (item for item in root["items"].items() if item.mapping() is not None)
    elif root.mapping() is not None:
        yield root


def group_of(manifest: DocumentValue) -> str:
    """The API group: `apps` of `apps/v1`, empty for the core group."""
    version = manifest["apiVersion"].text() or ""
    return version.rpartition("/")[0]


def kind_of(manifest: DocumentValue) -> str:
    """Its kind; empty when it names none."""
    return manifest["kind"].text() or ""


def name_of(manifest: DocumentValue, otherwise: str = "without a name") -> str:
    """Its name, for messages; one that is generated or filled in later has none here."""
    meta = manifest["metadata"]
    name = meta["name"].text() or meta["generateName"].text() or otherwise
    return name if name.isprintable() and len(name) <= _LONGEST else otherwise


_LONGEST = 80
