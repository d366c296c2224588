"""The monitoring step of a node's boot, run for real with the system's commands replaced."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest
import yaml

from tests.constructs_lib.compute.node import machine
from tests.constructs_lib.compute.node.monitoring_machine import NODE

STEP = NODE / "steps" / "monitoring.sh"
BASH = shutil.which("bash")
KEY = "937616F3450B7D806CBD9725D58167303B789C72"
BUCKET = "https://amazoncloudwatch-agent-us-east-2.s3.us-east-2.amazonaws.com"
AGENT = "opt/aws/amazon-cloudwatch-agent"
UNIT = "etc/systemd/system/trn-metrics.service"
LISTEN = f"{UNIT}.d/listen.conf"
CONFIGURATION = "etc/trnkit/trnkit-cloudwatch-agent.json"
SCRAPE = "etc/trnkit/prometheus-scrape.yaml"

TOOLS = ["bash", "cat", "chmod", "cut", "date", "grep", "mkdir", "mktemp", "mv", "rm", "sleep"]
TOOLS += ["cp", "readlink", "tail", "tee", "touch", "tr"]

FAKE = """#!{bash}
printf '%s\\n' "${{0##*/}} $*" >>"{calls}"
file="{behaviour}/${{0##*/}}"
[[ ! -e $file ]] || . "$file"
"""

METADATA = """
case "$*" in
  */latest/api/token) echo the-token ;;
  *the-token*/meta-data/mac) echo 0e:49:61:0f:c3:11 ;;
  *the-token*/macs/0e:49:61:0f:c3:11/vpc-ipv4-cidr-blocks) printf '10.0.0.0/16\\n100.64.0.0/16' ;;
  *the-token*/meta-data/local-ipv4) echo 10.0.3.7 ;;
  *the-token*/meta-data/instance-id) echo i-0123456789abcdef0 ;;
  *amazoncloudwatch-agent*)
    while [[ $1 != -o ]]; do shift; done
    echo content >"$2" ;;
  *) echo "curl: (22) 404" >&2; exit 22 ;;
esac
"""

SETTINGS = {
    "TRNKIT_CLUSTER": "pretrain",
    "TRNKIT_NODE_GROUP": "train",
    "TRNKIT_REGION": "us-east-2",
    "TRNKIT_CLOUDWATCH": "1",
    "TRNKIT_METRICS_NAMESPACE": "trnkit",
    "TRNKIT_LOG_GROUP": "pretrain-nodes",
}


class Node:
    """A machine made of a folder, with an image of Amazon Linux or, with apt-get, of Ubuntu."""

    def __init__(self, folder):
        self.root, self.bin = folder / "root", folder / "bin"
        self.behaviour, self.calls_file = folder / "behaviour", folder / "calls"
        for path in (self.root / "run/trnkit", self.root / "var/log", self.bin, self.behaviour):
            path.mkdir(parents=True)
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name))
        self.active = folder / "active"
        self.active.mkdir()
        self.install("curl", METADATA)
        self.install("uname", "echo x86_64")
        self.install("dnf", self.agent_appears)
        self.install(
            "systemctl",
            f'for last; do :; done\ncase $1 in is-active) [[ -e "{self.active}/$last" ]] ;;\n'
            f'start | restart) : >"{self.active}/$last" ;; esac',
        )

    @property
    def agent_appears(self):
        """What a package manager does when it installs the agent."""
        ctl = "amazon-cloudwatch-agent-ctl"
        folder = self.root / AGENT
        self.install(ctl, f': >"{self.active}/amazon-cloudwatch-agent.service"')
        return (
            f'mkdir -p "{folder}/bin" "{folder}/etc/amazon-cloudwatch-agent.d"\n'
            f'cat "{self.bin}/{ctl}" >"{folder}/bin/{ctl}"; chmod 755 "{folder}/bin/{ctl}"'
        )

    def ubuntu(self, signer=KEY, verified=True):
        """Without dnf, with apt-get and with a gpg that says who signed."""
        (self.bin / "dnf").unlink()
        self.install("apt-get", f'case "$*" in *agent.deb*) {self.agent_appears} ;; esac')
        self.install(
            "gpg",
            'case "$*" in *--verify*)\n'
            f'echo "[GNUPG:] VALIDSIG ABCD 2026-01-01 1 0 4 0 1 8 00 {signer}"\n'
            f"{'true' if verified else 'false'} ;; esac",
        )

    def install(self, name, behaviour=""):
        text = FAKE.format(bash=BASH, calls=self.calls_file, behaviour=self.behaviour)
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)
        (self.behaviour / name).write_text(behaviour + "\n")

    def run(self, here=NODE, **settings):
        """Run the step; returns the entries that it logged."""
        if self.calls_file.exists():
            self.calls_file.unlink()
        ran = subprocess.run(
            [
                *(BASH, "-u", "-o", "pipefail", "-c"),
                f'here="{here}"; . "{NODE}/lib.sh"; . "{STEP}"; monitoring_steps; '
                'code=$?; echo "failed=$failed code=$code" >&2',
            ],
            env={
                "PATH": str(self.bin),
                "TRNKIT_ROOT": str(self.root),
                "TRNKIT_RETRY_SECONDS": "0",
                **{name: value for name, value in settings.items() if value is not None},
            },
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        # Nothing here fails a boot, and nothing is said past the log.
        assert ran.stderr == "failed=0 code=0\n"
        return [json.loads(line) for line in ran.stdout.splitlines()]

    @property
    def calls(self):
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def called(self, word):
        return [call for call in self.calls if word in call]

    def read(self, name):
        return (self.root / name).read_text()


def outcome(log):
    return [(entry["step"], entry["status"]) for entry in log]


@pytest.fixture
def node(tmp_path):
    return Node(tmp_path)


ALL_WELL = [
    ("metrics", "ok"),
    ("kernel-log", "ok"),
    ("cloudwatch-agent", "ok"),
    ("cloudwatch-configuration", "ok"),
]


def test_sourcing_the_step_runs_nothing(node):
    ran = subprocess.run(
        [BASH, "-c", f'. "{STEP}"; ls -A "{node.root}"'],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == ["run", "var"]


def test_a_node_that_asks_for_nothing_gets_nothing(node):
    assert node.run() == []
    assert node.calls == []
    assert not (node.root / "etc").exists()


def test_a_first_boot_installs_configures_and_starts_everything(node):
    assert outcome(node.run(**SETTINGS)) == ALL_WELL
    assert node.read(UNIT) == (NODE / "monitoring" / "trn-metrics.service").read_text()
    assert node.read(LISTEN) == (
        "[Service]\nEnvironment=TRN_METRICS_LISTEN=loopback TRN_METRICS_PORT=9400\n"
    )
    assert node.called("dnf -q install -y amazon-cloudwatch-agent")
    assert [c for c in node.called("systemctl") if "trn-metrics" in c] == [
        "systemctl enable -q trn-metrics.service",
        "systemctl restart --no-block trn-metrics.service",
    ]
    (applied,) = node.called("amazon-cloudwatch-agent-ctl")
    assert applied == (
        f"amazon-cloudwatch-agent-ctl -a fetch-config -m ec2 -s -c file:{node.root}/{CONFIGURATION}"
    )
    assert "systemctl enable -q amazon-cloudwatch-agent.service" in node.calls


def test_the_configuration_has_the_settings_and_no_placeholder(node):
    node.run(**SETTINGS)
    configuration = json.loads(node.read(CONFIGURATION))
    assert "@" not in node.read(CONFIGURATION)
    assert configuration["agent"]["region"] == "us-east-2"
    assert configuration["metrics"]["namespace"] == "trnkit"
    dimensions = {"ClusterName": "pretrain", "NodeGroup": "train"}
    collected = configuration["metrics"]["metrics_collected"]
    assert all(part["append_dimensions"] == dimensions for part in collected.values())
    prometheus = configuration["logs"]["metrics_collected"]["prometheus"]
    assert prometheus["prometheus_config_path"] == f"/{SCRAPE}"
    files = configuration["logs"]["logs_collected"]["files"]["collect_list"]
    assert {f["log_group_name"] for f in files} == {"pretrain-nodes"}
    (job,) = yaml.safe_load(node.read(SCRAPE))["scrape_configs"]
    (target,) = job["static_configs"]
    assert job["job_name"] == "i-0123456789abcdef0/trn-metrics"
    assert target == {
        "targets": ["127.0.0.1:9400"],
        "labels": {**dimensions, "InstanceId": "i-0123456789abcdef0"},
    }


@pytest.mark.parametrize("text", ['a"b', "a&b", "a\\b", "a@PORT@b", "a: b", "$(touch x)`x`", "*"])
def test_settings_of_any_text_stay_text(node, text):
    node.run(**{**SETTINGS, "TRNKIT_NODE_GROUP": text})
    configuration = json.loads(node.read(CONFIGURATION))
    memory = configuration["metrics"]["metrics_collected"]["mem"]
    (job,) = yaml.safe_load(node.read(SCRAPE))["scrape_configs"]
    expected = text.replace("@PORT@", "9400")  # Names of groups have no @.
    assert memory["append_dimensions"]["NodeGroup"] in (text, expected)
    assert job["static_configs"][0]["labels"]["NodeGroup"] in (text, expected)


def test_a_second_boot_changes_and_restarts_nothing(node):
    node.run(**SETTINGS)
    assert outcome(node.run(**SETTINGS)) == ALL_WELL
    assert not [c for c in node.calls if "restart" in c or "start " in c or "daemon-reload" in c]
    assert not node.called("amazon-cloudwatch-agent-ctl")
    assert not node.called("dnf")


def test_what_does_not_run_at_a_second_boot_is_started(node):
    node.run(**SETTINGS)
    for file in node.active.iterdir():
        file.unlink()
    node.run(**SETTINGS)
    assert "systemctl start --no-block trn-metrics.service" in node.calls
    assert node.called("amazon-cloudwatch-agent-ctl -a fetch-config")


@pytest.mark.parametrize(
    ("changed", "restarts"),
    [
        ({"TRNKIT_PROMETHEUS": "loopback 9999"}, {"trn-metrics", "agent"}),
        ({"TRNKIT_LOG_GROUP": "other"}, {"agent"}),
        ({"here": "/opt/trnkit/next"}, {"trn-metrics"}),
    ],
)
def test_only_what_changed_is_restarted(node, changed, restarts, tmp_path):
    node.run(**SETTINGS)
    if "here" in changed:
        changed = {"here": tmp_path / "next"}
        shutil.copytree(NODE, changed["here"])
    assert outcome(node.run(**{**SETTINGS, **changed})) == ALL_WELL
    found = set()
    if "systemctl restart --no-block trn-metrics.service" in node.calls:
        found.add("trn-metrics")
    if node.called("amazon-cloudwatch-agent-ctl"):
        found.add("agent")
    assert found == restarts


def test_private_lets_the_vpc_in_and_the_agent_asks_at_the_private_address(node):
    node.run(**SETTINGS, TRNKIT_PROMETHEUS="private 9500")
    assert node.read(LISTEN) == (
        "[Service]\nEnvironment=TRN_METRICS_LISTEN=private TRN_METRICS_PORT=9500\n"
        "IPAddressAllow=10.0.0.0/16 100.64.0.0/16\n"
    )
    (job,) = yaml.safe_load(node.read(SCRAPE))["scrape_configs"]
    assert job["static_configs"][0]["targets"] == ["10.0.3.7:9500"]


def test_prometheus_without_cloudwatch_touches_no_agent(node):
    assert outcome(node.run(TRNKIT_PROMETHEUS="loopback 9400")) == [("metrics", "ok")]
    assert not node.called("dnf")
    assert not node.called("curl")
    assert not (node.root / CONFIGURATION).exists()


def test_monitoring_that_is_turned_off_is_stopped_and_stays_off(node):
    node.run(TRNKIT_PROMETHEUS="loopback 9400")
    assert outcome(node.run()) == [("metrics", "ok")]
    assert node.calls == ["systemctl disable -q --now trn-metrics.service"]
    assert node.run() == []


def test_a_node_whose_metadata_is_silent_goes_on_with_a_warning(node):
    node.install("curl", "exit 28")
    log = node.run(**SETTINGS, TRNKIT_PROMETHEUS="private 9400")
    assert outcome(log) == [
        ("metrics", "warning"),
        ("kernel-log", "ok"),
        ("cloudwatch-agent", "ok"),
        ("cloudwatch-configuration", "warning"),
    ]
    assert log[0]["detail"] == "the instance metadata does not answer"


@pytest.mark.parametrize("missing", ["TRNKIT_LOG_GROUP", "TRNKIT_REGION"])
def test_without_a_log_group_or_region_there_is_no_agent(node, missing):
    log = node.run(**{**SETTINGS, missing: None})
    assert outcome(log) == [("metrics", "ok"), ("cloudwatch-agent", "warning")]


def test_a_package_that_is_not_to_be_had_is_a_warning(node):
    node.install("dnf", "echo 'no such package' >&2; exit 1")
    log = node.run(**SETTINGS)
    assert outcome(log) == [*ALL_WELL[:2], ("cloudwatch-agent", "warning")]
    assert len(node.called("dnf")) == 5
    assert not (node.root / CONFIGURATION).exists()


def test_an_agent_that_refuses_its_configuration_gets_it_again_next_time(node):
    node.run(**SETTINGS)
    node.install("amazon-cloudwatch-agent-ctl", "echo 'invalid' >&2; exit 1")
    changed = {**SETTINGS, "TRNKIT_LOG_GROUP": "other"}
    log = node.run(**changed)
    assert outcome(log)[-1] == ("cloudwatch-configuration", "warning")
    assert node.run(**changed)[-1]["status"] == "warning"
    assert node.called("amazon-cloudwatch-agent-ctl -a fetch-config")


def test_a_configuration_of_somebody_else_stays(node):
    node.run(**SETTINGS)
    store = node.root / AGENT / "etc" / "amazon-cloudwatch-agent.d"
    (store / "file_trnkit-cloudwatch-agent.json").touch()
    (store / "ssm_theirs").touch()
    node.run(**{**SETTINGS, "TRNKIT_LOG_GROUP": "other"})
    assert node.called("amazon-cloudwatch-agent-ctl -a append-config")
    (store / "ssm_theirs").unlink()
    node.run(**SETTINGS)
    assert node.called("amazon-cloudwatch-agent-ctl -a fetch-config")


def test_an_agent_of_the_image_is_used(node):
    subprocess.run([BASH, "-c", node.agent_appears], check=True)
    assert outcome(node.run(**SETTINGS)) == ALL_WELL
    assert not node.called("dnf")


def test_ubuntu_takes_the_package_of_the_region_once_its_signature_is_awss(node):
    node.ubuntu()
    assert outcome(node.run(**SETTINGS)) == ALL_WELL
    asked = [call.split()[-1] for call in node.called("amazoncloudwatch-agent-")]
    assert asked[:3] == [
        f"{BUCKET}/ubuntu/amd64/latest/amazon-cloudwatch-agent.deb",
        f"{BUCKET}/ubuntu/amd64/latest/amazon-cloudwatch-agent.deb.sig",
        f"{BUCKET}/assets/amazon-cloudwatch-agent.gpg",
    ]
    (installed,) = node.called("apt-get")
    assert installed.endswith("/agent.deb")
    verified = next(n for n, call in enumerate(node.calls) if "--verify" in call)
    assert verified < node.calls.index(installed)


@pytest.mark.parametrize(
    "given",
    [
        {"signer": KEY[:-1] + "3"},
        {"signer": KEY + "0"},
        {"signer": "0" + KEY},
        {"signer": KEY + " EXTRA"},
        {"verified": False},
    ],
)
def test_a_package_that_awss_key_did_not_sign_is_not_installed(node, given):
    node.ubuntu(**given)
    log = node.run(**SETTINGS)
    assert log[-1]["step"] == "cloudwatch-agent"
    assert log[-1]["status"] == "warning"
    assert "not signed by AWS's key" in log[-1]["detail"]
    assert not node.called("apt-get")


def test_a_real_signature_by_another_key_is_refused(node, tmp_path):
    gpg = shutil.which("gpg")
    if gpg is None:
        pytest.skip("there is no gpg")
    node.ubuntu()
    (node.bin / "gpg").unlink()
    for name in ("gpg", "gpg-agent", "gpgconf"):
        if found := shutil.which(name):
            (node.bin / name).symlink_to(found)
    home, content = tmp_path / "keys", tmp_path / "content"
    home.mkdir(mode=0o700)
    content.mkdir()
    (content / "agent.deb").write_text("a package\n")

    def run(*arguments):
        command = [gpg, "--homedir", str(home), "--batch", "--yes", "-q", *arguments]
        subprocess.run(command, check=True, capture_output=True)

    run("--passphrase", "", "--quick-gen-key", "Somebody", "ed25519", "sign", "never")
    run("--output", str(content / "key"), "--export")
    run("--output", str(content / "agent.deb.sig"), "--detach-sign", str(content / "agent.deb"))
    node.install(
        "curl",
        'while [[ $1 != -o ]]; do shift; done; case "$*" in\n'
        f'*.deb.sig) cat "{content}/agent.deb.sig" >"$2" ;;\n'
        f'*.deb) cat "{content}/agent.deb" >"$2" ;;\n'
        f'*) cat "{content}/key" >"$2" ;; esac',
    )
    log = node.run(**SETTINGS)
    assert "not signed by AWS's key" in log[-1]["detail"]
    assert not node.called("apt-get")
    # The same, but for the fingerprint that is asked for, is accepted: gpg itself was content.
    listing = subprocess.run(
        [gpg, "--homedir", str(home), "--batch", "--with-colons", "-k"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    own = next(line for line in listing.splitlines() if line.startswith("fpr")).split(":")[9]
    ran = subprocess.run(
        [
            *(BASH, "-c"),
            f'. "{STEP}"; cloudwatch_agent_key={own}; mkdir -m 700 "{tmp_path}/f"; '
            f'cp "{content}"/* "{tmp_path}/f"; cloudwatch_agent_is_signed "{tmp_path}/f"',
        ],
        check=False,
        capture_output=True,
    )
    assert ran.returncode == 0


def test_the_key_comes_from_awss_own_bucket_when_the_regions_has_none(node):
    node.ubuntu()
    node.install("curl", f'case "$*" in *{BUCKET}/assets*) exit 22 ;; esac\n{METADATA}')
    assert outcome(node.run(**SETTINGS)) == ALL_WELL
    assert node.called("https://amazoncloudwatch-agent.s3.amazonaws.com/assets/")


def test_a_slow_or_missing_network_ends_as_a_warning(node):
    node.ubuntu()
    node.install("curl", METADATA.replace("echo content", "exit 28; echo"))
    log = node.run(**SETTINGS)
    assert log[-1]["detail"] == "the CloudWatch agent cannot be downloaded"
    assert not node.called("gpg")
    # Each download has an end of its own.
    downloads = node.called("amazoncloudwatch-agent-")
    assert downloads
    assert all("--max-time" in call for call in downloads)


def test_the_boot_runs_the_step_and_ends_well(tmp_path):
    whole = machine.Node(tmp_path)
    whole.install("systemctl")
    code, log = whole.run_boot("TRNKIT_PROMETHEUS='loopback 9400'")
    assert code == 0
    assert ("metrics", "ok") in outcome(log)
    assert log[-1]["step"] == "boot"
    assert whole.read(LISTEN).endswith("TRN_METRICS_LISTEN=loopback TRN_METRICS_PORT=9400\n")


def test_shellcheck_has_nothing_to_say():
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("there is no shellcheck")
    ran = subprocess.run(
        [shellcheck, "-s", "bash", str(STEP)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "")
