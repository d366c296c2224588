"""What an EFA-enabled Lustre file system needs beside itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trnkit.catalog import lustre_efa_client
from trnkit.layout.lustre_judgement import Objection
from trnkit.rules.judging.wording import alternatives

if TYPE_CHECKING:
    from collections.abc import Collection


def judge_efa_metadata(*, given: bool) -> Objection | None:
    """Judge whether an EFA-enabled file system has a metadata configuration."""
    if given:
        return None
    evidence = "the FSx guide's text demands it; an example in it has none"
    return Objection("is missing; EfaEnabled needs it", "add one, AUTOMATIC", evidence)


def clients_over_tcp(types: Collection[str]) -> str | None:
    """The types, in words, when none of them reaches an EFA-enabled file system over EFA."""
    if not types or any(lustre_efa_client(name) is not False for name in types):
        return None
    return alternatives(sorted(types), "and")
