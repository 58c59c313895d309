"""Calls between two processes: the judge, which runs the checker, and the learner's process.

Numbers, strings, lists, tuples, sets, dicts and numeric arrays are copied. Anything else stays in its
process, and the other side gets a `Proxy` that forwards operations. The two sides differ in one respect:
the learner's process does whatever it is asked, the judge only what `_permit` allows. Nothing that a
learner's process sends is run, imported or unpickled, and a proxy never answers a comparison: to the
judge, objects are equal if they are identical, and numbers if their copies are equal.
"""

from __future__ import annotations

import builtins
import importlib
import json
import operator
import os
import struct
import sys
import threading
from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any, NoReturn

import numpy as np

CHECKER = "checker"  # the module name of an exercise's check.py
LARGEST = 4_000_000  # maximum size of a message in bytes
COPIED = frozenset({bool, int, float, str, type(None)})
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
UNARY = ("neg", "pos", "abs", "index")
ITEMS = ("getitem", "setitem", "contains")
FUNCTIONS = ("len", "iter", "next", "bool", "repr", "str", "format", "float", "int")
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in (*BINARY, *UNARY, *ITEMS)},
    **{name: getattr(builtins, name) for name in FUNCTIONS},
    "get": getattr,
    "set": setattr,
    "isinstance": isinstance,
    "call": lambda function, arguments, named: function(*arguments, **named),
}


class EndedError(BaseException):
    """Ends the run, with the kind and message of its `Outcome`."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(kind, message)
        self.kind = kind
        self.message = message


class AbandonedError(BaseException):
    """Raised in the learner's process when the judge cancels the current call."""


class Proxy:
    """An object in the other process. `==` and `hash` use the object's identity."""

    __slots__ = ("_link_", "_number_")

    def __init__(self, link: Link, number: int) -> None:
        object.__setattr__(self, "_link_", link)
        object.__setattr__(self, "_number_", number)

    def __getattr__(self, name: str) -> Any:
        return self._link_.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._link_.ask("set", self, name, value)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self._link_.ask("call", self, arguments, named)

    def __instancecheck__(self, thing: Any) -> bool:
        return self._link_.ask("isinstance", thing, self) is True


def _forwarded(operation: str, reflected: bool = False) -> Callable[..., Any]:
    def method(self: Proxy, *others: Any) -> Any:
        return self._link_.ask(operation, *((*others, self) if reflected else (self, *others)))

    return method


for _name in (*BINARY, *UNARY, *ITEMS, *FUNCTIONS):
    setattr(Proxy, f"__{_name}__", _forwarded(_name))
for _name in BINARY:
    setattr(Proxy, f"__r{_name}__", _forwarded(_name, reflected=True))


class Link:
    """One end: `ask` performs an operation in the other process.

    While `ask` waits, it answers the requests of the other process. `judging` marks the judge's end.
    `told` describes an exception to the learner, and `failure` is the checker's exception that ends a
    check, wherever it is raised.
    """

    def __init__(
        self,
        read: int,
        write: int,
        told: Callable[[BaseException], str] = str,
        judging: bool = False,
        failure: type[Exception] | tuple[()] = (),
    ) -> None:
        self.read = read
        self.write = write
        self.told = told
        self.judging = judging
        self.failure = failure
        self.failed: Exception | None = None
        self.exported: dict[int, Any] = {}
        self.proxies: dict[int, Proxy] = {}
        self.lock: Any = threading.RLock()

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Perform an operation in the other process; changes to list arguments are applied here too."""
        with self.lock:
            lists: list[Any] = []
            self._send(["do", operation, [self._encoded(each, lists) for each in arguments]])
            while (message := self._receive())[0] == "do":
                self._send(self._answer(message))
            if self.failed is not None:
                failed, self.failed = self.failed, None
                raise failed
            return self._result(message, lists)

    def there(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of the same name in the learner's process."""
        return lambda *arguments, **named: self.ask("call", function, arguments, named)

    def serve(self) -> NoReturn:
        """Answer until the other side is gone."""
        while True:
            self._send(self._answer(self._receive()))

    # --- messages ----------------------------------------------------------------------------------

    def _send(self, message: Any) -> None:
        content = json.dumps(message, separators=(",", ":")).encode()
        content = struct.pack("=I", len(content)) + content
        try:
            while content:
                content = content[os.write(self.write, content) :]
        except OSError:
            raise EndedError("gone") from None

    def _receive(self) -> list[Any]:
        """The next message; an invalid one ends the run."""
        (size,) = struct.unpack("=I", self._bytes(4))
        if size > LARGEST:
            raise EndedError("error", f"it returned something larger than {LARGEST:,} bytes")
        try:
            message = json.loads(self._bytes(size))
        except (ValueError, RecursionError):
            raise EndedError("error", GARBLED) from None
        if not isinstance(message, list) or not message:
            raise EndedError("error", GARBLED)
        return message

    def _bytes(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            try:
                part = os.read(self.read, count - len(parts))
            except OSError:
                part = b""
            if not part:
                raise EndedError("gone")
            parts += part
        return bytes(parts)

    def _result(self, message: list[Any], lists: list[Any]) -> Any:
        try:
            if message[0] == "is":
                _, value, changes = message
                for place, content in changes:
                    lists[place][:] = self._decoded(content, [])
                return self._decoded(value, [])
            _, names, text, told = message
            assert message[0] == "raised"
            assert all(isinstance(each, str) for each in (*names, text, told))
        except (ValueError, TypeError, KeyError, IndexError, AssertionError, RecursionError):
            raise EndedError("error", GARBLED) from None
        raise self._exception(names, text, told)

    def _answer(self, message: list[Any]) -> list[Any]:
        try:
            _, operation, arguments = message
            lists: list[Any] = []
            given = [self._decoded(each, lists) for each in arguments]
            if self.judging:
                self._permit(operation, given)
            before = [each.copy() for each in lists]
            result = self._encoded(OPERATIONS[operation](*given), [])
            changes = [
                [place, self._encoded(after, [])]
                for place, (after, kept) in enumerate(zip(lists, before, strict=True))
                if not _unchanged(after, kept)
            ]
            answer = ["is", result, changes]
            json.dumps(answer)
            return answer
        except EndedError:
            raise
        except BaseException as error:
            if self.judging and isinstance(error, self.failure):
                self.failed = error
                return ["raised", [AbandonedError.__name__], "", ""]
            if self.judging and not isinstance(error, Exception):
                raise
            names = [each.__name__ for each in type(error).__mro__ if each.__module__ == "builtins"]
            return ["raised", names, _text(error), self.told(error)]

    def _exception(self, names: list[str], text: str, told: str) -> BaseException:
        """An exception of the other process, as the nearest built-in one."""
        if names == [AbandonedError.__name__] and not self.judging:
            return AbandonedError()
        if "SystemExit" in names:
            return EndedError("exit", "it called exit() before the program was finished")
        if "KeyboardInterrupt" in names:
            return EndedError("stopped", "it was stopped")
        for name in names:
            kind = getattr(builtins, name, None)
            if isinstance(kind, type) and issubclass(kind, Exception):
                try:
                    error = kind(text)
                except TypeError:  # such as UnicodeDecodeError, which takes five arguments
                    continue
                error.told = told  # type: ignore[attr-defined]
                return error
        return EndedError("error", told)

    # --- values ------------------------------------------------------------------------------------

    def _encoded(self, x: Any, lists: list[Any]) -> Any:
        """A value as JSON; lists and arrays are recorded, to report changes to them afterwards."""
        kind = type(x)
        if kind in COPIED:
            return x
        if kind is list:
            lists.append(x)
            return [self._encoded(each, lists) for each in x]
        if kind in (tuple, set, frozenset):
            return {"tuple" if kind is tuple else "set": [self._encoded(each, lists) for each in x]}
        if kind is dict:
            pairs = [[self._encoded(k, lists), self._encoded(v, lists)] for k, v in x.items()]
            return {"dict": pairs}
        if isinstance(x, np.generic) and x.dtype.kind in "biuf":
            return x.item() if type(x.item()) in COPIED else float(x)
        if kind is np.ndarray and x.dtype.kind in "biuf":
            lists.append(x)
            return {"array": [x.dtype.str, x.tolist()]}
        if kind is Proxy and x._link_ is self:
            return {"yours": x._number_}
        if self.judging:
            if name := _importable(x):
                return {"named": name}
            if not _of_the_checker(x):
                raise TypeError(
                    f"a {kind.__name__} of the checker's process cannot be passed to the learner's "
                    f"code: create it there, with work.imported({kind.__module__.partition('.')[0]!r})"
                )
        self.exported[id(x)] = x
        return {"mine": id(x)}

    def _decoded(self, x: Any, lists: list[Any]) -> Any:
        if isinstance(x, list):
            made: list[Any] = []
            lists.append(made)
            made += [self._decoded(each, lists) for each in x]
            return made
        if not isinstance(x, dict):
            return x
        ((tag, content),) = x.items()
        if tag == "tuple":
            return tuple(self._decoded(each, lists) for each in content)
        if tag == "set":
            return {self._decoded(each, lists) for each in content}
        if tag == "dict":
            return {self._decoded(k, lists): self._decoded(v, lists) for k, v in content}
        if tag == "array":
            dtype = np.dtype(str(content[0]))
            if dtype.kind not in "biuf":
                raise ValueError(dtype)
            lists.append(array := np.array(content[1], dtype=dtype))
            return array
        if tag == "mine":
            return self.proxies.setdefault(content, Proxy(self, content))
        if tag == "named" and not self.judging:
            module, _, path = content.partition(":")
            found: Any = importlib.import_module(module)
            return operator.attrgetter(path)(found) if path else found
        if tag == "yours":
            return self.exported[content]
        raise ValueError(tag)

    def _permit(self, operation: str, given: list[Any]) -> None:
        """Permit a learner's process to call and use only what the checker passed to it.

        Names with a leading underscore give access to the judge itself, so they are rejected.
        """
        of_checker = [each for each in given if _of_the_checker(each)]
        if operation in ("get", "set"):
            thing, name = given[0], given[1]
            fine = _of_the_checker(thing) and not isinstance(thing, (FunctionType, MethodType))
            fine = fine and isinstance(name, str) and not name.startswith("_")
            fine = fine and not (operation == "set" and isinstance(thing, type))
        elif operation == "call":
            fine = _of_the_checker(given[0]) and callable(given[0])
        elif operation == "isinstance":
            fine = _of_the_checker(given[1])
        else:
            fine = operation in OPERATIONS and bool(of_checker)
        if not fine:
            kind = AttributeError if operation == "get" else PermissionError
            raise kind("code in an exercise may not access its checker")


GARBLED = "its answers cannot be read: it wrote to the checker's connection"


def _of_the_checker(x: Any) -> bool:
    """Functions, classes and instances of classes that are defined in check.py."""
    if isinstance(x, MethodType):
        x = x.__func__
    return (x if isinstance(x, (FunctionType, type)) else type(x)).__module__ == CHECKER


def _importable(x: Any) -> str:
    """`module:name` for what both processes can import, otherwise ""."""
    if isinstance(x, ModuleType):
        return f"{x.__name__}:" if x.__name__ != CHECKER else ""
    module, name = getattr(x, "__module__", None), getattr(x, "__qualname__", None)
    if module in (None, CHECKER) or name is None or not callable(x):
        return ""
    try:
        same = operator.attrgetter(name)(sys.modules[module]) is x
    except (KeyError, AttributeError):
        same = False
    return f"{module}:{name}" if same else ""


def _unchanged(now: Any, before: Any) -> bool:
    if isinstance(now, list):
        return len(now) == len(before) and all(map(operator.is_, now, before))
    return np.array_equal(now, before, equal_nan=now.dtype.kind == "f")


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""
