"""What the asset repeats because it can import nothing of the project."""

from __future__ import annotations

from spend_guard import idleness, tags

from tests.synthesis import ROOT
from trnkit.layout.tags import CLUSTER_TAG, NODE_GROUP_TAG


def test_resources_are_known_by_the_tags_that_they_get():
    assert (tags.CLUSTER_TAG, tags.NODE_GROUP_TAG) == (CLUSTER_TAG, NODE_GROUP_TAG)


def test_idleness_is_judged_by_a_metric_that_nodes_send():
    families = ROOT / "constructs_lib/compute/assets/node/monitoring/trn_metrics/families.py"
    assert f'"{idleness.UTILIZATION}"' in families.read_text(encoding="utf-8")
