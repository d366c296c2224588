"""`trnkit catalog refresh`: asks AWS, compares with the catalogue, writes what is newer.

Everything is asked first. The file is written only when every Region has answered whole about its
types and zones, and then whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.errors import UsageError
from trnkit.operations.catalog_refresh.asking import ask_regions
from trnkit.operations.catalog_refresh.comparing import compare
from trnkit.operations.catalog_refresh.override_text import (
    override_text,
    refuse_unreadable,
    written_before,
)
from trnkit.operations.places import place_to_write, real_path, refuse_empty
from trnkit.operations.whole_files import refuse_unwritable, write_whole
from trnkit.rules.judging.region_shape import is_region_shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from trnkit.aws.session import AwsSession
    from trnkit.config.instance_descriptions import RefreshedAnswer
    from trnkit.operations.catalog_refresh.asking import RegionAnswer, Unanswered
    from trnkit.operations.catalog_refresh.comparing import TypeComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRefresh:
    """What became of a refresh.

    Attributes:
        read: The day on which AWS was asked.
        answers: What each Region said.
        types: Types, compared; only what Regions that answered say.
        output: The file that was named.
        written: Whether it was written; False too when it says the same already.
        stale: Whether the file, or without one the catalogue, is not what AWS says now; None when
            AWS said nothing.
        failure: Why the file could not be written, although it should have been.
    """

    read: str
    answers: tuple[RegionAnswer, ...]
    types: tuple[TypeComparison, ...]
    output: str | None
    written: bool
    stale: bool | None
    failure: str | None = None

    @property
    def unanswered(self) -> tuple[Unanswered, ...]:
        """Every question that was not answered."""
        return tuple(one for answer in self.answers for one in answer.unanswered)

    @property
    def writable(self) -> bool:
        """Whether every Region answered whole about types and zones."""
        return all(answer.types_answered for answer in self.answers)


def refresh_catalog(
    regions: Sequence[str],
    *,
    today: date,
    output: str | None = None,
    check: bool = False,
    most_seconds: float = 60.0,
    session: AwsSession | None = None,
    progress: Callable[[str], None] | None = None,
) -> CatalogRefresh:
    """Ask AWS what it has, compare it with the catalogue, and write what is newer.

    Args:
        regions: The Regions to ask; one that is named twice is asked once.
        today: The day that the answers carry.
        output: The file to write; nothing is written when left out.
        check: Compare only. With `output`, its file is what must be up to date.
        most_seconds: Seconds for all Regions together; what has no answer by then is unanswered.
        session: Where AWS is asked; the credentials in use when left out.
        progress: Told each Region as it is asked.

    Raises:
        UsageError: A name is no Region's, or the file would replace another one.
        UnreadableInputError: The path can be none.
        OSError: The file could not be written, as is seen before AWS is asked.
    """
    named = tuple(dict.fromkeys(regions))
    for region in named:
        if not is_region_shaped(region):
            raise UsageError(f"region {region!r} is no Region, as us-east-2 is")
    before = None if output is None else _standing(output, named, check=check)
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.session import AwsSession

    session = session or AwsSession(most_seconds=most_seconds)
    answers = ask_regions(named, session, progress, most_seconds=most_seconds)
    read = today.isoformat()
    answered = [answer for answer in answers if answer.types_answered]
    types = compare(answered, read) if answered else ()
    # Quotas are asked of Regions that have answered about their types.
    stale = None if not answered else _differs(types, answered)
    written, failure = False, None
    if output is not None and len(answered) == len(answers):
        if check:
            stale = _is_stale(output, before, types, named, differs=bool(stale))
        else:
            text = override_text(types, named, read, before)
            refuse_unreadable(text, output)
            written, failure = _write(output, text)
    return CatalogRefresh(
        read=read,
        answers=answers,
        types=types,
        output=output,
        written=written,
        stale=stale,
        failure=failure,
    )


def _standing(output: str, regions: Sequence[str], *, check: bool) -> RefreshedAnswer | None:
    """The file as it is; what stands in the way of it is said before AWS is asked."""
    refuse_empty([output], "file to write")
    before = written_before(output, regions)
    if not check:
        refuse_unwritable(place_to_write(output))
    return before


def _differs(types: Sequence[TypeComparison], answers: Sequence[RegionAnswer]) -> bool:
    """Whether the catalogue is not what Regions said."""
    return any(one.differs for one in types) or any(
        quota.differs for answer in answers for quota in answer.quotas
    )


def _is_stale(
    output: str,
    before: RefreshedAnswer | None,
    types: Sequence[TypeComparison],
    regions: Sequence[str],
    *,
    differs: bool,
) -> bool:
    """Whether a file would change, apart from its day; one that is missing, if there is news."""
    if before is None:
        return differs
    text = override_text(types, regions, before.trnkit.read, before)
    return real_path(output).read_bytes() != text.encode()


def _write(output: str, text: str) -> tuple[bool, str | None]:
    """Write the file unless it says the same already; whether it was, and why it could not be."""
    target = place_to_write(output)
    try:
        if target.is_file() and target.read_bytes() == text.encode():
            return False, None
        write_whole(target, text, replace=True)
    except OSError as error:  # What AWS said is told all the same.
        return False, error.strerror or str(error)
    return True, None
