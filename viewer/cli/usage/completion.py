"""``completion``: scripts with which a shell completes verbs, options and their values."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from viewer.cli import output
from viewer.cli.output import PROGRAM
from viewer.cli.usage.help import overview
from viewer.cli.usage.parser import Argument, Value, arguments_of, parser_of
from viewer.cli.usage.verbs import DEFAULT_VERB, DONE, VERBS

Declared = dict[str, list[Argument]]
"""The arguments of each verb."""


def declared() -> Declared:
    """The arguments of all verbs; this loads the modules of all of them."""
    return {name: arguments_of(parser_of(name)) for name in VERBS}


def bash(verbs: Declared) -> Iterator[str]:
    """The script for bash."""
    yield f"# Completion of {PROGRAM} for bash: source <({PROGRAM} completion bash)"
    yield from _BASH_START.splitlines()
    yield f"            {'|'.join(verbs)}) verb=$word; break ;;"
    yield from _BASH_VERB.splitlines()
    for name, arguments in verbs.items():
        for argument in _options(arguments):
            patterns = "|".join(f"{name},{spelling}" for spelling in argument.names)
            if argument.value is not Value.NOTHING:
                yield f"        {patterns}) {_bash_values(argument)}; return ;;"
    yield "    esac"
    yield "    case $verb in"
    for name, arguments in verbs.items():
        spellings = [spelling for argument in _options(arguments) for spelling in argument.names]
        yield f"        {name}) options={_words(spellings)}; values={_bash_inputs(arguments)} ;;"
    spellings = [spelling for argument in arguments_of(overview()) for spelling in argument.names]
    yield f"        *) options={_words(spellings)}; values={_words(verbs)} ;;"
    yield from _BASH_END.splitlines()


_BASH_START: Final = """\
_mshview_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_mshview_paths() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "$1" -- "$current"); }
_mshview() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local verb= word words options values
    [[ $current == = ]] && current=
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD-2]}
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in"""
_BASH_VERB: Final = f"""\
            -*) ;;
            *) verb={DEFAULT_VERB}; break ;;
        esac
    done
    case $verb,$previous in"""
_BASH_END: Final = f"""\
    esac
    if [[ $current == -* ]]; then
        _mshview_words "$options"
    elif [[ $values == -* ]]; then
        _mshview_paths "$values"
    else
        _mshview_words "$values"
        [[ $verb ]] || {{ words=("${{COMPREPLY[@]}}"); _mshview_paths -f; COMPREPLY+=("${{words[@]}}"); }}
    fi
}}
complete -F _mshview {PROGRAM}"""


def _bash_values(argument: Argument) -> str:
    if argument.value is Value.CHOICE:
        return f"_mshview_words {_words(argument.choices)}"
    return {Value.FILE: "_mshview_paths -f", Value.FOLDER: "_mshview_paths -d"}.get(
        argument.value, "COMPREPLY=()"
    )


def _bash_inputs(arguments: Sequence[Argument]) -> str:
    """What stands without an option: the words of a choice, or an option of ``compgen``."""
    first = next((argument for argument in arguments if not argument.names), None)
    if first is not None and first.value is Value.CHOICE:
        return _words(first.choices)
    return "''" if first is None else "-d" if first.value is Value.FOLDER else "-f"


def zsh(verbs: Declared) -> Iterator[str]:
    """The script for zsh."""
    yield f"#compdef {PROGRAM}"
    yield f"# Completion of {PROGRAM} for zsh: {PROGRAM} completion zsh > a file _{PROGRAM} in $fpath"
    yield "_mshview() {"
    yield "    local context state line curcontext=$curcontext"
    yield "    local -a verbs"
    yield "    verbs=("
    for name in verbs:
        yield f"        {shlex.quote(f'{name}:{VERBS[name].summary}')}"
    yield "    )"
    options = " ".join(_zsh_option(argument) for argument in arguments_of(overview()))
    yield f"    _arguments -C {options} '1: :->verb' '*:: :->rest'"
    yield "    case $state in"
    yield "        verb) _describe -t verbs verb verbs; _files ;;"
    yield "        rest) case $words[1] in"
    for name, arguments in verbs.items():
        yield f"            {name})"
        yield "                _arguments -S \\"
        for declaration in _zsh_arguments(arguments):
            yield f"                    {declaration} \\"
        yield "                    ;;"
    yield "            *) _files ;;"
    yield "        esac ;;"
    yield "    esac"
    yield "}"
    yield f'if [[ $funcstack[1] == _{PROGRAM} ]]; then _mshview "$@"; else compdef _mshview {PROGRAM}; fi'


def _zsh_arguments(arguments: Sequence[Argument]) -> Iterator[str]:
    yield from map(_zsh_option, _options(arguments))
    for argument in arguments:
        if not argument.names:
            prefix = "*" if argument.is_repeated else ""
            yield shlex.quote(f"{prefix}:{_zsh_text(argument.metavar)}:{_zsh_values(argument)}")


def _zsh_option(argument: Argument) -> str:
    text = _zsh_text(_first_clause(argument.help))
    value = ""
    if argument.value is not Value.NOTHING:
        value = f":{_zsh_text(argument.metavar)}:{_zsh_values(argument)}"
    joint = {True: "=", False: "+"}  # of a value that may also follow at once
    names = [name + joint[name.startswith("--")] if value else name for name in argument.names]
    if len(names) == 1:
        return shlex.quote(f"{names[0]}[{text}]{value}")
    excluded = " ".join(argument.names)
    return f"{shlex.quote(f'({excluded})')}{{{','.join(names)}}}{shlex.quote(f'[{text}]{value}')}"


def _zsh_values(argument: Argument) -> str:
    if argument.value is Value.CHOICE:
        return f"({' '.join(argument.choices)})"
    return {Value.FILE: "_files", Value.FOLDER: "_files -/"}.get(argument.value, " ")


def _zsh_text(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in text)


def fish(verbs: Declared) -> Iterator[str]:
    """The script for fish."""
    yield f"# Completion of {PROGRAM} for fish: {PROGRAM} completion fish | source"
    yield f"set -l verbs {' '.join(verbs)}"
    for name in verbs:
        condition = '-n "not __fish_seen_subcommand_from $verbs"'
        yield f"complete -c {PROGRAM} {condition} -a {name} -d {_fish_text(VERBS[name].summary)}"
    for argument in arguments_of(overview()):
        yield f"complete -c {PROGRAM} {_fish_option(argument)}"
    shared = {argument.names for argument in arguments_of(overview())}
    for name, arguments in verbs.items():
        start = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {name}'"
        for argument in arguments:
            if not argument.names and argument.value is Value.CHOICE:
                yield f"{start} -f -a {_fish_text(' '.join(argument.choices))}"
            elif argument.names and argument.names not in shared:
                yield f"{start} {_fish_option(argument)}"


def _fish_option(argument: Argument) -> str:
    names = [f"-l {it[2:]}" if it.startswith("--") else f"-s {it[1:]}" for it in argument.names]
    values = {
        Value.NOTHING: [],
        Value.CHOICE: [f"-x -a {_fish_text(' '.join(argument.choices))}"],
        Value.FILE: ["-r -F"],
        Value.FOLDER: ["-x -a '(__fish_complete_directories)'"],
        Value.OTHER: ["-x"],
    }[argument.value]
    return " ".join([*names, *values, f"-d {_fish_text(_first_clause(argument.help))}"])


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _options(arguments: Sequence[Argument]) -> list[Argument]:
    return [argument for argument in arguments if argument.names]


def _words(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _first_clause(text: str) -> str:
    """The start of a help text, which fits beside an option."""
    return text.partition(";")[0].partition(": ")[0]


SHELLS: Final[dict[str, Callable[[Declared], Iterator[str]]]] = {"bash": bash, "zsh": zsh, "fish": fish}


SHELL_NAMES = ("bash", "zsh", "fish")


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("shell", choices=SHELL_NAMES, metavar="SHELL", help="one of %(choices)s")


def run(options: Namespace) -> int:
    """Print the script."""
    output.write_lines(SHELLS[options.shell](declared()))
    return DONE
