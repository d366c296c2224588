# pyright: basic
"""Set the checkout up: the pinned packages in .venv, the CDK command line in node_modules.

Run it as ``make setup``. This file parses with any Python since 2.7, so that an old one gets a
sentence instead of a syntax error; what it does is in ``setup_steps.py``.
"""

from __future__ import print_function

import os
import sys

LOWEST = (3, 11)
HIGHEST = (3, 13)


def python_problem(version):
    """Say why this version of Python will not do, or None if it will."""
    found = tuple(version[:2])
    if LOWEST <= found <= HIGHEST:
        return None
    return (
        "trnkit needs Python 3.11, 3.12 or 3.13 and found %d.%d: install one of them, "
        "then run `make setup PYTHON=python3.12` with the name of yours." % found
    )


def main():
    """Check the interpreter, then run the steps."""
    problem = python_problem(sys.version_info)
    if problem:
        print("setup: " + problem, file=sys.stderr)
        return 1
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from scripts import setup_steps

    return setup_steps.main()


if __name__ == "__main__":
    sys.exit(main())
