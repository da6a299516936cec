"""Payloads as parsers made by Kaitai Struct read them: ``dump JOBS.json``, a line of JSON for each job.

A job is ``{"module", "class", "file", "parameters", "parsers"}``.
"""

from __future__ import annotations

import json
import sys
from enum import Enum
from importlib import import_module
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStream, KaitaiStruct

INSTANCES = "entries", "payload"
"""Values at other offsets that are read too."""


def plain(value: Any) -> Any:
    """A value as JSON: objects by their members, bytes in hexadecimal."""
    if isinstance(value, KaitaiStruct):
        taken = signature(type(value)).parameters
        found = {it: of for it, of in vars(value).items() if not it.startswith("_") and it not in taken}
        found |= {name: getattr(value, name) for name in INSTANCES if hasattr(type(value), name)}
        return plain(found["row"]) if [*found] == ["row"] else {name: plain(it) for name, it in found.items()}
    if isinstance(value, list):
        return [*map(plain, value)]
    if isinstance(value, Enum):
        return value.value
    return value.hex() if isinstance(value, bytes) else value


def main() -> None:
    """Read every job and print what was found."""
    for job in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        if job["parsers"] not in sys.path:
            sys.path.insert(0, job["parsers"])
        parser = getattr(import_module(job["module"]), job["class"])
        try:
            data = Path(job["file"]).read_bytes()
            found = plain(parser(*job["parameters"], KaitaiStream(BytesIO(data))))
        except Exception as error:  # noqa: BLE001 parsers raise errors of many types
            found = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
