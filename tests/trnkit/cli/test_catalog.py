from __future__ import annotations

import json

import pytest

from tests.synthesis import ROOT
from trnkit.catalog import instance_type_names


def test_the_list_has_every_type(trnkit):
    ran = trnkit("catalog", "list")
    assert ran.code == 0
    names = [line.split()[0] for line in ran.out.splitlines()[1:]]
    assert names == list(instance_type_names())


def test_the_list_as_json(trnkit):
    content = json.loads(trnkit("catalog", "list", "--format", "json").out)
    assert (content["schema"], content["findings"]) == (1, [])
    assert [entry["name"] for entry in content["instance_types"]] == list(instance_type_names())


def test_images_are_listed_with_who_may_use_them(trnkit):
    ran = trnkit("catalog", "images")
    assert ran.code == 0
    rows = {line.split()[0]: line for line in ran.out.splitlines() if line}
    assert "ecs, batch" in rows["ecs-neuron"]
    assert "/dev/xvda" in rows["ecs-neuron"]
    assert "no Neuron node" in rows["pcs-sample"]
    assert rows["2.33.0"].split() == ["2.33.0", "2026-10-19", "2.31.7.0", "2.35.30.0"]
    assert rows["2.27.0"].split()[2] == "-"
    assert "2.31.1" in next(line for line in ran.out.splitlines() if "pytorch-2.9/" in line)


def test_images_as_json(trnkit):
    content = json.loads(trnkit("catalog", "images", "--format", "json").out)
    assert [kind["name"] for kind in content["kinds"]][:2] == ["neuron-dlami", "eks-neuron"]
    keys = {source["key"] for source in content["sources"]}
    assert all(set(kind["source"]) <= keys for kind in content["kinds"])
    assert {release["version"] for release in content["releases"]} >= {"2.30.0", "2.33.0"}


@pytest.mark.parametrize("name", instance_type_names())
def test_every_type_can_be_shown_in_both_formats(trnkit, name):
    assert trnkit("catalog", "show", name).out.startswith(f"{name}  (as of ")
    content = json.loads(trnkit("catalog", "show", name, "--format", "json").out)
    assert content["instance_type"]["name"] == name


def test_neighbouring_cards_with_the_same_interface_are_one_row(trnkit):
    ran = trnkit("catalog", "show", "trn2.48xlarge")
    assert "17 interfaces of a node, layout ena-primary\n" in ran.out
    assert "  cards 1 to 15  device 0  efa-only\n" in ran.out
    assert "sources disagree\n  device_memory_gib_per_chip" in ran.out


def test_an_unknown_type_gets_the_nearest(trnkit):
    ran = trnkit("catalog", "show", "trn2.48xlrge")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean trn2.48xlarge" in ran.err


def test_a_type_of_a_file_is_shown_as_it_would_be_built(trnkit):
    types = str(ROOT / "examples" / "types" / "trn3-preview.json")
    ran = trnkit("catalog", "show", "trn3-example.48xlarge", "--file", types)
    assert ran.code == 0
    assert "  cards 1 to 16  device 0  efa-only\n" in ran.out
    assert trnkit("catalog", "show", "trn3-example.48xlarge", "--file", "nowhere.json").code == 2
