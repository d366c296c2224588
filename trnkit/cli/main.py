"""Entry point of `trnkit`.

The verbs are the files of `commands/`, found by name and imported only when they are used.
"""

from __future__ import annotations

import sys

_INTERRUPTED = 130

try:
    import atexit
    import contextlib
    import gc
    import itertools
    import os
    import signal
    from typing import TYPE_CHECKING, Any

    from trnkit.cli.output import (
        OutputError,
        complain,
        emit,
        explain,
        settle_streams,
        survive_narrow_encodings,
    )
    from trnkit.cli.quick_check import quick_check
    from trnkit.cli.start_up import skip_plugin_search
except KeyboardInterrupt:  # Importing takes a while; there is nothing to say of it yet.
    exec("")  # noqa: S102 - see main()
    sys.exit(_INTERRUPTED)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer import Typer


def main() -> None:
    """Run the command line on this process's arguments, and exit."""
    try:
        survive_narrow_encodings()
        skip_plugin_search()
        # A check is short and its input bounded: looking for cycles would cost more than it frees.
        gc.disable()
        code = run(sys.argv[1:])
        settle_streams()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    # CPython remembers that an interrupt left an `exec` of a text, as dataclasses have, even though
    # it was caught, and would end by the signal whatever the exit code. The next one clears that.
    exec("")  # noqa: S102
    # Taking the interpreter down takes a while; nothing is left to interrupt then.
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    # What is alive now dies with the process, and is not worth a last look either.
    gc.freeze()
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command line.

    Args:
        arguments: Without the program's name.

    Returns:
        The exit code: 0 clean, 1 errors found or failed, 2 usage or unreadable input, 3 AWS.
    """
    try:
        code = quick_check(arguments)
        return _run_typer(arguments) if code is None else code
    except KeyboardInterrupt:
        complain("interrupted")
        return _INTERRUPTED
    except Exception as error:
        if os.environ.get("TRNKIT_DEBUG") == "1":
            raise
        return _report(error, arguments)


def _run_typer(arguments: Sequence[str]) -> int:
    from typer.main import get_command

    gc.enable()
    command = get_command(make_app())
    try:
        code = command.main(args=list(arguments), prog_name="trnkit", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return code if isinstance(code, int) else 0


def _report(error: Any, arguments: Sequence[str]) -> int:
    """Say what ended a command; who asked for JSON gets an object all the same."""
    if not hasattr(error, "format_message"):
        from trnkit.hidden_values import without_secrets

        code, message = explain(error)
        message = without_secrets(message)
        if not _wants_json(arguments) or isinstance(error, OutputError):
            complain(message)
            return code
    else:  # Typer's: wrong usage. It shows the usage line too.
        code, message = error.exit_code, f"error: {error.format_message()}"
        with contextlib.suppress(OSError):
            error.show()
        if not _wants_json(arguments):
            return code
    from trnkit.cli.output import show_json

    finding = getattr(error, "finding", None)
    failure = message.removeprefix("error: ")
    kind = getattr(error, "kind", None)
    more = {} if kind is None else {"kind": kind}
    show_json([] if finding is None else [finding], {"failure": failure, **more})
    return code


def _wants_json(arguments: Sequence[str]) -> bool:
    pairs = itertools.pairwise(arguments)
    return "--format=json" in arguments or ("--format", "json") in pairs


def verbs() -> tuple[str, ...]:
    """The verbs there are, without importing one."""
    import pkgutil

    from trnkit.cli import commands

    names = (module.name for module in pkgutil.iter_modules(commands.__path__))
    return tuple(sorted(name.replace("_", "-") for name in names))


def make_app() -> Typer:
    """The Typer application with all verbs, each imported when it is first used."""
    import typer

    from trnkit.cli.verb_group import VerbGroup

    app = typer.Typer(
        cls=VerbGroup,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog="Exit codes: 0 clean, 1 errors found or failed, 2 usage or unreadable input, 3 AWS "
        "refused. To begin: trnkit init, then trnkit check cluster.yaml",
    )
    version_option = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    )

    @app.callback()
    def trnkit(version: bool = version_option) -> None:  # pyright: ignore[reportUnusedFunction]
        """Provision AWS Trainium clusters with the CDK, from one YAML file."""

    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        import typer

        from trnkit import __version__

        emit(f"trnkit {__version__}")
        raise typer.Exit


def __getattr__(name: str) -> Any:
    """`app`, the Typer application; made on demand because `trnkit check` does without it."""
    if name == "app":
        return make_app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    main()
