"""A program that holds a file open, as Windows programs do: ``hold.py FILE SHARING SECONDS``.

SHARING is 0 for nobody else, 1 for readers. It prints a line once it has the file.
"""

from __future__ import annotations

import ctypes
import sys
import time

_READ, _EXISTING = 0x80000000, 3

if sys.platform == "win32":
    # The first program that needs a desktop starts that of Wine, which keeps the standard streams of its
    # starter open as long as any program runs: of this one, not of one whose streams are read to their end.
    ctypes.windll.user32.GetDesktopWindow()
    handle = ctypes.windll.kernel32.CreateFileW(
        sys.argv[1], _READ, int(sys.argv[2]), None, _EXISTING, 0, None
    )
    print("open" if handle != -1 else "not open", flush=True)
    time.sleep(float(sys.argv[3]))
