"""Write the sample game folder: ``python assets/build_sample.py [FOLDER]``, by default ``assets/game``."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from assets.sample.game import game_files  # noqa: E402


def main(folder: Path) -> None:
    """Write all files of the game below `folder`."""
    for name, data in game_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "game")
