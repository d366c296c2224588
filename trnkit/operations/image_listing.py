"""`trnkit images list`: what locks hold for cluster files, and how long ago it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from trnkit.catalog.neuron_sdk import neuron_releases, version_key
from trnkit.findings import Finding, sort_findings
from trnkit.operations.image_uses import ImageUse, image_uses
from trnkit.rules.engine import check_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT_LOCKS = ("TRN280", "TRN281", "TRN282", "TRN283", "TRN284")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedImage:
    """One image of a lock.

    Attributes:
        use: Who takes it from where.
        age_days: Days since the parameter was seen to hold it; None when nothing is locked.
    """

    use: ImageUse
    age_days: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageListing:
    """What locks hold.

    Attributes:
        files: The cluster files, each once.
        findings: What cannot be read, and what the rules about locks say.
        images: One entry for each parameter, Region and lock.
    """

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    images: tuple[ListedImage, ...]

    def older_than(self, days: int) -> tuple[ListedImage, ...]:
        """Images that were asked for more than so many days ago."""
        return tuple(image for image in self.images if (image.age_days or 0) > days)

    def behind(self) -> tuple[ListedImage, ...]:
        """Images with an older Neuron SDK than the newest that the catalogue has."""
        newest = version_key(neuron_releases()[-1].version)
        return tuple(
            image
            for image in self.images
            if (locked := image.use.locked) is not None
            and locked.neuron_sdk is not None
            and version_key(locked.neuron_sdk) < newest
        )


def list_images(files: Sequence[str], *, today: date) -> ImageListing:
    """List the images that cluster files take from locks; asks nobody.

    Args:
        files: Cluster files.
        today: The day to count from. Rules have no clock, so age is no finding of a check.

    Raises:
        UsageError: A name is empty, or no file names a lock.
    """
    found = image_uses(files)
    findings = list(found.findings)
    for cluster in found.clusters:
        findings += [f for f in check_cluster(cluster) if f.rule_id in _ABOUT_LOCKS]
    images = tuple(ListedImage(use=use, age_days=_age(use, today)) for use in found.uses)
    return ImageListing(files=found.files, findings=sort_findings(findings), images=images)


def _age(use: ImageUse, today: date) -> int | None:
    if use.locked is None:
        return None
    return (today - date.fromisoformat(use.locked.resolved)).days
