"""Asks the AWS Price List what items and instance types cost. Part of an answer is no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trnkit.catalog.service_prices import service_item
from trnkit.operations.catalog_refresh.asking import Unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.pricing import ListPrice, PricingGateway, ProductPrice
    from trnkit.aws.session import AwsSession
    from trnkit.catalog.price_queries import PriceQuery
    from trnkit.operations.planning.questions import Pending, Questions

PRICE_LIST_REGION = "us-east-1"
"""Few Regions have the endpoint; what it says is about all of them."""

Status = Literal["listed", "not listed", "several prices"]
_HOPELESS = ("no-credentials", "expired")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPrice:
    """What AWS lists for one thing in one Region.

    Attributes:
        item: Its key in the price book.
        region: The Region.
        unit: What is counted, as the catalogue counts it.
        status: Whether there is one price, none, or several that contradict each other.
        usd: US dollars for a unit, of the first tier; None unless there is one price.
        effective: From when on; None unless there is one price.
    """

    item: str
    region: str
    unit: str
    status: Status
    usd: float | None = None
    effective: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceAnswers:
    """Everything that was asked.

    Attributes:
        prices: What AWS said, by Region and item.
        unanswered: What it did not answer.
    """

    prices: tuple[AskedPrice, ...]
    unanswered: tuple[Unanswered, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """One question to AWS, which answers for several items at once."""

    service_code: str
    filters: tuple[tuple[str, str], ...]
    region_field: str
    region: str


def ask_prices(
    regions: Sequence[str],
    queries: Sequence[PriceQuery],
    instance_types: Mapping[str, Sequence[str]],
    session: AwsSession,
    *,
    today: date,
    most_seconds: float,
    progress: Callable[[str], None] | None = None,
) -> PriceAnswers:
    """Ask: one thing first, and when that has shown that there are credentials, all others at once.

    Args:
        regions: The Regions that prices are wanted of.
        queries: What is asked of services.
        instance_types: Types whose price is wanted, with the Regions where it is.
        session: Where AWS is asked.
        today: Prices that begin later do not count.
        most_seconds: Seconds for all together; what has no answer by then is unanswered.
        progress: Told what is asked.
    """
    # Imported here: boto3 is for commands that talk to AWS.
    from trnkit.aws.failures import AwsFailure
    from trnkit.aws.pricing import PricingGateway
    from trnkit.operations.planning.questions import Questions

    if progress:
        progress(f"ask the AWS Price List about {', '.join(regions)}")
    asker = _Asker(
        PricingGateway(session, PRICE_LIST_REGION), session, Questions(most_seconds), today
    )
    places = [(region, query) for region in regions for query in queries]
    if places:
        told = asker.products(_question(*places[0])).told()
        if isinstance(told, AwsFailure) and str(told.kind) in _HOPELESS:
            return PriceAnswers(prices=(), unanswered=(_unanswered(told),))
    products = {question: asker.products(question) for question in map(_of, places)}
    types = {name: asker.on_demand(name) for name in instance_types}
    prices: list[AskedPrice] = []
    failures: list[AwsFailure] = []
    answers = {question: pending.told() for question, pending in products.items()}
    failures += [told for told in answers.values() if isinstance(told, AwsFailure)]
    for place in places:
        found = answers[_of(place)]
        if not isinstance(found, AwsFailure):
            prices.append(_price(*place, found))
    for name, pending in types.items():
        told = pending.told()
        if isinstance(told, AwsFailure):
            failures.append(told)
        else:
            prices += _instance_prices(name, instance_types[name], told)
    return PriceAnswers(prices=tuple(prices), unanswered=tuple(map(_unanswered, failures)))


class _Asker:
    """Asks each question once, whoever wants to know."""

    def __init__(
        self,
        gateway: PricingGateway,
        session: AwsSession,
        questions: Questions,
        today: date,
    ) -> None:
        self._gateway, self._session = gateway, session
        self._questions, self._today = questions, today
        self._asked: dict[_Question, Pending[tuple[ProductPrice, ...]]] = {}

    def products(self, question: _Question) -> Pending[tuple[ProductPrice, ...]]:
        from trnkit.aws.pricing import GET_PRODUCTS

        def ask() -> tuple[ProductPrice, ...]:
            self._session.credentials(PRICE_LIST_REGION)  # They are looked at before they are used.
            return self._gateway.products(
                question.service_code,
                dict(question.filters),
                question.region,
                self._today,
                region_field=question.region_field,
            )

        if question not in self._asked:
            about = f"{question.service_code} in {question.region}"
            self._asked[question] = self._questions.ask(
                GET_PRODUCTS, PRICE_LIST_REGION, ask, about=about
            )
        return self._asked[question]

    def on_demand(self, name: str) -> Pending[dict[str, ListPrice]]:
        from trnkit.aws.pricing import GET_PRODUCTS

        def ask() -> dict[str, ListPrice]:
            self._session.credentials(PRICE_LIST_REGION)
            return self._gateway.on_demand_prices(name, self._today)

        return self._questions.ask(GET_PRODUCTS, PRICE_LIST_REGION, ask, about=name)


def _of(place: tuple[str, PriceQuery]) -> _Question:
    return _question(*place)


def _question(region: str, query: PriceQuery) -> _Question:
    filters = tuple(sorted(query.filters.items()))
    return _Question(query.service_code, filters, query.region_field, region)


def _price(region: str, query: PriceQuery, products: Iterable[ProductPrice]) -> AskedPrice:
    """The price of an item among the products of its question."""
    unit = service_item(query.item).unit
    units = {name.casefold(): number for name, number in query.units.items()}
    fitting = [
        product
        for product in products
        if product.is_of(query.usage_type)
        and product.unit.casefold() in units
        and all(product.attributes.get(key) == value for key, value in query.attributes.items())
    ]
    newest = max((product.effective for product in fitting), default=None)
    prices = {
        float(f"{product.usd / units[product.unit.casefold()]:.12g}")
        for product in fitting
        if product.effective == newest
    }
    if len(prices) != 1:
        status: Status = "several prices" if prices else "not listed"
        return AskedPrice(item=query.item, region=region, unit=unit, status=status)
    return AskedPrice(
        item=query.item,
        region=region,
        unit=unit,
        status="listed",
        usd=prices.pop(),
        effective=newest,
    )


def _instance_prices(
    name: str, regions: Sequence[str], told: Mapping[str, ListPrice]
) -> Iterator[AskedPrice]:
    for region in regions:
        price = told.get(region)
        yield AskedPrice(
            item=f"{name} on-demand",
            region=region,
            unit="hour",
            status="not listed" if price is None else "listed",
            usd=price.usd_per_hour if price else None,
            effective=price.effective if price else None,
        )


def _unanswered(failure: AwsFailure) -> Unanswered:
    return Unanswered(
        region=PRICE_LIST_REGION,
        kind=str(failure.kind),
        operation=failure.operation,
        message=str(failure),
    )
