"""The house: sizes, names, who imports whom, and what must stand nowhere."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from tests.synthesis import ROOT

ROOMS = ("trnkit", "constructs_lib", "stacks", "scripts")
SOURCES = sorted(
    [ROOT / "app.py", *(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))]
)
BANNED_NAMES = {"utils", "util", "helpers", "common", "misc", "base", "constants"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def named(path):
    return str(path.relative_to(ROOT))


def test_modules_are_at_most_400_lines():
    long = {named(p): n for p in SOURCES if (n := len(p.read_text().splitlines())) > 400}
    assert not long


def test_functions_are_at_most_60_lines_without_their_docstring():
    long = {}
    for path in SOURCES:
        for node in ast.walk(tree(path)):
            if isinstance(node, FUNCTIONS):
                doc = node.body[0] if ast.get_docstring(node) else None
                lines = node.end_lineno - node.lineno + 1
                lines -= (doc.end_lineno - doc.lineno + 1) if doc else 0
                if lines > 60:
                    long[f"{named(path)}:{node.name}"] = lines
    assert not long


def test_the_app_is_at_most_40_lines():
    assert len((ROOT / "app.py").read_text().splitlines()) <= 40


def test_no_file_has_a_name_that_says_nothing():
    assert not [named(path) for path in SOURCES if path.stem in BANNED_NAMES]


def test_one_public_class_a_file_where_constructs_and_stacks_are():
    """Values that belong to a construct (NamedTuple, dataclass) may stand beside it."""
    several = {}
    for path in SOURCES:
        if path.parts[len(ROOT.parts)] not in ("constructs_lib", "stacks"):
            continue
        bases = ("Construct", "Stack", "Stage")
        constructs = [
            node.name
            for node in tree(path).body
            if isinstance(node, ast.ClassDef)
            and any(getattr(base, "id", "") in bases for base in node.bases)
        ]
        if len(constructs) > 1:
            several[named(path)] = constructs
    assert not several


def test_efa_13_no_dict_stands_where_cdk_has_a_struct():
    """`CfnX(..., y={"a_b": 1})` loses keys in silence; policy documents are plain JSON."""
    plain_json = {"cost_filters", "conditions"}
    found = []
    for path in SOURCES:
        for call in (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call)):
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if not (name.startswith("Cfn") or name.endswith("Property")):
                continue
            found += [
                f"{named(path)}:{keyword.value.lineno} {name}({keyword.arg}=...)"
                for keyword in call.keywords
                if isinstance(keyword.value, ast.Dict) and keyword.arg not in plain_json
            ]
    assert not found


def test_nothing_swallows_every_exception_but_the_command_lines_edge():
    """A handler that raises again, or hands the error on, swallows nothing. A check on a node is
    an edge.
    """
    on_nodes = "constructs_lib/compute/assets/node"
    # Of a thread: what it raised is kept, and told or raised where it is waited for.
    threads = "trnkit/operations/preflight/running.py"
    edges = ("trnkit/cli/main.py", threads, f"{on_nodes}/trn-node-check/trn_node_check/program.py")

    def hands_on(handler):
        last = handler.body[-1]
        named = any(isinstance(n, ast.Name) and n.id == handler.name for n in ast.walk(last))
        # To who waits for a thread: `Future.set_exception(error)`, `Queue.put(error)`.
        to_who_waits = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)
        to_who_waits = to_who_waits and getattr(last.value.func, "attr", "") in (
            "put",
            "set_exception",
        )
        return named and (isinstance(last, ast.Raise | ast.Return) or to_who_waits)

    found = [
        f"{named(path)}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or getattr(node.type, "id", "") in ("Exception", "BaseException"))
        and named(path) not in edges
        and not (isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None)
        and not hands_on(node)
    ]
    assert not found


def test_imports_keep_to_the_rooms():
    run = subprocess.run(
        [str(ROOT / ".venv" / "bin" / "lint-imports"), "--no-cache"]
        if (ROOT / ".venv" / "bin" / "lint-imports").exists()
        else [sys.executable, "-m", "importlinter.cli", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert " 0 broken" in run.stdout


def test_constructs_and_stacks_read_no_environment():
    """What is below assets is no construct: it runs on nodes."""
    found = []
    for path in SOURCES:
        if path.parts[len(ROOT.parts)] not in ("constructs_lib", "stacks"):
            continue
        if "assets" in path.parts:
            continue
        text = path.read_text()
        found += [
            f"{named(path)}: {word}"
            for word in ("os.environ", "getenv", "import boto3", "import yaml", "import requests")
            if word in text
        ]
    assert not found


def tracked():
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_package_registry_is_named_anywhere():
    """Locks carry versions and hashes; where packages come from is the installer's affair."""
    dot = r"\."
    hosts = re.compile("(py" + "pi|python" + "hosted|npm" + f"js){dot}org", re.IGNORECASE)
    found = [named(p) for p in tracked() if hosts.search(p.read_text(errors="replace"))]
    assert not found


def test_accounts_in_the_project_are_aws_documentations_own():
    allowed = {"111122223333", "123456789012", "012345678901", "000000000000"}
    number = re.compile(r"(?<![\w.])[0-9]{12}(?![\w.])")
    found = {}
    for path in tracked():
        if path.name in ("package-lock.json", "requirements.lock"):
            continue
        extra = set(number.findall(path.read_text(errors="replace"))) - allowed
        if extra:
            found[named(path)] = extra
    assert not found


def test_addresses_in_the_project_are_of_example_domains():
    mail = re.compile(r"[\w.+-]+@([\w-]+\.)+[a-zA-Z]{2,}")
    found = {}
    for path in tracked():
        if path.suffix in (".lock", ".json") and "golden" not in path.parts:
            continue
        hits = {
            m.group(0)
            for m in mail.finditer(path.read_text(errors="replace"))
            if not re.search(r"example\.(com|org|net)$", m.group(0))
        }
        if hits:
            found[named(path)] = hits
    assert not found
