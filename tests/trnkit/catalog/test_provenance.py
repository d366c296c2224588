"""Every fact says where it is from and when; the package is light and complete."""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from trnkit import catalog

DATA = Path(catalog.__file__).parent / "data"
DATE = re.compile(r"20\d\d(-[01]\d(-[0-3]\d)?)?")
FACT_TABLES = sorted(path.stem for path in DATA.glob("*.json") if path.stem != "sources")


def facts(value, path=""):
    """Every object of a table that carries numbers, texts or switches, with its place."""
    if isinstance(value, dict):
        if "source" in value or "date" in value:
            yield path, value
        for key, member in value.items():
            yield from facts(member, f"{path}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from facts(member, f"{path}/{index}")


def uncovered(value, path=""):
    """Places of values that no enclosing object gives a source and a date for."""
    if isinstance(value, dict):
        if "source" not in value or "date" not in value:
            for key, member in value.items():
                yield from uncovered(member, f"{path}/{key}")
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from uncovered(member, f"{path}/{index}")
    else:
        yield path


def load(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FACT_TABLES)
def test_every_fact_has_a_known_source_and_a_date(name):
    keys = {source.key for source in catalog.sources()}
    table = load(name)
    found = [entry for entry in facts(table) if entry[0]]
    assert found
    for path, entry in found:
        assert entry.get("source"), path
        assert set(entry["source"]) <= keys, path
        assert re.fullmatch(r"20\d\d-[01]\d-[0-3]\d", entry["date"]), path


@pytest.mark.parametrize("name", FACT_TABLES)
def test_no_value_is_outside_a_sourced_fact(name):
    # The table's own head: which version and day it is, and what was asked about.
    head = ("/schema", "/date", "/instance_types/", "/resource_types/", "/parameter_p")
    outside = [path for path in uncovered(load(name)) if not path.startswith(head)]
    assert outside == []


@pytest.mark.parametrize("name", FACT_TABLES)
def test_disagreements_name_a_known_source(name):
    def entries(value):
        if isinstance(value, dict):
            yield from value.get("disagreements", ())
            for member in value.values():
                yield from entries(member)
        elif isinstance(value, list):
            for member in value:
                yield from entries(member)

    for entry in entries(load(name)):
        assert catalog.find_source(entry["other_source"]), entry
        assert entry["note"]
        assert entry["value_here"] != entry["other_value"] or "offerings" in entry["field"]


def test_every_source_is_used_and_dated():
    used = "".join((DATA / f"{name}.json").read_text(encoding="utf-8") for name in FACT_TABLES)
    for source in catalog.sources():
        assert f'"{source.key}"' in used, source.key
        assert DATE.fullmatch(source.date)
        assert source.title
    assert catalog.find_source("no-such-source") is None


def test_loaded_facts_keep_source_and_date():
    values = [
        *(catalog.instance_type(name) for name in catalog.instance_type_names()),
        *(catalog.region(name) for name in catalog.region_names()),
        *catalog.lustre_tiers(),
        *catalog.service_quotas(),
        *catalog.resource_quotas(),
        catalog.budget_limits(),
        catalog.anomaly_limits(),
        *catalog.instance_prices(),
        *catalog.gpu_instances(),
        *catalog.gpu_prices(),
        *catalog.price_claims(),
        *catalog.service_items(),
        *catalog.free_items(),
        *catalog.billing_services(),
        *catalog.neuron_images(),
        *catalog.host_image_parameters(),
        catalog.root_volume_guidance(),
        catalog.chip("Trainium2"),
        catalog.node_facts(),
    ]
    for value in values:
        assert isinstance(value.source, tuple)
        assert value.source
        assert value.date


def test_every_exported_name_resolves_and_nothing_else_does():
    for name in dir(catalog):
        value = getattr(catalog, name)
        assert value.__module__.startswith("trnkit.catalog.")
        assert value.__doc__
    with pytest.raises(AttributeError, match="no_such_fact"):
        _ = catalog.no_such_fact


def test_type_checkers_are_told_the_same_names():
    text = Path(catalog.__file__).with_suffix(".pyi").read_text()
    told = [
        (node.module, name.name, name.asname)
        for node in ast.parse(text).body
        for name in node.names
    ]
    assert sorted(name for _, name, _ in told) == dir(catalog)
    for home, name, alias in told:
        assert name == alias
        assert getattr(catalog, name) is getattr(import_module(home), name)


def test_instance_types_need_the_standard_library_only():
    program = (
        "import sys, trnkit.catalog as c; c.instance_type('trn2.48xlarge');"
        "print(*sorted({m.partition('.')[0] for m in sys.modules} - set(sys.stdlib_module_names)))"
        ";print(*(m for m in sys.modules if m in ('difflib', 'importlib.resources')))"
    )
    root = Path(catalog.__file__).parents[2]
    # -I and -S keep installed packages and their start-up hooks out.
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {str(root)!r}); {program}",
    ]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.split() == ["__main__", "trnkit"] or output.split() == ["trnkit"]
