"""Whether a Trainium node is what it was meant to be.

Runs on the node, with the system's Python (3.9 or later) and nothing else. Each check reads the
machine, compares it with /etc/trnkit/expected.json and says one verdict. docs/node-check.md
explains the checks; `table.py` lists them.
"""
