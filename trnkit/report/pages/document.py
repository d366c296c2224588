"""A whole page around sections."""

from __future__ import annotations

from trnkit.report.pages.markup import Markup, element, together
from trnkit.report.pages.style import STYLE

_NOTHING_FROM_OUTSIDE = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'"
"""A browser that heeds it loads nothing, whatever stands in the page."""


def document(title: str, subtitle: str, sections: Markup, footer: str) -> str:
    """A page that needs no network and no script.

    Args:
        title: Its title and first heading.
        subtitle: A line below it.
        sections: What stands in it.
        footer: The last line.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=_NOTHING_FROM_OUTSIDE),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    body = element(
        "body",
        element("header", element("h1", title), element("p", subtitle, class_="faint")),
        element("main", sections),
        element("footer", element("p", footer)),
    )
    page = together([Markup("\n"), head, Markup("\n"), body, Markup("\n")])
    return f"<!DOCTYPE html>\n{element('html', page, lang='en')}\n"
