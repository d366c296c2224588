"""TRN539: what asks for Neuron in a kind that is not understood is not judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.reading_documents.document_set import kind_in_words, neuron_mention
from trnkit.rules.reading_documents.manifests import name_of
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

# Their values are text, data or schemas, which nothing is wrong with.
_NO_WORKLOADS = {"ConfigMap", "Secret", "CustomResourceDefinition", "ResourceQuota", "LimitRange"}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for manifest in documents.not_understood:
        kind = kind_in_words(manifest)
        mention = neuron_mention(manifest) if kind and kind not in _NO_WORKLOADS else None
        if kind is not None and mention is not None:
            text = "names Neuron instance types or resources, but its kind is not understood"
            found = Objection(
                f"{text}, so it is not judged", "see docs/other-formats.md for the kinds that are"
            )
            yield in_document(f"{kind} {name_of(manifest)}", mention, found)


_SET = """\
apiVersion: ray.io/v1
kind: %s
metadata: {name: serve}
spec:
  template:
    spec:
      containers:
        - name: serve
          image: example.com/serve:1
          resources: {limits: {aws.amazon.com/neuron: 1}}
"""

RULE = DocumentRule(
    id="TRN539",
    title="kinds that are not understood are not judged",
    severity=Severity.INFO,
    why="No findings would otherwise look like approval.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/device-management-neuron.html",
    good=(_SET % "Deployment").replace("ray.io", "apps"),
    bad=_SET % "RayCluster",
    check=_check,
)
