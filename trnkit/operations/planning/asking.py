"""Asks AWS for a plan: all Regions at once, and of a Region all questions at once.

A Region is first asked where it offers the types. One that is off, or cannot be reached, then costs
this one call; one that does not offer a type is not asked for Spot and quotas of it. All else is
asked together after it, so that a Region takes as long as two calls. Capacity Blocks do not depend
on the first answer: they are sold where the offerings say nothing.

Prices and the caller are asked once for all Regions; whether a Region has a service is asked
elsewhere too, and at once. Placement scores are asked Region by Region: AWS scores no more than ten
zones in one answer.
"""

from __future__ import annotations

import queue
import threading
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trnkit.aws.ec2 import DESCRIBE_AVAILABILITY_ZONES, Ec2Gateway
from trnkit.aws.ec2_blocks import DESCRIBE_CAPACITY_BLOCK_OFFERINGS
from trnkit.aws.ec2_spot import (
    DESCRIBE_SPOT_PRICE_HISTORY,
    GET_SPOT_PLACEMENT_SCORES,
    Ec2SpotGateway,
)
from trnkit.aws.failures import AwsFailure
from trnkit.aws.instance_types import DESCRIBE_INSTANCE_TYPE_OFFERINGS, InstanceTypeGateway
from trnkit.aws.pricing import GET_PRODUCTS, PricingGateway
from trnkit.aws.sts import GET_CALLER_IDENTITY, StsGateway
from trnkit.operations.planning.block_answers import BlockAnswer, block_answer
from trnkit.operations.planning.blocks import block_question
from trnkit.operations.planning.list_prices import on_demand_price
from trnkit.operations.planning.market import RegionMarket, TypeMarket
from trnkit.operations.planning.questions import Questions
from trnkit.operations.planning.quota_rooms import QuotaRooms
from trnkit.operations.planning.services import ask_services, told_services
from trnkit.operations.planning.spot_prices import first_day, spot_histories

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trnkit.aws.ec2_blocks import CapacityBlockOffering
    from trnkit.aws.ec2_spot import SpotPrice
    from trnkit.aws.pricing import ListPrice
    from trnkit.aws.session import AwsSession
    from trnkit.aws.sts import CallerIdentity
    from trnkit.operations.planning.blocks import BlockQuestion
    from trnkit.operations.planning.market import NodeNeed, SpotHistory, Told
    from trnkit.operations.planning.questions import Pending
    from trnkit.operations.planning.quota_rooms import Purchase as QuotaPurchase
    from trnkit.operations.planning.request import PlanRequest

# Always on. The price list answers in few Regions, about all of them.
# https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html
_FOR_ALL = "us-east-1"


def ask_markets(
    request: PlanRequest,
    session: AwsSession,
    *,
    most_seconds: float,
    progress: Callable[[RegionMarket], None] | None = None,
    now: datetime | None = None,
) -> tuple[RegionMarket, ...]:
    """Ask every Region of a request.

    Args:
        request: What is wanted, and where.
        session: Who asks.
        most_seconds: Seconds for all together; what is unanswered then is a failure of its own.
        progress: Told each Region as it ends.
        now: The moment that days are counted back from.

    Returns:
        What each Region said, in the order of the request.
    """
    now = now or datetime.now(UTC)
    today = now.date()
    questions = Questions(most_seconds)
    pricing = PricingGateway(session, _FOR_ALL)
    priced = [need.instance_type for need in request.needs] if request.wants_on_demand else []
    prices = {
        name: questions.ask(
            GET_PRODUCTS,
            _FOR_ALL,
            lambda name=name: pricing.on_demand_prices(name, today),
            about=name,
        )
        for name in dict.fromkeys(priced)
    }
    caller = questions.ask(GET_CALLER_IDENTITY, _FOR_ALL, StsGateway(session, _FOR_ALL).caller)
    regions = tuple(dict.fromkeys(request.regions))
    ended: queue.SimpleQueue[RegionMarket | _Broken] = queue.SimpleQueue()
    for region in regions:
        asked = _Region(request, session, questions, prices, caller, region, now)
        arguments = (asked, ended)
        threading.Thread(target=_work, args=arguments, name=region, daemon=True).start()
    found: dict[str, RegionMarket] = {}
    while len(found) < len(regions):
        market = ended.get()
        if isinstance(market, _Broken):
            raise market.error
        found[market.region] = market
        if progress:
            progress(market)
    return tuple(found[region] for region in regions)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A mistake of ours about a Region."""

    error: BaseException


def _work(asked: _Region, ended: queue.SimpleQueue[RegionMarket | _Broken]) -> None:
    try:
        ended.put(asked.market())
    except BaseException as error:  # It is raised where the answer is waited for.
        ended.put(_Broken(error))


@dataclass(frozen=True, slots=True)
class _TypeQuestions:
    """What is under way about one need."""

    need: NodeNeed
    offered: Told[frozenset[str]]
    spot: Pending[tuple[SpotPrice, ...]] | None
    scores: Pending[dict[str, int]] | None
    block: BlockQuestion | None
    blocks: Pending[tuple[CapacityBlockOffering, ...]] | None

    @property
    def may_be_offered(self) -> bool:
        return isinstance(self.offered, AwsFailure) or bool(self.offered)


class _Region:
    """One Region of a request."""

    def __init__(
        self,
        request: PlanRequest,
        session: AwsSession,
        questions: Questions,
        prices: Mapping[str, Pending[dict[str, ListPrice]]],
        caller: Pending[CallerIdentity],
        region: str,
        now: datetime,
    ) -> None:
        self._request, self._session, self._questions = request, session, questions
        self._prices, self._caller = prices, caller
        self._region, self._now = region, now
        self._spot_gateway = Ec2SpotGateway(session, region)
        self._wants_spot = "spot" in request.purchases
        self._wants_blocks = "capacity-block" in request.purchases and request.hours is not None

    def market(self) -> RegionMarket:
        """Ask, wait for the answers and put them together."""
        start = time.monotonic()
        asking = self._questions, self._session, self._region
        services_asked = ask_services(*asking, self._request.services)
        offered = self._ask_offerings().told()
        if isinstance(offered, AwsFailure) and not offered.kind.is_answer:
            return self._lost(offered, told_services(services_asked), start)
        zones_asked = self._questions.ask(
            DESCRIBE_AVAILABILITY_ZONES,
            self._region,
            Ec2Gateway(self._session, self._region).zones,
        )
        types = self._ask_types(offered)
        offered_needs = [asked.need for asked in types if asked.may_be_offered]
        cluster, purchases = self._request.cluster, self._quota_purchases()
        rooms = QuotaRooms(*asking, offered_needs, purchases, self._caller, cluster)
        zones, services = zones_asked.told(), told_services(services_asked)
        if isinstance(zones, AwsFailure):
            return self._lost(zones, services, start)
        zone_ids = {zone.zone_name: zone.zone_id for zone in zones}
        return RegionMarket(
            region=self._region,
            zones=zones,
            services=services,
            types=tuple(self._type_market(asked, rooms, zone_ids) for asked in types),
            seconds=time.monotonic() - start,
        )

    def _lost(
        self, why: AwsFailure, services: Told[Mapping[str, bool]], start: float
    ) -> RegionMarket:
        """A Region of which no more can be said."""
        return RegionMarket(
            region=self._region,
            zones=why,
            services=services,
            types=(),
            seconds=time.monotonic() - start,
        )

    def _quota_purchases(self) -> list[QuotaPurchase]:
        wanted: list[QuotaPurchase] = []
        if self._request.wants_on_demand:
            wanted.append("on-demand")
        if self._wants_spot:
            wanted.append("spot")
        return wanted

    def _ask_offerings(self) -> Pending[dict[str, tuple[str, ...]]]:
        names = sorted({need.instance_type for need in self._request.needs})
        gateway = InstanceTypeGateway(self._session, self._region)
        return self._questions.ask(
            DESCRIBE_INSTANCE_TYPE_OFFERINGS,
            self._region,
            lambda: gateway.offerings(names, "availability-zone-id"),
            about=", ".join(names),
        )

    def _ask_types(self, offered: Told[Mapping[str, tuple[str, ...]]]) -> list[_TypeQuestions]:
        """About each need; what two node groups want alike is asked once."""
        asked: dict[tuple[str, int], _TypeQuestions] = {}
        for need in self._request.needs:
            key = need.instance_type, need.count
            if key not in asked:
                asked[key] = self._ask_type(need, offered)
        return [
            replace(asked[need.instance_type, need.count], need=need)
            for need in self._request.needs
        ]

    def _ask_type(
        self, need: NodeNeed, offered: Told[Mapping[str, tuple[str, ...]]]
    ) -> _TypeQuestions:
        name, count = need.instance_type, need.count
        zones = offered if isinstance(offered, AwsFailure) else frozenset(offered.get(name, ()))
        asks_spot = self._wants_spot and (isinstance(zones, AwsFailure) or bool(zones))
        block = block_question(need, self._request) if self._wants_blocks else None
        return _TypeQuestions(
            need=need,
            offered=zones,
            spot=self._ask_spot_prices(name) if asks_spot else None,
            scores=self._ask_scores(name, count) if asks_spot else None,
            block=block,
            blocks=self._ask_blocks(block) if block else None,
        )

    def _ask_spot_prices(self, name: str) -> Pending[tuple[SpotPrice, ...]]:
        gateway, since = self._spot_gateway, first_day(self._now)
        return self._questions.ask(
            DESCRIBE_SPOT_PRICE_HISTORY,
            self._region,
            lambda: gateway.prices(name, since),
            about=name,
        )

    def _ask_scores(self, name: str, count: int) -> Pending[dict[str, int]]:
        gateway = self._spot_gateway
        return self._questions.ask(
            GET_SPOT_PLACEMENT_SCORES,
            self._region,
            lambda: gateway.placement_scores(name, count),
            about=f"{count} of {name}",
        )

    def _ask_blocks(self, block: BlockQuestion) -> Pending[tuple[CapacityBlockOffering, ...]]:
        return self._questions.ask(
            DESCRIBE_CAPACITY_BLOCK_OFFERINGS,
            self._region,
            lambda: block.ask(self._session, self._region),
            about=block.need.instance_type,
        )

    def _type_market(
        self, asked: _TypeQuestions, rooms: QuotaRooms, zone_ids: Mapping[str, str]
    ) -> TypeMarket:
        name, wants_spot = asked.need.instance_type, self._wants_spot
        scores = asked.scores.told() if asked.scores else {}
        prices = self._prices.get(name)
        blocks = self._blocks(asked, zone_ids)
        return TypeMarket(
            need=asked.need,
            offered=asked.offered,
            on_demand=on_demand_price(prices.told(), name, self._region, self._request.book)
            if prices
            else None,
            spot=self._spot(asked, zone_ids) if wants_spot else None,
            placement_scores=scores if wants_spot else None,
            blocks=blocks.blocks if self._wants_blocks else None,
            blocks_remark=blocks.remark,
            on_demand_quota=rooms.room(name, "on-demand") if asked.may_be_offered else None,
            spot_quota=rooms.room(name, "spot") if asked.may_be_offered else None,
        )

    def _spot(
        self, asked: _TypeQuestions, zone_ids: Mapping[str, str]
    ) -> Told[tuple[SpotHistory, ...]]:
        told = asked.spot.told() if asked.spot else ()
        return told if isinstance(told, AwsFailure) else spot_histories(told, zone_ids, self._now)

    def _blocks(self, asked: _TypeQuestions, zone_ids: Mapping[str, str]) -> BlockAnswer:
        if asked.block is None or asked.blocks is None:
            return BlockAnswer()  # Not wanted, or no block is so long or so large.
        told = asked.blocks.told()
        if isinstance(told, AwsFailure):
            return BlockAnswer(blocks=told)
        return block_answer(asked.block, told, zone_ids, region=self._region, now=self._now)
