"""``python -m viewer``: the same program as ``mshview``."""

from __future__ import annotations

from viewer.cli.main import console

if __name__ == "__main__":
    console()
