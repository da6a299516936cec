"""The parser of a verb, its help, and its arguments as data; wrong usage is an error with a hint."""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Final, NamedTuple, NoReturn

from viewer.cli import output
from viewer.cli.output import PROGRAM
from viewer.cli.terminal import Style, Styled
from viewer.cli.usage.arguments import JSON, STANDARD
from viewer.cli.usage.configuration import NAME, Setting
from viewer.cli.usage.values import Value, taken_by
from viewer.cli.usage.verbs import VERBS, module_of
from viewer.errors import UsageError, suggestion
from viewer.translation import _, ngettext, translated

HELP: Final = "-h", "--help"
VERSION: Final = "-V", "--version"
WITH_VERSION: Final = frozenset({"mod"})
"""The verbs of which ``--version`` is an option of their own; the program says its own for ``-V``."""
IN_STANDARD_INPUT: Final = f"{STANDARD}::"
NO_CONFIG: Final = "--no-config"
USAGE: Final = _("usage: ")
OF_ARGPARSE: Final = tuple(
    it.template
    for it in (
        _("argument %(argument_name)s: %(message)s"),
        _("expected at least one argument"),
        _("expected at most one argument"),
        _("expected one argument"),
        _("ignored explicit argument %r"),
        _("invalid %(type)s value: %(value)r"),
        _("not allowed with argument %s"),
        _("one of the arguments %s is required"),
        _("the following arguments are required: %s"),
        _("unrecognized arguments: %s"),
    )
)
"""Sentences of argparse."""
_EXPECTED: Final = ("expected %s argument", "expected %s arguments")
ngettext("expected %s argument", "expected %s arguments", 2)  # for the catalogues
_VALUE: Final = re.compile(r"%(?:\\?\((?:\w|\\_)+\\?\))?[sr]")
"""A value in a message of argparse, also in one that is escaped."""
WIDTH: Final = 100
"""Largest width of a help text, characters."""


def in_language(message: str) -> str:
    """A message of argparse, which knows English alone, in the user's language; others as they are."""
    if counted := re.fullmatch(r"expected (\d+) arguments?", message):
        return ngettext(*_EXPECTED, int(counted[1])) % counted[1]
    for template in OF_ARGPARSE:
        if found := re.fullmatch(_VALUE.sub("(.*?)", re.escape(template)), message, re.DOTALL):
            values = map(in_language, found.groups())
            return _VALUE.sub("{}", translated(template)).format(*values)
    return message


class _Input(str):
    """An argument after ``--``, which is no option however it begins."""

    __slots__ = ()


class Parser(ArgumentParser):
    """A parser that reports wrong usage as a `UsageError` with a hint."""

    def __init__(self, verb: str, description: str, epilog: str = "") -> None:
        super().__init__(
            prog=f"{PROGRAM} {verb}".strip(),
            description=translated(description),
            epilog=epilog,
            allow_abbrev=False,
            add_help=False,
            formatter_class=_HelpFormatter,
        )
        self._positionals.title, self._optionals.title = _("arguments"), _("options")
        self._negative_number_matcher = re.compile(r"-\.?\d")  # also of the first of several numbers
        self.verb = verb or _("command line")
        self.set_defaults(configured=frozenset())

    def parse(
        self,
        arguments: Sequence[str],
        settings: Sequence[Setting] = (),
        report: Callable[[str], object] = lambda _: None,
    ) -> Namespace:
        """The options; raises `UsageError`. Options may stand before, between and after the inputs.

        Parameters
        ----------
        settings
            Values of options that are not among the arguments.
        report
            Called with what is wrong with a setting, which is left out.
        """
        options = [*_options(arguments)]
        self._refuse_unknown(options)
        preset = self._preset(settings, {it.partition("=")[0] for it in options}, report)
        self.usage = ""  # argparse would format it in advance for messages that `error` replaces
        return self.parse_intermixed_args([*options, *map(_Input, arguments[len(options) + 1 :])], preset)

    def _preset(
        self, settings: Sequence[Setting], names: Container[str], report: Callable[[str], object]
    ) -> Namespace:
        """The values of a configuration that the command line does not override or exclude.

        ``configured`` has their names.
        """
        given = [action for name, action in self._option_string_actions.items() if name in names]
        preset, configured = Namespace(), set[str]()
        for setting in reversed(settings):
            action = self._option_string_actions[setting.option]
            groups = [it for it in self._mutually_exclusive_groups if action in it._group_actions]  # noqa: SLF001
            rivals = [action, *(it for group in groups for it in group._group_actions)]  # noqa: SLF001
            if any(it in rivals or it.dest == action.dest for it in given):
                continue
            try:
                for texts in [[]] if setting.values is None else [[it] for it in setting.values]:
                    action(self, preset, self._get_values(action, texts), setting.option)
            except ArgumentError as error:
                report(f"{setting.source}: {error.message}")
                continue
            given.append(action)
            configured.add(action.dest)
            action.required = False
            for group in groups:
                group.required = False
        preset.configured = frozenset(configured)
        return preset

    def is_json_requested(self, arguments: Sequence[str]) -> bool:
        """Whether a program waits for a JSON document, whatever else is wrong with the arguments."""
        return JSON in self._option_string_actions and JSON in _options(arguments)

    def is_unconfigured(self, arguments: Sequence[str]) -> bool:
        """Whether no configuration file is read."""
        return NO_CONFIG in _options(arguments)

    def _refuse_unknown(self, arguments: Iterable[str]) -> None:
        """Refuse an unknown option before an argument that is missing because of it."""
        for argument in arguments:
            name = argument.partition("=")[0]
            is_number = self._negative_number_matcher.match(argument) is not None
            is_input = argument == STANDARD or argument.startswith(IN_STANDARD_INPUT)
            is_option = argument.startswith("-") and not (is_number or is_input)
            if is_option and not {name, name[:2]} & {*self._option_string_actions}:
                hint = suggestion(name, self._option_string_actions)
                self.error(_("there is no option {name}{suggestion}", name=name, suggestion=hint))

    def _parse_optional(self, arg_string: str) -> Any:
        """Take ``-::entry``, an entry of standard input, and what follows ``--`` for inputs."""
        is_input = isinstance(arg_string, _Input) or arg_string.startswith(IN_STANDARD_INPUT)
        return None if is_input else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError`."""
        words = in_language(message)
        raise UsageError(_("{message}; see '{prog} --help'", message=words, prog=self.prog), source=self.verb)

    def _check_value(self, action: Action, value: object) -> None:
        """Refuse a value that is not among the choices."""
        choices = [*map(str, action.choices or ())]
        if choices and str(value) not in choices:
            message = _(
                "{value!r} is not one of {choices}{suggestion}",
                value=value,
                choices=", ".join(choices),
                suggestion=suggestion(str(value), choices),
            )
            raise ArgumentError(action, message)

    @property
    def options(self) -> Mapping[str, Action]:
        """All options by their spellings."""
        return self._option_string_actions

    @property
    def actions(self) -> Sequence[Action]:
        """All arguments, in the order of the help."""
        return self._actions

    def help_of(self, action: Action) -> str:
        """The help of an argument, with its default."""
        return _HelpFormatter(self.prog).text_of(action)

    def write_help(self) -> None:
        """Print the help of a verb."""
        output.write_lines(map(_with_style, self.format_help().splitlines()))


class _HelpFormatter(RawDescriptionHelpFormatter):
    """States every default, and is as wide as the terminal."""

    def __init__(self, prog: str) -> None:
        width = min(output.line_width() or WIDTH, WIDTH)
        super().__init__(prog, max_help_position=26, width=max(width, 40))

    def text_of(self, action: Action) -> str:
        """The help of an argument with its values filled in."""
        return self._expand_help(action)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        """Begin the usage with a word in the user's language."""
        super().add_usage(usage, actions, groups, translated(USAGE) if prefix is None else prefix)

    def start_section(self, heading: str | None) -> None:
        """Begin a group of arguments, whose heading is in the user's language."""
        super().start_section(translated(heading or ""))

    def _get_help_string(self, action: Action) -> str:
        text = translated(action.help or "")
        has_none = action.default in (None, "", SUPPRESS) or isinstance(action.default, bool)
        return (
            text
            if has_none or translated("default") in text or not action.option_strings
            else text + _("; default %(default)s")
        )


def is_help_requested(arguments: Iterable[str]) -> bool:
    """Whether the help is requested, whatever else is wrong with the arguments."""
    return any(argument in HELP for argument in _options(arguments))


def is_version_requested(name: str, arguments: Iterable[str]) -> bool:
    """Whether the version is requested with the arguments of a verb."""
    spellings = VERSION[:1] if name in WITH_VERSION else VERSION
    return any(argument in spellings for argument in _options(arguments))


def _options(arguments: Iterable[str]) -> Iterator[str]:
    """The arguments before a ``--``, after which nothing is an option."""
    return takewhile(lambda argument: argument != "--", arguments)


def _with_style(line: str) -> str:
    is_heading = line.endswith(":") and not line.startswith(" ")
    return Styled(line, Style.HEADING) if is_heading else line


def parser_of(name: str) -> Parser:
    """The parser of a verb, with the options that all have."""
    verb = VERBS[name]
    examples = [(f"{name} {arguments}", does) for arguments, does in verb.examples]
    summary = translated(verb.summary)
    description = f"{summary[:1].upper()}{summary[1:]}."
    parser = Parser(name, description, examples_and_statuses(examples, verb.statuses))
    module_of(name).declare(parser)
    add_shared_options(parser)
    return parser


def add_shared_options(parser: Parser) -> None:
    """Add the options that every verb and the program itself have."""
    group = parser.add_argument_group("options of every verb")
    amount = group.add_mutually_exclusive_group()
    amount.add_argument(
        "-q", "--quiet", action="store_true", help="print results and errors only: no warnings, no progress"
    )
    amount.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="print all warnings, remarks, and progress also where there is no terminal",
    )
    group.add_argument(
        NO_CONFIG, action="store_true", help=_("do not read {name}, which has values of options", name=NAME)
    )
    group.add_argument(*HELP, action="store_true", help="print this help")
    spellings = [it for it in VERSION if it not in parser.options]  # a verb may have one of its own
    group.add_argument(*spellings, action="store_true", help="print the version")


def examples_and_statuses(examples: Sequence[tuple[str, str]], statuses: Mapping[int, str]) -> str:
    """The end of a help: command lines with what they do, and the meaning of the exit statuses."""
    commands = [f"  {PROGRAM} {arguments}".rstrip() for arguments, _does in examples]
    width = max(map(len, commands))
    return "\n".join(
        [
            _("examples:"),
            *(
                f"{command.ljust(width)}  {translated(does)}"
                for command, (_arguments, does) in zip(commands, examples, strict=True)
            ),
            "",
            _("exit status:"),
            *(f"  {status:<4} {translated(text)}" for status, text in statuses.items()),
        ]
    )


class Argument(NamedTuple):
    """An argument of a verb.

    Parameters
    ----------
    names
        The spellings of an option; empty for an input.
    metavar
        The placeholder of its value; empty if it takes none.
    help
        Its meaning, with its default.
    values
        What each of its values is; nothing for a switch.
    choices
        The values that it accepts, if these are a few.
    is_repeated
        Whether it takes several values.
    """

    names: tuple[str, ...]
    metavar: str
    help: str
    values: tuple[Value, ...]
    choices: tuple[str, ...] = ()
    is_repeated: bool = False

    @property
    def value(self) -> Value:
        """Kind of the first value."""
        return self.values[0] if self.values else Value.OTHER


def arguments_of(parser: Parser) -> list[Argument]:
    """All arguments of a parser, in the order of its help."""
    found = []
    for action in parser.actions:
        choices = tuple(map(str, action.choices or ()))
        named = action.metavar or f"{{{','.join(choices)}}}"
        metavar = "" if action.nargs == 0 else named if isinstance(named, str) else " ".join(named)
        argument = Argument(
            tuple(action.option_strings),
            metavar,
            parser.help_of(action),
            taken_by(action),
            choices,
            action.nargs in ("*", "+"),
        )
        found.append(argument)
    return found
