"""Names of services in budget filters: right, certainly wrong, or not known."""

from __future__ import annotations

from difflib import SequenceMatcher

from trnkit.catalog import find_billing_service, nearest_billing_services

_ALMOST = 0.9
"""From this likeness on, a name is a misspelling; `AWS Glue` is none of `AWS Lambda`."""


def right_billing_names(name: str) -> tuple[str, ...] | None:
    """What should stand instead of a service name.

    Billing knows many more services than the catalogue, so that only the names the console uses
    instead, and near misses of known names, count as wrong.

    Returns:
        () when the name is right, the names probably meant when it is wrong, None when it is not
        known.
    """
    if find_billing_service(name) is not None:
        return ()
    wanted = name.strip().casefold()
    for right in nearest_billing_services(name):
        service = find_billing_service(right)
        spellings = {right, *(service.console_names if service else ())}
        if wanted in {spelling.casefold() for spelling in spellings}:
            return tuple(nearest_billing_services(name))
        if SequenceMatcher(None, wanted, right.casefold()).ratio() >= _ALMOST:
            return (right,)
    return None
