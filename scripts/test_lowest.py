"""Runs the tests with the lowest version of every dependency that pyproject.toml allows.

`make test-lowest` makes an environment of its own in build/lowest, which needs a package index, and
runs in it what the ranges are about: the domain, the constructs, the stacks, and the constructs in
apps of other people. Test tools are those of requirements.lock. What fails here says that a range
promises too much.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("hypothesis", "jsonschema", "moto", "packaging", "pytest")
"""What the tests below need beside the dependencies; in the locked versions."""
TESTS = (
    "tests/trnkit",
    "tests/constructs_lib",
    "tests/stacks",
    "tests/contracts/test_library.py",
    "tests/golden/test_templates.py",
    "tests/library/test_composition.py",
    "tests/library/test_python_guide.py",
)
NOT_ABOUT_RANGES = (
    "tests/trnkit/catalog/test_lustre.py::"
    "test_intelligent_tiering_has_throughput_instead_of_capacity",
    "tests/trnkit/catalog/test_regions.py::"
    "test_resource_types_are_those_of_the_cloudformation_registry",
)
"""These compare the catalogue with data inside boto3 and cfn-lint, which the lowest lack."""
_RANGE = re.compile(r"(?P<name>[A-Za-z0-9._-]+)>=(?P<lowest>[0-9.]+),<[0-9]+")
_PIN = re.compile(r"^(?P<name>[a-z0-9._-]+)==(?P<version>[^\s;\\]+)", re.MULTILINE)


def lowest_versions() -> list[str]:
    """`name==version` of the lower end of every dependency's range.

    Raises:
        ValueError: A dependency has no such range.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines: list[str] = project["dependencies"]
    found = [_RANGE.fullmatch(line) for line in lines]
    pins = [f"{match['name']}=={match['lowest']}" for match in found if match]
    if len(pins) < len(lines):
        raise ValueError(f"not every dependency is name>=lowest,<next: {lines}")
    return pins


def locked_tools() -> list[str]:
    """`name==version` of the test tools, as requirements.lock has them."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pins = {match["name"]: match["version"] for match in _PIN.finditer(lock)}
    return [f"{name}=={pins[name]}" for name in TOOLS]


def main() -> int:
    """Make the environment and run the tests in it."""
    folder = ROOT / "build" / "lowest"
    venv.create(folder, with_pip=True, clear=True)
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    pins = lowest_versions()
    print("lowest:", *pins, flush=True)
    subprocess.run([*pip, "install", "--quiet", *pins, *locked_tools()], check=True)
    subprocess.run([*pip, "check"], check=True)
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    skipped = [f"--deselect={test}" for test in NOT_ABOUT_RANGES]
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *skipped, *TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
