"""`python3 /opt/trnkit/current/trn-node-check`: the same as the program in this folder."""

from __future__ import annotations

import sys

# Nothing is added to the bundle, whose files must stay those that were published.
sys.dont_write_bytecode = True

from trn_node_check.program import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
