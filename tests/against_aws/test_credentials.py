"""Credentials that cannot be used: every command says so at once, and shows nothing of them."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.against_aws.command import ACCESS_KEY, SECRET, TOKEN, CommandLine
from tests.synthesis import ROOT

FILE = "examples/trn2-pretrain.yaml"
NONE: dict[str, str | None] = {
    "AWS_ACCESS_KEY_ID": None,
    "AWS_SECRET_ACCESS_KEY": None,
    "AWS_SESSION_TOKEN": None,
}


@pytest.fixture
def run_all(aws, tmp_path):
    """Runs each command that asks AWS, in each form, with changed variables."""
    for name in ("locked-image.yaml", "images.lock"):
        shutil.copy(ROOT / "examples" / name, tmp_path / name)
    image, news = str(tmp_path / "locked-image.yaml"), str(tmp_path / "types.json")
    report = tmp_path / "report.json"
    commands = [
        ("preflight", FILE),
        ("preflight", FILE, "--format", "json", "--output", str(report)),
        ("plan", FILE, "--regions", "us-east-2"),
        ("plan", FILE, "--regions", "us-east-2", "--format", "json"),
        ("catalog", "refresh", "--region", "us-east-2"),
        ("catalog", "refresh", "--region", "us-east-2", "--output", news, "--format", "json"),
        ("images", "refresh", image),
        ("images", "refresh", image, "--format", "json"),
    ]

    def run(**changes):
        trnkit = CommandLine(aws.endpoint, tmp_path, **changes)
        with ThreadPoolExecutor(2) as pool:
            done = list(pool.map(lambda words: trnkit(*words), commands))
        files = "".join(f.read_text(encoding="utf-8") for f in tmp_path.glob("*.json"))
        return done, files

    return run


def judge(done, words):
    """Each ended at once with 3 and the words; nobody asked AWS twice."""
    for outcome in done:
        told = outcome.stdout + outcome.stderr
        assert outcome.code == 3, told
        assert words in told
        assert "Traceback" not in told
        assert "mistake of trnkit" not in told
        assert outcome.seconds < 20


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AWS_SESSION_TOKEN", f"{TOKEN}\n"),
        ("AWS_SECRET_ACCESS_KEY", f"{SECRET}\r\n"),
        ("access_key", f"{ACCESS_KEY}\n"),
    ],
)
def test_a_line_break_in_credentials_is_said_at_once_and_nothing_of_them(aws, run_all, name, value):
    before = len(aws.calls)
    done, files = run_all(**{name: value})
    judge(done, f"{name.replace('access_key', 'AWS_ACCESS_KEY_ID')} holds a line break")
    written = files + "".join(outcome.stdout + outcome.stderr for outcome in done)
    shown = [part for part in (ACCESS_KEY, SECRET, TOKEN, "Signature=") if part[:12] in written]
    assert shown == []
    assert len(aws.calls) == before


def test_a_process_that_prints_no_credentials_is_named(run_all, tmp_path):
    config = "[default]\ncredential_process = echo sign in first\n"
    (tmp_path / "config").write_text(config, encoding="utf-8")
    done, files = run_all(**NONE)
    judge(done, "run the profile's credential_process by hand")
    assert "sign in first" not in files + "".join(outcome.stdout for outcome in done)


def test_a_token_file_that_is_not_there_is_said_with_its_variable(run_all):
    role = {"AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/deploy"}
    done, _ = run_all(**(NONE | role | {"AWS_WEB_IDENTITY_TOKEN_FILE": "/nowhere/token"}))
    judge(done, "which AWS_WEB_IDENTITY_TOKEN_FILE")
    assert all("/nowhere/token" in outcome.stdout + outcome.stderr for outcome in done)


def test_an_endpoint_with_an_impossible_port_is_said_with_its_variable(aws, run_all):
    before = len(aws.calls)
    done, _ = run_all(AWS_ENDPOINT_URL="http://127.0.0.1:99999")
    judge(done, "check the Region's name, AWS_ENDPOINT_URL")
    assert len(aws.calls) == before
