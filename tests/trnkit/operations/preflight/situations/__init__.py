"""What each check is asked with: a module a check, named as the check is.

To add one, write a module that assigns `SITUATION`. Nothing else lists it.
"""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from tests.trnkit.operations.preflight.clusters import make_cluster
from tests.trnkit.operations.preflight.fake_account import known_answers, missing_answers
from trnkit.config import ClusterConfig


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A cluster and accounts for one check.

    Attributes:
        empty: Status and words of its first answer in an account that has nothing.
        cluster: For which the check asks all that it declares, of an account where all is well.
        whole: What the account says otherwise, for that.
        empty_cluster: The cluster before the account that has nothing; `cluster` when left out.
        well: Answers of the check's own operations in every account where all is well.
        nothing: The same of an account that has nothing; `well` when left out.
    """

    empty: tuple[str, str]
    cluster: ClusterConfig = field(default_factory=make_cluster)
    whole: dict[str, Any] = field(default_factory=dict)
    empty_cluster: ClusterConfig | None = None
    well: dict[str, Any] = field(default_factory=dict)
    nothing: dict[str, Any] = field(default_factory=dict)


@cache
def situations() -> dict[str, Situation]:
    """The situation of each check, by the check's name."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return {name.replace("_", "-"): import_module(f"{__name__}.{name}").SITUATION for name in names}


def answers(**changes: Any) -> dict[str, Any]:
    """What an account says in which everything is well."""
    own = [situation.well for situation in situations().values()]
    return known_answers() | {name: told for well in own for name, told in well.items()} | changes


def empty_account() -> dict[str, Any]:
    """What an account says that has nothing, not even quotas."""
    own = [situation.nothing for situation in situations().values()]
    more = {name: told for nothing in own for name, told in nothing.items()}
    return answers(**missing_answers() | more)
