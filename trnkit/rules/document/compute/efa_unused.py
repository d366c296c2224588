"""TRN233: several nodes of a type with EFA use it, or say that they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.findings import Severity
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.objections import in_document
from trnkit.rules.judging.wording import count, from_catalogue
from trnkit.rules.rule import DocumentRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.rules.reading_documents.document_set import DocumentSet

_SWITCHES = {"eksctl": "efaEnabled", "ParallelCluster": "Efa.Enabled"}


def _check(documents: DocumentSet) -> Iterator[Violation]:
    for pool in documents.pools:
        most, switch = pool.maximum, pool.efa.switch
        if pool.efa.asked is not False or not switch.is_absent or len(pool.known_types) != 1:
            continue
        known, nodes = pool.known_types[0], most.integer()
        links = known.maximum_efa_interfaces or 0
        if links < 2 or nodes is None or nodes < 2:
            continue
        text = (
            f"may have {nodes} nodes, but not their EFA: they reach each other over TCP only, not "
            f"over the {links} links of {known.name}"
        )
        key = _SWITCHES[pool.tool]
        hint = f"set {key} to true; set it to false if jobs stay on one node"
        found = Objection(text, hint, from_catalogue(known, count(links, "EFA interface")))
        yield in_document(pool.name, pool.types[0].value, found)


_CLUSTER = """\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-east-2}
managedNodeGroups:
  - name: trn2
    instanceType: trn2.48xlarge
    privateNetworking: true
    minSize: 4
    maxSize: 4
"""

RULE = DocumentRule(
    id="TRN233",
    title="several nodes of a type with EFA use it",
    severity=Severity.INFO,
    why="The tools leave EFA off unless told. Jobs that span nodes then run at a fraction of the "
    "bandwidth; for jobs on one node it makes no difference.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    good=_CLUSTER + "    efaEnabled: true\n",
    bad=_CLUSTER,
    check=_check,
)
