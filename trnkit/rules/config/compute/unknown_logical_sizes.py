"""TRN241: a logical NeuronCore size is asked for only where it is known which ones there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import neuron_cores
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known, size = find_instance_type(group.instance_type), group.logical_neuroncore_size
        if known is None or size is None or neuron_cores(known) is not None:
            continue
        lacking = "logical NeuronCore sizes" if known.neuron_cores else "NeuronCores"
        place = (*path, "logical_neuroncore_size")
        yield Violation(
            message=f"{format_path(place)} is {size}, but the {lacking} of {known.name} are not "
            "known, so nodes would not be told",
            hint="write `trnkit: {logical_neuroncore_sizes: ..., default_logical_neuroncore_size: "
            "...}` into its entry of instance_types_file, or leave the size out",
            path=place,
            evidence=from_catalogue(known, f"{lacking} unknown"),
        )


def _example(name: str) -> str:
    return (
        "instance_types_file: examples/types/trn3-preview.json\n"
        "network: {availability_zone_id: use2-az1}\n"
        f"compute: {{node_groups: [{{name: train, instance_type: {name}, count: 1, "
        "logical_neuroncore_size: 2}]}\n"
    )


RULE = ConfigRule(
    id="TRN241",
    title="a logical NeuronCore size is given only where the possible ones are known",
    severity=Severity.ERROR,
    why="EC2 does not say which sizes a chip has. What nobody can check would be left out of the "
    "nodes' settings, and jobs would run with another number of cores than the file says.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/"
    "neuron-features/logical-neuroncore-config.html",
    good=_example("trn3-example.48xlarge"),
    bad=_example("trn3-example.3xlarge"),
    check=_check,
)
