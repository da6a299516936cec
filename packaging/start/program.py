"""The program of the bundle."""

from __future__ import annotations

from multiprocessing import freeze_support

if __name__ == "__main__":
    freeze_support()
    from viewer.__main__ import console

    console()
