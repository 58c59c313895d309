"""Error messages that say what went wrong, with which value, and what to write instead.

Both cores raise errors through these functions, so that the messages are the same.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterable
from typing import Any

from . import graph
from .numbers import format as format_number


class StaleValueError(RuntimeError):
    """A value was changed after an expression was computed from it."""


class GraphFreedError(RuntimeError):
    """The graph was freed by `backward(retain_graph=False)`, or by `compile` in a long function."""


class AnomalyError(FloatingPointError):
    """Inside `detect_anomaly()`, an operation produced a non-finite value or gradient."""


def kind_of(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else type(thing).__name__


def as_text(name: str, text: Any) -> str:
    """Return the text as a plain str, even if it is an instance of a subclass."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, got {type(text).__name__}")
    return str.__str__(text)


def as_children(children: Iterable[Any], cls: type) -> tuple[Any, ...]:
    """The inputs of a hand-made operation."""
    nodes = tuple(children)
    for node in nodes:
        if not isinstance(node, cls):
            raise TypeError(
                f"_children must be Values, got {type(node).__name__}; to name the Value, pass label=..."
            )
    return nodes


NO_BOOL = (
    "a Value cannot be used as a condition, because that would silently cut the graph: "
    "compare it, as in v > 0, or use its number, bool(v.data)"
)
NO_FLOAT = (
    "a Value is not converted to a plain number implicitly, because that would silently cut the "
    "graph: use v.data, or chainrule's functions instead of those of the math module"
)
NO_DIGITS = (
    "round of a Value takes no number of digits: write round(v * 100) / 100, or f'{v:.2f}' to print it"
)
NO_INDEX = (
    "a Value is not converted to an integer implicitly, because that would silently cut the "
    "graph: use take(sequence, v) to select from a sequence, or int(v.data) elsewhere"
)


def name_of(value: Any) -> str:
    """How a message refers to a value: its label if it has one, else its number."""
    if value.label:
        return f"'{value.label}' (data={format_number(graph.number(value))})"
    kind = f"the result of '{value._op}'" if value._op else "a value"
    return f"{kind} (data={format_number(graph.number(value))})"


def stale(changed: Any, result: Any) -> StaleValueError:
    return StaleValueError(
        f"{name_of(changed)} was changed after the result of '{result._op}' was computed from it, so "
        f"the gradients would be wrong. Call forward() on the output to recompute it, or build the "
        f"expression again."
    )


def overwritten(node: Any) -> StaleValueError:
    return StaleValueError(
        f"{name_of(node)} was computed and then overwritten, so the gradients would be wrong. "
        f"Call forward() on the output to recompute it, or assign to the leaves only."
    )


def freed(node: Any) -> GraphFreedError:
    return GraphFreedError(
        f"the graph below '{node._op}' was freed by backward(retain_graph=False). Pass "
        f"retain_graph=True there to differentiate it again, or build the expression again."
    )


def settled(node: Any) -> GraphFreedError:
    return GraphFreedError(
        f"the graph below '{node.op}' was freed, because a long compiled function computed it: return "
        f"it from that function, or compute it again outside"
    )


def not_recorded(node: Any) -> RuntimeError:
    return RuntimeError(
        f"{name_of(node)} was computed inside no_grad() or by detach(), so it has no graph to "
        f"differentiate: compute it outside no_grad(), or inside enable_grad()"
    )


def no_rule(node: Any) -> TypeError:
    return TypeError(
        f"'{node._op}' was defined by hand but has no _backward: assign one, "
        f"`out._backward = function`, or define the operation with custom_op."
    )


def no_formula(node: Any, purpose: str) -> TypeError:
    return TypeError(
        f"cannot {purpose} through '{node._op}': it was defined by hand, so only its _backward is "
        f"known. Define the operation with custom_op(name, forward, partials)."
    )


def user_line() -> str:
    """The innermost source line outside chainrule, as 'file:line: text'."""
    depth = 1
    try:
        # Not f_back, which CPython 3.11 gets wrong if memory runs out.
        while sys._getframe(depth).f_globals.get("__name__", "").split(".")[0] == "chainrule":
            depth += 1
    except ValueError:  # there are no more frames
        return ""
    frame = sys._getframe(depth)
    file, line = frame.f_code.co_filename, frame.f_lineno
    text = linecache.getline(file, line).strip()
    return f"{file}:{line}: {text}" if text else f"{file}:{line}"


def bad_value(name: str, args: tuple[float, ...], data: float) -> AnomalyError:
    shown = ", ".join(format_number(x) for x in args[:4]) + (", ..." if len(args) > 4 else "")
    return AnomalyError(f"{name}({shown}) is {data}, at {user_line()}")


def bad_gradient(node: Any, index: int, gradient: float) -> AnomalyError:
    """The gradient contribution from `node` to input `index` is not finite."""
    site = graph.site(node) or "an unrecorded line: build the expression inside detect_anomaly() too"
    shown = ", ".join(format_number(graph.number(v)) for v in node.inputs[:4])
    dots = ", ..." if len(node.inputs) > 4 else ""
    return AnomalyError(
        f"the gradient of {node.op}({shown}{dots}) with respect to input {index} is {gradient} (the "
        f"gradient it received was {format_number(graph.gradient(node))}); it was computed at {site}"
    )


def bad_tangent(node: Any, tangent: float) -> AnomalyError:
    """The derivative of `node` along the direction of forward mode is not finite."""
    shown = ", ".join(format_number(graph.number(v)) for v in node.inputs[:4])
    dots = ", ..." if len(node.inputs) > 4 else ""
    site = graph.site(node)
    at = f"; it was computed at {site}" if site else ""
    return AnomalyError(f"the tangent of {node.op}({shown}{dots}) is {tangent}{at}")
