"""What the system does not give is said as such: it is no mistake of trnkit."""

from __future__ import annotations

import errno

import pytest

from trnkit.cli.output import explain


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        SystemError("error return without exception set"),
        SystemError("<function f> returned NULL without setting an exception"),
    ],
)
def test_no_more_memory_or_threads(error):
    code, told = explain(error)
    assert code == 1
    assert told.startswith(
        "error: the system gives trnkit no more memory or threads; allow it more"
    )


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_too_many_open_files_names_no_file_of_ours(number):
    told = explain(OSError(number, "Too many open files", "trnkit/report/junit.py"))
    assert told == (2, "error: too many open files; allow more of them: `ulimit -n 256`")


@pytest.mark.parametrize("error", [RuntimeError("a mistake"), SystemError("a mistake")])
def test_a_mistake_of_ours_stays_one(error):
    code, told = explain(error)
    assert code == 1
    assert told.startswith(f"internal error: {type(error).__name__}: a mistake; please report it")
