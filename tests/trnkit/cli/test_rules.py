from __future__ import annotations

import json

from trnkit.operations.explaining import documented_rules


def test_the_list_has_every_rule_once(trnkit):
    ran = trnkit("rules")
    ids = [line.split()[0] for line in ran.out.splitlines()]
    assert ids == [rule.id for rule in documented_rules()]
    assert len(set(ids)) == len(ids)


def test_a_rule_is_explained_with_both_examples(trnkit):
    ran = trnkit("rules", "trn201")
    assert ran.code == 0
    for part in ("TRN201", "source: https://", "\ngood:\n    ", "\nbad:\n    "):
        assert part in ran.out


def test_rules_as_json(trnkit):
    content = json.loads(trnkit("rules", "TRN003", "--format", "json").out)
    assert content["schema"] == 1
    assert content["rules"][0]["id"] == "TRN003"


def test_an_unknown_rule_is_exit_code_2(trnkit):
    ran = trnkit("rules", "TRN-201")
    assert (ran.code, ran.out) == (2, "")
    assert "TRN201" in ran.err


def test_an_id_like_no_other_gets_no_suggestion(trnkit):
    ran = trnkit("rules", "TRN999")
    assert ran.err == "error: there is no rule 'TRN999'; trnkit rules lists them\n"
