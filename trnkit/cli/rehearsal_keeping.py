"""`trnkit rehearse --keep`: the emulated AWS stays, and other tools are told of it."""

from __future__ import annotations

import os
import shlex
import sys
import time
from typing import TYPE_CHECKING

from trnkit.cli.output import complain, is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trnkit.emulation.process import EmulatedAws

_MISLEADING = (
    "AWS_CA_BUNDLE",
    "AWS_DEFAULT_PROFILE",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
)
"""Variables that lead tools elsewhere whatever the others say."""


def lines_of(variables: Mapping[str, str], environ: Mapping[str, str]) -> list[str]:
    """Lines for a shell, after which AWS tools talk to the emulated AWS and to nothing else.

    Args:
        variables: The environment of such tools.
        environ: The user's environment, whose other settings for AWS tools are taken back.
    """
    others = {name for name in environ if name.startswith("AWS_")} | {*_MISLEADING}
    unset = " ".join(sorted(others - set(variables)))
    exports = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    return [f"unset {unset}", *exports]


def stay(aws: EmulatedAws, regions: Sequence[str], say: Callable[[str], None]) -> bool:
    """Wait for Ctrl-C.

    Args:
        aws: What is kept.
        regions: The regions that were deployed to, that of the cluster first.
        say: Told how to use it.

    Returns:
        Whether it was there to the end.
    """
    lines = [
        "",
        f"the emulated AWS stays until Ctrl-C (or: kill {os.getpid()}), as the last step left it",
        "for your own tools, in another terminal:",
        *lines_of(aws.variables(regions[0]), os.environ),
    ]
    try:
        for line in lines:
            say(line)
        while aws.alive:
            time.sleep(0.2)
    except KeyboardInterrupt:
        if is_terminal(sys.stderr):
            complain("")
        complain("ending the emulated AWS")
        return True
    complain(f"error: {aws.trouble('--keep')}")
    return False
