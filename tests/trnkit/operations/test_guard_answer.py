"""What the enforcer answers: of any version, and whatever it holds."""

from __future__ import annotations

import copy

import pytest

from trnkit.cli.guard_report import status_lines, trail_lines
from trnkit.errors import AwsError
from trnkit.operations.guard_answer import read_answer

FUNCTION = "pretrain-Guard-SpendEnforcerFunction1A2B-x3C"
ANSWER = {
    "done": True,
    "text": "",
    "errors": [],
    "status": {
        "cluster": "pretrain",
        "mode": "automatic",
        "idle_mode": None,
        "stage": "acting",
        "plan": {
            "at_usd": 1000,
            "at_spend_rate_usd_per_hour": None,
            "grace_minutes": 60,
            "checkpoint_minutes": 10,
            "idle_minutes": 60,
            "would_touch": ["train"],
            "never_touched": [],
            "stops_when_idle": [],
        },
        "observation": {
            "at": "2026-11-06T18:05:00Z",
            "is_fresh": True,
            "month": "2026-11",
            "month_to_date_usd": 1200.5,
            "spend_rate_usd_per_hour": 100,
            "unpriced_instances": 0,
            "faults": [],
        },
        "episodes": [
            {
                "key": "spend",
                "stage": "acting",
                "dry_run": False,
                "cause": "too much",
                "began": "2026-11-06T18:05:00Z",
                "groups": {"train": {"step": "", "failing": None, "reason": None}},
                "next": {"step": "deny launches", "not_before": None},
            }
        ],
        "held": {"train": {"by": ["spend"], "before": {"desired": 16}}},
        "allowed": {"spend": {"by": "ana", "until": "2026-12", "up_to": None}},
        "unsent_messages": 1,
    },
}
HOSTILE = "\x1b[31mEVIL\x1b]0;title\x07\nnext\u202e arn:aws:iam::111122223333:role/x"


def changed(path, value):
    """The answer with one value in place of another, at a path of keys."""
    answer = copy.deepcopy(ANSWER)
    place = answer
    for key in path[:-1]:
        place = place[key]
    if value is KeyError:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return answer


def paths(value, path=()):
    """Every place of an answer."""
    if path:
        yield path
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(inner, (*path, key))


@pytest.mark.parametrize("path", list(paths(ANSWER)), ids=str)
@pytest.mark.parametrize("value", [KeyError, None, 1, -1.5, True, "x", [], {}, [1], {"a": 1}])
def test_no_value_of_any_kind_ends_the_command_by_surprise(path, value):
    """What cannot be shown is said in an error that names it."""
    try:
        answer = read_answer("pretrain", "status", FUNCTION, changed(path, value))
        shown = "\n".join(status_lines(answer))
    except AwsError as error:
        shown = str(error)
    assert shown.startswith(("cluster ", "no: ", f"function {FUNCTION} answered what this", "x\n"))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("done",), KeyError, "(done: "),
        (("status",), KeyError, "(status: "),
        (("status",), None, "(status: "),
        (("errors",), "boom", "(errors: "),
        (("status", "plan", "at_usd"), KeyError, "(status.plan.at_usd: "),
        (("status", "plan", "at_usd"), "1000", "(status.plan.at_usd: "),
        (("status", "plan", "at_usd"), float("nan"), "(status.plan.at_usd: "),
        (("status", "plan", "would_touch"), "train", "(status.plan.would_touch: "),
        (("status", "held", "train", "before"), {}, "(status.held.train.before.desired: "),
        (("status", "episodes", 0, "next"), None, "(status.episodes.0.next: "),
    ],
)
def test_what_cannot_be_read_is_named_with_a_remedy(path, value, says):
    with pytest.raises(AwsError) as raised:
        read_answer("pretrain", "status", FUNCTION, changed(path, value))
    told = str(raised.value)
    assert says in told
    assert FUNCTION in told
    assert "deploy pretrain/Guard with this version of trnkit" in told


def test_after_a_change_it_says_where_to_see_whether_it_is_done():
    with pytest.raises(AwsError, match="its log says whether the release is done"):
        read_answer("pretrain", "release", FUNCTION, changed(("status", "plan"), {}))


def test_what_an_answer_has_more_does_no_harm():
    more = changed(("status", "plan", "newer"), [1])
    shown = status_lines(read_answer("pretrain", "status", FUNCTION, more))
    assert shown == status_lines(read_answer("pretrain", "status", FUNCTION, ANSWER))


@pytest.mark.parametrize("action", ["status", "audit", "release"])
def test_a_refusal_needs_no_status(action):
    """Of an action that an older function does not know."""
    told = {"done": False, "text": "action must be one of status, audit"}
    answer = read_answer("pretrain", action, FUNCTION, told)
    assert status_lines(answer) == ["no: action must be one of status, audit"]
    assert answer.as_json()["text"] == told["text"]


def test_no_text_of_an_answer_rewrites_what_a_terminal_shows():
    for path in paths(ANSWER):
        try:
            answer = read_answer("pretrain", "status", FUNCTION, changed(path, HOSTILE))
        except AwsError:
            continue
        assert all(line.isprintable() for line in status_lines(answer))
    named = changed(("status", "held"), {HOSTILE: {"by": [HOSTILE], "before": {"desired": 1}}})
    named = {**named, "text": HOSTILE, "errors": [HOSTILE]}
    shown = status_lines(read_answer("pretrain", "status", FUNCTION, named))
    assert all(line.isprintable() for line in shown)
    assert r"\x1b[31mEVIL" in shown[0]


def test_no_entry_of_the_trail_rewrites_what_a_terminal_shows():
    entry = dict.fromkeys(("at", "what", "group", "key", "by", "mode", "answer"), HOSTILE)
    trail = {"done": True, "trail": [entry, {"at": "2026-11-06T18:05:00Z", "by": 3}]}
    lines = trail_lines(read_answer("pretrain", "audit", FUNCTION, trail))
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("trail", [None, "abc", [1], [{}], [{"at": None}], {"at": "x"}])
def test_a_trail_that_is_none_is_an_error(trail):
    with pytest.raises(AwsError, match=r"cannot read \(trail"):
        read_answer("pretrain", "audit", FUNCTION, {"done": True, "trail": trail})
