"""docs/side-by-side.md: what this toolkit and other judges find of the same wrong templates."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from benchmarks.judges.explanations import PURPOSES, REASONS
from scripts.doc_pages.markdown import bullets, page, table, wrap
from tests.mutations.sweep import bodies_of
from tests.synthesis import EXAMPLES, ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.judges.comparison import Column
    from benchmarks.judges.corpus import Mistake, Origin

PAGE: Final = ROOT / "docs" / "side-by-side.md"
COMMAND: Final = "python -m benchmarks.other_judges --checkov PATH"
MISSED: Final = "-"
UNEXPLAINED: Final = "**unexplained**"
SECTIONS: Final[dict[Origin, str]] = {
    "mutations": "Silent and late mistakes",
    "refusals": "Changes that AWS refuses",
}
_GENERIC: Final = ("cfn-lint", "cloudformation-validate")
"""The judges that `trnkit lint --generic` asks too."""
_BEGIN, _END = "<!-- Made by `python -m benchmarks.other_judges`. -->", "<!-- End. -->"

_INTRO = """\
The same wrong templates before this toolkit's template rules and before judges that this project
did not write. What the others say of the right templates, and why that stands, is in
[other judges](other-judges.md) too."""

_COUNTING = (
    "**Silent and late mistakes** are made by script in the examples' templates, each in the first "
    "example where it can be made (`tests/mutations`). The rules of this toolkit claim them, so "
    "this part says what the others leave open, not how good the rules are with mistakes that "
    "nobody thought of.",
    "**Changes that AWS refuses** are refused by the [emulated AWS](rehearsal-refusals.md), whose "
    "refusals come from AWS's API models, schemas and documents, not from the rules. Some are "
    "plain schema errors, which the toolkit leaves to generic judges; some depend on what is in "
    "the account or was deployed before, which no template tells.",
    "**Found**: the judge says something, as an error or a warning, that it does not say of the "
    "template without the mistake: another rule, or the same rule at another resource or property. "
    "Whether it names the mistake itself is not asked, in favour of every judge. **Missed**: it "
    "says nothing new. Information is not counted; where the toolkit only informs, its column says "
    "so.",
    "The others judge one template at a time, so they get the one with the mistake; the toolkit "
    "gets all templates of the cluster. Each that takes a Region is told it. The CDK gets "
    "templates through `CfnInclude`, with the feature flags of `cdk.json`; where it cannot "
    "synthesize one, `synth fails` stands for a rule of its validator, and cdk-nag has nothing to "
    "judge.",
    "**In right templates**: errors and warnings about the examples' templates as they are. Of a "
    "schema they are false; what cdk-nag and checkov ask for, a cluster may have decided "
    "otherwise. checkov without its platform knows no severities; every failed check is an error.",
)

RIGHT: Final = (
    "The right templates are this project's own examples; the toolkit judges each example as one "
    "assembly, the others template by template. A 0 says that a judge is quiet about these."
)


def summary(mistakes: list[Mistake], columns: Sequence[Column]) -> str:
    """Two tables: by judge, and what each finds by subject."""
    return f"{_totals(mistakes, columns)}\n\n{wrap(RIGHT)}\n\n{_by_subject(mistakes, columns)}"


def _totals(mistakes: list[Mistake], columns: Sequence[Column]) -> str:
    everything = range(len(mistakes))
    rows: list[list[object]] = []
    for column, found in zip(columns, _found(columns, everything), strict=True):
        others = [other for other in columns if other is not column]
        alone = sum(
            bool(column.found[number]) and not any(other.found[number] for other in others)
            for number in everything
        )
        severities = Counter(said.severity for said in column.right)
        false = [severities["error"], severities["warning"]]
        rows.append([column.name, found, len(mistakes) - found, alone, *false])
    head = ["Judge", "Found", "Missed", "Found by no other", "Errors in right", "Warnings in right"]
    return table(head, rows)


def _by_subject(mistakes: list[Mistake], columns: Sequence[Column]) -> str:
    rows: list[list[object]] = []
    for origin, title in SECTIONS.items():
        chosen = _chosen(mistakes, origin)
        rows.append([f"**{title}**", len(chosen), *_found(columns, chosen)])
        for subject in _subjects(mistakes, origin):
            chosen = _chosen(mistakes, origin, subject)
            rows.append([subject, len(chosen), *_found(columns, chosen)])
    return table(["Subject", "Wrong", *(column.name for column in columns)], rows)


def render(mistakes: list[Mistake], columns: Sequence[Column], date: str) -> str:
    """The page.

    Args:
        mistakes: The wrong templates.
        columns: The judges' answers, this toolkit's first.
        date: Of the comparison.
    """
    templates = sum(len(bodies_of(path.stem)) for path in EXAMPLES)
    right = (
        f"Errors and warnings about the {templates} templates of the {len(EXAMPLES)} examples, "
        "which are right."
    )
    blocks = [
        "# Side by side with other judges",
        wrap(_INTRO),
        wrap(f"Compared on {date}. `{COMMAND}` makes this page."),
        "## Judges",
        table(
            ["Judge", "Version", "What it is for"],
            [(column.name, column.version, PURPOSES[column.name]) for column in columns],
        ),
        "## Found and missed",
        summary(mistakes, columns),
        "### How it is counted",
        bullets(_COUNTING),
        "## In right templates",
        wrap(right),
        _right(columns),
        "## What others find and the toolkit does not",
        *_others_only(mistakes, columns),
        "## What nobody finds",
        *_nobody(mistakes, columns),
    ]
    for origin, title in SECTIONS.items():
        blocks.append(f"## {title}")
        for subject in _subjects(mistakes, origin):
            chosen = _chosen(mistakes, origin, subject)
            blocks += [f"### {subject}", _rows(mistakes, columns, chosen)]
    return page(*blocks, made_by=COMMAND)


def readme_with(readme: str, mistakes: list[Mistake], columns: Sequence[Column]) -> str:
    """The README with the numbers of a comparison."""
    before, rest = readme.split(_BEGIN)
    told = wrap(readme_sentences(mistakes, columns))
    return f"{before}{_BEGIN}\n{told}\n{_END}{rest.split(_END)[1]}"


def readme_sentences(mistakes: list[Mistake], columns: Sequence[Column]) -> str:
    """What the README says of a comparison."""
    silent, refused = (_chosen(mistakes, origin) for origin in SECTIONS)
    return (
        "[Side by side](docs/side-by-side.md) with judges that this project did not write, errors "
        f"and warnings counted: of {len(silent)} silent or late mistakes, which the rules were "
        f"written for, {_each(columns, silent)}; of {len(refused)} changes that AWS refuses, plain "
        f"schema errors among them, {_each(columns, refused)}."
    )


def _each(columns: Sequence[Column], chosen: list[int]) -> str:
    first, *rest = (
        f"{column.name}{{}} {count}"
        for column, count in zip(columns, _found(columns, chosen), strict=True)
    )
    return ", ".join([first.format(" finds"), *(one.format("") for one in rest)])


def _others_only(mistakes: list[Mistake], columns: Sequence[Column]) -> tuple[str, ...]:
    ours, *others = columns
    chosen = [
        number
        for number in range(len(mistakes))
        if not ours.found[number] and any(other.found[number] for other in others)
    ]
    generic = [column for column in others if column.name in _GENERIC]
    added = [number for number in chosen if any(column.found[number] for column in generic)]
    found = _found([ours], range(len(mistakes)))[0]
    text = (
        f"Of the {len(mistakes) - found} that the toolkit misses, {len(chosen)} are found by "
        f"another judge, {len(added)} of them by {' or '.join(_GENERIC)}: that is what "
        f"`trnkit lint --generic` adds, which asks both, and with which {found + len(added)} of "
        f"{len(mistakes)} are found."
    )
    rows = [
        (_named(mistakes[number]), *(_ids(other.found[number]) for other in others))
        for number in chosen
    ]
    return wrap(text), table(["Wrong template", *(other.name for other in others)], rows)


def _nobody(mistakes: list[Mistake], columns: Sequence[Column]) -> tuple[str, ...]:
    chosen = [
        mistake
        for number, mistake in enumerate(mistakes)
        if not any(column.found[number] for column in columns)
    ]
    text = (
        f"{len(chosen)} of {len(mistakes)} are found by no judge. Of those that AWS refuses, a "
        "deployment or a rehearsal is the first to tell."
    )
    return wrap(text), bullets(
        f"{title}, {subject}: {'; '.join(ids)}"
        for origin, title in SECTIONS.items()
        for subject in _subjects(mistakes, origin)
        if (ids := [m.id for m in chosen if (m.origin, m.subject) == (origin, subject)])
    )


def _right(columns: Sequence[Column]) -> str:
    rows: list[tuple[object, ...]] = []
    for column in columns:
        counts = Counter((said.rule, said.severity) for said in column.right)
        for (rule, severity), count in sorted(counts.items()):
            rows.append((column.name, f"{rule}, {severity}", count, REASONS.get(rule, UNEXPLAINED)))
        if not counts:
            rows.append((column.name, "nothing", 0, ""))
    return table(["Judge", "Says", "Times", "Why it stands"], rows)


def _rows(mistakes: list[Mistake], columns: Sequence[Column], chosen: Iterable[int]) -> str:
    ours, *others = columns
    return table(
        ["Wrong template", "Example, stack", ours.name, *(other.name for other in others)],
        [
            (
                mistakes[number].id,
                f"{mistakes[number].example}, {mistakes[number].stack}",
                our_cell(ours, number),
                *(_ids(other.found[number]) for other in others),
            )
            for number in chosen
        ],
    )


def our_cell(column: Column, number: int) -> str:
    """Our rules that find a mistake, each with a link to what it says; else those that inform.

    Args:
        column: Of this toolkit.
        number: Of the mistake.
    """
    if column.found[number]:
        return _linked(column.found[number])
    informed = column.informed[number]
    return f"{MISSED} ({_linked(informed)} informs)" if informed else MISSED


def _linked(rules: Iterable[str]) -> str:
    return ", ".join(f"[{rule}](rules.md#{rule.lower()})" for rule in rules)


def _ids(rules: Iterable[str]) -> str:
    return ", ".join(rules) or MISSED


def _named(mistake: Mistake) -> str:
    return f"{mistake.id} ({mistake.subject})"


def _subjects(mistakes: list[Mistake], origin: Origin) -> list[str]:
    return list(dict.fromkeys(one.subject for one in mistakes if one.origin == origin))


def _chosen(mistakes: list[Mistake], origin: Origin, subject: str = "") -> list[int]:
    return [
        number
        for number, mistake in enumerate(mistakes)
        if mistake.origin == origin and mistake.subject == (subject or mistake.subject)
    ]


def _found(columns: Sequence[Column], chosen: Iterable[int]) -> list[int]:
    listed = list(chosen)
    return [sum(bool(column.found[number]) for number in listed) for column in columns]
