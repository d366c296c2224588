"""A Typer group whose commands are the modules of `trnkit.cli.commands`, imported on demand."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any, NoReturn

from typer.core import TyperGroup
from typer.main import get_command


class _Verbs(MutableMapping[str, Any]):
    """Verb -> command. Listing the verbs imports none of them."""

    def __init__(self) -> None:
        from trnkit.cli.main import verbs

        self._names = verbs()

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return get_command(import_module(f"trnkit.cli.commands.{name.replace('-', '_')}").app)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __setitem__(self, name: str, command: Any) -> NoReturn:
        raise TypeError("a verb is added as a file in trnkit/cli/commands")

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError("a verb is removed with its file in trnkit/cli/commands")


class VerbGroup(TyperGroup):
    """Typer's group, with lookup and suggestions from the folder of verbs."""

    def __init__(self, **options: Any) -> None:
        """Take Typer's options; its list of commands is empty and is replaced."""
        super().__init__(**options)
        self.commands = _Verbs()

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs, for the help page."""
        return list(self.commands)
