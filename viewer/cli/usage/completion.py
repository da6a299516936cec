"""``completion``: scripts with which a shell completes verbs, options and their values."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from viewer.cli import output
from viewer.cli.output import PROGRAM
from viewer.cli.usage.help import overview
from viewer.cli.usage.parser import Argument, arguments_of, parser_of
from viewer.cli.usage.values import Value
from viewer.cli.usage.verbs import DEFAULT_VERB, DONE, VERBS
from viewer.translation import translated

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
            if argument.values:
                yield f"        {patterns}) {_bash_values(argument)}; return ;;"
    yield "    esac"
    yield "    case $verb,${COMP_WORDS[COMP_CWORD-2]} in"
    for name, arguments in verbs.items():
        for argument in _options(arguments):
            if any(it.is_in_file for it in argument.values[1:2]):
                patterns = "|".join(f"{name},{spelling}" for spelling in argument.names)
                yield f"        {patterns}) _mshview_inside {argument.values[1]}; return ;;"
    yield "    esac"
    yield "    case $verb in"
    for name, arguments in verbs.items():
        spellings = [spelling for argument in _options(arguments) for spelling in argument.names]
        inside = _entries_after(arguments)
        more = f"; inside={inside}" if inside else ""
        yield f"        {name}) options={_words(spellings)}; values={_bash_inputs(arguments)}{more} ;;"
    spellings = [spelling for argument in arguments_of(overview()) for spelling in argument.names]
    yield f"        *) options={_words(spellings)}; values={_words(verbs)} ;;"
    yield from _BASH_END.splitlines()


_BASH_START: Final = """\
_mshview_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }
_mshview_paths() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "$1" -- "$current"); }
_mshview_names() {
    local at
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete "$@" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]##*::}")
    for at in "${!COMPREPLY[@]}"; do printf -v "COMPREPLY[at]" %q "${COMPREPLY[at]}"; done
}
_mshview_address() {
    local at=$COMP_CWORD typed=${COMP_WORDS[COMP_CWORD]}
    while ((at > 1)) && [[ ${COMP_WORDS[at]} == :: || ${COMP_WORDS[at-1]} == :: ]]; do
        typed=${COMP_WORDS[--at]}$typed
    done
    if [[ $typed == *::* ]]; then _mshview_names address "${typed//\\\\/}"; else _mshview_paths -f; fi
}
_mshview_inside() {
    local at word path=
    for ((at = 1; at < COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]//\\\\/}
        if [[ $word == :: ]]; then path+=::${COMP_WORDS[++at]}; fi
        if [[ -f ${word/#\\~/$HOME} ]]; then path=$word; fi
    done
    [[ $1 == channel ]] && compopt -o nospace 2>/dev/null
    _mshview_names "$1" "$current" "$path"
}
_mshview() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local verb= word words options values inside=
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
    elif [[ $inside && -f $previous ]]; then
        _mshview_inside "$inside"
    elif [[ $values == address ]]; then
        _mshview_address
    elif [[ $values == -* ]]; then
        _mshview_paths "$values"
    else
        _mshview_words "$values"
        [[ $verb ]] || {{ words=("${{COMPREPLY[@]}}"); _mshview_address; COMPREPLY+=("${{words[@]}}"); }}
    fi
}}
complete -F _mshview {PROGRAM}"""


def _bash_values(argument: Argument) -> str:
    if argument.choices:
        return f"_mshview_words {_words(argument.choices)}"
    if argument.value.is_in_file:
        return f"_mshview_inside {argument.value}"
    known = {
        Value.ADDRESS: "_mshview_address",
        Value.FILE: "_mshview_paths -f",
        Value.FOLDER: "_mshview_paths -d",
    }
    return known.get(argument.value, "COMPREPLY=()")


def _entries_after(arguments: Sequence[Argument]) -> str:
    """The completion of the inputs after the first one; empty for none."""
    inputs = [argument for argument in arguments if not argument.names]
    return next((str(it.value) for it in inputs[1:] if it.value.is_in_file), "")


def _bash_inputs(arguments: Sequence[Argument]) -> str:
    """The completion of inputs without an option: words of a choice, or an option of ``compgen``."""
    first = next((argument for argument in arguments if not argument.names), None)
    if first is not None and first.choices:
        return _words(first.choices)
    if first is None or first.value is Value.OTHER:
        return "''"
    return {Value.FOLDER: "-d", Value.ADDRESS: "address"}.get(first.value, "-f")


def zsh(verbs: Declared) -> Iterator[str]:
    """The script for zsh."""
    yield f"#compdef {PROGRAM}"
    yield f"# Completion of {PROGRAM} for zsh: {PROGRAM} completion zsh > a file _{PROGRAM} in $fpath"
    yield from _ZSH_START.splitlines()
    yield "_mshview() {"
    yield "    local context state line curcontext=$curcontext"
    yield "    local -a verbs"
    yield "    verbs=("
    for name in verbs:
        yield f"        {shlex.quote(f'{name}:{translated(VERBS[name].summary)}')}"
    yield "    )"
    options = " ".join(_zsh_option(argument) for argument in arguments_of(overview()))
    yield f"    _arguments -C {options} '1: :->verb' '*:: :->rest'"
    yield "    case $state in"
    yield "        verb) _describe -t verbs verb verbs; _mshview_address ;;"
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


_ZSH_START: Final = """\
_mshview_address() {
    local -a found
    [[ $PREFIX == *::* ]] || { _files; return; }
    found=(${(f)"$(mshview complete address ${(Q)PREFIX} 2>/dev/null)"})
    compadd -- $found
}
_mshview_inside() {
    local -a found
    local word file
    for word in ${(Q)words[1,CURRENT-1]}; do [[ -f ${word%%::*} ]] && file=$word; done
    found=(${(f)"$(mshview complete $1 ${(Q)PREFIX} $file 2>/dev/null)"})
    compadd -S "${${1:#channel}:+ }" -- $found
}"""


def _zsh_arguments(arguments: Sequence[Argument]) -> Iterator[str]:
    yield from map(_zsh_option, _options(arguments))
    for argument in arguments:
        if not argument.names:
            prefix = "*" if argument.is_repeated else ""
            yield shlex.quote(f"{prefix}:{_zsh_text(argument.metavar)}:{_zsh_values(argument)}")


def _zsh_option(argument: Argument) -> str:
    text = _zsh_text(_first_clause(argument.help))
    words = argument.metavar.split() if argument.values else []
    value = "".join(f":{_zsh_text(it)}:{_zsh_values(argument, at)}" for at, it in enumerate(words))
    joint = {True: "=", False: "+"}  # of a single value, which may also follow at once
    names = [name + joint[name.startswith("--")] if len(words) == 1 else name for name in argument.names]
    if len(names) == 1:
        return shlex.quote(f"{names[0]}[{text}]{value}")
    excluded = " ".join(argument.names)
    return f"{shlex.quote(f'({excluded})')}{{{','.join(names)}}}{shlex.quote(f'[{text}]{value}')}"


def _zsh_values(argument: Argument, at: int = 0) -> str:
    """The completion of a value, the first or a later one."""
    if argument.choices:
        return f"({' '.join(argument.choices)})"
    value = argument.values[at] if at < len(argument.values) else Value.OTHER
    known = {Value.ADDRESS: "_mshview_address", Value.FILE: "_files", Value.FOLDER: "_files -/"}
    return f"{{_mshview_inside {value}}}" if value.is_in_file else known.get(value, " ")


def _zsh_text(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "[]:\\" else letter for letter in text)


def fish(verbs: Declared) -> Iterator[str]:
    """The script for fish."""
    yield f"# Completion of {PROGRAM} for fish: {PROGRAM} completion fish | source"
    yield from _FISH_START.splitlines()
    yield f"set -l verbs {' '.join(verbs)}"
    for name in verbs:
        condition = '-n "not __fish_seen_subcommand_from $verbs"'
        yield f"complete -c {PROGRAM} {condition} -a {name} -d {_fish_text(translated(VERBS[name].summary))}"
    for argument in arguments_of(overview()):
        yield f"complete -c {PROGRAM} {_fish_option(argument)}"
    shared = {argument.names for argument in arguments_of(overview())}
    for name, arguments in verbs.items():
        start = f"complete -c {PROGRAM} -n '__fish_seen_subcommand_from {name}'"
        for argument in arguments:
            if not argument.names and argument.choices:
                yield f"{start} -f -a {_fish_text(' '.join(argument.choices))}"
            elif not argument.names and argument.value.is_in_file:
                yield f"{start} -a '(__mshview_inside {argument.value})'"
            elif argument.names and argument.names not in shared:
                yield f"{start} {_fish_option(argument)}"


_FISH_START: Final = """\
function __mshview_address
    set -l word (commandline -ct)
    string match -q '*::*' -- $word; and mshview complete address $word 2>/dev/null
end
function __mshview_inside
    set -l file
    for word in (commandline -opc)
        test -f (string split -m1 :: -- $word)[1]; and set file $word
    end
    mshview complete $argv[1] (commandline -ct) $file 2>/dev/null
end
complete -c mshview -a '(__mshview_address)'"""


def _fish_option(argument: Argument) -> str:
    names = [f"-l {it[2:]}" if it.startswith("--") else f"-s {it[1:]}" for it in argument.names]
    known = {
        Value.ADDRESS: ["-r -F -a '(__mshview_address)'"],
        Value.FILE: ["-r -F"],
        Value.FOLDER: ["-x -a '(__fish_complete_directories)'"],
    }
    if argument.choices:
        values = [f"-x -a {_fish_text(' '.join(argument.choices))}"]
    elif argument.value.is_in_file:
        values = [f"-x -a '(__mshview_inside {argument.value})'"]
    else:
        values = known.get(argument.value, ["-x"]) if argument.values else []
    return " ".join([*names, *values, f"-d {_fish_text(_first_clause(argument.help))}"])


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def powershell(verbs: Declared) -> Iterator[str]:
    """The script for PowerShell, 5.1 and later; a file is completed by PowerShell itself."""
    yield f"# Completion of {PROGRAM} for PowerShell: {_POWERSHELL_USE}"
    yield f"Register-ArgumentCompleter -Native -CommandName {PROGRAM} -ScriptBlock {{"
    yield "    param($typed, $command, $position)"
    yield "    $options = @{"
    for name, arguments in verbs.items():
        spellings = [spelling for argument in _options(arguments) for spelling in argument.names]
        yield f"        {_powershell_text(name)} = {_powershell_list(spellings)}"
    yield "    }"
    yield "    $values = @{"
    for name, arguments in verbs.items():
        for argument in arguments:
            if argument.choices:
                for spelling in argument.names or ("",):
                    key = _powershell_text(f"{name} {spelling}")
                    yield f"        {key} = {_powershell_list(argument.choices)}"
    yield "    }"
    shared = [spelling for argument in arguments_of(overview()) for spelling in argument.names]
    yield f"    $shared = {_powershell_list(shared)}"
    yield from _POWERSHELL_END.splitlines()


_POWERSHELL_USE: Final = f"{PROGRAM} completion powershell | Out-String | Invoke-Expression"
_POWERSHELL_END: Final = """\
    $words = @($command.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($typed) { $words = @($words | Select-Object -SkipLast 1) }
    $verb = $words | Where-Object { $options.ContainsKey($_) } | Select-Object -First 1
    $last = if ($words.Count) { $words[-1] } else { '' }
    $found = if ($verb -and $values.ContainsKey("$verb $last")) { $values["$verb $last"] }
        elseif ($typed -like '*::*') { & mshview complete address $typed 2>$null }
        elseif ($typed -like '-*') { if ($verb) { $options[$verb] } else { $shared } }
        elseif (-not $verb) { $options.Keys | Sort-Object }
        elseif ($values.ContainsKey("$verb ")) { $values["$verb "] }
    $found | Where-Object { $_ -like "$typed*" } | ForEach-Object {
        $text = if ($_ -match '[\\s'';&|()]') { "'" + $_.Replace("'", "''") + "'" } else { $_ }
        [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
    }
}"""


def _powershell_text(text: str) -> str:
    quoted = text.replace("'", "''")
    return f"'{quoted}'"


def _powershell_list(words: Iterable[str]) -> str:
    return f"@({', '.join(map(_powershell_text, words))})"


def _options(arguments: Sequence[Argument]) -> list[Argument]:
    return [argument for argument in arguments if argument.names]


def _words(words: Iterable[str]) -> str:
    return shlex.quote(" ".join(words))


def _first_clause(text: str) -> str:
    """The start of a help text, which fits beside an option."""
    return text.partition(";")[0].partition(": ")[0]


SHELLS: Final[dict[str, Callable[[Declared], Iterator[str]]]] = {
    "bash": bash,
    "zsh": zsh,
    "fish": fish,
    "powershell": powershell,
}
SHELL_NAMES: Final = (*SHELLS,)


def declare(parser: ArgumentParser) -> None:
    """Add the verb's arguments."""
    parser.add_argument("shell", choices=SHELL_NAMES, metavar="SHELL", help="one of %(choices)s")


def run(options: Namespace) -> int:
    """Print the completion script of a shell."""
    output.write_lines(SHELLS[options.shell](declared()))
    return DONE
