"""The file that a refresh writes: `instance_types_file` takes it; same answers, same bytes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trnkit.config.instance_types_file import instance_types_in, refreshed_answer_in
from trnkit.config.loader import read_text
from trnkit.errors import ConfigurationError, UnreadableInputError, UsageError
from trnkit.operations.places import place_at, real_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trnkit.config.instance_descriptions import RefreshedAnswer
    from trnkit.operations.catalog_refresh.comparing import TypeComparison

_COMMENT = (
    "Written by `trnkit catalog refresh`: what AWS said on the day `read`, where it is newer than "
    "trnkit's catalogue. Name this file in `instance_types_file`, and commit it."
)
_VERSION = 1


def override_text(
    types: Sequence[TypeComparison],
    regions: Sequence[str],
    read: str,
    before: RefreshedAnswer | None = None,
) -> str:
    """The text of the file.

    Args:
        types: What was compared.
        regions: The Regions that were asked; all have answered.
        read: The day on which they did.
        before: The file as it is: what a person added to it under `trnkit` stays.
    """
    offerings: dict[str, dict[str, list[str]]] = {}
    for entry in types:
        usable = entry.status not in ("unusable", "left out")
        for zones in entry.zones if usable else ():
            if zones.kept is None:
                offerings.setdefault(zones.region, {})[entry.name] = sorted(zones.live)
    added = _added_by_hand(before)
    entries: list[dict[str, Any]] = []
    for entry in sorted(types, key=lambda one: one.name):
        if entry.description is not None:
            stated = entry.description.model_dump(exclude_none=True)
            entries.append(stated | added.get(entry.name, {}))
    head = {
        "version": _VERSION,
        "read": read,
        "regions": sorted(regions),
        "offerings": {
            region: dict(sorted(found.items())) for region, found in sorted(offerings.items())
        },
    }
    content = {"Comment": _COMMENT, "trnkit": head, "InstanceTypes": entries}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _added_by_hand(before: RefreshedAnswer | None) -> Mapping[str, dict[str, Any]]:
    return {
        one.InstanceType: {"trnkit": one.trnkit.model_dump()}
        for one in (before.InstanceTypes if before else ())
        if one.trnkit is not None
    }


def refuse_unreadable(text: str, shown: str) -> None:
    """Read a text as a cluster file's reader will, before it is written.

    Args:
        text: The text.
        shown: The file's name.

    Raises:
        UsageError: It could not be read: it is too large, say.
    """
    try:
        instance_types_in(text, shown)
    except UnreadableInputError as error:
        reason = error.finding.message
    except ConfigurationError as error:
        reason = error.findings[0].message
    else:
        return
    raise UsageError(f"{shown} would be no file of instance types ({reason}); ask fewer regions")


def written_before(shown: str, regions: Sequence[str]) -> RefreshedAnswer | None:
    """The file as it is, unless writing it anew would lose something.

    Args:
        shown: Its name.
        regions: The Regions that are asked now.

    Returns:
        None when nothing stands there.

    Raises:
        UnreadableInputError: It cannot be read.
        UsageError: It is another file, its folder is missing, or it holds further Regions.
    """
    place = place_at(shown, shown)
    if place == "nothing":
        folder = real_path(shown).parent
        if place_at(folder, shown) != "folder":
            raise UsageError(f"the folder of {shown} does not exist: create it first")
        return None
    if place != "file":
        raise UsageError(f"{shown} is a {place}, and no file can be written there")
    try:
        before = refreshed_answer_in(read_text(shown, shown), shown)
    except UnreadableInputError:
        before = None
    if before is None:
        raise UsageError(
            f"{shown} is no file of `trnkit catalog refresh`, and is not replaced: name another one"
        )
    if lost := sorted(set(before.trnkit.regions) - set(regions)):
        named = " ".join(f"--region {region}" for region in lost)
        raise UsageError(
            f"{shown} holds what {', '.join(lost)} said, which would be lost: add {named}, or name "
            "another file"
        )
    return before
