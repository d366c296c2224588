"""TRN284: a lock holds images of AWS, not those of the examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import locked_image
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig

_PLACEHOLDER = "ami-0123456789abcdef"


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    for path, group in node_groups(cluster):
        locked, place = locked_image(group), (*path, "image", "lock_file")
        if locked is not None and locked.ami_id.startswith(_PLACEHOLDER):
            yield Violation(
                message=f"{format_path(place)} holds {locked.ami_id}, an image of the examples "
                "that does not exist",
                hint="delete the lock and run `trnkit images refresh` on this file",
                path=place,
            )


RULE = ConfigRule(
    id="TRN284",
    title="a lock holds images of AWS, not those of the examples",
    severity=Severity.INFO,
    why="The lock that is shipped with the examples holds made-up ids, from which no node starts.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/finding-an-ami.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {ssm_parameter: /aws/service/neuron/dlami/base/ubuntu-24.04/latest/image_id}}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "image: {lock_file: examples/images.lock}}]}\n",
    check=_check,
)
