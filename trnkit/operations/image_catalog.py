"""`trnkit catalog images`: what is known about images for Neuron nodes, put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_source, neuron_images
from trnkit.catalog.images import image_kinds
from trnkit.catalog.neuron_sdk import neuron_releases

if TYPE_CHECKING:
    from trnkit.catalog import NeuronImage, Source
    from trnkit.catalog.images import ImageKind
    from trnkit.catalog.neuron_sdk import NeuronRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """Images for Neuron nodes.

    Attributes:
        kinds: What there is to boot, and who may use it.
        parameters: The parameters of Neuron DLAMIs.
        releases: Releases of the Neuron SDK, the oldest first.
        sources: Where all of that comes from.
    """

    kinds: tuple[ImageKind, ...]
    parameters: tuple[NeuronImage, ...]
    releases: tuple[NeuronRelease, ...]
    sources: tuple[Source, ...]


def image_facts() -> ImageFacts:
    """Put together what is known about images."""
    kinds, parameters, releases = image_kinds(), neuron_images(), neuron_releases()
    keys = dict.fromkeys(key for fact in (*kinds, *parameters, *releases) for key in fact.source)
    return ImageFacts(
        kinds=kinds,
        parameters=parameters,
        releases=releases,
        sources=tuple(source for key in keys if (source := find_source(key)) is not None),
    )
