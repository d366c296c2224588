"""TRN205: the root volume holds the image, and what is installed on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import neuron_image, root_volume_guidance
from trnkit.catalog.images import image_kind_of
from trnkit.config.yaml_reader import format_path
from trnkit.findings import Severity
from trnkit.layout.nodes import image_parameter, locked_image
from trnkit.rules.judging.cluster_parts import node_groups
from trnkit.rules.rule import ConfigRule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trnkit.config import ClusterConfig, NodeGroupConfig

_GB_PER_GIB = 1.073741824


def _check(cluster: ClusterConfig) -> Iterator[Violation]:
    guidance = root_volume_guidance()
    for path, group in node_groups(cluster):
        size, place = group.root_volume_size_gib, (*path, "root_volume_size_gib")
        smallest = _smallest(group)
        if smallest is not None and size < smallest:
            locked = locked_image(group)
            what = f"the locked {locked.ami_id} needs" if locked else _images(group)
            severity, limit = Severity.ERROR, f"{what} {smallest} GiB"
            wanted = max(guidance.recommended_gib, smallest)
        elif size < guidance.recommended_gib and _is_neuron_image(group):
            severity, wanted = Severity.WARNING, guidance.recommended_gib
            limit = f"{wanted} GiB leave room for packages and containers"
        elif size * _GB_PER_GIB < guidance.documented_gb_for_trn:
            severity, wanted = Severity.INFO, guidance.documented_gb_for_trn
            limit = f"the Neuron documentation asks for {wanted} GB"
        else:
            continue
        yield Violation(
            message=f"{format_path(place)} is {size} GiB; {limit}",
            hint=f"write {wanted} or more",
            path=place,
            severity=severity,
            evidence=f"catalogue, root volumes of Neuron images ({guidance.date})",
        )


def _smallest(group: NodeGroupConfig) -> int | None:
    """The smallest volume the image fits on; of anybody's own image only its lock knows it."""
    locked = locked_image(group)
    if locked is not None and locked.root_volume_size_gib:
        return locked.root_volume_size_gib
    parameter = image_parameter(group)
    if parameter is None:
        return None
    if not _is_neuron_image(group):
        kind = image_kind_of(parameter.partition(":")[0])
        return kind.root_volume_gib if kind else None
    known = neuron_image(parameter)
    own = known.minimum_root_volume_gib if known else None
    return own or root_volume_guidance().minimum_gib


def _images(group: NodeGroupConfig) -> str:
    kind = image_kind_of((image_parameter(group) or "").partition(":")[0])
    published = kind is not None and kind.host is not None
    return "images of that kind need" if published else "Neuron images need"


def _is_neuron_image(group: NodeGroupConfig) -> bool:
    return (image_parameter(group) or "").startswith("/aws/service/neuron/")


RULE = ConfigRule(
    id="TRN205",
    title="the root volume is large enough for the image",
    severity=Severity.ERROR,
    why="EC2 refuses a root volume smaller than the image's snapshot, and compilation caches and "
    "containers fill one that is just as large.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/block-device-mapping-concepts.html",
    good="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "root_volume_size_gib: 512}]}\n",
    bad="compute: {node_groups: [{name: train, instance_type: trn2.48xlarge, count: 1, "
    "root_volume_size_gib: 80}]}\n",
    check=_check,
)
