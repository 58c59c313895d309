"""Chooses the core: the compiled one if it was built, else the reference.

`CHAINRULE_CORE=c` or `python` forces one. `core` says which it is. The modes that change
what every operation does, `no_grad` and `detect_anomaly`, live here too.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import ContextDecorator
from types import TracebackType
from typing import TYPE_CHECKING, Any, cast

from . import arrays, copying, engine
from .ops import BY_NAME, Variadic

wanted = os.environ.get("CHAINRULE_CORE", "")
if wanted not in ("", "c", "python"):
    raise ImportError(f"CHAINRULE_CORE must be 'c' or 'python', got {wanted!r}")

compiled: Any = None  # the compiled core, if it was built
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
            "install a C compiler and reinstall it, or set CHAINRULE_CORE=python to silence this",
            RuntimeWarning,
            stacklevel=3,
        )
else:
    compiled = _core
    # What runs rarely is written once, in Python, for both cores.
    for name, function in (
        ("__copy__", copying.copy),
        ("__deepcopy__", copying.deepcopy),
        ("__reduce__", copying.reduce),
        ("__array_ufunc__", arrays.array_ufunc),
    ):
        setattr(compiled.Value, name, function)


def reduction(name: str) -> Callable[..., Any]:
    """`sum`, `dot`, `max` and so on as functions, from the core in use."""
    if core == "c":
        return getattr(compiled, name)  # type: ignore[no-any-return]
    return engine.reduction(cast(Variadic, BY_NAME[name]))


if TYPE_CHECKING:
    from ._core import Value as Value
    from ._core import set_modes as set_modes
    from ._core import set_tracer as set_tracer

    core = "c"
elif compiled is not None and wanted != "python":
    Value, set_modes, set_tracer = compiled.Value, compiled.set_modes, compiled.set_tracer
    core = "c"
else:
    Value, set_modes, set_tracer = engine.Value, engine.set_modes, engine.set_tracer
    core = "python"


def tracer_here() -> Any:
    """Who writes down what a function does, if one is being compiled on this thread."""
    tracer = set_tracer(None)
    set_tracer(tracer)
    return tracer


class _Mode(ContextDecorator):
    """Sets a mode of this thread for a `with` block or a decorated function."""

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """`@no_grad` works as well as `@no_grad()`."""
        mode = super().__new__(cls)
        if function is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(function)

    _recording: bool | None = None
    _anomaly: bool | None = None

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def _recreate_cm(self) -> Any:
        """A fresh one for each call of a decorated function, so that threads do not share it."""
        return type(self)()

    def __enter__(self) -> None:
        if self._recording is False:
            tracer = tracer_here()
            if tracer is not None:
                tracer.no_grad()
        self._before.append(set_modes(self._recording, self._anomaly))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        set_modes(*self._before.pop())


class no_grad(_Mode):
    """Compute without recording a graph: results are leaves.

    >>> with no_grad():
    ...     w = w - 0.1 * w.grad
    """

    _recording = False


class enable_grad(_Mode):
    """Record a graph again inside `no_grad()`."""

    _recording = True


class detect_anomaly(_Mode):
    """Raise AnomalyError at the first non-finite value or gradient, naming the source line."""

    _anomaly = True
