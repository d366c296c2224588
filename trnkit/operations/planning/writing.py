"""Puts an option of a plan into the cluster file, where nothing else changes; or says why not.

The file is edited by spans and read again: it must hold the old values and the changed ones, and
`trnkit check` must find no new error. Otherwise nothing is written.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.config.loader import decode_cluster, decode_text
from trnkit.config.yaml_edit import CannotEditError, edit_yaml, value_at
from trnkit.config.yaml_reader import format_path
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.layout.zones import compute_zone_id, named_zone_id
from trnkit.operations.places import place_at, place_to_write
from trnkit.operations.planning.changes import (
    EXAMPLES,
    CannotWriteError,
    file_changes,
    moved_ids,
)
from trnkit.operations.planning.options import Verdict
from trnkit.operations.planning.trial import errors_beside, new_errors
from trnkit.operations.whole_files import write_whole
from trnkit.rules import check_cluster

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trnkit.config import ClusterConfig, ClusterFile
    from trnkit.config.yaml_edit import Change
    from trnkit.findings import Finding
    from trnkit.operations.planning.changes import FileChanges
    from trnkit.operations.planning.options import Option
    from trnkit.operations.planning.plan import Plan, PlannedFile

_RESERVATION = "capacity_reservation_id"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What became of the file.

    Attributes:
        file: The file, as the user named it.
        option: Which option stands in it now, counted from 1.
        changes: Each value that changed, in words; () when the file said it already.
        warnings: What the change does to nodes, and to a cluster that is deployed already.
    """

    file: str
    option: int
    changes: tuple[str, ...]
    warnings: tuple[str, ...]


def write_choice(plan: Plan, number: int | None = None) -> Written:
    """Put an option into the cluster file.

    Args:
        plan: With the file.
        number: Which option, counted from 1; the best one when left out.

    Raises:
        CannotWriteError: There is no such option, or it cannot be put into the file without
            touching something else. Nothing was written.
    """
    if plan.file is None:
        raise CannotWriteError("--write needs a cluster file to write to: name it")
    chosen = _choose(plan.options, number)
    option, planned = plan.options[chosen - 1], plan.file
    file, config = planned.cluster.file, planned.cluster.config
    wanted = file_changes(planned.cluster, option, plan.asked_at)
    _refuse_other_places(config, option, wanted)
    if any(part.block for part in option.parts):
        reason = (
            "a Capacity Block has an id only when it is bought; buy it with the command of the plan"
        )
        raise _by_hand(planned, reason, wanted)
    changes = wanted.values
    text = decode_text(planned.raw, file)
    try:
        new = edit_yaml(text, changes)
    except CannotEditError as error:
        raise _by_hand(planned, str(error), wanted) from None
    mark = _BOM if planned.raw.startswith(_BOM) else b""
    raw = mark + new.encode()
    if raw != planned.raw:
        _refuse_new_errors(planned, raw, wanted)
        _replace(file, planned.raw, raw)
    return Written(
        file=file,
        option=chosen,
        changes=tuple(_words(planned.cluster, changes)) if raw != planned.raw else (),
        warnings=tuple(_warnings(config, option)),
    )


def _choose(options: Sequence[Option], number: int | None) -> int:
    """The number of the option to write.

    Raises:
        CannotWriteError: There is none, or it is not for a file to say.
    """
    if number is None:
        if not options or options[0].verdict is not Verdict.CAN:
            raise CannotWriteError(
                "nothing was written: no option can be had for certain; choose one with --choose N"
            )
        return 1
    if not 1 <= number <= len(options):
        raise CannotWriteError(
            f"nothing was written: --choose {number} is none of the {len(options)} options"
        )
    option = options[number - 1]
    if option.zone_id is None or (option.obstacles and not option.remediable):
        why = "; ".join((*option.obstacles, *option.doubts))
        raise CannotWriteError(f"nothing was written: option {number} cannot be had: {why}")
    return number


def _refuse_other_places(config: ClusterConfig, option: Option, wanted: FileChanges) -> None:
    """Ids of things that are there already belong to their Region, and subnets to their zone.

    Raises:
        CannotWriteError: The option is elsewhere.
    """
    region, zone = option.region, option.zone_id
    here = named_zone_id(config)
    # Ids that the choice replaces or removes need not move.
    going = {format_path(path) for path in (*dict(wanted.values), *wanted.removed)}
    if region != config.region:
        if ids := [found for found in moved_ids(config) if found[0] not in going]:
            path, value = ids[0]
            more = f", and {len(ids) - 1} more" if len(ids) > 1 else ""
            raise CannotWriteError(
                f"nothing was written: {path} is {value}{more}, which does not exist in {region}; "
                f"replace what belongs to {config.region} by hand, then plan again:",
                [f"replace {path}: {value}" for path, value in ids],
            )
        return
    if here not in (None, zone):
        for index, group in enumerate(config.compute.node_groups):
            key = format_path(("compute", "node_groups", index, "capacity", _RESERVATION))
            if group.capacity.capacity_reservation_id and key not in going:
                raise CannotWriteError(
                    f"nothing was written: the reservation of {group.name} is in {here}, not in "
                    f"{zone}; name another one by hand, or choose an option in {here}"
                )
    if config.network.existing and here != zone:
        raise CannotWriteError(
            f"nothing was written: the compute subnet of the existing VPC is in {here}, not in "
            f"{zone}; name a subnet there by hand, or choose an option in {here}"
        )


def _refuse_new_errors(planned: PlannedFile, raw: bytes, wanted: FileChanges) -> None:
    """Check the file as it would be.

    Raises:
        CannotWriteError: It would have an error that it has not now.
    """
    found: Iterable[Finding]
    try:
        found = check_cluster(decode_cluster(raw, planned.cluster.file))
    except ConfigurationError as error:
        found = error.findings
    except UnreadableInputError as error:
        found = (error.finding,)
    if errors := errors_beside(planned.findings, found):
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        first = f"{errors[0].rule_id}: {errors[0].message}"
        raise _by_hand(planned, f"trnkit check would find {first}{more}", wanted)


def _by_hand(planned: PlannedFile, reason: str, wanted: FileChanges) -> CannotWriteError:
    file = planned.cluster.file
    message = f"nothing was written to {file}: {reason}; write by hand:"
    return CannotWriteError(message, lines_by_hand(planned, wanted))


def lines_by_hand(planned: PlannedFile, wanted: FileChanges) -> list[str]:
    """What to write into a file and to remove from it, with what then is wrong with it still.

    Args:
        planned: The file.
        wanted: What it shall say.
    """
    values = [(path, EXAMPLES.get(value, value)) for path, value in wanted.values]
    errors = new_errors(planned.cluster, planned.findings, values, wanted.removed)
    # A hint about the file as it is would contradict the lines; of these errors it does not.
    return [
        *wanted.lines(),
        *(
            f"then mend {one.rule_id}: {one.message}" + (f"; {one.hint}" if one.hint else "")
            for one in errors
        ),
    ]


def refuse_place(file: str) -> None:
    """Look whether a file could be replaced, before AWS is asked; that none is there is told later.

    Raises:
        UnreadableInputError: The path leads through a descriptor, or cannot be one.
        CannotWriteError: It is no ordinary file.
    """
    if place_at(place_to_write(file), file) not in ("file", "nothing"):
        raise CannotWriteError(f"nothing was written: {file} is no ordinary file")


def _replace(file: str, before: bytes, after: bytes) -> None:
    """Replace the file whole; a symbolic link stays one, and the permissions stay.

    Raises:
        CannotWriteError: It is no ordinary file, was changed meanwhile, or cannot be written.
    """
    try:
        target = place_to_write(file)
        if place_at(target, file) != "file":
            raise CannotWriteError(f"nothing was written: {file} is no ordinary file")
        if target.read_bytes() != before:
            raise CannotWriteError(
                f"nothing was written: {file} was changed while AWS was asked; plan again"
            )
        if not os.access(target, os.W_OK):
            raise PermissionError(13, "it may not be written", str(target))
        mode = stat.S_IMODE(target.stat().st_mode)
        write_whole(target, after.decode("utf-8"), replace=True, mode=mode)
    except UnreadableInputError as error:
        raise CannotWriteError(f"nothing was written: {error}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotWriteError(
            f"nothing was written: {file} cannot be written: {reason}; check its permissions"
        ) from None


def _words(cluster: ClusterFile, changes: Iterable[Change]) -> Iterable[str]:
    for path, value in changes:
        old = value_at(cluster.document.data, path)
        yield f"{format_path(path)}: {value}" + (f" (was {old})" if old is not None else "")


def _warnings(config: ClusterConfig, option: Option) -> Iterable[str]:
    """What the change does to the nodes, and to a cluster that is deployed already."""
    was = {group.name: group.capacity.type for group in config.compute.node_groups}
    to_spot = [
        part.need.group
        for part in option.parts
        if part.need.group and part.purchase == "spot" != was[part.need.group]
    ]
    if to_spot:
        yield (
            f"the nodes of {', '.join(to_spot)} are Spot instances now, which can be taken back "
            "with two minutes' notice"
        )
    if option.region != config.region:
        yield (
            f"if {config.name} is deployed already, its stacks and its data stay in "
            f"{config.region}, and bill, until you remove them: the file now describes another, "
            "empty cluster"
        )
    elif compute_zone_id(config) not in (None, option.zone_id):
        yield (
            f"if {config.name} is deployed already, another zone replaces its subnets, nodes and "
            "file systems, and file systems begin empty: compare with `trnkit diff` first"
        )
