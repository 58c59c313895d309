"""`explain`: where a gradient comes from, as a worked example.

The ledger lists the contribution of each use of a value, and of each path from the result, with formulas
and numbers. The contributions by use, added in order, give the gradient to the last bit. The graph is
not modified.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

from ... import ops
from ...inspect import rules
from ...inspect.notation import DOTS, Latex, MathML, Notation, Text, call, formula
from ...support import graph, ieee
from ...support.caching import cached_property
from ...value import Value
from .module_names import value_names
from .naming import Names
from .routes import MANY, Edge, Flow, Path, flow, largest, rank

USES = 20  # the most uses that are listed: the largest
FACTORS = 8  # the most factors that are listed per path
NAMED = 20  # the most numbered values that are defined at the end
LEFT = ' style="text-align:left"'


def _number(x: float) -> str:
    return f"{x + 0.0:.4g}"


class Use(NamedTuple):
    """The contribution of one use of the value: the target's gradient times the derivative."""

    target: Value
    slot: int  # which argument of the target
    gradient: float  # of the target
    partial: float
    share: float


class Route(NamedTuple):
    """One path: the values from the result to the one explained, and the product of derivatives."""

    nodes: tuple[Value, ...]
    partials: tuple[float, ...]
    contribution: float


@dataclass(frozen=True)
class Line:
    """One line of the ledger: a sentence, or an equation with a heading."""

    words: str = ""
    subject: tuple[ast.expr, ...] = ()
    between: str = "="
    sides: tuple[ast.expr, ...] = ()


@dataclass(frozen=True)
class Ledger:
    """Where a gradient comes from: print it, or show it in a notebook.

    `uses` has all entries in the order in which backward adds them; `paths` the largest of `count` paths
    (10**1000 means that many or more).
    """

    gradient: float
    uses: tuple[Use, ...]
    paths: tuple[Route, ...]
    count: int
    _lines: tuple[Line, ...] = field(repr=False)

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    @cached_property
    def text(self) -> str:
        write = Text(_number)
        heads = [_head(line, write) for line in self._lines]
        rows = [(head, line) for head, line in zip(heads, self._lines, strict=True) if line.sides]
        width = max((len(head) for head, _ in rows if len(head) <= 40), default=0)
        shown = []
        for head, line in zip(heads, self._lines, strict=True):
            if line.sides and head:
                head = f"{head:{width}}  "
            shown.append(head + " = ".join(write(side) for side in line.sides))
        return "\n".join(shown)

    @cached_property
    def latex(self) -> str:
        write = Latex(_number)
        rows = []
        for line in self._lines:
            head = _head(line, write)
            sides = " = ".join(write(side) for side in line.sides)
            rows.append(f"& {head} \\quad {sides}" if head and sides else f"& {head or sides}")
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    @cached_property
    def mathml(self) -> str:
        return formula(f"<mtable>{self._rows('mtr', 'mtd', 'columnspan', str)}</mtable>", "block")

    @cached_property
    def html(self) -> str:
        rows = self._rows("tr", "td", "colspan", formula)
        return f'<table class="chainrule-ledger"><tbody>{rows}</tbody></table>'

    def _rows(self, row: str, cell: str, span: str, shown: Callable[[str], str]) -> str:
        """The rows of a table, with these tags; a line without a head or sides spans both columns."""
        write, rows = MathML(_number), []
        for line in self._lines:
            head = _head(line, write)
            sides = write.infix("=", [write(side) for side in line.sides]) if line.sides else ""
            if head and sides:
                cells = "".join(f"<{cell}{LEFT}>{shown(part)}</{cell}>" for part in (head, sides))
            else:
                cells = f'<{cell} {span}="2"{LEFT}>{shown(head or sides)}</{cell}>'
            rows.append(f"<{row}>{cells}</{row}>")
        return "".join(rows)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """For notebooks: formulas where the notebook can show them, otherwise text."""
        latex = f"$\\displaystyle {self.latex}$"
        return {"text/plain": self.text, "text/html": self.html, "text/latex": latex}


def _head(line: Line, write: Notation) -> str:
    """The heading of an equation, or a whole sentence."""
    subject = write.infix(line.between, [write(tree) for tree in line.subject]) if line.subject else ""
    if isinstance(write, Text):
        words = " ".join(filter(None, (line.words, subject)))
        return f"{words}:" if line.sides and words else words
    end = ":" if line.sides else ""
    if not subject:
        return write.words(line.words + end) if line.words else ""
    head = write.words(line.words + " ") if line.words else ""
    joined = head + subject + (write.words(end) if end else "")
    return f"<mrow>{joined}</mrow>" if isinstance(write, MathML) else joined


def explain(loss: Value, wrt: Value, *, paths: int = 20, names: Any = None) -> Ledger:
    """Explain the gradient of `loss` with respect to `wrt`.

    Works before and after `backward()` and changes no gradients. Up to `paths` paths are listed, the
    largest first; the others are summed. `names` are labels for Values that have none: a dict, or the
    model, whose parameters and neurons are then named.

    >>> print(explain(y, wrt=a))
    """
    if not isinstance(loss, Value):
        raise TypeError(f"explain expects the result as a Value, got {type(loss).__name__}")
    if not isinstance(wrt, Value):
        raise TypeError(f"wrt must be a Value that the result depends on, got {type(wrt).__name__}")
    if isinstance(paths, bool) or not isinstance(paths, int) or paths < 0:
        raise ValueError(f"paths must be an integer of at least 0, got {paths!r}")
    order = graph.topological(loss)
    found = Flow([]) if wrt.is_constant else flow(order, wrt)
    uses = tuple(
        Use(found.nodes[e.target], e.slot, found.gradients[e.target], e.partial, e.share)
        for e in map(found.edge, found.into)
    )
    if loss is not wrt:
        # Not with `sum`, which compensates for rounding since Python 3.12.
        assert _same(reduce(operator.add, (use.share for use in uses), 0.0), found.gradient)
    routes = largest(found, paths) if uses else []
    known = Names(order, value_names(names, order))
    lines = tuple(_Writer(known, wrt, found, paths).lines(uses, routes))
    return Ledger(found.gradient, uses, tuple(_route(found, p) for p in routes), found.count, lines)


def _same(a: float, b: float) -> bool:
    """The same number to the last bit, or both NaN."""
    return (a == b and math.copysign(1.0, a) == math.copysign(1.0, b)) or (a != a and b != b)


def _route(found: Flow, path: Path) -> Route:
    nodes = (found.nodes[-1], *(found.nodes[edge.source] for edge in path.edges))
    return Route(nodes, tuple(edge.partial for edge in path.edges), path.contribution)


class _Writer:
    """Formats a ledger as lines."""

    def __init__(self, names: Names, w: Any, found: Flow, most: int) -> None:
        self.names = names
        self.loss, self.w, self.found, self.most = names.result, w, found, most
        self.result = self.names.name(self.loss)
        self.write = Text(_number)

    def lines(self, uses: Sequence[Use], routes: list[Path]) -> Iterator[Line]:
        lines = [*self.head(uses)]
        if uses:
            lines += [*self.by_use(uses), *self.by_path(routes)]
        yield from lines
        yield from self.legend(lines)

    def head(self, uses: Sequence[Use]) -> Iterator[Line]:
        way = self.names.formula(self.loss)
        if way is not None:
            yield Line(sides=(self.result, way, ast.Constant(self.loss.data)))
        result, name = self.write(self.result), self.write(self.names.name(self.w))
        gradient = ast.Constant(self.found.gradient)
        if not self.w.is_constant:
            yield Line(sides=(self.derivative(self.w), gradient))
        if self.w.is_constant:
            yield Line(f"{name} is a constant: a plain number in an expression gets no gradient.")
        elif self.w is self.loss:
            yield Line(f"{result} is the value itself, so the derivative is 1.")
        elif not self.found.nodes or self.found.nodes[-1] is not self.loss:
            yield Line(f"{result} was not computed from {name}, so the gradient is 0.")
        elif not uses:
            yield Line(
                f"{result} was computed from {name}, but no gradient reaches it: every path leads "
                "through a branch that was not taken or an operation without a derivative."
            )

    def derivative(self, value: Any) -> ast.expr:
        return call("∂", [self.result, self.names.name(value)])

    def slope(self, target: Any, slot: int) -> ast.expr:
        """The formula of an edge in names; without a formula, just the derivative's symbol."""
        known, row = None, graph.row(target)
        if row is not None and ops.is_known(row):
            known = rules.rule(target.op, slot, len(graph.arguments(target)))
        if known is None:
            return call("∂", [self.names.name(target), self.names.name(target.inputs[slot])])
        return self.names.rule(known, target)

    # --- by use ------------------------------------------------------------------------------------

    def by_use(self, uses: Sequence[Use]) -> Iterator[Line]:
        chosen = set(range(len(uses)))
        if len(uses) > USES:
            chosen = set(sorted(chosen, key=lambda i: -rank(uses[i].share))[:USES])
        for i in sorted(chosen):
            use = uses[i]
            twice = sum(arg is self.w for arg in graph.arguments(use.target)) > 1
            words = f"through argument {use.slot + 1} of" if twice else "through"
            factors = [self.derivative(use.target), self.slope(use.target, use.slot)]
            numbers: list[ast.expr] = [ast.Constant(use.gradient), ast.Constant(use.partial)]
            sides = (call("·", factors), call("·", numbers), ast.Constant(use.share))
            yield Line(words, self.subject(use.target), sides=sides)
        rest = [use.share for i, use in enumerate(uses) if i not in chosen]
        if rest:
            yield Line(
                f"through {_many(len(rest), 'other use')}", sides=(ast.Constant(ieee.fsum(rest)),)
            )
        yield Line("sum", sides=(ast.Constant(self.found.gradient),))

    def subject(self, target: Any) -> tuple[ast.expr, ...]:
        """A target's name; if it has a label, with the expression that computed it."""
        name = self.names.name(target)
        way = self.names.formula(target) if isinstance(name, ast.Name) else None
        return (name,) if way is None else (name, way)

    # --- by path -----------------------------------------------------------------------------------

    def by_path(self, routes: list[Path]) -> Iterator[Line]:
        gradient, count = self.found.gradient, self.found.count
        if len(routes) == count and all(len(path.edges) == 1 for path in routes):
            return  # the uses already show the paths
        result, name = self.write(self.result), self.write(self.names.name(self.w))
        lead = "path leads" if count == 1 else "paths lead"
        listed = ":" if routes else ", too long to list." if self.most else "."
        yield Line(f"{_count(count)} {lead} from {result} back to {name}{listed}")
        for path in routes:
            yield self.path(path)
        total = ieee.fsum([path.contribution for path in routes])
        left = count - len(routes)
        if routes and left:
            rest = ast.Constant(gradient - total)
            yield Line(f"{_many(left, 'other path')}, the rest of the gradient", sides=(rest,))
        elif routes:
            yield Line(_compared(total, gradient))

    def path(self, path: Path) -> Line:
        nodes = [self.result, *(self.names.name(self.found.nodes[e.source]) for e in _ends(path.edges))]
        slopes = [self.slope(self.found.nodes[e.target], e.slot) for e in _ends(path.edges)]
        numbers: list[ast.expr] = [ast.Constant(e.partial) for e in _ends(path.edges)]
        if len(path.edges) > FACTORS:
            nodes.insert(FACTORS // 2 + 1, ast.Name(DOTS))
            slopes.insert(FACTORS // 2, ast.Name(DOTS))
            numbers.insert(FACTORS // 2, ast.Name(DOTS))
        sides = [call("·", slopes), call("·", numbers), ast.Constant(path.contribution)]
        if len(path.edges) == 1 or self.write(sides[0]) == self.write(sides[1]):
            sides.pop(1)
        return Line("", tuple(nodes), "←", tuple(sides))

    # --- numbered values ---------------------------------------------------------------------------

    def legend(self, lines: Iterable[Line]) -> Iterator[Line]:
        seen: dict[str, None] = {}
        for line in lines:
            for tree in (*line.subject, *line.sides):
                seen.update((n.id, None) for n in ast.walk(tree) if isinstance(n, ast.Name))
        numbered = sorted(
            (name for name in seen if name in self.names.numbered), key=lambda n: int(n[1:])
        )
        for name in numbered[:NAMED]:
            value = self.names.numbered[name]
            way = self.names.formula(value)
            middle = () if way is None else (way,)
            yield Line(sides=(ast.Name(name), *middle, ast.Constant(value.data)))


def _ends(edges: Sequence[Edge]) -> Sequence[Edge]:
    """The listed edges of a path: all, or those at its two ends."""
    half = FACTORS // 2
    return edges if len(edges) <= FACTORS else [*edges[:half], *edges[-half:]]


def _compared(total: float, gradient: float) -> str:
    if not math.isfinite(total - gradient):
        return f"The paths sum to {_number(total)}."
    if total == gradient:
        return f"The paths sum to {_number(total)}, exactly the gradient."
    return (
        f"The paths sum to {_number(total)}, which differs from the gradient by a rounding error of "
        f"{_number(abs(total - gradient))}."
    )


def _count(n: int) -> str:
    if n >= MANY:
        return "More than 10^1000"
    return f"{n:,}" if n < 10**15 else f"About 10^{len(str(n)) - 1}"


def _many(n: int, what: str) -> str:
    return f"{_count(n).lower()} {what}{'' if n == 1 else 's'}"
