"""What the stacks ask of the bootstrap stack is what the catalogue says."""

from __future__ import annotations

import json

from trnkit.catalog import bootstrap_facts
from trnkit.config import load_cluster
from trnkit.operations.preflight.checks.stack_names import stacks_of


def test_the_stacks_ask_for_the_version_and_the_parameter_of_the_catalogue(default_assembly):
    manifests = default_assembly.directory.glob("assembly-*/manifest.json")
    (manifest,) = [json.loads(path.read_text()) for path in manifests]
    asked = {
        (
            artifact["properties"].get("requiresBootstrapStackVersion"),
            artifact["properties"].get("bootstrapStackVersionSsmParameter"),
        )
        for artifact in manifest["artifacts"].values()
        if artifact["type"] == "aws:cloudformation:stack"
    }
    facts = bootstrap_facts()
    assert asked == {(facts.least_version, facts.version_parameter)}


def test_the_stacks_are_those_that_preflight_asks_for(example, assembly):
    cluster = load_cluster(example).config
    made = {
        f"{cluster.name}-{stack}": region.replace("unknown-region", cluster.region)
        for stack, region in assembly.regions.items()
    }
    assert stacks_of(cluster) == made
