"""Applies functions to Values in sequences and NumPy arrays.

Both cores use this module. It does not import NumPy until it meets an array.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from typing import Any

from ..ops import TABLE, Variadic


def is_array(x: Any) -> bool:
    """Whether x is a NumPy array, without importing NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray)


def as_array(items: list[Any]) -> Any:
    """A one-dimensional array of objects."""
    import numpy as np

    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def is_sequence(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or is_array(x)


def spread_over(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Apply a function elementwise, broadcasting single numbers as NumPy does."""
    if any(is_array(arg) for arg in args):
        import numpy as np

        result = np.asarray(np.frompyfunc(function, len(args), 1)(*args), dtype=object)
        plain = all(isinstance(x, float) for x in np.ravel(result))
        return result.astype(float) if plain else result
    lengths = {len(arg) for arg in args if is_sequence(arg)}
    if len(lengths) > 1:
        shown = " and ".join(map(str, sorted(lengths)))
        raise ValueError(f"sequences must have the same length, got {shown}")
    (length,) = lengths
    columns = [arg if is_sequence(arg) else [arg] * length for arg in args]
    return [function(*row) for row in zip(*columns, strict=True)]


def spread(op: Variadic, args: tuple[Any, ...]) -> list[Any]:
    """The flat arguments of an operation on sequences: `max(a, b)`, `max([a, b])`, `dot(xs, ys)`."""
    if op.width == 1:
        if len(args) == 1 and hasattr(args[0], "__iter__"):
            return list(args[0])
        return list(args)
    if len(args) != op.width:
        raise TypeError(f"{op.name} takes {op.width} sequences, got {len(args)}")
    sequences = [list(arg) for arg in args]
    if len({len(sequence) for sequence in sequences}) > 1:
        lengths = " and ".join(str(len(sequence)) for sequence in sequences)
        raise ValueError(f"{op.name} takes sequences of the same length, got {lengths}")
    return [x for sequence in sequences for x in sequence]


def reduction(op: Variadic) -> Callable[..., Any]:
    """Turn a variadic operation into a function of several values or of one sequence."""

    def function(*args: Any) -> Any:
        return op(*spread(op, args))

    function.__name__, function.__doc__ = op.name, op.doc
    return function


REDUCTIONS = ("sum", "mean", "prod", "max", "min")


def numpy_reduction(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method such as `max` that also accepts the arguments that `np.max(v)` passes."""

    @functools.wraps(method)
    def reduction(self: Any, *args: Any, axis: None = None, out: None = None, **options: Any) -> Any:
        given = [name for name, x in (("axis", axis), ("out", out), *options.items()) if x is not None]
        if given:
            raise TypeError(
                f"{method.__name__} of one Value takes no {given[0]}; for several, use an array"
            )
        return method(self, *args)

    return reduction


# Ufuncs without a loop for objects. They give plain numbers, because their derivatives are 0.
_PLAIN = ("isfinite", "isinf", "isnan")
# Ufuncs of two arguments that NumPy delegates to a method of the first, which may be a plain number.
# It uses operators for rows with a symbol, and comparisons for maximum and minimum.
_BY_METHOD = {
    name: op
    for op in TABLE
    if op.name == "sign" or (op.arity == 2 and not op.symbol and op.name not in ("maximum", "minimum"))
    for name in (op.name, *op.aliases)
}


def array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    """Let NumPy treat a Value as a scalar object: `np.float64(2) * v`, `np.tanh(v)`, `array * v`."""
    import numpy as np

    def known(x: Any) -> bool:
        numeric = isinstance(x, (np.ndarray, np.number, np.bool_, int, float, list, tuple))
        return numeric or hasattr(x, "_apply")

    # Anything else, or a Value as NumPy's output, would recurse forever.
    given = [
        x for option in options.values() for x in (option if isinstance(option, tuple) else (option,))
    ]
    if not all(map(known, inputs)) or any(hasattr(x, "_apply") for x in given):
        return NotImplemented

    def as_object(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return x
        if isinstance(x, (list, tuple)):
            return np.asarray(x, dtype=object)
        box = np.empty((), dtype=object)
        box[()] = float(x) if isinstance(x, (np.number, np.bool_)) else x
        return box

    if ufunc.__name__ in _PLAIN and method == "__call__":
        return ufunc(_like(inputs[0]), **options)
    if ufunc.__name__ == "sign" and method == "__call__" and not options:
        return inputs[0].sign()  # NumPy would compare, which is a branch in a compiled function
    if ufunc.__name__ == "signbit" and method == "__call__":
        return ufunc(inputs[0].data, **options)
    if ufunc.__name__ in _BY_METHOD and method == "__call__" and not options:
        return np.frompyfunc(_BY_METHOD[ufunc.__name__], 2, 1)(*map(as_object, inputs))
    result = getattr(ufunc, method)(*(as_object(x) for x in inputs), **options)
    return result[()] if isinstance(result, np.ndarray) and result.shape == () else result


def _like(value: Any) -> float:
    """A float of the same sign and kind: 0, finite, infinite or NaN.

    It is found by comparisons, which even a tracer allows.
    """
    if value > 0.0:
        return math.inf if value >= math.inf else 1.0
    if value < 0.0:
        return -math.inf if value <= -math.inf else -1.0
    return 0.0 if value <= 0.0 else math.nan
