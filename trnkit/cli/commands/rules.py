"""`trnkit rules`."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from trnkit.cli.output import DataFormat, emit, show_json
from trnkit.errors import UsageError
from trnkit.report.words import columns

if TYPE_CHECKING:
    from trnkit.rules.rule import Rule

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(epilog="Examples: trnkit rules TRN201; trnkit rules vcpu-quota")
def rules(
    rule_id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="Explain this rule, or the check of this id or name."),
    ] = None,
    data_format: Annotated[
        DataFormat, typer.Option("--format", help="How to write them.")
    ] = "text",
) -> None:
    """List the rules and the checks of an account, or explain one.

    What must hold, why, on which page it rests; a good and a bad example of a rule, the permissions
    of a check.
    """
    from trnkit.operations.explaining import (
        applies_to,
        explained_rules,
        find_rule,
        listed_title,
        near_names,
        rule_as_dict,
    )

    known = explained_rules()
    if rule_id is None:
        chosen = known
    elif found := find_rule(rule_id, known):
        chosen = (found,)
    else:
        close = near_names(rule_id, known)
        hint = f"; did you mean {' or '.join(close)}?" if close else "; trnkit rules lists them"
        raise UsageError(f"there is no rule {rule_id!r}{hint}")
    if data_format == "json":
        show_json(extra={"rules": [rule_as_dict(rule) for rule in chosen]})
    elif rule_id is None:
        emit(columns([(r.id, r.severity.value, applies_to(r), listed_title(r)) for r in chosen]))
    else:
        emit(_explanation(chosen[0], applies_to(chosen[0])))


def _explanation(rule: Rule, target: str) -> str:
    from trnkit.operations.preflight.check import CheckRule

    parts = [
        f"{rule.id}  {rule.title}",
        f"{rule.severity.value}, judges: {target}",
        textwrap.fill(rule.why, width=100),
        f"source: {rule.source}",
    ]
    if isinstance(rule, CheckRule):
        parts += [
            f"asks with: {', '.join(rule.permissions) or 'no permission'}",
            f"alone: trnkit preflight cluster.yaml --only {rule.name}",
        ]
    else:
        parts += [
            "good:\n" + textwrap.indent(textwrap.dedent(rule.good).strip("\n"), "    "),
            "bad:\n" + textwrap.indent(textwrap.dedent(rule.bad).strip("\n"), "    "),
        ]
    return "\n\n".join(parts)
