"""Makes the portable archive of a bundle of Windows: python packaging/make_zip.py dist/mshview dist.

It is unpacked anywhere, and ``mshview/mshview.exe`` is started by a double click. Equal files
give equal bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

sys.path.insert(0, str(Path(__file__).parents[1]))

from viewer.version import VERSION


def make(bundle: Path, out: Path) -> Path:
    """Write the archive of a bundle into a folder; return its path."""
    path = out / f"mshview-{VERSION}-windows-x64.zip"
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for it in sorted(bundle.rglob("*")):
            if it.is_file():
                info = ZipInfo(f"{bundle.name}/{it.relative_to(bundle).as_posix()}")
                info.compress_type = ZIP_DEFLATED
                archive.writestr(info, it.read_bytes())
    return path


if __name__ == "__main__":
    print(make(Path(sys.argv[1]), Path(sys.argv[2])))
