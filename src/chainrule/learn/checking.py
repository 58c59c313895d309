"""Properties that checkers test on a learner's code, and the smallest input that breaks them.

A checker is a function `check(work)`. It looks up the learner's names with `work.get`, asserts
properties with `work.equal`, `work.kind` and `work.true`, and repeats them for many inputs with
`@work.for_all(...)`. A failure raises `CheckFailedError`, whose parts are shown to the learner.
"""

from __future__ import annotations

import importlib
import inspect
import math
import random
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from ..support.caching import cached_property

TRIES = 60
SIMPLE = (1.0, 2.0, 3.0, 0.5, -1.0, -2.0, 0.0)  # 0 comes last, because it hides many mistakes
TEXTS = (str, bytes, bytearray)
KINDS = {int: "a whole number", float: "a number", str: "a string"}
EXPLAINED: dict[type[BaseException], str] = {  # where Python's message says too little
    RecursionError: "RecursionError: a function calls itself without end",
    EOFError: "EOFError: input() cannot be answered while the file is being checked",
}
Make = Callable[[random.Random], Any]


@dataclass
class CheckFailedError(Exception):
    """A failed property: what was tried, expected and received, and the rule it concerns."""

    what: str
    expected: str = ""
    got: str = ""
    rule: str = ""
    inputs: str = ""
    error: type[BaseException] | None = None  # raised by the learner's code, if any

    @property
    def parts(self) -> dict[str, str]:
        """The parts as plain data, for a page."""
        names = ("what", "inputs", "expected", "got", "rule")
        return {name: getattr(self, name) for name in names if getattr(self, name)}

    def __str__(self) -> str:
        lines = [self.what]
        lines += [f"  with      {self.inputs}"] if self.inputs else []
        lines += [f"  expected  {self.expected}"] if self.expected else []
        lines += [f"  got       {self.got}"] if self.got else []
        lines += [f"  {self.rule}"] if self.rule else []
        return "\n".join(lines)


class Work:
    """A learner's module, and the assertions on it.

    The module and its objects live in another process. `there` maps a function of this process to its
    counterpart there; in tests both are the same process. `source` is the text of check.py.
    """

    def __init__(
        self,
        module: ModuleType,
        printed: Callable[[], str] = str,
        seed: int = 0,
        there: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
        source: str = "",
    ) -> None:
        self.module = module
        self.printed = printed
        self.seed = seed
        self.there = there
        self.source = source
        self.found: dict[str, Any] = {}  # the results of `get`, by name

    def imported(self, name: str) -> Any:
        """A module in the learner's process, such as chainrule; its objects live there."""
        return self.there(importlib.import_module)(name)

    @cached_property
    def given(self) -> Any:
        """A copy of check.py in the learner's process: functions and classes to pass to its code.

        Those of the checker's own process can be passed too, but each call waits for that process.
        """
        return self.there(copied)(self.source)

    def get(self, name: str) -> Any:
        """Look up what the learner had to define; rejects chainrule's own classes and functions."""
        if name in self.found:
            return self.found[name]
        found = getattr(self.module, name, self)
        if found is self:
            raise CheckFailedError(f"the file does not define {name}: the starter does, was it removed?")
        if what := self.there(chainrules_own)(found, name):
            raise CheckFailedError(f"write the {what} yourself: this is chainrule's own")
        self.found[name] = found
        return found

    def equal(self, what: str, got: Any, expected: Any, rule: str = "", tolerance: float = 1e-9) -> None:
        """Assert equality: numbers up to a relative tolerance, the rest by ==."""
        if not _same(got, expected, tolerance):
            show = shown if shown(expected) != shown(got) else repr  # all digits, if six look equal
            raise CheckFailedError(what, show(expected), show(got), rule)

    def kind(self, what: str, got: Any, kind: type) -> Any:
        """Assert the type of something, such as Value or list, and return it."""
        if not isinstance(got, kind) and self.there(isinstance)(got, kind) is not True:
            missing = " (is there a return?)" if got is None else ""
            raise CheckFailedError(what, KINDS.get(kind, f"a {kind.__name__}"), shown(got) + missing)
        return got

    def kinds(self, what: str, several: Sequence[Any], kind: type) -> None:
        """Assert the type of several things in one request."""
        answers = self.there(are_of_kind)(list(several), kind)
        if answers != [True] * len(several):
            for each in several:
                self.kind(what, each, kind)

    def true(self, what: str, condition: Any, rule: str = "") -> None:
        """Assert a condition; `what` describes the failure."""
        if not condition:
            raise CheckFailedError(what, rule=rule)

    def raises(self, what: str, kind: type[BaseException], function: Callable[[], Any]) -> None:
        """Assert that a call raises."""
        try:
            result = function()
        except kind:
            return
        raise CheckFailedError(what, f"{kind.__name__} raised", shown(result))

    def for_all(self, *makers: Make, tries: int = TRIES) -> Callable[[Callable[..., None]], None]:
        """Run a function on simple numbers, then on random ones; shrink the input after a failure.

        A failure reports the inputs. Exceptions from the learner's code are failures too.
        """
        failure = partial(_failure, file=str(self.module.__file__))

        def run(test: Callable[..., None]) -> None:
            rng = random.Random(self.seed)
            for attempt in range(tries):
                arguments = [make(rng) for make in makers]
                if attempt < len(SIMPLE):
                    arguments = [
                        _simple(attempt + i, make, argument)
                        for i, (make, argument) in enumerate(zip(makers, arguments, strict=True))
                    ]
                if failure(test, arguments) is not None:
                    raise _smallest(test, arguments, failure) from None

        return run


@dataclass(frozen=True)
class Number:
    """Random numbers, rounded to two decimals so that they are easy to read."""

    low: float = -3.0
    high: float = 3.0

    def __call__(self, rng: random.Random) -> float:
        return round(rng.uniform(self.low, self.high), 2)


number = Number


def positive(high: float = 3.0) -> Make:
    return Number(0.1, high)


def whole(low: int, high: int) -> Make:
    return lambda rng: rng.randint(low, high)


def several(make: Make, low: int, high: int) -> Make:
    """Random lists of `low` to `high` elements."""
    return lambda rng: [make(rng) for _ in range(rng.randint(low, high))]


def numeric(function: Callable[..., float], *at: float, width: float = 1e-3) -> list[float]:
    """The partial derivatives of a function, from central differences.

    Two step sizes are combined so that the leading error cancels; the remaining one is about
    1e-10 times the function's size.
    """

    def slope(i: int, step: float) -> float:
        high, low = ([x + s * (i == j) for j, x in enumerate(at)] for s in (step, -step))
        return (function(*high) - function(*low)) / (2 * step)

    steps = [width * max(1.0, abs(x)) for x in at]
    return [(4 * slope(i, step / 2) - slope(i, step)) / 3 for i, step in enumerate(steps)]


def shown(x: Any) -> str:
    """A value for a learner to read: short numbers, otherwise Python's repr, truncated."""
    if isinstance(x, float):
        return f"{x:.6g}" if math.isfinite(x) else str(x)
    if isinstance(x, (list, tuple)) and all(isinstance(item, (int, float)) for item in x):
        text = "[" + ", ".join(map(shown, x)) + "]"
    else:
        try:
            text = repr(x)
        except Exception as error:
            text = f"something whose repr raises {type(error).__name__}"
    return text if len(text) <= 200 else text[:197] + "..."


# --- internals ------------------------------------------------------------------------------------


def are_of_kind(several: Sequence[Any], kind: type) -> list[bool]:
    return [isinstance(each, kind) for each in several]


def copied(source: str) -> ModuleType:
    """Run source text as a module."""
    module = ModuleType("given")
    exec(compile(source, "check.py", "exec"), module.__dict__)
    return module


def chainrules_own(thing: Any, name: str) -> str:
    """What chainrule defines, as "class" or "function"; "" for what the learner defines.

    A class that inherits from its namesake in chainrule is chainrule's.
    Other base classes are fine: a Neuron that is an nn.Module is still the learner's.
    """

    def own(x: Any) -> bool:
        return str(x.__module__).partition(".")[0] == "chainrule"

    if isinstance(thing, type):
        named = any(own(base) for base in thing.__mro__ if base.__name__ == name)
        return "class" if own(thing) or named else ""
    return "function" if inspect.isroutine(thing) and own(thing) else ""


def _same(got: Any, expected: Any, tolerance: float) -> bool:
    if isinstance(expected, (list, tuple)):
        if isinstance(got, (*TEXTS, Mapping, Set)):
            return False
        try:
            found = list(got)
        except TypeError:
            return False
        return len(found) == len(expected) and all(
            _same(a, b, tolerance) for a, b in zip(found, expected, strict=True)
        )
    a_number = isinstance(expected, (int, float)) and not isinstance(expected, bool)
    if a_number and isinstance(got, (*TEXTS, bool)):
        return False  # float("12") is 12, and True == 1
    if isinstance(expected, float):
        try:
            number = float(got)
        except (TypeError, ValueError, OverflowError):
            return False
        if math.isnan(expected) or math.isinf(expected):
            return str(number) == str(expected)
        return abs(number - expected) <= tolerance * max(1.0, abs(expected))
    result = got == expected
    return isinstance(result, (bool, np.bool_)) and bool(result)  # not an array of results


def _simple(attempt: int, make: Make, argument: Any) -> Any:
    """A simple number in the range of `make`, if it makes numbers; otherwise the argument."""
    if not isinstance(make, Number):
        return argument
    simple = [x for x in SIMPLE if make.low <= x <= make.high]
    return simple[attempt % len(simple)] if simple else argument


def _failure(test: Callable[..., None], arguments: Sequence[Any], file: str) -> CheckFailedError | None:
    try:
        test(*arguments)
    except CheckFailedError as failed:
        return failed
    except MemoryError:
        raise
    except Exception as error:
        return _raised(error, file)
    return None


def _raised(error: Exception, file: str) -> CheckFailedError:
    """An exception as a failure, with its line in the learner's file.

    An exception from the learner's process is already formatted.
    """
    if told := getattr(error, "told", ""):
        return CheckFailedError(f"it raises {told}", error=type(error))
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file
    ]
    place = f", at line {lines[-1]}" if lines else ""
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    text = EXPLAINED.get(type(error), text)
    return CheckFailedError(f"it raises {text}{place}", error=type(error))


def _smallest(
    test: Callable[..., None],
    arguments: list[Any],
    failure: Callable[[Callable[..., None], Sequence[Any]], CheckFailedError | None],
) -> CheckFailedError:
    """Replace arguments with simpler ones as long as the property still fails."""
    found = failure(test, arguments)
    assert found is not None
    changed = True
    while changed:
        changed = False
        for i, argument in enumerate(arguments):
            for simpler in _simpler(argument):
                attempt = [*arguments[:i], simpler, *arguments[i + 1 :]]
                failed = failure(test, attempt)
                # A different exception is a different failure.
                if failed is not None and failed.error is found.error:
                    arguments, found, changed = attempt, failed, True
                    break
            if changed:
                break
    names = test.__code__.co_varnames[: len(arguments)]
    found.inputs = ", ".join(
        shown(a) if hasattr(a, "simpler") else f"{n} = {shown(a)}"
        for n, a in zip(names, arguments, strict=True)
    )
    return found


def _simpler(x: Any) -> Iterator[Any]:
    """Shorter lists, then rounder and smaller numbers; shrinking always ends."""
    if hasattr(x, "simpler"):
        yield from x.simpler()
    elif isinstance(x, list):
        for i in range(len(x) if len(x) > 1 else 0):
            yield x[:i] + x[i + 1 :]
        for i, item in enumerate(x):
            for simpler in _simpler(item):
                yield [*x[:i], simpler, *x[i + 1 :]]
    elif isinstance(x, float):
        sign = math.copysign(1.0, x)
        for candidate in (sign, 2 * sign, float(round(x)), round(x, 1)):
            # Keep the sign, and avoid 0, where there may be a kink.
            if _weight(candidate) < _weight(x) and candidate * x > 0.0:
                yield candidate
    elif isinstance(x, int) and not isinstance(x, bool):
        yield from range(1, min(x, 4))


def _weight(x: float) -> tuple[int, float]:
    """How hard a number is to read: its digits first, then its size."""
    return len(f"{abs(x):g}"), abs(abs(x) - 1.0)
