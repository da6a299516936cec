"""``python -m viewer``: the same program as ``mshview``."""

from __future__ import annotations

import sys

from viewer.app.cli import main

if __name__ == "__main__":
    sys.exit(main())
