"""`python3 /opt/trnkit/current/trn-node-check`: the same as the program in this folder."""

from __future__ import annotations

import sys

from trn_node_check.program import main

sys.exit(main(sys.argv[1:]))
