"""Modes: settings that change what operations do, such as `no_grad`.

A mode belongs to the thread or asyncio task that entered it. It lasts until its context manager
exits or is destroyed, whichever comes first, so that no exception can leave it on permanently. A
generator suspended inside a mode keeps the mode on until the generator is closed or destroyed, as in
PyTorch.

The compiled core has its own `Mode` with the same behaviour, in modes.c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple
from weakref import ref

from . import errors, graph


class Observer:
    """Receives events about Values. This base class ignores them."""

    def read(self, value: Any, attribute: str) -> None:
        """A number was read."""

    def created(self, leaf: Any) -> None:
        """A leaf was created; plain numbers in expressions do not count."""

    def assign(self, value: Any) -> None:
        """A number is about to be changed."""

    def sweep(self, root: Any) -> None:
        """backward() turns everything below `root` into plain numbers."""

    def no_grad(self) -> None:
        """From here on, results are not recorded."""

    def cut(self, leaf: Any, inputs: Collection[Any]) -> None:
        """A result of these inputs was not recorded."""

    def detached(self, leaf: Any, inputs: Collection[Any]) -> None:
        """A gradient was stopped on purpose."""

    def number(self) -> None:
        """A Value is about to be used as a plain number."""

    def truth(self) -> None:
        """A Value is about to be used as true or false."""

    def guard(self, condition: Any, outcome: bool) -> bool:
        """The program is about to branch on this outcome of a comparison."""
        return outcome

    def compares(self, value: Any, other: Any) -> bool:
        """Whether `value == other` compares two Values as numbers."""
        return False

    def depends(self, value: Any) -> bool:
        """Whether the value depends on a differentiated argument."""
        return False


NOBODY = Observer()


class Modes(NamedTuple):
    """The modes active at one point of a program."""

    recording: bool = True  # off inside no_grad()
    anomaly: bool = False  # on inside detect_anomaly()
    tracer: Any = NOBODY  # the active tracer, if a function is being compiled
    arguments: Any = NOBODY  # inside grad, the `Numbers` that observes its arguments

    def read(self, value: Any, attribute: str) -> None:
        """Tell both observers that a number was read."""
        self.tracer.read(value, attribute)
        self.arguments.read(value, attribute)

    def sweep(self, root: Any) -> None:
        """Tell both observers that backward() turns everything below `root` into plain numbers."""
        self.tracer.sweep(root)
        self.arguments.sweep(root)

    def site(self) -> str:
        """Inside detect_anomaly(), the user's source line, to report with a non-finite gradient."""
        return errors.user_line() if self.anomaly else ""

    def check_value(self, name: str, numbers: Sequence[float], result: float) -> None:
        """Inside detect_anomaly(), raise if a result is not finite."""
        if self.anomaly and not math.isfinite(result):
            raise errors.bad_value(name, tuple(numbers), result)

    def check_gradient(self, node: Any, index: int, contribution: float) -> None:
        """Inside detect_anomaly(), raise if the contribution to input `index` is not finite."""
        if self.anomaly and not math.isfinite(contribution):
            raise errors.bad_gradient(node, index, contribution)

    @property
    def tracing(self) -> bool:
        return self.tracer is not NOBODY

    @property
    def differentiating(self) -> bool:
        return self.arguments is not NOBODY


_DEFAULT = Modes()


class _Entry:
    """A mode that was entered, on top of those entered earlier in the same context."""

    __slots__ = ("below", "manager", "open")

    def __init__(self, manager: Mode, below: _Entry | None) -> None:
        self.manager = ref(manager)
        self.below = below
        self.open = True

    def live(self) -> Mode | None:
        """The manager, until it exits or is destroyed."""
        return self.manager() if self.open else None


_top: ContextVar[_Entry | None] = ContextVar("chainrule_modes", default=None)


def current() -> Modes:
    """The modes active in this context. For each mode, the manager entered last decides."""
    entry = _top.get()
    if entry is None:
        return _DEFAULT
    found: dict[str, Any] = {}
    while entry is not None:
        manager = entry.live()
        if manager is not None:
            found = {**manager._changes, **found}
        entry = entry.below
    return Modes(**found)


class Mode:
    """A context manager that changes the given modes; `tracer=False` suspends tracing.

    A tracer starts from the default modes, regardless of the surrounding ones.
    """

    def __init__(
        self,
        recording: bool | None = None,
        anomaly: bool | None = None,
        tracer: Any = None,
        arguments: Any = None,
    ) -> None:
        if getattr(self, "_entries", None):
            raise RuntimeError("the mode is in use")
        changes: dict[str, Any] = {"recording": recording, "anomaly": anomaly, "arguments": arguments}
        self._changes = {name: value for name, value in changes.items() if value is not None}
        if tracer is False:
            self._changes["tracer"] = NOBODY
        elif tracer is not None:
            self._changes = {**_DEFAULT._asdict(), **self._changes, "tracer": tracer}
        self._entries: list[_Entry] = []

    def __enter__(self) -> None:
        if self._changes.get("recording") is False:
            here = current()
            here.tracer.no_grad()
            here.arguments.no_grad()
        depth = len(self._entries)
        try:
            self._entries.append(_Entry(self, _without_closed(_top.get())))
            _top.set(self._entries[-1])
            return
        except BaseException:  # Ctrl-C
            for entry in self._entries[depth:]:
                entry.open = False
            raise

    def __exit__(self, *error: object) -> None:
        if not self._entries:
            raise RuntimeError("the mode was not entered")
        try:
            inside = _top.get()
            while inside is not None and inside not in self._entries:
                inside = inside.below
            if inside is None:  # entered in a different context: a generator may be resumed anywhere
                inside = self._entries[-1]
            self._leave(inside)
        except BaseException:  # Ctrl-C: a traceback may keep this manager alive
            self._leave(self._entries[-1] if self._entries else None)
            raise

    def _leave(self, entry: _Entry | None) -> None:
        if entry is not None and entry.open:
            entry.open = False
            self._entries.remove(entry)
        _top.set(_without_closed(_top.get()))


def _without_closed(top: _Entry | None) -> _Entry | None:
    """The topmost entry that has not ended."""
    while top is not None and top.live() is None:
        top = top.below
    entry = top
    while entry is not None:
        while entry.below is not None and entry.below.live() is None:
            entry.below = entry.below.below
        entry = entry.below
    return top


class Numbers(Observer):
    """Watches the Values that stand for plain numbers while a function is differentiated or traced.

    It decides how `==` compares two Values, so that every kind of call takes the same branch. A Value
    that depends only on `inputs` would be a plain number in a plain call, so it compares as a number.
    Two Values that depend on anything else, such as parameters, compare by identity, as they do in a
    plain call. Inputs of enclosing transformations count too.

    It also records which inputs leave the graph as plain numbers, which would lose their gradients.
    """

    def __init__(self, inputs: Iterable[Any], around: Modes = _DEFAULT) -> None:
        self.inputs: set[Any] = set(inputs)
        self.outer: Numbers | None = around.arguments if around.differentiating else None
        self.around: Numbers | None = around.tracer if around.tracing else None
        if self.outer is not None:
            self.around = self.outer
        self._alone: dict[Any, bool] = {}
        self._taken: dict[Any, str] = {}  # inputs that left the graph as plain numbers: how, and where
        self._walked: set[Any] = set()  # nodes below which all inputs are in `_taken`
        self._entered = ""  # where no_grad() was last entered
        # Leaves made by detach(), or by an operation inside no_grad(): what each was computed from, and
        # where no_grad() was entered. Shared with an enclosing grad, which needs this record too.
        self._cuts: dict[Any, tuple[Collection[Any], str]] = (
            {} if self.outer is None else self.outer._cuts
        )

    # --- equality --------------------------------------------------------------------------------

    def compares(self, value: Any, other: Any) -> bool:
        return self.is_number(value) or self.is_number(other)

    def is_number(self, value: Any) -> bool:
        """Whether the value depends only on inputs and constants."""
        known = self._alone
        stack = [(value, False)]
        while stack:
            node, ready = stack.pop()
            below = self._below(node)
            if ready:
                known[node] = all(known[each] for each in below)
            elif node in known:
                continue
            elif self.is_input(node):
                known[node] = True
            elif not below:
                known[node] = node.is_constant
            else:
                known[node] = False  # provisional, in case the user made the graph cyclic
                stack.append((node, True))
                stack += [(each, False) for each in below]
        return known[value]

    def is_input(self, value: Any) -> bool:
        return value in self.inputs or (self.around is not None and self.around.is_input(value))

    def is_own_number(self, leaf: Any) -> bool:
        """Whether a leaf was cut off from a node that depends on these inputs and on no other Value."""
        return self.around is None and leaf in self._cuts and self.is_number(leaf)

    def depends(self, value: Any) -> bool:
        """Whether the value depends on an input of this or of an enclosing grad."""
        return any(map(self.is_input, self._all_below([value], set())))

    def _all_below(self, values: Iterable[Any], seen: set[Any]) -> Iterator[Any]:
        """These Values and everything they were computed from, except nodes already seen."""
        stack = list(values)
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                yield node
                stack += self._below(node)

    def _below(self, node: Any) -> Collection[Any]:
        """The nodes that a node was computed from, including across cuts."""
        cut = self._cuts.get(node)
        if cut is not None:
            return cut[0]
        return [each for each in graph.arguments(node) if not isinstance(each, float)]

    # --- gradients that would be lost ------------------------------------------------------------

    def read(self, value: Any, attribute: str) -> None:
        self._take(value, f".{attribute} was read")

    def sweep(self, root: Any) -> None:
        self._take(root, "backward() without create_graph was called")

    def no_grad(self) -> None:
        self._entered = f"no_grad() was entered at {errors.user_line()}"

    def cut(self, leaf: Any, inputs: Collection[Any]) -> None:
        self._cuts[leaf] = inputs, self._entered or "no_grad() was entered"

    def detached(self, leaf: Any, inputs: Collection[Any]) -> None:
        self._cuts[leaf] = inputs, ""

    def _take(self, value: Any, how: str) -> None:
        """Record the inputs immediately, because backward() may free the graph."""
        for node in self._all_below([value], self._walked):
            if node in self.inputs:
                self._taken[node] = f"{how} at {errors.user_line()}"
        if self.outer is not None:
            self.outer._take(value, how)

    def lost(self, order: Collection[Any], reached: Callable[[], set[Any]], all_values: bool) -> str:
        """How the gradient of an input was lost; "" if none was.

        `order` is the graph of the result, and `reached` finds the nodes in it that receive a gradient.
        The gradient of an input that left the graph as a plain number is lost if the result does not
        depend on that input, or if part of the result is a plain number. no_grad() and detach() stop
        gradients on purpose. That is an error only for no_grad(), and only if no gradient is left.
        """
        if not self._taken and not self._cuts:
            return ""
        cuts = [node for node in order if node in self._cuts]
        known = {*order, *self._all_below(cuts, set())}
        for node, how in self._taken.items():
            if node not in known or not all_values:
                return how
        entered = [self._cuts[node][1] for node in cuts if self._cuts[node][1]]
        if entered and not self.inputs.isdisjoint(known) and self.inputs.isdisjoint(reached()):
            return entered[0]
        return ""
