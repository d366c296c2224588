"""Markup, tables and pictures: well-formed, and nothing of a name becomes markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.trnkit.report.pages.reading import HOSTILE, TAGS, shapes_of, well_formed
from trnkit.report.pages.charts import (
    Bar,
    Part,
    Pillar,
    bar_chart,
    pillar_chart,
    stacked_bar,
    swatch,
)
from trnkit.report.pages.document import document
from trnkit.report.pages.markup import Markup, element, text, together
from trnkit.report.pages.style import STYLE, TONES
from trnkit.report.pages.tables import Column, Row, cards, notes, table


@pytest.mark.parametrize("words", HOSTILE)
def test_words_are_never_markup(words):
    shown = element("p", words, title=words, data_x=words)
    (read,) = well_formed(shown)
    assert read.tag == "p"
    assert not list(read), "no element came out of the words"
    assert set(read.attrib) == {"title", "data-x"}
    assert read.attrib["title"] == read.attrib["data-x"] == read.text


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a & b", "a &amp; b"),
        ("<b>", "&lt;b&gt;"),
        ("\"'", "&quot;&#x27;"),
        ("a\nb", "a\\nb"),
        ("\x00\x1b[31m", "\\x00\\x1b[31m"),
        ("gpj\u202elmx", "gpj\\u202elmx"),
        ("\ud800", "\\ud800"),
        ("naïve 漢字 é", "naïve 漢字 é"),
    ],
)
def test_what_a_page_cannot_hold_is_escaped(words, shown):
    assert text(words) == shown
    shown_bytes = text(words).encode("utf-8")
    assert shown_bytes


def test_markup_is_not_escaped_twice():
    once = element("b", "1 < 2")
    assert element("p", once) == "<p><b>1 &lt; 2</b></p>"
    assert together([once, "&"]) == "<b>1 &lt; 2</b>&amp;"


def test_numbers_are_written_alike_and_short():
    assert element("rect", x=1.0, y=0.1 + 0.2, width=3) == '<rect x="1" y="0.3" width="3" />'
    assert element("rect", x=None) == "<rect />"


def test_elements_that_hold_nothing_are_closed():
    assert element("meta", charset="utf-8") == '<meta charset="utf-8" />'
    assert element("p") == "<p></p>"
    assert element("circle", element("title", "a")) == "<circle><title>a</title></circle>"


def test_a_table_names_itself_its_columns_and_its_rows():
    shown = table(
        "Costs",
        [Column("What", kind="short"), Column("Hour", kind="number")],
        [Row(("train", "$1")), Row(("own", "$2"), is_own=True)],
        last=Row(("All", "$3")),
    )
    (region,) = well_formed(shown)
    assert region.attrib["aria-label"] == "Costs"
    assert region.attrib["tabindex"] == "0", "a keyboard can scroll it"
    assert region.findtext("table/caption/span") == "Costs"
    assert [head.attrib["scope"] for head in region.findall("table/thead/tr/th")] == ["col"] * 2
    rows = region.findall("table/tbody/tr")
    assert [row.find("th").attrib["scope"] for row in rows] == ["row"] * 2
    assert [row.get("class") for row in rows] == [None, "own"]
    assert region.findtext("table/tfoot/tr/td") == "$3"


def test_a_row_with_a_cell_too_many_is_refused():
    with pytest.raises(ValueError, match="zip"):
        table("Costs", [Column("What")], [Row(("a", "b"))])


def test_cards_and_notes_hold_what_they_are_given():
    (box,) = well_formed(cards([("An hour", "$1", "nodes"), ("A month", "$2", "")]))
    assert [entry.text for entry in box.iter("dd")] == ["$1", "nodes", "$2"]
    (points,) = well_formed(notes(["one", "<two>"]))
    assert [point.text for point in points] == ["one", "<two>"]
    assert notes([]) == ""


def test_a_bar_is_full_up_to_what_is_known_and_dashed_up_to_what_may_be():
    shown = bar_chart(
        "Dollars",
        [
            Bar(name="exact", said="$50", low=50.0, high=50.0),
            Bar(name="range", said="$20 to $100", low=20.0, high=100.0, is_own=True),
            Bar(name="unknown", said="unknown", low=0.0, high=None),
            Bar(name="at least", said="at least $10", low=10.0, high=None),
        ],
    )
    exact, between, unknown, least = well_formed(shown)[0].findall("ol/li")
    assert shapes_of(exact) == [("track", "0", "100%"), ("known", "0.000%", "50.000%")]
    assert shapes_of(between) == [
        ("track", "0", "100%"),
        ("range", "20.000%", "80.000%"),
        ("known", "0.000%", "20.000%"),
    ]
    assert between.attrib["class"] == "t0 own"
    assert shapes_of(unknown) == [("track", "0", "100%")]
    assert shapes_of(least) == [("track", "0", "100%"), ("known", "0.000%", "10.000%")]


def test_a_tiny_bar_can_be_seen_and_nothing_has_none():
    bars = [
        Bar(name="tiny", said="", low=0.001, high=0.001),
        Bar(name="none", said="", low=0.0, high=0.0),
        Bar(name="much", said="", low=1e6, high=1e6),
    ]
    tiny, none, _ = well_formed(bar_chart("Dollars", bars))[0].findall("ol/li")
    assert shapes_of(tiny)[-1] == ("known", "0.000%", "0.400%")
    assert shapes_of(none) == [("track", "0", "100%")]


def test_a_chart_of_nothing_but_unknown_divides_by_nothing():
    shown = bar_chart("Dollars", [Bar(name="a", said="unknown", low=0.0, high=None)])
    assert shapes_of(well_formed(shown)[0]) == [("track", "0", "100%")]
    assert well_formed(bar_chart("Dollars", []))


def test_parts_of_a_stacked_bar_fill_it_and_small_ones_have_no_letter():
    parts = [
        Part(letter="a", name="nodes", value=90.0, tone=0),
        Part(letter="b", name="lustre", value=9.0, tone=1),
        Part(letter="c", name="keys", value=1.0, tone=2),
        Part(letter="d", name="free", value=0.0, tone=3),
    ]
    figure = well_formed(stacked_bar("A month", "nodes 90 %", parts))[0]
    assert shapes_of(figure) == [
        ("known part", "0.000%", "90.000%"),
        ("known part", "90.000%", "9.000%"),
        ("known part", "99.000%", "1.000%"),
    ]
    assert [letter.text for letter in figure.iter("text")] == ["a", "b"]
    assert figure.find("svg").attrib["aria-label"] == "nodes 90 %"


def test_a_stacked_bar_of_nothing_is_an_empty_track():
    part = Part(letter="a", name="nodes", value=0.0, tone=0)
    assert shapes_of(well_formed(stacked_bar("A month", "", [part]))[0])[0][0] == "track"


def test_pillars_stand_on_the_ground_and_their_marks_do_not_cover_each_other():
    pillars = [
        Pillar(name=f"day {day}", tick=str(day), parts=[(60.0, 0), (20.0, 1)], mark=str(day))
        for day in (1, 2, 3)
    ]
    figure = well_formed(pillar_chart("Dollars", "days", pillars, str))[0]
    rects = [(float(rect.get("y")), float(rect.get("height"))) for rect in figure.iter("rect")]
    assert rects[0] == (104.0, 120.0)  # 60 of 80 in 160 pixels, above the ground at 224.
    assert rects[1] == (64.0, 40.0)
    rows = [float(circle.get("cy")) for circle in figure.iter("circle")]
    assert len(set(rows)) == 3
    axis = [label.text for label in figure.find("div/svg").iter("text")]
    assert axis == ["80.0", "40.0", "0.0"]


@pytest.mark.parametrize(
    ("most", "top"),
    [(0.0, "0.0"), (1.0, "1.0"), (1.2, "2.0"), (3433.2, "4000.0"), (99.0, "100.0"), (1e-4, None)],
)
def test_the_highest_line_is_round_and_above_all_pillars(most, top):
    pillar = Pillar(name="day", tick="", parts=[(most, 0)])
    figure = well_formed(pillar_chart("Dollars", "days", [pillar], str))[0]
    first = figure.find("div/svg").findtext("text")
    assert float(first) >= most
    assert top is None or first == top


@pytest.mark.parametrize("words", HOSTILE)
def test_pictures_and_pages_keep_hostile_names_as_text(words):
    parts = together(
        [
            table(words, [Column(words)], [Row((words,))]),
            bar_chart(words, [Bar(name=words, said=words, low=1.0, high=2.0)]),
            stacked_bar(words, words, [Part(letter="a", name=words, value=1.0, tone=0)]),
            pillar_chart(words, words, [Pillar(name=words, tick="1", parts=[(1.0, 0)])], str),
            cards([(words, words, words)]),
            notes([words]),
            swatch(words, 3),
        ]
    )
    page = document(words, words, parts, words)
    root = ElementTree.fromstring(page.partition("\n")[2])
    assert {node.tag for node in root.iter()} <= TAGS
    assert not [key for node in root.iter() for key in node.attrib if key.startswith("on")]


def test_a_page_asks_for_nothing_from_outside():
    page = document("title", "subtitle", Markup(), "footer")
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    assert not re.search(r"https?:|//|<script|<link|<img|@import|url\(", page)


def test_colours_of_both_lights_have_enough_contrast_with_their_letters():
    light, dark = (
        dict(re.findall(r"--(\w+): #([0-9a-f]{6})", block))
        for block in re.findall(r":root \{ (?:color-scheme: light dark; )?(.*?)\}", STYLE, re.S)[:2]
    )
    for colours in (light, dark):
        for tone in [*(f"t{number}" for number in range(TONES)), "ink", "faint", "warn", "bad"]:
            assert _contrast(colours[tone], colours["paper"]) >= 4.5, (tone, colours["paper"])
        assert _contrast(colours["ink"], colours["panel"]) >= 7
        assert _contrast(colours["faint"], colours["panel"]) >= 4.5


def _contrast(one: str, other: str) -> float:
    """As WCAG computes it."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
