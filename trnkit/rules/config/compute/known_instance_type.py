"""TRN201: the instance type is in the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import find_instance_type, instance_type_names
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity, nearest
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.judging.instance_names import judge_sagemaker_name
from trnkit.rules.judging.wording import did_you_mean
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        name, place = group.instance_type, (*path, "instance_type")
        if find_instance_type(name) is not None:
            continue
        wrong = judge_sagemaker_name(name)
        if wrong is not None:
            text, hint = wrong.text, wrong.hint
        else:
            text = (
                "neither in the catalogue nor described by instance_types_file, so its interfaces "
                "cannot be laid out"
            )
            close = nearest(name.removeprefix("ml."), instance_type_names())
            hint = did_you_mean(close, "`trnkit catalog list` shows the known types")
        yield Violation(
            message=f"{format_path(place)} is {name}, {text}",
            hint=hint,
            path=place,
            evidence=f"catalogue, {len(instance_type_names())} Neuron instance types",
        )


RULE = ConfigRule(
    id="TRN201",
    title="the instance type is known",
    severity=Severity.ERROR,
    why="Network cards, EFA interfaces and NeuronCores come from the catalogue, or for a type that "
    "is newer from the file that `instance_types_file` names; nothing can be built without them.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.3xlarge, count: 1}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: ml.trn2.48xlarge, count: 1}]}\n",
    check=_check,
)
