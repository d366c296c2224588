"""TRN231: EFA is asked for where the instance type has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        if pool.efa.asked is not True or pool.efa.interfaces:
            continue
        without = [kind for kind in pool.known_types if kind.maximum_efa_interfaces == 0]
        if without:
            key, known = pool.key(pool.efa.switch), without[0]
            text = f"{key} is true, but {known.name} has no EFA"
            hint = "remove it, or take a type with EFA"
            found = Objection(text, hint, from_catalogue(known, "no EFA"))
            yield in_document(pool.name, pool.efa.switch, found)


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-west-2}
managedNodeGroups:
  - {name: trn, instanceType: %s, privateNetworking: true, efaEnabled: true}
"""

RULE = DocumentRule(
    id="TRN231",
    title="EFA is asked for where the instance type has it",
    severity=Severity.ERROR,
    why="The tools refuse it, or the launch fails; where neither happens, jobs fall back to TCP.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_CLUSTER % "trn1.32xlarge",
    bad=_CLUSTER % "trn1.2xlarge",
    check=_check,
)
