"""Calls that wait until all panels have drawn, so that nothing changes while they draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, overload

from msgspec import Struct

Parameters = ParamSpec("Parameters")


class Call(Struct, frozen=True):
    """A method of a controller with the arguments to call it with."""

    method: Callable[..., object]
    arguments: tuple[object, ...]
    options: dict[str, object]

    def make(self) -> None:
        """Call the method of the controller with its arguments."""
        self.method(*self.arguments, **self.options)


class Later:
    """Keeps calls until they are taken; owner: the application, main thread only.

    Attributes
    ----------
    calls
        Those that wait, in their order.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def __call__(
        self,
        method: Callable[Parameters, object],
        *arguments: Parameters.args,
        **options: Parameters.kwargs,
    ) -> None:
        """Call a method with these arguments after the panels have drawn."""
        self.calls.append(Call(method, arguments, options))

    @overload
    def calling(self, method: Callable[Parameters, object]) -> Callable[Parameters, None]: ...

    @overload
    def calling(
        self,
        method: Callable[Parameters, object],
        *arguments: Parameters.args,
        **options: Parameters.kwargs,
    ) -> Callable[..., None]: ...

    def calling(
        self, method: Callable[..., object], *arguments: object, **options: object
    ) -> Callable[..., None]:
        """A function that calls a method later with some arguments, and with its own."""

        def call(*others: object, **more: object) -> None:
            self.calls.append(Call(method, (*arguments, *others), {**options, **more}))

        return call

    def take(self) -> list[Call]:
        """The calls so far; those that they make in turn are for the next frame."""
        taken = [*self.calls]
        self.calls.clear()
        return taken
