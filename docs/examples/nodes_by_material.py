"""List which nodes draw each material.

mshview run nodes_by_material.py models.rlb::walker.msh
"""

from __future__ import annotations

import sys

import mshview

for model in mshview.models(*sys.argv[1:]):
    for material, nodes in model.nodes_by_material().items():
        print(model.name, material, ", ".join(node.name for node in nodes), sep="\t")
