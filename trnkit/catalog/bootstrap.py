"""What `cdk deploy` finds of `cdk bootstrap` in an account and Region."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from trnkit.catalog.tables import table


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapFacts:
    """The CDK's bootstrap stack.

    Attributes:
        version_parameter: The Systems Manager parameter that holds its version.
        least_version: What the stacks of a cluster ask for.
        assets_bucket: The bucket of its file assets, with places for account and Region.
        note: What was compared.
        source: Keys of the sources.
        date: Day the entry was last compared with its sources.
    """

    version_parameter: str
    least_version: int
    assets_bucket: str
    note: str
    source: tuple[str, ...]
    date: str


@cache
def bootstrap_facts() -> BootstrapFacts:
    """Return what is known of the bootstrap stack."""
    return BootstrapFacts(**table("bootstrap")["bootstrap"])
