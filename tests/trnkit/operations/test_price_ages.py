"""Old prices are told, with what to do; what day it is the caller says."""

from datetime import date, timedelta

import pytest

from trnkit.catalog.price_book import STALE_AFTER_DAYS, UnitPrice
from trnkit.config.prices_file import read_prices_file
from trnkit.operations.price_ages import notes_about_ages

TODAY = date(2027, 3, 1)


def price(days, *, item="nat-gateway-hour", basis="region", source="a-source", discount=0.0):
    return UnitPrice(
        item=item,
        unit="hour",
        low=1.0,
        high=1.0,
        basis=basis,
        source=(source,),
        date=(TODAY - timedelta(days=days)).isoformat(),
        discount_percent=discount,
    )


@pytest.mark.parametrize(
    ("days", "told"),
    [(0, False), (STALE_AFTER_DAYS, False), (STALE_AFTER_DAYS + 1, True), (-1, False), (-2, True)],
    ids=["of today", "on the last day", "a day later", "tomorrow somewhere", "in the future"],
)
def test_from_when_on_a_price_is_old(days, told):
    assert bool(notes_about_ages([price(days), None], TODAY)) == told


def test_prices_of_one_day_are_one_note_the_oldest_first():
    used = [price(100, item=f"item-{n}") for n in range(5)] + [price(200, basis="other regions")]
    first, second = notes_about_ages(used, TODAY)
    assert first.message == (
        "1 price (nat-gateway-hour) of the catalogue: last compared on 2026-08-13, 200 days ago"
    )
    assert second.message.startswith("5 prices (item-0, item-1, item-2, ...) of the catalogue")
    assert "trnkit prices refresh" in first.hint


def test_who_is_to_look_depends_on_whose_price_it_is():
    own = price(100, basis="file", source="Agreement")
    listed = price(100, basis="file", source="AWS Price List, read 2026-11-21")
    ours, aws = sorted(notes_about_ages([own, listed], TODAY), key=lambda note: note.hint)
    assert "from Agreement" in ours.message
    assert "`date`" in ours.hint
    assert "trnkit prices refresh" in aws.hint


def test_a_date_in_the_future_is_no_age():
    (note,) = notes_about_ages([price(-30, basis="file", source="Agreement")], TODAY)
    assert "2027-03-31, is in the future" in note.message


def test_an_old_discount_is_told_when_it_was_taken_off():
    text = "version: 1\ndate: 2026-01-01\nsource: Agreement\ndiscount: {percent: 12}\n"
    file = read_prices_file(text, "prices.yaml")
    (note,) = notes_about_ages([price(0, discount=12)], TODAY, file)
    assert note.message == "the discount of 12 % was last compared on 2026-01-01, 424 days ago"
    assert notes_about_ages([price(0)], TODAY, file) == ()
