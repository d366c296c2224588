from __future__ import annotations

import pytest

from tests.trnkit.cli.conftest import MINIMAL
from trnkit.errors import UsageError
from trnkit.operations.checking import check_context, check_files, files_in_context


@pytest.mark.parametrize(
    ("value", "files"),
    [
        (None, ["cluster.yaml"]),
        ("a.yaml", ["a.yaml"]),
        ("a.yaml,b.yaml", ["a.yaml", "b.yaml"]),
        (" a.yaml , b b.yaml ", ["a.yaml", "b b.yaml"]),
        (["a,b.yaml", "c.yaml"], ["a,b.yaml", "c.yaml"]),
    ],
)
def test_the_context_key_names_files(value, files):
    assert files_in_context(value) == files


@pytest.mark.parametrize("value", ["", " ", ",", "a.yaml,", "a.yaml,,b.yaml", [], [""], [1], 5, {}])
def test_a_context_key_that_names_no_file_is_refused(value):
    with pytest.raises(UsageError, match="the context key config "):
        files_in_context(value)


def test_a_file_by_several_names_is_one_cluster(tmp_path):
    (tmp_path / "a.yaml").write_text(MINIMAL)
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    names = [str(tmp_path / name) for name in ("a.yaml", "link.yaml")]
    report = check_files([names[0], names[1], names[0]])
    assert report.files == (names[0],)
    assert len(report.clusters) == 1


def test_standard_input_named_twice_is_one_file_and_a_file_called_dash_is_another(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_text(MINIMAL.replace("pretrain", "dash"))
    report = check_files(["-", "./-", "-"], standard_input=MINIMAL.encode())
    assert report.files == ("<stdin>", "./-")
    assert [cluster.config.name for cluster in report.clusters] == ["pretrain", "dash"]
    assert [cluster.config.name for cluster in check_files(["-"]).clusters] == ["dash"]


def test_the_context_of_an_app_holds_files_and_suppressions(tmp_path):
    (tmp_path / "a.yaml").write_text(MINIMAL)
    values = {"config": str(tmp_path / "a.yaml"), "suppress": "TRN353=there is no Lustre here"}
    report = check_context(values.get)
    assert [entry.rule_id for entry in report.suppress] == ["TRN353"]
    assert "TRN006" not in {f.rule_id for f in report.findings}, "templates are still to come"
    with pytest.raises(UsageError, match="a reason of at least 10"):
        check_context({"config": values["config"], "suppress": "TRN353"}.get)


def test_an_unknown_id_in_the_context_stops_the_app(tmp_path):
    (tmp_path / "a.yaml").write_text(MINIMAL)
    values = {"config": str(tmp_path / "a.yaml"), "suppress": ["TRN999=there is no such rule"]}
    (finding,) = [f for f in check_context(values.get).findings if f.rule_id == "TRN006"]
    assert finding.severity == "error"
