"""A file of prices that count before the catalogue's, as `budget.prices_file` names it.

`prices` and `discount` are written by hand: what an organization has agreed with AWS.
`list_prices` is what `trnkit prices refresh` wrote: AWS's own list on the day it was read. The file
is read like a cluster file, with the same limits and the same line and column in each finding.
Nothing is fetched here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError

from trnkit.config.cluster import not_a_boolean
from trnkit.config.complaints import problems_of
from trnkit.config.input_bytes import read_bytes
from trnkit.config.loader import MAX_BYTES, decode_text
from trnkit.config.named_files import about_named_file
from trnkit.config.values import Day, EachOnce, Number, RegionName, Section, Text, matching, setting
from trnkit.config.yaml_reader import read_yaml, unreadable
from trnkit.errors import ConfigurationError, UnreadableInputError
from trnkit.findings import sort_findings

if TYPE_CHECKING:
    from trnkit.config.cluster import ClusterConfig
    from trnkit.config.yaml_reader import YamlDocument
    from trnkit.findings import Finding

MAX_PRICES = 3000
KEY = ("budget", "prices_file")
_REFERENCE = "name a file of prices, relative to the cluster file"
_MISSING = "trnkit prices refresh --region REGION --output FILE writes one"
_FORMAT = "docs/prices.md shows what such a file holds"
_UNKNOWN_PLACE = "docs/config.md describes it"

PriceItem = Annotated[
    Text, matching(r"[a-z][a-z0-9-]{0,99}", "the key of an item, like ebs-gp3-storage")
]
PricedType = Annotated[
    Text,
    matching(
        r"[a-z][a-z0-9-]{0,39}\.[a-z0-9-]{1,39}", "an EC2 instance type such as trn2.48xlarge"
    ),
]
DiscountSubject = Annotated[
    Text,
    matching(
        r"[a-z][a-z0-9-]{0,99}(\.[a-z0-9-]{1,39})?",
        "the key of an item, like nat-gateway-hour, or an instance type",
    ),
]


class PriceEntry(Section):
    """One price: of an item of a service, or of an instance type that is bought in one way."""

    item: PriceItem | None = setting(
        None,
        example="ebs-gp3-storage",
        description="What is sold; `trnkit prices list` prints the keys. Either this and `usd`, or "
        "an instance type.",
    )
    usd: Number | None = setting(
        None,
        gt=0,
        le=1e6,
        example=0.07,
        description="US dollars for one unit of the item; `trnkit prices show ITEM` has the unit.",
    )
    instance_type: PricedType | None = setting(
        None, example="trn2.48xlarge", description="An EC2 instance type, in place of an item."
    )
    purchase: Literal["on-demand", "spot", "capacity-block"] | None = setting(
        None, example="on-demand", description="How the instance is bought."
    )
    usd_per_hour: Number | None = setting(
        None, gt=0, le=1e5, example=38.5, description="US dollars for one instance and hour."
    )
    region: RegionName | None = setting(
        None,
        example="us-east-2",
        description="Where the price counts. Left out: in the file's `region`, else everywhere.",
    )

    @property
    def key(self) -> str:
        """What is sold, as the price book names it."""
        return self.item or f"{self.instance_type} {self.purchase}"

    @property
    def dollars(self) -> float | None:
        """US dollars for one unit."""
        return self.usd if self.item else self.usd_per_hour


class DiscountConfig(Section):
    """What an agreement takes off every list price that it covers."""

    percent: Number = setting(
        gt=0, lt=100, example=12, description="Per cent off AWS's list prices."
    )
    not_on: Annotated[tuple[DiscountSubject, ...], EachOnce] = setting(
        (),
        max_length=200,
        example=["nat-gateway-hour"],
        description="Items and instance types that the discount does not cover. It never covers "
        "Capacity Blocks, Spot, and what `prices` states.",
    )


_Prices = Annotated[tuple[PriceEntry, ...], Field(max_length=MAX_PRICES)]


class ListPrices(Section):
    """AWS's list prices on one day. `trnkit prices refresh` writes them anew each time."""

    read: Day = setting(example="2026-11-30", description="The day (UTC) the list was read.")
    regions: Annotated[tuple[RegionName, ...], EachOnce] = setting(
        min_length=1, max_length=60, example=["us-east-2"], description="Regions that were asked."
    )
    prices: _Prices = setting(description="What AWS lists there; each entry names its Region.")


class PricesFile(Section):
    """The whole file."""

    version: Annotated[Literal[1], BeforeValidator(not_a_boolean)] = setting(
        example=1, description="Version of this file format."
    )
    date: Day | None = setting(
        None,
        example="2026-11-30",
        description="The day on which `prices` and `discount` were last compared with what they "
        "are from. Required with either.",
    )
    source: Text | None = setting(
        None,
        example="Enterprise agreement 2026, annex B",
        description="What `prices` and `discount` are from, in your words. Required with either.",
    )
    region: RegionName | None = setting(
        None, example="us-east-2", description="Where `prices` count that name no Region."
    )
    prices: _Prices = setting((), description="Prices that you know: each counts as it stands.")
    discount: DiscountConfig | None = setting(
        None, description="A discount on list prices. Left out: none."
    )
    list_prices: ListPrices | None = setting(
        None, description="What `trnkit prices refresh` wrote; not to be edited."
    )


def load_prices_file(path: str | FilePath) -> PricesFile:
    """Read a file of prices.

    Args:
        path: The file, or a pipe that the shell opened.

    Raises:
        UnreadableInputError: It is not there, no regular file, too large, not UTF-8 or not YAML.
        ConfigurationError: It does not fit the model; carries every finding.
    """
    file = str(path)
    raw = read_bytes(
        file, file, most=MAX_BYTES, folder="name the file of prices in it", missing=_MISSING
    )
    return read_prices_file(decode_prices(raw, file), file)


def decode_prices(raw: bytes, file: str) -> str:
    """The text of a file of prices.

    Args:
        raw: Its bytes.
        file: Its name, for messages.

    Raises:
        UnreadableInputError: Too large, or not UTF-8.
    """
    try:
        return decode_text(raw, file)
    except UnreadableInputError as error:
        large = len(raw) > MAX_BYTES
        found = replace(error.finding, hint=_FORMAT) if large else error.finding
        raise UnreadableInputError(found) from None


def read_prices_file(text: str, file: str) -> PricesFile:
    """Like `load_prices_file`, for text already in memory; `file` names it in messages."""
    return prices_in(read_yaml(text, file))


def prices_in(document: YamlDocument) -> PricesFile:
    """What a document says.

    Args:
        document: The file, as it was read.

    Raises:
        UnreadableInputError: It holds no `key: value` lines.
        ConfigurationError: It does not fit the model; carries every finding.
    """
    if not isinstance(document.data, dict):
        told = "the file is empty" if document.data is None else "the file is no file of prices"
        raise unreadable(document.file, told, _FORMAT, document.locate(()))
    findings = list(document.findings)
    prices = None
    try:
        prices = PricesFile.model_validate(document.data)
    except ValidationError as error:
        findings += map(_with_remedy, problems_of(document, error, PricesFile))
    else:
        # Imported here: the catalogue's items are not needed to say that a value is no number.
        from trnkit.config.price_contradictions import contradictions

        findings += contradictions(document, prices)
    if prices is None or findings:
        raise ConfigurationError(sort_findings(findings))
    return prices


def _with_remedy(finding: Finding) -> Finding:
    return replace(finding, hint=_FORMAT) if finding.hint == _UNKNOWN_PLACE else finding


def read_named_prices(cluster: YamlDocument, named: str) -> tuple[PricesFile | None, list[Finding]]:
    """Read what a cluster file names in `budget.prices_file`.

    Args:
        cluster: The cluster file.
        named: What it names, relative to itself.

    Returns:
        What the file says, and what is wrong with it.
    """
    try:
        return load_prices_file(FilePath(cluster.file).parent / named), []
    except UnreadableInputError as error:
        return None, [about_named_file(error.finding, cluster, KEY, named, _REFERENCE)]
    except ConfigurationError as error:
        return None, list(error.findings)


def with_prices(config: ClusterConfig, prices: PricesFile | None) -> ClusterConfig:
    """The same cluster, with what its file of prices says; `load_cluster` does so by itself.

    Args:
        config: A cluster.
        prices: What the file says; None: there is none.
    """
    budget = config.budget.with_prices(prices)
    return config.model_copy(update={"budget": budget})
