"""Selects the core: the compiled core if it was built, otherwise the pure-Python reference core.

`CHAINRULE_CORE=c` or `python` forces one, and `core` names the one in use. This module also
defines the public modes `no_grad`, `enable_grad` and `detect_anomaly`.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Generator
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar, cast

from . import engine
from .ops import BY_NAME, Variadic
from .support import arrays, classic, copying, numbers
from .support import modes as reference
from .support.modes import Modes

wanted = os.environ.get("CHAINRULE_CORE", "")
if wanted not in ("", "c", "python"):
    raise ImportError(f"CHAINRULE_CORE must be 'c' or 'python', got {wanted!r}")

c_core: Any = None  # the compiled core, if it was built
try:
    from . import _core
except ImportError:
    if wanted == "c":
        raise ImportError(
            "CHAINRULE_CORE=c, but the compiled core was not built; install a C compiler and "
            "reinstall chainrule, or unset CHAINRULE_CORE"
        ) from None
    if not wanted:
        warnings.warn(
            "the compiled core of chainrule was not built, so the slower reference core is used: "
            "install a C compiler and reinstall chainrule, or set CHAINRULE_CORE=python to silence this",
            RuntimeWarning,
            stacklevel=3,
        )
else:
    c_core = _core
    # Rarely used methods are written once, in Python, for both cores.
    for name, function in (
        ("__repr__", numbers.show),
        ("__copy__", copying.copy),
        ("__deepcopy__", copying.deepcopy),
        ("__reduce__", copying.reduce),
        ("__array_ufunc__", arrays.array_ufunc),
        ("_op", classic.op),
        ("_prev", classic.prev),
        ("_children", classic.children),
        ("_local_grads", classic.local_grads),
        *((name, arrays.numpy_reduction(getattr(c_core.Value, name))) for name in arrays.REDUCTIONS),
    ):
        setattr(c_core.Value, name, function)


def reduction(name: str) -> Callable[..., Any]:
    """Return the reduction with this name, such as `sum`, as implemented by the core in use."""
    if core == "c":
        return getattr(c_core, name)  # type: ignore[no-any-return]
    return arrays.reduction(cast(Variadic, BY_NAME[name]))


if TYPE_CHECKING:
    from ._core import Value as Value
    from .support.modes import Mode as Mode

    core = "c"
elif c_core is not None and wanted != "python":
    Value, Mode = c_core.Value, c_core.Mode
    core = "c"
else:
    Value, Mode = engine.Value, reference.Mode
    core = "python"


def modes() -> Modes:
    """The modes active in the current context."""
    if core == "python":
        return reference.current()
    recording, anomaly, *observers = c_core.modes()
    return Modes(recording, anomaly, *(reference.NOBODY if o is None else o for o in observers))


class _Mode(Mode):
    """A mode for a `with` block or a decorated function."""

    changes: ClassVar[dict[str, bool]] = {}

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """Support `@no_grad` as well as `@no_grad()`."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    def __init__(self) -> None:
        super().__init__(**self.changes)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function to run in this mode; each call enters a new mode."""
        cls = type(self)
        if inspect.isasyncgenfunction(function):
            raise TypeError(
                f"{cls.__name__} cannot decorate an asynchronous generator; write "
                f"`with {cls.__name__}():` inside it, around code that does not yield"
            )
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def call_later(*args: Any, **keywords: Any) -> Any:
                with cls():
                    return await function(*args, **keywords)

            return call_later
        if inspect.isgeneratorfunction(function):

            @wraps(function)
            def iterate(*args: Any, **keywords: Any) -> Any:
                return (yield from _Resumed(cls, function(*args, **keywords)))

            return iterate

        @wraps(function)
        def call(*args: Any, **keywords: Any) -> Any:
            with cls():
                return function(*args, **keywords)

        return call


class _Resumed(Generator[Any, Any, Any]):
    """A generator that runs in a mode. The mode is off while the generator is suspended."""

    def __init__(self, mode: type[_Mode], inner: Generator[Any, Any, Any]) -> None:
        self.mode, self.inner = mode, inner

    def send(self, value: Any) -> Any:
        with self.mode():
            return self.inner.send(value)

    def throw(self, *error: Any) -> Any:
        with self.mode():
            return self.inner.throw(*error)

    def close(self) -> None:
        with self.mode():
            self.inner.close()


class no_grad(_Mode):
    """Compute without recording a graph: results are leaves, and calling `backward()` on one raises.

    The mode applies to this thread or asyncio task. A generator suspended inside the block keeps the
    mode on until it is closed or dropped, as in PyTorch; for a decorated generator, the mode is on only
    while it runs.

    >>> with no_grad():
    ...     w = w - 0.1 * w.grad
    """

    changes: ClassVar[dict[str, bool]] = {"recording": False}


class enable_grad(_Mode):
    """Record a graph again inside `no_grad()`."""

    changes: ClassVar[dict[str, bool]] = {"recording": True}


class detect_anomaly(_Mode):
    """Raise AnomalyError at the first non-finite value or gradient, naming the source line."""

    changes: ClassVar[dict[str, bool]] = {"anomaly": True}
