"""TRN203: the chip can group so many NeuronCores to a logical one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.wording import alternatives, from_catalogue
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        known, size = find_instance_type(group.instance_type), group.logical_neuroncore_size
        if known is None or size is None or not known.logical_neuroncore_sizes:
            continue
        sizes = alternatives(known.logical_neuroncore_sizes)
        if size not in known.logical_neuroncore_sizes:
            place = (*path, "logical_neuroncore_size")
            yield Violation(
                message=f"{format_path(place)} is {size}; {known.name} takes {sizes}",
                hint=f"write {sizes}, or leave it out",
                path=place,
                evidence=from_catalogue(known, f"logical NeuronCores of {sizes} physical ones"),
            )


RULE = ConfigRule(
    id="TRN203",
    title="the instance type supports the logical NeuronCore size",
    severity=Severity.ERROR,
    why="The Neuron runtime refuses to start with a size that the chip does not have.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/about-neuron/arch/"
    "neuron-features/logical-neuroncore-config.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "logical_neuroncore_size: 1}]}\n",
    bad="region: us-west-2\n"
    "compute: {node_groups: [{name: train, instance_type: trn1.32xlarge, count: 1, "
    "logical_neuroncore_size: 2}]}\n",
    check=_check,
)
