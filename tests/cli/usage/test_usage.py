"""Help, versions, suggestions, and the options that every verb has."""

from __future__ import annotations

import json
import shlex
from itertools import takewhile
from pathlib import Path

import pytest

from tests.cli.console import GAME, Capture, failure, success, terminal_output
from tests.messages import states
from viewer.cli import output
from viewer.cli.main import main
from viewer.cli.output import WARNING_LIMIT, Verbosity
from viewer.cli.usage.help import EXAMPLES
from viewer.cli.usage.parser import WITH_VERSION, arguments_of, parser_of
from viewer.cli.usage.values import Value
from viewer.cli.usage.verbs import VERBS
from viewer.diagnostics import Diagnostic
from viewer.errors import Severity
from viewer.version import VERSION

WRITERS = (
    "survey",
    "diff",
    "render",
    "effect",
    "edit",
    "repair",
    "patch",
    "mod",
    "copy",
    "extract",
    "pack",
    "texture",
    "report",
    "schema",
    "thumbnail",
    "export",
    "import",
    "gallery",
)
EVERYWHERE = (("-q", "--quiet"), ("-v", "--verbose"), ("-h", "--help"), ("-V", "--version"))


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(capsys: Capture, verb: str) -> None:
    out, err = success(capsys, "help", verb)
    assert err == ""
    assert out.startswith(f"usage: mshview {verb}")
    for heading in ("examples:", "exit status:", "options of every verb:"):
        assert f"\n{heading}\n" in out
    assert len(dict(VERBS[verb].examples)) == len(VERBS[verb].examples)
    for arguments, does in VERBS[verb].examples:
        assert f"  mshview {verb} {arguments}".rstrip() in out
        assert does in out
        words = takewhile(lambda word: word not in (">", "|"), shlex.split(arguments))
        parser_of(verb).parse([*words])
    assert ("\n  1    " in out) == bool(VERBS[verb].found)
    assert all(f"\n  {status:<4} " in out for status in (0, 2, 130, 141))


@pytest.mark.parametrize("spelling", [["{}", "--help"], ["{}", "-h"], ["-h", "{}"]])
def test_spellings_of_help(capsys: Capture, spelling: list[str]) -> None:
    for verb in ("ls", "render"):
        assert success(capsys, *(word.format(verb) for word in spelling)) == success(capsys, "help", verb)


def test_help_without_a_verb_is_that_of_the_program(capsys: Capture) -> None:
    assert success(capsys, "help") == success(capsys, "--help") == success(capsys, "-h")


def test_help_of_the_program_has_examples_and_exit_statuses(capsys: Capture) -> None:
    out, _ = success(capsys, "help")
    for arguments, does in EXAMPLES:
        assert f"  mshview {arguments}".rstrip() in out
        assert does in out
    assert all(f"\n  {status:<4} " in out for status in (0, 1, 2, 130, 141))
    assert all(f"\n  {verb} " in out for verb in VERBS)


@pytest.mark.parametrize(
    ("value", "quoted"), [("auto", "'auto'"), ("1.5", "'1.5'"), ("9" * 5000, f"'{'9' * 1000}'...")]
)
def test_what_is_no_whole_number_is_refused_in_plain_words(capsys: Capture, value: str, quoted: str) -> None:
    """A value of thousands of digits is cut where it is quoted."""
    error = failure(capsys, "draws", "x.msh", "--group", value)
    assert f"argument --group: {quoted} is not a whole number" in error


def test_version(capsys: Capture) -> None:
    for arguments in (["-V"], ["--version"], ["ls", "--version"]):
        assert success(capsys, *arguments) == (f"mshview {VERSION}\n", "")


@pytest.mark.parametrize("verb", VERBS)
def test_every_argument_has_a_help_that_completion_understands(verb: str) -> None:
    parser = parser_of(verb)
    arguments = arguments_of(parser)
    names = [argument.names for argument in arguments]
    expected = {it[:1] if it[0] == "-V" and verb in WITH_VERSION else it for it in EVERYWHERE}
    assert expected <= set(names)
    assert (("-o", "--output") in names) == (verb in WRITERS)
    for action in parser.actions:
        if action.option_strings and not isinstance(action.default, bool | None):
            shown = parser.help_of(action)
            assert "default" in shown or action.default == ""
            assert not shown.rstrip().endswith("default")  # of what?
    for argument in arguments:
        assert argument.help
        assert "%" not in argument.help
        if "PATH" in argument.metavar or "OUT" in argument.metavar:
            assert argument.value in (Value.ADDRESS, Value.FILE)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["inspet", "x"], "inspect"),
        (["vaildate", "x"], "validate"),
        (["help", "rendr"], "render"),
        (["ls", "--jsn", "x"], "--json"),
        (["render", "x", "--ouput", "y.png"], "--output"),
        (["render", "x", "-o", "y.png", "--shading=textred"], "textured"),
        (["--versoin"], "--version"),
        (["completion", "fsh"], "fish"),
    ],
)
def test_a_mistake_suggests_the_nearest(capsys: Capture, arguments: list[str], meant: str) -> None:
    assert f"; did you mean {meant}?; see 'mshview " in failure(capsys, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ("ls", "--zzzzzz", "x"),
        ("inspect", "--complete", "x"),  # --tolerant has five letters of it
        ("--qux",),
        ("export", "x", "-o", "{foo}.glb"),
    ],
)
def test_nothing_near_is_no_suggestion(capsys: Capture, arguments: tuple[str, ...]) -> None:
    assert "did you mean" not in failure(capsys, *arguments)


def test_nothing_after_two_dashes_is_an_option(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("-x.wea", "--json.wea"):
        Path(name).write_bytes(b"1\r\n0 MAT\r\n")
        assert success(capsys, "inspect", "--", name)[0].split()[:2] == ["source", name]
    out, _ = success(capsys, "inspect", "--json", "--", "--json.wea", "-x.wea")
    assert [result["source"] for result in json.loads(out)["results"]] == ["--json.wea", "-x.wea"]
    assert "there is no option -x.wea" in failure(capsys, "inspect", "-x.wea")


@pytest.mark.parametrize("verb", WRITERS)
def test_an_empty_output_is_refused(capsys: Capture, verb: str) -> None:
    assert "argument -o/--output: the name is empty" in failure(capsys, verb, "x", "-o", "")


def test_options_may_stand_anywhere(capsys: Capture, tmp_path: Path) -> None:
    sample = str(GAME / "models.rlb")
    expected = success(capsys, "ls", sample, "--json")
    assert success(capsys, "ls", "--json", sample) == expected
    assert success(capsys, "-q", "ls", "--json", sample) == expected
    out = tmp_path / "out"
    success(capsys, "extract", sample, "-o", out, "walker.msh", "-q")
    assert "walker.msh" in {file.name for file in out.iterdir()}


@pytest.mark.parametrize("arguments", [[""], ["open", ""], ["-q", ""], ["ls", ""], ["validate", ""]])
def test_an_empty_path_is_an_error(
    capsys: Capture, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("viewer.cli.picturing.open.has_display", lambda: False)
    monkeypatch.delenv("MSHVIEW_PREVIEW", raising=False)
    assert states(failure(capsys, *arguments), "''")


def test_quiet_prints_results_and_errors_only(capsys: Capture, tmp_path: Path) -> None:
    damaged = tmp_path / "a.wea"
    damaged.write_bytes(b"3\r\n0 MAT\r\n")
    plain = success(capsys, "inspect", damaged)
    assert plain[1].startswith("mshview: warning: ")
    assert success(capsys, "inspect", damaged, "-q") == (plain[0], "")
    assert success(capsys, "copy", damaged, "-o", tmp_path / "b.wea", "--quiet") == ("", "")
    assert main(["ls", str(tmp_path / "missing"), "-q"]) == 2
    assert capsys.readouterr().err.startswith("mshview: error: ")


@pytest.mark.parametrize(
    ("verbosity", "printed"),
    [(Verbosity.QUIET, 0), (Verbosity.NORMAL, WARNING_LIMIT + 1), (Verbosity.VERBOSE, 35)],
)
def test_verbosity_decides_how_many_warnings_are_printed(
    capsys: Capture, verbosity: Verbosity, printed: int
) -> None:
    findings = [Diagnostic("R", Severity.WARNING, f"w{number}") for number in range(30)]
    remarks = [Diagnostic("R", Severity.INFO, f"i{number}") for number in range(5)]
    output.choose(verbosity)
    with terminal_output():
        output.write_warnings("a.msh", [*findings, *remarks])
    output.choose(Verbosity.NORMAL)
    err = capsys.readouterr().err
    assert err.count("\n") == printed
    assert ("10 more like these; -v prints all" in err) == (verbosity is Verbosity.NORMAL)
    assert ("mshview: note: a.msh: i4\n" in err) == (verbosity is Verbosity.VERBOSE)


def test_quiet_and_verbose_exclude_each_other(capsys: Capture) -> None:
    assert "not allowed with" in failure(capsys, "ls", "x", "-q", "-v")
