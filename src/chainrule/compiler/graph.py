"""`Graph`: scalar code as a list of nodes, each computed from earlier ones.

A node is a row of the table with the indices of its arguments, or a leaf: an input (which
differs from sample to sample), a parameter (which does not), or a constant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..ops import Op, is_known
from ..support import graph as recorded

INPUT, PARAM, CONSTANT = "input", "param", "constant"

# The operation and its arguments: earlier nodes, or the number of a leaf.
Node = tuple[Op | str, tuple[Any, ...]]


class CompileError(TypeError):
    """The code runs in eager mode but cannot be compiled."""


class BranchLimitError(CompileError, ValueError):
    """A function has more paths than compile(..., branches=...) allows."""


@dataclass
class Graph:
    """Nodes in order; `outputs` are the results, `guards` the conditions of Python branches.

    For a node used only in a branch of `where`, `masks` has the index of a node that is 0 where that
    branch is not taken. The derivative must not be used there, because it may be infinite. For the
    same reason, nodes that are not in `reached` are not differentiated.
    """

    nodes: list[Node] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    guards: list[int] = field(default_factory=list)
    masks: dict[int, int] = field(default_factory=dict)
    reached: set[int] | None = None  # nodes that receive a gradient; None if not computed

    def add(self, what: Op | str, args: Iterable[Any]) -> int:
        self.nodes.append((what, tuple(args)))
        return len(self.nodes) - 1

    def __len__(self) -> int:
        return len(self.nodes)

    def is_leaf(self, i: int) -> bool:
        return isinstance(self.nodes[i][0], str)

    def results(self) -> list[int]:
        return [*self.outputs, *self.guards]

    def varying(self) -> list[bool]:
        """For each node, whether it must be computed for every sample.

        This is the case if the node or its mask depends on an input.
        """
        forced: set[int] = set()
        while True:
            found: list[bool] = []
            for i, (what, args) in enumerate(self.nodes):
                leaf = isinstance(what, str)
                found.append(what == INPUT if leaf else i in forced or any(found[a] for a in args))
            more = {i for i, mask in self.masks.items() if found[mask] and not found[i]}
            if not more:
                return found
            forced |= more

    def verify(self) -> Graph:
        """Raise if the graph is malformed; return self."""
        for i, (what, args) in enumerate(self.nodes):
            if isinstance(what, str):
                kind = float if what == CONSTANT else int
                good = what in (INPUT, PARAM, CONSTANT) and len(args) == 1 and type(args[0]) is kind
            else:
                good = is_known(what) and all(0 <= a < i for a in args) and _fit(what, args)
            if not good:
                raise ValueError(f"node {i} is malformed: {self.line(i)}")
        named = {"result": self.results(), "mask": [*self.masks, *self.masks.values()]}
        for name, nodes in named.items():
            if not all(0 <= i < len(self.nodes) for i in nodes):
                raise ValueError(f"a {name} is not a node")
        return self

    def line(self, i: int) -> str:
        what, args = self.nodes[i]
        if isinstance(what, str):
            return f"%{i} = {what} {args[0]}"
        if len(args) > 8:
            shown = ", ".join(f"%{a}" for a in args[:4]) + f", ... {len(args) - 4} more"
        else:
            shown = ", ".join(f"%{a}" for a in args)
        return f"%{i} = {what.name}({shown})"

    def __str__(self) -> str:
        lines = [self.line(i) for i in range(len(self.nodes))]
        lines.append("return " + ", ".join(f"%{i}" for i in self.outputs))
        if self.guards:
            lines.append("guards " + ", ".join(f"%{i}" for i in self.guards))
        return "\n".join(lines)


def _fit(op: Op, args: Sequence[Any]) -> bool:
    """Whether an operation takes exactly these arguments, with none omitted."""
    try:
        return len(op.complete(args)) == len(args)
    except TypeError:
        return False


def from_values(
    outputs: Sequence[Any],
    guards: Sequence[Any],
    inputs: Sequence[Any],
    params: list[Any],
    made: Collection[Any] = (),
) -> Graph:
    """The graph of Values that are already computed.

    Leaves that are neither inputs nor parameters are added to the parameters, except those that the
    function made, which become constants.
    """
    graph = Graph()
    places: dict[Any, int] = {}
    constants: dict[str, int] = {}
    known = {leaf: (PARAM, i) for i, leaf in enumerate(params)}
    known |= {leaf: (INPUT, i) for i, leaf in enumerate(inputs)}

    def constant(number: float) -> int:
        key = number.hex()
        if key not in constants:
            constants[key] = graph.add(CONSTANT, (number,))
        return constants[key]

    def place(value: Any) -> int:
        if isinstance(value, float):
            return constant(value)
        if value not in places:
            for node in recorded.topological(value, check=False):
                if node not in places:
                    places[node] = enter(node)
        return places[value]

    def enter(node: Any) -> int:
        if node.is_leaf:
            if node not in known and (node.is_constant or node in made):
                return constant(float(node.data))
            if node not in known:
                known[node] = PARAM, len(params)
                params.append(node)
            kind, number = known[node]
            return graph.add(kind, (number,))
        row = check_operation(node)
        arguments = (
            constant(a) if isinstance(a, float) else places[a] for a in recorded.arguments(node)
        )
        return graph.add(row, arguments)

    graph.outputs = [place(value) for value in outputs]
    graph.guards = [place(value) for value in guards]
    return graph


def check_operation(node: Any) -> Op:
    """The row of the table that computed a Value; raises if no row did."""
    row = recorded.formula(node)
    if row is None or not is_known(row):
        raise CompileError(
            f"cannot compile '{node._op}': an operation defined by hand has no formula, and one defined "
            f"with custom_op can only be compiled if the compiled function computes it; write it as a "
            f"plain function of the table's operations, or use eager mode"
        )
    return row


def uses(graph: Graph) -> Counter[int]:
    """How often each node is used as an argument or a result."""
    counts = Counter(graph.results())
    for what, args in graph.nodes:
        if not isinstance(what, str):
            counts.update(args)
    return counts
