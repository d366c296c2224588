"""Each example's templates are what they were, to the letter, but for what is scrubbed."""

from __future__ import annotations

import os

from tests.golden.scrubbing import GOLDEN, difference, scrub
from tests.synthesis import EXAMPLES, example_assembly

UPDATE = os.environ.get("TRNKIT_UPDATE_GOLDEN") == "1" and not os.environ.get("CI")


def test_templates_are_as_frozen(example, assembly):
    problems = []
    for stack, template in assembly.templates.items():
        path = GOLDEN / example.stem / f"{stack}.json"
        actual = scrub(template)
        if UPDATE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(actual)
        expected = path.read_text() if path.exists() else '{"Resources": {}}'
        if expected != actual:
            problems.append(difference(str(path.relative_to(GOLDEN)), expected, actual))
    assert not problems, "\n\n".join(problems)


def test_no_frozen_template_is_left_over():
    expected = {
        GOLDEN / path.stem / f"{stack}.json"
        for path in EXAMPLES
        for stack in example_assembly(path).templates
    }
    assert set(GOLDEN.rglob("*.json")) == expected


def test_the_boot_script_was_scrubbed_from_the_nodes_only(default_assembly):
    text = scrub(default_assembly.templates["Compute"])
    assert text.count("<assets/first_stage.sh>") == 1
    assert "lustre-client-modules" not in text
