"""What every rule owes its reader: documentation, and examples that behave as it says."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import trnkit.rules
from tests.trnkit.rules.judging import judge_cluster, judge_documents, judge_template, of_rule
from trnkit.findings import Severity
from trnkit.rules import ConfigRule, DocumentRule, Rule, TemplateRule, list_rules

CONFIG = list_rules("config")
TEMPLATE = list_rules("template")
DOCUMENT = list_rules("document")
EVERY = [*CONFIG, *TEMPLATE, *DOCUMENT]
KINDS = {"config": ConfigRule, "template": TemplateRule, "document": DocumentRule}
SUBJECTS = {
    "network": "1",
    "compute": "2",
    "storage": "3",
    "cost": "4",
    "orchestration": "5",
    "observability": "6",
    "training": "7",
    "stacks": "8",
}

# An id is never reused: one that leaves this list goes into the changelog, and stays free.
CONFIG_IDS = [
    *("TRN101", "TRN102", "TRN103"),
    *("TRN110", "TRN111", "TRN112", "TRN113", "TRN114", "TRN115", "TRN116", "TRN117"),
    *("TRN118", "TRN119"),
    *("TRN120", "TRN121", "TRN122"),
    *("TRN201", "TRN202", "TRN203", "TRN204", "TRN205", "TRN206", "TRN207", "TRN208"),
    "TRN209",
    *("TRN210", "TRN211", "TRN212", "TRN213", "TRN214", "TRN215", "TRN216", "TRN217"),
    *("TRN218", "TRN219"),
    *("TRN220", "TRN221", "TRN222", "TRN223", "TRN224", "TRN225", "TRN226", "TRN227"),
    *("TRN228", "TRN229"),
    *("TRN240", "TRN241", "TRN247", "TRN248", "TRN249"),
    "TRN250",
    *("TRN280", "TRN281", "TRN282", "TRN283", "TRN284"),
    *("TRN295", "TRN296"),
    *("TRN301", "TRN302", "TRN303", "TRN304", "TRN305", "TRN306", "TRN307"),
    *("TRN310", "TRN311", "TRN312", "TRN313", "TRN314", "TRN315", "TRN316", "TRN317"),
    *("TRN318", "TRN319"),
    *("TRN320", "TRN321", "TRN322", "TRN323", "TRN324", "TRN325", "TRN326", "TRN327"),
    *("TRN380", "TRN381", "TRN382", "TRN383", "TRN384"),
    *("TRN401", "TRN402", "TRN403", "TRN404", "TRN405", "TRN406"),
    *("TRN410", "TRN411", "TRN412", "TRN413", "TRN414", "TRN415", "TRN416", "TRN417"),
    *("TRN418", "TRN419"),
    *("TRN420", "TRN421", "TRN422", "TRN423", "TRN424", "TRN425", "TRN426", "TRN427"),
    *("TRN428", "TRN429"),
    *("TRN430", "TRN431", "TRN432", "TRN433", "TRN434", "TRN435", "TRN436", "TRN437"),
    *("TRN438", "TRN439"),
    *("TRN440", "TRN441", "TRN442", "TRN443", "TRN444", "TRN445", "TRN446", "TRN447"),
    *("TRN448", "TRN449"),
    "TRN601",
]
TEMPLATE_IDS = [
    *("TRN151", "TRN152", "TRN153", "TRN154", "TRN155"),
    *("TRN160", "TRN161", "TRN162", "TRN163", "TRN164", "TRN165", "TRN166", "TRN167"),
    *("TRN168", "TRN169"),
    *("TRN170", "TRN171", "TRN172", "TRN173", "TRN174", "TRN175"),
    *("TRN194", "TRN195", "TRN196", "TRN197", "TRN198", "TRN199"),
    *("TRN251", "TRN252", "TRN253", "TRN254", "TRN255", "TRN256", "TRN257", "TRN258"),
    "TRN259",
    *("TRN260", "TRN261", "TRN262", "TRN263", "TRN264", "TRN265", "TRN266", "TRN267"),
    *("TRN268", "TRN269"),
    *("TRN270", "TRN271", "TRN272", "TRN273", "TRN274", "TRN275", "TRN276", "TRN277"),
    *("TRN278", "TRN279"),
    *("TRN285", "TRN286", "TRN287", "TRN288", "TRN289"),
    *("TRN290", "TRN291", "TRN292", "TRN293", "TRN294"),
    *("TRN351", "TRN352", "TRN353", "TRN354", "TRN355"),
    *("TRN360", "TRN361", "TRN362", "TRN363", "TRN364", "TRN365", "TRN366", "TRN367"),
    *("TRN368", "TRN369"),
    *("TRN370", "TRN371", "TRN372", "TRN373", "TRN374", "TRN375", "TRN376", "TRN377"),
    *("TRN378", "TRN379"),
    *("TRN387", "TRN388", "TRN389"),
    *("TRN390", "TRN391", "TRN392", "TRN393"),
    *("TRN451", "TRN452", "TRN453", "TRN454", "TRN455", "TRN456", "TRN457"),
    *("TRN460", "TRN461", "TRN462", "TRN463", "TRN464", "TRN465", "TRN466", "TRN467"),
    *("TRN468", "TRN469"),
    *("TRN470", "TRN471", "TRN472", "TRN473", "TRN474", "TRN475", "TRN476", "TRN477"),
    "TRN478",
    *("TRN480", "TRN481", "TRN482", "TRN483", "TRN485", "TRN486"),
    *("TRN490", "TRN491", "TRN492", "TRN493", "TRN494"),
    *("TRN550", "TRN551", "TRN552", "TRN553", "TRN554", "TRN555", "TRN556", "TRN557"),
    *("TRN558", "TRN559"),
    *("TRN560", "TRN561", "TRN562", "TRN563", "TRN564", "TRN565", "TRN566"),
    *("TRN570", "TRN571", "TRN572", "TRN573", "TRN574", "TRN575", "TRN576", "TRN577"),
    *("TRN578", "TRN579"),
    *("TRN580", "TRN581", "TRN582", "TRN583", "TRN584"),
    *("TRN590", "TRN591", "TRN592", "TRN593", "TRN594", "TRN595", "TRN596", "TRN597"),
    *("TRN640", "TRN641"),
    *("TRN650", "TRN651", "TRN652", "TRN653", "TRN654"),
    *("TRN850", "TRN851", "TRN852", "TRN853"),
    *("TRN860", "TRN861", "TRN862", "TRN863", "TRN864", "TRN865"),
]
DOCUMENT_IDS = [
    *("TRN130", "TRN131", "TRN132", "TRN133", "TRN134"),
    *("TRN230", "TRN231", "TRN232", "TRN233", "TRN234", "TRN235", "TRN236", "TRN237"),
    *("TRN238", "TRN239"),
    *("TRN242", "TRN243", "TRN244", "TRN245", "TRN246"),
    *("TRN330", "TRN331", "TRN332", "TRN333", "TRN334", "TRN335"),
    *("TRN530", "TRN531", "TRN532", "TRN533", "TRN534", "TRN535", "TRN536", "TRN537"),
    "TRN539",
    *("TRN540", "TRN541"),
]
SOURCES = ("https://docs.aws.amazon.com/", "https://awsdocs-neuron.readthedocs-hosted.com/")
# What only the tool itself says, of its own keys.
TOOLS = ("https://karpenter.sh/docs/", "https://eksctl.io/")


def by_id(rule: Rule) -> str:
    return rule.id


def test_the_ids_are_these():
    assert [rule.id for rule in CONFIG] == CONFIG_IDS
    assert [rule.id for rule in TEMPLATE] == TEMPLATE_IDS
    assert [rule.id for rule in DOCUMENT] == DOCUMENT_IDS
    assert len({rule.id for rule in EVERY}) == len(EVERY)


@pytest.mark.parametrize("rule", EVERY, ids=by_id)
def test_a_rule_documents_itself(rule: Rule):
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    allowed = (*SOURCES, *TOOLS) if isinstance(rule, DocumentRule) else SOURCES
    assert rule.source.startswith(allowed)


@pytest.mark.parametrize("room", KINDS)
def test_every_file_is_one_rule_of_its_room(room: str):
    kind = KINDS[room]
    folder = Path(trnkit.rules.__file__).parent / room
    assert not list(folder.glob("[!_]*.py")), "a rule stands in the folder of its subject"
    for path in folder.glob("*/[!_]*.py"):
        module = importlib.import_module(f"trnkit.rules.{room}.{path.parent.name}.{path.stem}")
        assert isinstance(module.RULE, kind), path
        assert SUBJECTS[path.parent.name] == module.RULE.id[3], path
        assert (module.__doc__ or "").startswith(f"{module.RULE.id}: "), path


@pytest.mark.parametrize("rule", EVERY, ids=by_id)
def test_its_good_example_is_quiet(rule: Rule):
    assert not of_rule(rule.id, findings_on(rule, rule.good))


@pytest.mark.parametrize("rule", EVERY, ids=by_id)
def test_its_bad_example_fires(rule: Rule):
    found = of_rule(rule.id, findings_on(rule, rule.bad))
    assert found
    assert all(finding.source == rule.source for finding in found)


@pytest.mark.parametrize("rule", EVERY, ids=by_id)
def test_its_messages_keep_to_the_style(rule: Rule):
    for finding in of_rule(rule.id, findings_on(rule, rule.bad)):
        assert not finding.message.endswith(".")
        assert finding.hint
        assert not finding.hint.endswith(".")
        assert finding.path
        if isinstance(rule, TemplateRule):
            assert finding.message.startswith(f"{finding.logical_id}: ")
        if isinstance(rule, DocumentRule):
            assert re.match(r"[A-Za-z ,]+\S+: \S", finding.message)
            assert finding.line
            assert finding.column


def findings_on(rule: Rule, example: str):
    if isinstance(rule, DocumentRule):
        return judge_documents(example)
    return judge_cluster(example) if isinstance(rule, ConfigRule) else judge_template(example)


@pytest.mark.parametrize("rule", DOCUMENT, ids=by_id)
def test_the_good_document_has_no_error_or_warning_of_any_rule(rule: Rule):
    loud = [f for f in judge_documents(rule.good) if f.severity is not Severity.INFO]
    assert not loud
