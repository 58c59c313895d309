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
LEAVES = {TAKE_CODE + 1 + k: kind for k, kind in enumerate((INPUT, PARAM, CONSTANT))}


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
        return Flat(c_core.graph_weighted(self.capsule, first, careful))

    def choose(
        self, outputs: Sequence[int], others: Sequence[int], params: Sequence[int], first: int
    ) -> Flat:
        results = _numbers([*outputs, *others])
        return Flat(c_core.graph_choose(self.capsule, results, len(outputs), _numbers(params), first))


def _numbers(items: Sequence[int]) -> Any:
    return np.array(items, dtype=np.int32)
