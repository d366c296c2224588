"""The Neuron packages that user data installs on the node itself, in versions that it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trnkit.rules.reading.node_config import shell_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DRIVER = "aws-neuronx-dkms"
RUNTIME = "aws-neuronx-runtime-lib"

_INSTALLS = re.compile(r"\b(?:apt|apt-get|dnf|yum)\b[^;|&]{0,200}?\s(?:install|downgrade)\s[^;|&]*")
# apt writes package=version, dnf and yum package-version. `2.*` names no version.
_PINNED = re.compile(
    r"(?<![\w-])(aws-neuronx-dkms|aws-neuronx-runtime-lib)[=-](\d{1,4}(?:\.\d{1,9}){1,4})"
)
# Lines of a Dockerfile, or commands inside of a container.
_ELSEWHERE = re.compile(r"^(?:RUN\s.*|.*\b(?:docker|nerdctl|ctr|podman)\b.*)$", re.MULTILINE)
# Only where the package is not there yet; or in another root, until that is left again.
_ASKS = re.compile(
    r"\bchroot\b|\bdpkg\b|\bdpkg-query\b|\brpm\s+-q|\bapt-cache\b|\b(?:dnf|yum)\s+(?:-\S+\s+)*list\b|\bmodinfo\b"
    r"|\bapt-mark\s+showhold\b|\bapt\s+list\b|neuron-ls\b|/sys/module/neuron\b"
)


_OPENS = re.compile(r"(?:if|case)\s")
_CLOSES = re.compile(r"(?:^|;\s*)(?:fi|esac)\b")


def _certain(lines: Iterable[str]) -> Iterator[str]:
    """The commands that run whatever is the case: not those below `if`, or behind `||`."""
    depth = 0
    for line in lines:
        closes = _CLOSES.search(line) is not None
        if _OPENS.match(line):
            depth += not closes
        elif depth:
            depth -= closes
        else:
            yield line.partition("||")[0]


def pinned_packages(text: str) -> dict[str, str]:
    """The versions of driver and runtime that a script puts on its node, whatever is there.

    Args:
        text: User data.

    Returns:
        Version by name of package: as much of it as is written, so `2.31` for `2.31.*`. Nothing
        for a package with several, nothing for what stands below a condition, and nothing at all
        of a script that asks what is installed.
    """
    script = "\n".join(shell_lines(text)).replace("\\\n", " ")
    if DRIVER not in script and RUNTIME not in script:
        return {}
    if _ASKS.search(script):
        return {}
    script = "\n".join(_certain(_ELSEWHERE.sub("", script).splitlines()))
    found: dict[str, set[str]] = {}
    for command in _INSTALLS.findall(script):
        for package, version in _PINNED.findall(command):
            found.setdefault(package, set()).add(version)
    return {package: versions.pop() for package, versions in found.items() if len(versions) == 1}
