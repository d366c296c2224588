"""What `trnkit check` would say of a cluster file with other values in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from trnkit.config import ClusterConfig
from trnkit.config.complaints import problems_of
from trnkit.config.image_lock import with_image_locks
from trnkit.config.prices_file import with_prices
from trnkit.findings import Severity
from trnkit.rules import check_cluster

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.config import ClusterFile
    from trnkit.config.yaml_edit import Change
    from trnkit.config.yaml_reader import Path
    from trnkit.findings import Finding


def new_errors(
    cluster: ClusterFile,
    known: Iterable[Finding],
    values: Iterable[Change],
    removed: Iterable[Path] = (),
) -> list[Finding]:
    """Errors that a file would have, and has not now.

    Args:
        cluster: The file as it is.
        known: What `trnkit check` says of it.
        values: What else it would say.
        removed: Keys that it would lack.
    """
    data = _apart(cluster.document.data)
    for path, value in values:
        _parent(data, path)[path[-1]] = value
    for path in removed:
        del _parent(data, path)[path[-1]]
    try:
        config = ClusterConfig.model_validate(data)
    except ValidationError as error:
        return errors_beside(known, problems_of(cluster.document, error))
    config = with_prices(with_image_locks(config, cluster.image_locks), cluster.prices)
    return errors_beside(known, check_cluster(replace(cluster, config=config)))


def errors_beside(known: Iterable[Finding], found: Iterable[Finding]) -> list[Finding]:
    """The errors among findings that are not known already.

    With its message: that the old place lacks a type does not excuse the new one.

    Args:
        known: Findings of before.
        found: Findings of now.
    """
    before = {(one.rule_id, one.path, one.message) for one in known}
    return [
        one
        for one in found
        if one.severity is Severity.ERROR and (one.rule_id, one.path, one.message) not in before
    ]


def _apart(value: Any) -> Any:
    """A copy in which an anchor and its aliases are values of their own."""
    if isinstance(value, dict):
        return {key: _apart(inner) for key, inner in value.items()}
    return list(map(_apart, value)) if isinstance(value, list) else value


def _parent(data: Any, path: Path) -> Any:
    """What holds the last part of a path; mappings that are not there are made."""
    for part in path[:-1]:
        if isinstance(part, str) and data.get(part) is None:
            data[part] = {}
        data = data[part]
    return data
