"""``python -ISE call_program.py SOCKET ARGUMENT...``: the program with these arguments, as `program` runs it.

It is a script of its own, without anything of this project, because it starts hundreds of times.
"""

from __future__ import annotations

import array
import fcntl
import json
import os
import signal
import socket
import sys

STANDARD = range(3)
"""Standard input, output and error."""


def call(path: str, arguments: list[str]) -> int:
    """Have a copy run; return the status of its process, negative if a signal has ended it."""
    streams = [number for number in STANDARD if _is_open(number)]
    with socket.socket(socket.AF_UNIX) as made:
        # Under a number that no standard stream has: some of them may be closed.
        line = socket.socket(fileno=fcntl.fcntl(made.fileno(), fcntl.F_DUPFD_CLOEXEC, len(STANDARD)))
    with line:
        line.connect(path)
        folder = os.getcwd()  # noqa: PTH109 loading pathlib takes a third of all this
        request = [folder, dict(os.environ), arguments, streams]
        socket.send_fds(line, [json.dumps(request).encode()], streams)
        line.shutdown(socket.SHUT_WR)
        return array.array("i", line.recv(4))[0]


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    status = call(sys.argv[1], sys.argv[2:])
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)
