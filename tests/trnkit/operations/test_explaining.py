"""The examples of the rules about files themselves: the bad one is told, the good one is not."""

from __future__ import annotations

import pytest
import yaml

from scripts.doc_pages.config_page import SMALLEST
from trnkit.operations.checking import check_files
from trnkit.operations.explaining import READER_RULES


def files(example, folder):
    """Each document of an example, with the rest of the smallest cluster file around it."""
    rest = yaml.safe_load(SMALLEST)
    for number, part in enumerate(example.split("---\n")):
        kept = {key: value for key, value in rest.items() if not f"\n{part}".count(f"\n{key}:")}
        if part.startswith("emails"):
            kept.pop("budget")
            part = "budget:\n  limit_usd: 1000\n  " + part
        path = folder / f"{number}.yaml"
        path.write_text(f"{yaml.safe_dump(kept)}{part}\n")
        yield str(path)


@pytest.mark.parametrize("rule", READER_RULES, ids=lambda rule: rule.id)
def test_the_bad_example_is_told_and_the_good_one_is_not(rule, tmp_path):
    def told(example):
        return {finding.rule_id for finding in check_files(list(files(example, tmp_path))).findings}

    assert rule.id in told(rule.bad)
    assert not told(rule.good) & {rule.id for rule in READER_RULES}
