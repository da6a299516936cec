"""``python -m viewer`` and the console script: Ctrl+C ends the program quietly, also while modules load."""

# The handler is replaced before any module is loaded from a file, hence `_signal` instead of `signal`.
import _signal
import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

INTERRUPTED = 130
"""The exit status of a program that Ctrl+C has ended."""
GARBAGE_THRESHOLD = 200_000
"""Objects between two collections of cyclic garbage: starting allocates many objects and frees few."""


def _end(*_: object) -> None:
    """End the process: nothing has begun yet, or a second Ctrl+C does not wait until it is undone."""
    os._exit(INTERRUPTED)


if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # not started with it ignored
    _signal.signal(_signal.SIGINT, _end)


def console() -> None:
    """Run the program and end the process.

    numpy's linear algebra starts no threads, unless the user wants some: starting them takes up to a third of
    the time of importing numpy, and products of matrices of four rows do not need them.
    Cyclic garbage is collected rarely, except by verbs that live long, and not once more at the end.
    The interpreter is not torn down, which takes longer than many verbs; unless threads are still running,
    nothing is left to do by then.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    usual = gc.get_threshold()
    gc.set_threshold(GARBAGE_THRESHOLD)
    try:
        status = _run(usual)
    except BaseException:
        if _is_interrupted():
            os._exit(INTERRUPTED)
        raise
    if "threading" in sys.modules and sys.modules["threading"].active_count() > 1:
        sys.exit(status)
    os._exit(status)


def thumbnailer() -> None:
    """Run the program ``mshview-thumbnailer INPUT OUTPUT SIZE``, which file managers call for each file.

    It draws on the processor: it needs no display, and leaves the graphics card alone.
    """
    if len(sys.argv) != 4:
        sys.exit("usage: mshview-thumbnailer INPUT OUTPUT.png SIZE")
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    _, source, out, size = sys.argv
    sys.argv[1:] = ["thumbnail", "--quiet", "--no-config", "--size", size, "-o", out, "--", source]
    console()


def _run(usual: tuple[int, int, int]) -> int:
    import warnings  # noqa: PLC0415

    from viewer.cli import output  # noqa: PLC0415 loaded while Ctrl+C ends the process at once
    from viewer.cli.main import main  # noqa: PLC0415

    # What numpy says of damaged numbers is not a message for users: they are printed as nan and inf, and
    # found by `validate`. Tests make errors of the same warnings.
    warnings.simplefilter("ignore", RuntimeWarning)
    sys.unraisablehook = _end_if_interrupted
    if _signal.getsignal(_signal.SIGINT) is _end:
        _signal.signal(_signal.SIGINT, _interrupt)
    has_default = _signal.getsignal(_signal.SIGTERM) is _signal.SIG_DFL  # not started with it ignored
    if has_default:
        _signal.signal(_signal.SIGTERM, _terminate)
    status = main(usual=usual)
    if has_default and _signal.getsignal(_signal.SIGTERM) is _signal.SIG_DFL:
        os.kill(os.getpid(), _signal.SIGTERM)  # it ends as others expect of the signal
    if _signal.getsignal(_signal.SIGINT) is _interrupt:
        _signal.signal(_signal.SIGINT, _end)
    output.flush()
    return status


def _interrupt(_: int, frame: "FrameType | None") -> None:
    """Unwind the program; end it while a module is loaded, as the libraries in C++ abort on an exception."""
    _signal.signal(_signal.SIGINT, _end)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            _end()
        frame = frame.f_back
    raise KeyboardInterrupt


def _terminate(number: int, frame: "FrameType | None") -> None:
    """Unwind the program as Ctrl+C does, so that no temporary file is left; a second one ends it."""
    _signal.signal(number, _signal.SIG_DFL)
    _interrupt(number, frame)


def _is_interrupted() -> bool:
    return _signal.getsignal(_signal.SIGINT) is _end


def _end_if_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    """End the process if an interruption was raised where nothing can catch it, as in a callback."""
    if isinstance(unraisable.exc_value, KeyboardInterrupt):
        _end()
    sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    console()
