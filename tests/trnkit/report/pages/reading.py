"""Reads what pages are made of: as XML, and as Python's reader of HTML does."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree

HOSTILE = (
    "<script>alert(1)</script>",
    "</title></style><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "a & b < c > d \" ' `",
    "&lt;b&gt; &amp;amp; &#60;",
    "]]><!--",
    "--> <!DOCTYPE x>",
    "javascript:alert(1)",
    "\x00\x08\x1b[31m\x7f",
    "\u202egpj.exe\u2066",
    "\ud800 \udfff",
    "line\nline\r\n\ttab",
    "\u2028\u2029\ufeff\ufffe",
    "x" * 500,
    "漢字 ünïcödé 🚀",
)
_OF_TEXT = ("a", "p", "div", "span", "h1", "h2", "h3", "dl", "dt", "dd", "ul", "ol", "li")
_OF_PAGES = ("html", "head", "meta", "title", "style", "body", "header", "main", "footer")
_OF_TABLES = ("table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td")
_OF_PICTURES = ("figure", "figcaption", "svg", "g", "rect", "line", "circle", "text")
TAGS = frozenset((*_OF_TEXT, *_OF_PAGES, *_OF_TABLES, *_OF_PICTURES))
"""What pages are made of: no script, no link, no picture from elsewhere, no form."""
_VOID = {"br", "col", "hr", "meta"}


class _Balance(HTMLParser):
    """Every tag closed, in the right order."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"{tag} has an attribute twice"
        self.tags.append(tag)
        assert tag not in _VOID, f"{tag} is not closed"
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        del attrs
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open[-1:] == [tag], f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def balanced(page):
    """The tags of a page, which are all closed."""
    reader = _Balance()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader.tags


def well_formed(shown):
    """Elements of some markup, which both readers take."""
    balanced(shown)
    return list(ElementTree.fromstring(f"<body>{shown}</body>"))


def shapes_of(element):
    """Kind, place and width of each rectangle."""
    return [(rect.get("class"), rect.get("x"), rect.get("width")) for rect in element.iter("rect")]
