"""The documentation says what the code does: pages in sync, links whole, snippets that run."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import jsonschema
import pytest
import yaml

from scripts.doc_pages.config_page import SMALLEST
from scripts.doc_pages.markdown import slug
from scripts.generate_docs import PAGES, difference
from tests.synthesis import EXAMPLES, ROOT
from trnkit.cli.main import verbs
from trnkit.config import read_cluster
from trnkit.config.yaml_reader import read_yaml
from trnkit.errors import ConfigurationError
from trnkit.findings import has_errors
from trnkit.operations.starter import starter_text
from trnkit.rules import check_cluster, list_rules

MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCHEMA = json.loads((ROOT / "trnkit/config/cluster.schema.json").read_text(encoding="utf-8"))


def named(path):
    return str(path.relative_to(ROOT))


def without_code(text):
    return re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def anchors(path):
    seen = {}
    found = set()
    for heading in re.findall(r"^#+ (.+)$", without_code(path.read_text()), flags=re.MULTILINE):
        name = slug(heading)
        count = seen[name] = seen.get(name, -1) + 1
        found.add(f"{name}-{count}" if count else name)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_generated_pages_are_in_sync(name):
    assert not difference(name), "run `make docs`"


def test_generated_pages_say_that_they_are():
    for name in PAGES:
        assert "Made by `make docs`" in (ROOT / name).read_text()


@pytest.mark.parametrize("path", MARKDOWN, ids=named)
def test_relative_links_and_anchors_resolve(path):
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        page = (path.parent / file).resolve() if file else path
        if not page.exists() or (anchor and anchor not in anchors(page)):
            broken.append(target)
    assert not broken


def test_every_page_can_be_reached_from_the_readme():
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        page = todo.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in re.findall(r"\]\(([^)\s#]+)", without_code(page.read_text())):
            linked = (page.parent / target).resolve()
            if linked.suffix == ".md" and linked.is_file():
                todo.append(linked)
    assert not [named(page) for page in MARKDOWN if page not in reached]


def test_every_page_is_in_the_readmes_list():
    listed = README.partition("## Further\n")[2]
    pages = sorted((ROOT / "docs").glob("*.md"))
    assert not [named(page) for page in pages if f"({named(page)})" not in listed]


def test_the_readmes_picture_has_every_stack_of_the_guarded_example():
    drawn = set(re.findall(r"─ pretrain-(\w+)", README))
    made = {path.stem for path in (ROOT / "tests/golden/templates/guarded-spend").glob("*.json")}
    assert {"Guard"} <= made
    assert made - drawn == set()


def test_the_readmes_python_runs(tmp_path):
    (snippet,) = blocks(README, "python")
    run = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.startswith("17 interfaces a node")


def test_the_readmes_and_the_config_pages_smallest_file_is_complete():
    (in_readme,) = blocks(README, "yaml")
    assert in_readme == SMALLEST
    assert not has_errors(check_cluster(read_cluster(SMALLEST, "smallest.yaml")))


@pytest.mark.parametrize("key", ["name", "region", "compute", "budget"])
def test_the_smallest_file_is_the_smallest(key):
    less = {name: value for name, value in yaml.safe_load(SMALLEST).items() if name != key}
    with pytest.raises(ConfigurationError):
        read_cluster(yaml.safe_dump(less), "less.yaml")


def test_the_command_lines_verbs_are_in_the_readme_and_the_readmes_exist():
    named_there = set(
        re.findall(r"\btrnkit ([a-z][a-z-]*)", " ".join([*blocks(README, "sh"), *spans()]))
    )
    assert named_there <= set(verbs())
    assert set(verbs()) <= named_there


def spans():
    return re.findall(r"`([^`\n]+)`", without_code(README))


def test_the_readmes_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    texts = [README, (ROOT / "CONTRIBUTING.md").read_text()]
    named_there = {name for text in texts for name in re.findall(r"`make ([a-z]+)", text)}
    assert {"rehearse", "test", "docs", "lint"} <= named_there <= targets


def test_every_example_is_in_the_readme():
    assert not [path.name for path in EXAMPLES if f"(examples/{path.name})" not in README]


def test_rules_in_the_readme_exist_and_say_what_it_quotes():
    known = {rule.id for room in ("config", "template", "document") for rule in list_rules(room)}
    known |= {f"TRN00{number}" for number in range(1, 8)}
    assert set(re.findall(r"TRN[0-9]{3}\b", README)) <= known


def quoted(what):
    """The rows of the README's table about the cluster file."""
    return re.search(rf"\| `[^|]*{re.escape(what)}[^|]*\| (.+) \|", README)[1]


@pytest.mark.parametrize(
    ("change", "row"),
    [
        ({"network": {"availability_zone_id": "us-east-2c"}}, "availability_zone_id"),
        ({"region": "us-east-1"}, "region: us-east-1"),
        (
            {
                "region": "sa-east-1",
                "compute": {
                    "node_groups": [{"name": "dev", "instance_type": "trn2.3xlarge", "count": 1}]
                },
                "storage": {"lustre_file_systems": [{"name": "fsx", "storage_capacity_gib": 1200}]},
            },
            "region: sa-east-1",
        ),
        (
            {"budget": {"limit_usd": 1, "emails": ["a@example.com"], "services": ["FSx"]}},
            "services: [FSx]",
        ),
        (
            {"storage": {"lustre_file_systems": [{"name": "fsx", "throughput": 250}]}},
            "throughput: 250",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_messages_quoted_in_the_readme_are_real(change, row):
    text = yaml.safe_dump(yaml.safe_load(SMALLEST) | change)
    try:
        findings = check_cluster(read_cluster(text, "cluster.yaml"))
    except ConfigurationError as error:
        findings = error.findings
    said = [f"{finding.message}; {finding.hint}" for finding in findings]
    assert any(quoted(row) in line for line in said), said


def claimed():
    section = README.partition("## What it catches")[2].partition("In cluster files")[0]
    return sorted(set(re.findall(r"\[(TRN[0-9]{3})\]", section)))


@pytest.mark.parametrize("rule_id", claimed())
def test_other_linters_let_through_what_the_readme_says_they_do(rule_id):
    (rule,) = (rule for rule in list_rules("template") if rule.id == rule_id)
    assert cfn_lint(rule.bad) <= cfn_lint(rule.good)
    assert cloudformation_validate(rule.bad) <= cloudformation_validate(rule.good)


def cfn_lint(template):
    from cfnlint.api import lint
    from cfnlint.config import ManualArgs

    return {match.rule.id for match in lint(template, config=ManualArgs(regions=["us-east-2"]))}


def cloudformation_validate(template):
    from cloudformation_validate import CompositeEngine

    report = CompositeEngine().validate_template(template.encode())
    return {str(found.rule_id) for found in report.diagnostics}


def editor(text):
    """What an editor with the schema marks in a file."""
    return list(jsonschema.Draft7Validator(SCHEMA).iter_errors(read_yaml(text, "f").data))


def test_the_schema_is_one():
    kind = jsonschema.Draft7Validator
    assert [error.message for error in kind(kind.META_SCHEMA).iter_errors(SCHEMA)] == []
    assert jsonschema.validators.validator_for(SCHEMA) is kind


def test_the_schema_accepts_the_examples_and_the_starter():
    texts = [path.read_text() for path in EXAMPLES]
    texts += [SMALLEST, starter_text(), f"account: 123456789012\n{SMALLEST}"]
    assert [error.message for text in texts for error in editor(text)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        SMALLEST + "regoin: us-east-2\n",
        SMALLEST.replace("count: 1", 'count: "1"'),
        SMALLEST.replace("count: 1", "count: -1"),
        SMALLEST.replace("name: dev", "name: Dev"),
        SMALLEST.replace("emails: [ml-platform@example.com]", "emails: []"),
        SMALLEST + "version: 2\n",
        SMALLEST + "tags: {'aws:x': y}\n",
        SMALLEST + "account: '12345'\n",
        SMALLEST.replace("region: us-east-2\n", ""),
    ],
)
def test_the_schema_refuses_what_the_model_refuses(wrong):
    assert editor(wrong)
    with pytest.raises(ConfigurationError):
        read_cluster(wrong, "wrong.yaml")


def test_every_key_of_the_schema_is_described():
    for section in (SCHEMA, *SCHEMA["$defs"].values()):
        assert section["additionalProperties"] is False
        for name, value in section["properties"].items():
            assert value.get("description"), name


def test_nobody_is_sent_to_a_package_index_that_does_not_have_this():
    pages = [*MARKDOWN, *(ROOT / "trnkit").rglob("*.py")]
    plain = re.compile(r"""pip install ["']?trnkit(?!\S* @ git\+https://git\.example\.com/)""")
    elided = re.compile(r"""pip install "trnkit\S* @ git\+https://\.\.\.""")
    for page in pages:
        text = elided.sub("", page.read_text(encoding="utf-8"))
        assert not plain.search(text), page
    for name in ("README.md", "docs/ci.md", "docs/python.md"):
        assert "trnkit is on no package index" in (ROOT / name).read_text(encoding="utf-8"), name
