"""Which rules there are: every file of the rooms' folders has one."""

from __future__ import annotations

import functools
import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trnkit.rules.rule import Rule


@functools.cache
def list_rules(room: Literal["config", "template", "document"]) -> tuple[Rule, ...]:
    """Every rule of a room, by id. Each file of its folders has a `RULE`."""
    folder = Path(__file__).parent / room
    names = sorted(f"{path.parent.name}.{path.stem}" for path in folder.glob("*/[!_]*.py"))
    modules = [importlib.import_module(f"trnkit.rules.{room}.{name}") for name in names]
    rules: list[Rule] = [module.RULE for module in modules]
    return tuple(sorted(rules, key=lambda rule: rule.id))


def rule_ids(room: Literal["config", "template", "document"]) -> tuple[str, ...]:
    """Ids of the rules of a room, in order."""
    return tuple(rule.id for rule in list_rules(room))
