"""`trnkit prices refresh`: asks the AWS Price List, compares, and writes the file.

Everything is asked first. The file is written only when all was answered, and then whole or not at
all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trnkit.catalog import find_region, instance_type_names
from trnkit.catalog.price_queries import find_price_query, price_queries
from trnkit.catalog.service_prices import service_items
from trnkit.errors import UsageError
from trnkit.operations.catalog_refresh.asking import Unanswered
from trnkit.operations.places import place_to_write, refuse_empty
from trnkit.operations.price_refresh.asking import ask_prices
from trnkit.operations.price_refresh.comparing import compare_prices
from trnkit.operations.price_refresh.file_text import StandingFile, standing_file
from trnkit.operations.whole_files import refuse_unwritable, write_whole
from trnkit.rules.judging.region_shape import is_region_shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from trnkit.aws.session import AwsSession
    from trnkit.operations.price_refresh.asking import PriceAnswers
    from trnkit.operations.price_refresh.comparing import PriceComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRefresh:
    """What became of a refresh.

    Attributes:
        read: The day on which AWS was asked.
        regions: The Regions whose prices were asked for.
        prices: What AWS said, compared with the catalogue.
        not_asked: Items of the catalogue that there is no question for.
        unanswered: What AWS did not answer.
        output: The file that was named.
        written: Whether it was written; False too when it says the same already.
        failure: Why it could not be written, although it should have been.
    """

    read: str
    regions: tuple[str, ...]
    prices: tuple[PriceComparison, ...]
    not_asked: tuple[str, ...]
    unanswered: tuple[Unanswered, ...]
    output: str | None
    written: bool
    failure: str | None = None


def refresh_prices(
    regions: Sequence[str],
    *,
    today: date,
    output: str | None = None,
    instance_types: Sequence[str] = (),
    most_seconds: float = 60.0,
    session: AwsSession | None = None,
    progress: Callable[[str], None] | None = None,
) -> PriceRefresh:
    """Ask AWS what things cost, compare it with the catalogue, and write the list.

    Args:
        regions: The Regions that prices are wanted of; one that is named twice counts once.
        today: The day that the list carries.
        output: The file to write; nothing is written when left out.
        instance_types: Types whose price is wanted; those of the catalogue that a Region offers
            when left out. Types that the file holds already are asked for as well.
        most_seconds: Seconds for everything; what has no answer by then is unanswered.
        session: Where AWS is asked; the credentials in use when left out.
        progress: Told what is asked.

    Raises:
        UsageError: A name is no Region's or no type's, or the file would lose something.
        UnreadableInputError: The path can be none.
        OSError: The file could not be written, as is seen before AWS is asked.
    """
    named = tuple(dict.fromkeys(regions))
    _refuse_names(named, instance_types)
    before = StandingFile("", None, None)
    if output is not None:
        refuse_empty([output], "file to write")
        before = standing_file(output, named)
        refuse_unwritable(place_to_write(output))
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.session import AwsSession

    answers = ask_prices(
        named,
        price_queries(),
        _types(named, instance_types, before),
        session or AwsSession(most_seconds=most_seconds),
        today=today,
        most_seconds=most_seconds,
        progress=progress,
    )
    prices = compare_prices(answers.prices)
    unanswered = answers.unanswered or _empty_regions(named, answers)
    written, failure = False, None
    if output is not None and not unanswered:
        before = standing_file(output, named)  # Somebody may have written in it meanwhile.
        text = before.text_with(prices, named, today.isoformat(), output)
        written, failure = _write(output, text)
    return PriceRefresh(
        read=today.isoformat(),
        regions=named,
        prices=prices,
        not_asked=tuple(one.key for one in service_items() if find_price_query(one.key) is None),
        unanswered=unanswered,
        output=output,
        written=written,
        failure=failure,
    )


def _refuse_names(regions: Sequence[str], instance_types: Sequence[str]) -> None:
    from pydantic import TypeAdapter, ValidationError

    from trnkit.config.prices_file import PricedType

    for region in regions:
        if not is_region_shaped(region):
            raise UsageError(f"region {region!r} is no Region, as us-east-2 is")
    for name in instance_types:
        try:
            TypeAdapter(PricedType).validate_python(name)
        except ValidationError:
            raise UsageError(f"{name!r} is no instance type, as trn2.48xlarge is") from None


def _types(
    regions: Sequence[str], named: Sequence[str], before: StandingFile
) -> dict[str, list[str]]:
    """Which types are asked for, and for which Regions."""
    always = dict.fromkeys((*named, *before.instance_types))
    wanted = {name: list(regions) for name in always}
    if named:
        return wanted
    for name in instance_type_names():
        offering = [region for region in regions if _offers(region, name)]
        if offering:
            wanted.setdefault(name, offering)
    return wanted


def _offers(region: str, name: str) -> bool:
    """Whether a type is offered; in a Region that the catalogue does not know it may be."""
    known = find_region(region)
    return known is None or bool(known.offerings.get(name)) or name in known.capacity_block_types


def _empty_regions(regions: Sequence[str], answers: PriceAnswers) -> tuple[Unanswered, ...]:
    """Regions without a single price: an emulator, or a Region that is billed in yuan.

    Never one in which everything is free.
    """
    priced = {one.region for one in answers.prices if one.status == "listed"}
    return tuple(
        Unanswered(
            region=region,
            kind="unusable",
            operation="GetProducts",
            message=f"the AWS Price List has not one price in US dollars for {region}",
        )
        for region in regions
        if region not in priced
    )


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
