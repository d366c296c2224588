"""The parts of a node's user data: settings as cloud-config, and what runs the boot scripts."""

from __future__ import annotations

import base64
import bz2
import re
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from constructs_lib.compute.node_bundle import NodeBundle

_ASSETS = Path(__file__).parent / "assets"
# Base 85 is shorter than Base64, but has letters that look like a template's ${...} or a shell's.
_NO_DOLLARS = {ord("$"): ",", ord("{"): "."}
# Mail allows 998 letters a line.
_LINE = 900
_COMMENT = re.compile(r"\n[ ]*#[^\n]*")

INLINE_STEPS = (
    "packages",
    "environment",
    "kernel",
    "hosts",
    "instance_store",
    "mounts",
    "lustre",
    "home",
    "s3",
    "compile_cache",
)
"""Steps that user data may bring along, in the order of their files."""

# Should a service add a cloud-config part of its own, both lists of files are written.
_HEAD = """\
#cloud-config
merge_how:
  - {name: list, settings: [append]}
  - {name: dict, settings: [no_replace, recurse_list]}
write_files:
"""


def cloud_config(files: Mapping[str, str]) -> str:
    """A cloud-config that writes files before any script runs.

    Args:
        files: Their contents by path; a content may hold tokens, which must not bring new lines.
    """
    entries = (
        f'  - path: {path}\n    permissions: "0644"\n    content: |\n'
        f"{textwrap.indent(content, ' ' * 6)}\n"
        for path, content in files.items()
    )
    return _HEAD + "".join(entries)


def first_stage(bundle: NodeBundle) -> str:
    """A script that fetches the bundle, checks each of its files, and boots."""
    known = {
        "TRNKIT_REGION": bundle.region,
        "TRNKIT_BUNDLE_BUCKET": bundle.bucket_name,
        "TRNKIT_BUNDLE_KEY": bundle.object_key,
        "TRNKIT_BUNDLE_VERSION": bundle.version,
        "TRNKIT_BUNDLE_SHA256": bundle.digest,
    }
    lines = [f"{name}={shlex.quote(value)}" for name, value in known.items()]
    return "\n".join(["#!/usr/bin/env bash", *lines, without_comments(_read("first_stage.sh"))])


@cache
def inline_stage(steps: Sequence[str]) -> str:
    """A script that holds boot scripts and runs them.

    They are compressed by bzip2, whose output is the same everywhere, as zlib's is not.

    Args:
        steps: Names of the steps.
    """
    joined = "#!/usr/bin/env bash\n" + without_comments(joined_scripts(steps))
    packed = base64.b85encode(bz2.compress(joined.encode(), 9)).decode().translate(_NO_DOLLARS)
    wrapped = "\n".join(packed[at : at + _LINE] for at in range(0, len(packed), _LINE))
    return _COMMENT.sub("", _read("inline_stage.sh")).replace("@SCRIPTS@", wrapped)


def joined_scripts(steps: Sequence[str]) -> str:
    """The boot as one script, with the unit of the service for later boots.

    Args:
        steps: Names of the steps.
    """
    head = "set -u -o pipefail\nexport LC_ALL=C\n"
    parts = ["lib.sh", "report.sh", *(f"steps/{step}.sh" for step in steps), "main.sh"]
    texts = [_read(f"node/{part}") for part in parts]
    unit = _read("node/systemd/trnkit-boot.service")
    service = f"boot_unit() {{\n  cat <<'END'\n{unit}END\n}}"
    return "\n".join([head, *texts, service, "main\n"])


def _read(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def without_comments(script: str) -> str:
    """A shell script without lines that are comments: user data is short of room."""
    return _COMMENT.sub("", "\n" + script).lstrip("\n")
