"""Set a flag of all long batches of an archive and save it.

mshview run bulk_edit.py models.rlb
"""

from __future__ import annotations

import sys

import mshview

archive = mshview.open(sys.argv[1])
for model in mshview.models(archive):
    if any(batch.index_count > 300 for batch in model.batches):
        model.set("batches[index_count>300].flags", 8)
print(f"{len(archive.changes())} fields change")
archive.save()
