"""Words that all forms of a report about cost share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from trnkit.layout.price_book import AWS_LIST
from trnkit.report.cost_words import UNKNOWN, less_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trnkit.catalog import PriceClaim
    from trnkit.catalog.price_book import InstancePurchase, UnitPrice
    from trnkit.layout.cost.alternatives import Need, Way, Work, WorkComparison
    from trnkit.layout.cost.claims import ClaimCheck, ClaimPair, Span
    from trnkit.layout.cost.lines import Money
    from trnkit.layout.cost.machines import Machine, Utilisation

_FEW_GROUPS = 4
PURCHASE_WORDS: dict[InstancePurchase, str] = {
    "on-demand": "On-Demand",
    "capacity-block": "Capacity Block",
    "spot": "Spot",
}
UNIT_NOTE = (
    "A TFLOP-hour is the work of one TFLOP/s in an hour, dense BF16; prices are of 1,000 of them."
)
CLAIM_NOTE = (
    "A claim is repeated with its source, and not judged true or false. It may be about speed on "
    "certain models, about prices of its day, or about another way to buy; the figures beside it "
    "are of list prices as they are known and of peak compute alone. What use of the peak would "
    "make both agree is computed from them."
)
CAVEAT = (
    "This compares prices of peak compute, not how fast a model trains: kernels, memory bandwidth, "
    "network and porting decide that. Measure your own model before you decide by it."
)


def number(value: float, digits: int = 2) -> str:
    """`10,672`, `1.33`, `96`: no zeros after the point."""
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def known(value: float | None) -> str:
    """A figure, or that it is unknown."""
    return UNKNOWN if value is None else number(value, 1)


def way_name(way: Way) -> str:
    """`p5.48xlarge, Capacity Block`."""
    return f"{way.machine.instance_type}, {PURCHASE_WORDS[way.purchase]}"


def row_name(way: Way, region: str) -> str:
    """The name of a row: what the Region does not sell says so, for its price is of elsewhere."""
    mark = f" (not in {region})" if way.is_sold_here is False else ""
    return f"{way_name(way)}{mark}"


def machines_of(ways: Iterable[Way]) -> tuple[Machine, ...]:
    """The types of some ways to buy, each once, by name."""
    machines = {way.machine.instance_type: way.machine for way in ways}
    return tuple(machines[name] for name in sorted(machines))


def own_count(comparison: WorkComparison) -> str:
    """How many nodes of the cluster are compared."""
    return number(sum(group.count for group in comparison.own.work.counted))


def need_words(need: Need | None) -> str:
    """`4 (3.37)`: whole instances, and what it would be in parts where that differs."""
    if need is None:
        return UNKNOWN
    exact, whole = number(need.exact), number(need.instances)
    return whole if exact == whole else f"{whole} ({exact})"


def basis_words(price: UnitPrice | None, region: str) -> str:
    """Where a price is from."""
    if price is None:
        return "no source shows one"
    less = f" less {number(price.discount_percent)} %" if price.discount_percent else ""
    if price.basis == "other regions":
        return f"other Regions{less}, none is shown for {region}"
    return (region if price.basis == "region" else _own_words(price)) + less


def _own_words(price: UnitPrice) -> str:
    """Whence a price that counts before the catalogue's: from AWS, an option, or an agreement."""
    told = price.source[0]
    if told.startswith(AWS_LIST):
        return f"{AWS_LIST} in your file"
    return told if told.startswith("--") else "your price file"


def offered_words(machine: Machine, region: str) -> str:
    """Whether a Region has a type."""
    words = {True: f"in {region}", False: f"not in {region}", None: "not known"}
    return words[machine.offered]


def use_words(utilisation: Utilisation) -> str:
    """What was assumed of the use of the peak, plainly."""
    share = f"{number(100 * utilisation.default)} %"
    if utilisation.is_equal:
        return (
            f"Every kind of accelerator is assumed to reach the same {share} of its dense BF16 "
            "peak (model FLOPs utilisation). That is an assumption and no measurement: give what "
            "you measured with --mfu trn2=0.35,p5=0.40."
        )
    told = ", ".join(f"{kind} {number(100 * value)} %" for kind, value in utilisation.told)
    return (
        f"Assumed share of the dense BF16 peak that is reached: {told}; every other kind {share}."
    )


def work_words(work: Work) -> str:
    """What the cluster's nodes can do."""
    peak = number(work.peak_tflops / 1000)
    return (
        f"{number(work.accelerators)} accelerators ({_groups(work)}), {peak} PFLOP/s of dense BF16 "
        f"peak, {number(work.memory_gib)} GiB of accelerator memory"
    )


def _groups(work: Work) -> str:
    """Each group, or where there are many how many nodes of each type."""
    groups = work.counted
    if len(groups) <= _FEW_GROUPS:
        return ", ".join(f"{one.name}: {one.count} x {one.instance_type}" for one in groups)
    counts = Counter[str]()
    for group in groups:
        counts[group.instance_type] += group.count
    types = ", ".join(f"{counts[name]} x {name}" for name in sorted(counts))
    return f"{len(groups)} groups: {types}"


def remarks(comparison: WorkComparison) -> list[str]:
    """What the tables do not show, a line each."""
    found: list[str] = []
    left_out = comparison.own.work.left_out
    if left_out:
        names = ", ".join(f"{group.name} ({group.instance_type})" for group in left_out)
        found.append(f"Not compared, because their compute or memory is not known: {names}")
    lacking = [way_name(way) for way in comparison.without_price]
    if lacking:
        found.append(f"No source shows a price: {'; '.join(lacking)}")
    too_many = [way_name(way) for way in comparison.ways if way.more_than_a_block]
    if too_many:
        found.append(
            "More instances than one Capacity Block holds, so several blocks: "
            f"{'; '.join(too_many)}"
        )
    found += [
        f"Sources differ on {machine.instance_type}, {words}"
        for machine in machines_of(comparison.ways)
        for words in machine.disputed
    ]
    if comparison.not_sold:
        sold = "; ".join(f"{kind}, {PURCHASE_WORDS[way]}" for kind, way in comparison.not_sold)
        found.append(f"AWS does not sell: {sold}")
    agreed = dict.fromkeys(
        less_words(way.price) for way in comparison.ways if way.price and way.price.discount_percent
    )
    if agreed:
        found.append(
            f"Your agreement counts for other instances too, where a price says so: "
            f"{'; '.join(agreed)}"
        )
    if comparison.spot_not_told:
        kinds = ", ".join(comparison.spot_not_told)
        found.append(
            "Spot prices change by the minute and are in no list. Give yours (--spot-price, or "
            f"budget.prices_file) to compare: {kinds}"
        )
    return found


def times_words(times: Money | None) -> str:
    """`0.62`, `1.1 to 1.3`: how many times as much as the cluster's own nodes."""
    return UNKNOWN if times is None or times.high is None else _ends(times.low, times.high)


def claim_words(claim: PriceClaim) -> str:
    """A claim with what is known of its conditions."""
    return f"{claim.words}: {claim.conditions}"


def pair_words(pair: ClaimPair) -> str:
    """Two types, what a dollar buys of each, and when the claim agrees with that."""
    return f"{_compared_words(pair)}: {_peak_words(pair)}; {_agreeing_words(pair)}"


def no_pair_words(check: ClaimCheck) -> str:
    """Why there is no figure of ours; nothing where the claim compares nothing."""
    if check.claim.others:
        return "no two prices of the same kind are known"
    return ""


def _compared_words(pair: ClaimPair) -> str:
    """`trn2.48xlarge with p5e.48xlarge, both Capacity Block`."""
    return f"{pair.subject} with {pair.other}, both {PURCHASE_WORDS[pair.purchase]}"


def _peak_words(pair: ClaimPair) -> str:
    """What a dollar buys of the peak, as a ratio and as a difference of cost."""
    peak = pair.times_the_peak
    return f"a dollar buys {_span(peak)} times the peak; a unit of it costs {_saving(peak)}"


def _agreeing_words(pair: ClaimPair) -> str:
    """The use of the peak at which claim and prices agree."""
    use = pair.agreeing_use
    if use is None:
        return "the claim has no figure to agree with"
    return (
        f"claim and prices agree if the use of {pair.subject}'s peak is {_span(use)} times that of "
        f"{pair.other}'s"
    )


def _saving(span: Span) -> str:
    """How much less, or more, a unit costs when a dollar buys so many times as much."""
    least, most = 1 - 1 / span.low, 1 - 1 / span.high
    if least < 0 < most:
        return f"from {_per_cent(-least)} more to {_per_cent(most)} less"
    if most <= 0:
        return f"{_two(_per_cent(-most), _per_cent(-least))} more"
    return f"{_two(_per_cent(least), _per_cent(most))} less"


def _per_cent(share: float) -> str:
    return f"{number(100 * share, 0)} %"


def _span(span: Span) -> str:
    return _ends(span.low, span.high)


def _ends(low: float, high: float) -> str:
    return _two(number(low), number(high))


def _two(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"
