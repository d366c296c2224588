"""Frameworks that run on some Neuron families only, against the nodes that they are to run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog.neuron_sdk import framework_of_container
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import alternatives

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trnkit.catalog import InstanceType
    from trnkit.catalog.neuron_sdk import NeuronFramework


def supports(families: Sequence[str], kind: InstanceType) -> bool:
    """Whether something for some families runs on a type: what is for trn2 runs on trn2u."""
    return bool({kind.family, kind.family.removesuffix("u")} & set(families))


def judge_container_framework(image: str, types: Sequence[InstanceType]) -> Objection | None:
    """Judge a container image on nodes.

    Args:
        image: The image, with its tag.
        types: The types of its nodes, every one of them.

    Returns:
        What is wrong when it runs on none of them; None when nothing is, or that is not known.
    """
    framework = framework_of_container(image)
    if framework is None or not types:
        return None
    if any(supports(framework.instance_families, kind) for kind in types):
        return None
    family = types[0].family
    return Objection(
        f"has {framework.title}, which runs on {alternatives(framework.instance_families, 'and')}, "
        f"not on {family}",
        instead_of(framework, family) or "take nodes of one of these families",
        f"catalogue, frameworks of Neuron ({framework.date})",
    )


def instead_of(framework: NeuronFramework, family: str) -> str | None:
    """What to take on a family that a framework does not run on; None when nothing is known."""
    kind = framework.instead.get(family.removesuffix("n"))
    return f"take what holds {kind}, the last generation for {family}" if kind else None
