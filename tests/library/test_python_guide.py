"""docs/python.md: every snippet runs as it is printed, in the order of the page."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.synthesis import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def title(snippet):
    """The heading above a snippet."""
    return re.findall(r"^## (.*)$", PAGE[: PAGE.index(snippet)], re.MULTILINE)[-1]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A current folder with the files that the page speaks of."""
    shutil.copy(ROOT / "examples" / "trn2-pretrain.yaml", tmp_path / "cluster.yaml")
    shutil.copy(ROOT / "examples" / "types" / "trn3-preview.json", tmp_path / "types.json")
    shutil.copy(ROOT / "examples" / "images.lock", tmp_path / "images.lock")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("no_added_types")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=title)
def test_a_snippet_runs(snippet, folder, capsys):
    exec(compile(snippet, "docs/python.md", "exec"), {"__name__": "__main__"})
    printed = capsys.readouterr().out
    if "print(" in snippet:
        assert printed


def test_the_page_has_snippets_for_every_subject():
    assert len(SNIPPETS) == PAGE.count("```python") == 8
