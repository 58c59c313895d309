"""Graphs as source code: the parts that C and JavaScript share.

All numbers of a sample are in one array `v`: parameters, inputs, then computed values; `g` has the
gradients at the same indices. Each node becomes a statement that is valid in both languages.
Gradients accumulate in the same order as in eager mode, so that the results are equal bit for bit, with
one exception: a comparison operator in the condition of a `where` or the index of a `take` gives a bool
in eager mode but a node in a trace, which may change the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ...ops import Op, Variadic
from ...support.formulas.writing import Language
from ...support.numbers import plural
from ...version import __version__
from ..graph import CONSTANT, INPUT, PARAM, Graph
from .helpers import Helpers
from .repeats import Roller, index, indices, number, plain

LONGEST_LIST = 100  # maximum lines in the comments that list parameters and inputs

Argument = tuple[str, tuple[int, ...]]  # a name or '', and a shape


@dataclass
class Export:
    """What to write: every traced path through a function, for one sample."""

    name: str  # a valid identifier
    title: str  # free text
    params: list[str]  # labels, '' if missing
    numbers: list[float]  # the current values of the parameters
    inputs: list[Argument]
    variants: list[tuple[Graph, list[bool]]]  # graphs, and the expected outcomes of their guards

    @property
    def branches(self) -> bool:
        return any(expected for _, expected in self.variants)

    @property
    def input_count(self) -> int:
        return sum(prod(shape) for _, shape in self.inputs)

    @property
    def output_count(self) -> int:
        return len(self.variants[0][0].outputs)


class Statements:
    """A graph as statements: `forward` computes every node, `backward` the gradient of the first output
    with respect to every node.
    """

    def __init__(self, graph: Graph, export: Export, helpers: Helpers, variant: int) -> None:
        self.graph = graph
        self.helpers = helpers
        self.first_input: int = len(export.params)
        self.size: int = len(export.params) + export.input_count
        self.scratch: int = 0  # extra space for the longest product, after all other numbers
        self.numbers: list[
            float | None
        ] = []  # of nodes that depend only on constants; None for the rest
        self.active: list[bool] = []  # whether a gradient flows to a parameter or an input
        self.places: dict[int, int] = {}
        self.forward: str = self.function(f"forward_{variant}", ["v"], self.compute())
        self.outputs: list[int] = [self.places[i] for i in graph.outputs]
        self.guards: list[int] = [self.places[i] for i in graph.guards]
        self.conditional: set[int] = set()
        self.backward: str = ""
        if export.output_count == 1:
            self.conditional = self.find_conditional()
            params = ["v", "g", "r"] if self.conditional else ["v", "g"]
            self.backward = self.function(f"backward_{variant}", params, self.differentiate())

    def function(self, name: str, params: Sequence[str], marked: Sequence[str]) -> str:
        """Write statements as a function, with loops; returns the statement that calls it."""
        return self.helpers.sequence(name, params, Roller(self.helpers, name, params).lines(marked))

    # --- values ----------------------------------------------------------------------------------

    def compute(self) -> list[str]:
        """The statements that compute the values; assigns each node its index."""
        listed = {*self.graph.results()}  # constants among these need an index too
        for what, args in self.graph.nodes:
            if isinstance(what, Variadic) or (isinstance(what, Op) and what.name == "take"):
                listed.update(args)
        statements: list[str] = []
        for i, (what, args) in enumerate(self.graph.nodes):
            self.numbers.append(self.known(what, args))
            self.active.append(self.is_active(what, args))
            known = self.numbers[i]
            if what in (INPUT, PARAM):
                self.places[i] = args[0] + (self.first_input if what == INPUT else 0)
            elif known is None or i in listed:
                self.places[i] = self.size
                self.size += 1
                text = self.value(i) if known is None else number(self.helpers.language.literal(known))
                statements.append(f"v[{index(self.places[i])}] = {text};")
        return statements

    def known(self, what: Op | str, args: tuple[int, ...]) -> float | None:
        if isinstance(what, str):
            return args[0] if what == CONSTANT else None
        numbers = [self.numbers[a] for a in args]
        return None if any(x is None for x in numbers) else float(what.forward(*numbers))

    def is_active(self, what: Op | str, args: tuple[int, ...]) -> bool:
        if isinstance(what, str):
            return what != CONSTANT
        return any(self.active[a] and what.differentiable(k) for k, a in enumerate(args))

    def operand(self, i: int) -> str:
        known = self.numbers[i]
        if known is None:
            return f"v[{index(self.places[i])}]"
        return number(self.helpers.language.literal(known))

    def value(self, i: int) -> str:
        what, args = self.graph.nodes[i]
        assert isinstance(what, Op)
        if isinstance(what, Variadic):
            self.helpers.fold(what)
            return f"op_{what.name}(v, {', '.join(self.tables(what, args))})"
        if what.name == "take":
            last = f"    return {self.helpers.language.nan};"
            name = self.helpers.take("take", ["v"], "return v[a[i]];", [last])
            return f"{name}(v, {self.picked(args)})"
        return self.helpers.apply(what.name, [self.operand(a) for a in args])

    def tables(self, op: Variadic, args: tuple[int, ...]) -> list[str]:
        """One index table per part of an element (two for `dot`), then the number of elements."""
        parts = zip(*op.elements(args), strict=True)
        names = [indices([self.places[a] for a in part]) for part in parts]
        return [*names, str(len(args) // op.width)]

    def picked(self, args: tuple[int, ...]) -> str:
        table = indices([self.places[a] for a in args[1:]])
        return f"{self.operand(args[0])}, {table}, {len(args) - 1}"

    # --- gradients -------------------------------------------------------------------------------

    def edges(self, i: int) -> list[tuple[int, int]]:
        """The arguments of a node that receive its gradient, with their positions."""
        what, args = self.graph.nodes[i]
        if isinstance(what, str) or not self.active[i]:
            return []
        return [(k, a) for k, a in enumerate(args) if self.active[a] and what.differentiable(k)]

    def find_conditional(self) -> set[int]:
        """The nodes that a gradient reaches only through branches, so perhaps not at all.

        If no gradient reaches a node, its derivatives must not be used: they may be infinite.
        """
        always, sometimes = {self.graph.outputs[0]}, set[int]()
        for i in range(len(self.graph.nodes) - 1, -1, -1):
            what = self.graph.nodes[i][0]
            if i in always or i in sometimes:
                sure = i in always and isinstance(what, Op) and not what.selects
                (always if sure else sometimes).update(a for _, a in self.edges(i))
        self.reached: set[int] = always | sometimes
        return {i for i in sometimes - always if not self.graph.is_leaf(i)}

    def differentiate(self) -> list[str]:
        statements: list[str] = []
        for i in range(len(self.graph.nodes) - 1, -1, -1):
            lines = self.pulls(i) if i in self.reached else []
            if lines and i in self.conditional:
                lines = ["\n".join([f"if (r[{index(self.places[i])}]) {{", *indented(lines), "}"])]
            statements += lines
        return statements

    def pulls(self, i: int) -> list[str]:
        """The statements that propagate a node's gradient to its arguments."""
        what, args = self.graph.nodes[i]
        edges = self.edges(i)
        if isinstance(what, str) or not edges:
            return []
        marks = {a: f"r[{index(self.places[a])}] = 1;" for _, a in edges if a in self.conditional}
        if isinstance(what, Variadic):
            self.scratch = max(self.scratch, len(args) if what.leave_one_out else 0)
            name = self.helpers.pull(what)
            out, tables = index(self.places[i]), ", ".join(self.tables(what, args))
            call = f"{name}(v, g, {out}, {tables}, {self.size});"
            return [call, *marks.values()]
        if what.name == "take":
            pull = self.helpers.take("pull_take", ["g", "o"], "g[a[i]] += g[o];")
            lines = [f"{pull}(g, {index(self.places[i])}, {self.picked(args)});"]
            if marks:
                mark = self.helpers.take("mark_take", ["r"], "r[a[i]] = 1;")
                lines.append(f"{mark}(r, {self.picked(args)});")
            return lines
        return [self.contribution(i, what, k, a, marks.get(a, "")) for k, a in edges]

    def contribution(self, i: int, op: Op, part: int, a: int, mark: str) -> str:
        args = [self.operand(x) for x in self.graph.nodes[i][1]]
        slope = self.helpers.slope(op, part, args, self.operand(i))
        target, gradient = f"g[{index(self.places[a])}]", f"g[{index(self.places[i])}]"
        if op.selects:  # a derivative of exactly 0 means a branch not taken
            lines = [f"{target} += {gradient} * slope;", *([mark] if mark else [])]
            inner = [
                f"{self.helpers.language.constant} slope = {slope};",
                f"if (slope {self.helpers.language.unequal} 0.0) {{",
            ]
            return "\n".join(["{", *indented([*inner, *indented(lines), "}"]), "}"])
        language = self.helpers.language
        simple = {language.literal(1.0): f"+= {gradient}", language.literal(-1.0): f"-= {gradient}"}
        text = f"{target} {simple.get(plain(slope), f'+= {gradient} * {slope}')};"
        return f"{text}\n{mark}" if mark else text


def indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for text in lines for line in text.split("\n")]


def statements(export: Export, helpers: Helpers) -> list[Statements]:
    """The statements of all variants; their functions are added to the helpers."""
    found = [Statements(graph, export, helpers, k) for k, (graph, _) in enumerate(export.variants)]
    if len({len(each.outputs) for each in found}) > 1:
        raise TypeError("the function returns different numbers of values for different samples")
    return found


def attempts(
    export: Export, variants: Sequence[Statements], results: Sequence[Sequence[str]], language: Language
) -> list[str]:
    """Statements that try the variants in turn; the first whose guards match runs its `results`."""
    lines: list[str] = []
    for each, (_, expected), found in zip(variants, export.variants, results, strict=True):
        pairs = zip(each.guards, expected, strict=True)
        tests = [f"v[{place}] {language.unequal if yes else language.equal} 0.0" for place, yes in pairs]
        lines.append(each.forward)
        lines += [f"if ({' && '.join(tests)}) {{", *indented(found), "}"] if tests else found
    return lines


# --- comments ------------------------------------------------------------------------------------


def comment(lines: Sequence[str]) -> list[str]:
    """A block comment that no text can end early."""
    return ["/*", *(f" * {harmless(line)}".rstrip() for line in lines), " */"]


def harmless(text: str) -> str:
    """Escape text for a comment: line breaks, direction marks, and comment delimiters."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown.replace("*/", "*\\/").replace("/*", "/\\*").replace("??", "?\\?")


def about(export: Export, after: Sequence[str]) -> list[str]:
    """The header comment: what was exported, and the order of parameters and inputs."""
    nodes = sum(len(graph.nodes) for graph, _ in export.variants)
    lines = [
        f"Generated by chainrule {__version__} from {export.title}: {nodes:,} nodes.",
        "",
        f"Computes the outputs for one sample from {plural(len(export.params), 'parameter')} and "
        f"{plural(export.input_count, 'input')}, in double precision:",
        "",
        *listing("params", [(label, ()) for label in export.params]),
        *listing("inputs", export.inputs),
        "",
        *after,
    ]
    if export.branches:
        paths = plural(len(export.variants), "path")
        verb = "was" if len(export.variants) == 1 else "were"
        lines += [
            "",
            f"The function branches; {paths} through it {verb} traced.",
            "A sample that takes any other path gives NaN for every output.",
        ]
    return lines


def listing(array: str, arguments: Sequence[Argument]) -> list[str]:
    """The index of each argument; adjacent arguments without a name share a line."""
    entries: list[tuple[int, int, str]] = []
    start = 0
    for name, shape in arguments:
        end = start + prod(shape)
        text = name if len(shape) < 2 else f"{name}, {' x '.join(map(str, shape))}, row by row"
        if entries and not name and not entries[-1][2]:
            entries[-1] = (entries[-1][0], end, "")
        else:
            entries.append((start, end, text))
        start = end
    lines = []
    for first, end, text in entries[:LONGEST_LIST]:
        where = f"{array}[{first}]" if end == first + 1 else f"{array}[{first}] to {array}[{end - 1}]"
        lines.append(f"    {where:<28}  {text or '(no label)'}")
    left = len(entries) - LONGEST_LIST
    return [*lines, f"    ... and {left:,} more"] if left > 0 else lines
