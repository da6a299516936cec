"""Write all clips of a model as a table.

mshview run animations_to_csv.py models.rlb::walker.msh walker.csv
"""

from __future__ import annotations

import sys

import mshview

address, out = sys.argv[1:]
(model,) = mshview.models(address)
model.write_animations(out)
print(f"{len(model.clips)} clips of {len(model.nodes)} nodes in {out}")
