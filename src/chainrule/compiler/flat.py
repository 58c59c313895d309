"""`Flat`: a graph stored in arrays of the C core, for programs of millions of nodes.

It has the same nodes as the equivalent `Graph`; `unpack` converts it to a readable `Graph`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import numpy as np

from .. import ops
from ..value import Value, c_core
from .graph import CONSTANT, INPUT, PARAM, Graph, Node, check_operation

TAKE_CODE = len(ops.TABLE) + 1
INPUT_CODE, PARAM_CODE, CONSTANT_CODE = range(TAKE_CODE + 1, TAKE_CODE + 4)
WHERE_CODE, DOT_CODE = ops.TABLE.index(ops.where) + 1, ops.TABLE.index(ops.dot) + 1
LEAVES = {INPUT_CODE: INPUT, PARAM_CODE: PARAM, CONSTANT_CODE: CONSTANT}


class Flat:
    """A graph held by the C core."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    @classmethod
    def from_values(
        cls,
        outputs: Sequence[Any],
        guards: Sequence[Any],
        inputs: Sequence[Value],
        params: list[Value],
        made: Collection[Value] = (),
        tape: Any = None,
    ) -> Flat:
        """Like `graph.from_values`, in C; `tape` has what was settled before."""
        return cls(c_core.graph_extract(outputs, guards, inputs, params, made, check_operation, tape))

    @staticmethod
    def settle(
        results: list[Value],
        inputs: Sequence[Value],
        params: list[Value],
        made: Collection[Value],
        tape: Any,
    ) -> Any:
        """Enter results in the graph on a tape, which is returned, and empty their list.

        Their graph is freed: those still in use only keep the number of their node.
        """
        return c_core.graph_settle(results, (), inputs, params, made, check_operation, tape)

    def __len__(self) -> int:
        return int(c_core.graph_sizes(self.capsule)[0])

    def __eq__(self, other: object) -> bool:
        """Whether all nodes are equal, constants bit for bit."""
        if not isinstance(other, Flat):
            return NotImplemented
        parts = (c_core.graph_parts(graph.capsule) for graph in (self, other))
        return bool(next(parts) == next(parts))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def parts(self) -> tuple[Any, ...]:
        """Codes of the nodes, where their arguments begin, arguments, constants, outputs and guards."""
        types = (np.uint8, np.int32, np.int32, np.float64, np.int32, np.int32)
        found = c_core.graph_parts(self.capsule)
        return tuple(np.frombuffer(part, dtype) for part, dtype in zip(found, types, strict=True))

    def unpack(self) -> Graph:
        """Convert to a Graph."""
        codes, first, args, numbers, outputs, guards = (part.tolist() for part in self.parts())
        nodes: list[Node] = []
        for i, code in enumerate(codes):
            own = tuple(args[first[i] : first[i + 1]])
            if code in LEAVES:
                kind = LEAVES[code]
                nodes.append((kind, (numbers[own[0]],) if kind == CONSTANT else own))
            else:
                row = ops.take(len(own) - 1) if code == TAKE_CODE else ops.TABLE[code - 1]
                nodes.append((row, own))
        return Graph(nodes, outputs, guards)

    def optimised(self) -> Flat:
        """The graph after all passes."""
        return Flat(c_core.graph_optimise(self.capsule))

    def reach(self) -> bytes:
        """For each node, whether a gradient reaches it never (0), always (1) or for some samples (2)."""
        return bytes(c_core.graph_reach(self.capsule))

    def simplified(self) -> Flat:
        """The graph with constants folded and equal nodes merged."""
        return Flat(c_core.graph_simplify(self.capsule))

    def guarding(self) -> Flat:
        """The graph of the guards alone."""
        return Flat(c_core.graph_guards(self.capsule))

    def pattern(
        self,
        outputs: Sequence[int],
        inputs: Any,
        params: Any,
        columns: int,
        interactions: bytes | None = None,
    ) -> Any:
        """The places row * columns + column of the derivatives that may differ from 0, in order; second
        ones with `interactions`. `inputs` and `params` have the column of each, or -1.
        """
        leaves = _numbers(inputs), _numbers(params)
        found = c_core.graph_pattern(self.capsule, _numbers(outputs), *leaves, columns, interactions)
        return np.frombuffer(found, np.int64)

    # --- the functions of calculus/graphs.py ------------------------------------------------------

    def forward(
        self,
        inputs: Sequence[int],
        params: Sequence[int],
        counts: tuple[int, int],
        as_inputs: bool,
        careful: bool,
    ) -> Flat:
        leaves = _numbers(inputs), _numbers(params)
        return Flat(c_core.graph_forward(self.capsule, *leaves, *counts, as_inputs, careful, False))

    def partials(self, inputs: Sequence[int], params: Sequence[int]) -> Flat:
        leaves = _numbers(inputs), _numbers(params)
        return Flat(c_core.graph_forward(self.capsule, *leaves, 0, 0, False, False, True))

    def weighted(self, first: int, careful: bool) -> Flat:
        codes, starts, args, numbers, outputs, _ = self.parts()
        n, begin = len(outputs), len(codes)  # the new nodes: inputs, then what follows
        new, weights, terms = [INPUT_CODE] * n, np.arange(begin, begin + n), outputs
        more: list[Any] = [np.arange(first, first + n)]
        counts = [1] * n
        if careful:
            zero = np.full(n, begin + n)
            new += [CONSTANT_CODE, *[WHERE_CODE] * n]
            more += [[len(numbers)], np.stack([weights, outputs, zero], 1).ravel()]
            counts += [1, *[3] * n]
            numbers, terms = np.append(numbers, 0.0), zero + 1 + np.arange(n)
        codes = np.append(codes, np.array([*new, DOT_CODE], np.uint8))
        starts = np.append(starts, starts[-1] + np.cumsum([*counts, 2 * n]))
        args = np.concatenate([args, *more, weights, terms])
        return self.of_parts(codes, starts, args, numbers, [len(codes) - 1], outputs)

    def choose(
        self, outputs: Sequence[int], others: Sequence[int], params: Sequence[int], first: int
    ) -> Flat:
        codes, starts, args, numbers, *results = self.parts()
        leaves = np.flatnonzero(codes == PARAM_CODE)
        place = np.searchsorted(params, args[starts[leaves]])  # they ascend
        moved = np.append(params, -1)[place] == args[starts[leaves]]
        codes, args = codes.copy(), args.copy()
        codes[leaves[moved]] = INPUT_CODE
        args[starts[leaves[moved]]] = first + place[moved]
        every = np.concatenate(results)
        return self.of_parts(
            codes, starts, args, numbers, every[_numbers(outputs)], every[_numbers(others)]
        )

    @classmethod
    def of_parts(cls, codes: Any, first: Any, args: Any, numbers: Any, *results: Any) -> Flat:
        """The graph with these parts."""
        return cls(
            c_core.graph_of_parts(codes, *map(_numbers, (first, args)), numbers, *map(_numbers, results))
        )


def _numbers(items: Any) -> Any:
    return np.asarray(items, dtype=np.int32)
