"""`export_onnx`: writes a model or a compiled function as an ONNX file, for batches of any size."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import ops
from ..compiler import Compiled
from ..compiler.backends.segments import Segments
from ..compiler.codegen.exporting import Paths, arguments
from ..compiler.graph import CompileError
from ..compiler.inputs import leaves_of
from ..compiler.tracing import TraceError
from ..nn import Module
from ..ops import DOUBLE, SINGLE, Format, Op, Variadic
from ..support.atomic.files import place, write_atomically
from ..support.formulas.symbols import Operand
from .onnx_formulas import COMPARISONS, FOLDS, NAMES, extreme, formula, logsumexp

OPSET = 18


def export_onnx(
    model: Module | Compiled[Any], path: str | Path, *batch: Any, dtype: Any = np.float32
) -> None:
    """Write an ONNX file with named inputs and outputs, for batches of any size.

    Arguments:
        model: a model, or a compiled function without branches.
        batch: arrays with the shapes of the model's arguments; not needed for a compiled function that
            has already been called, or for the networks of chainrule.nn.
        dtype: np.float32 or np.float64.

    Inputs are named after the function's arguments, with dict keys appended: batch['x'] becomes batch_x.
    A duplicate name gets a number. The results agree with eager mode up to rounding, even for
    infinities, NaN and large arguments, with these exceptions: the sign of a zero may be lost (see
    `onnx_formulas.py`); onnxruntime's sin and cos in double precision have an absolute error of 5e-16
    near their zeros (so tan, computed as sin/cos, may be infinite near its poles); onnxruntime's tanh
    loses bits of subnormal numbers; a mean whose sum overflows in single precision is infinite. Where a
    compiled function raises for an invalid index of `take`, the ONNX model gives NaN.

    """
    try:
        import onnx
    except ImportError:
        raise ImportError("this needs onnx: pip install 'chainrule[onnx]'") from None
    step = model if isinstance(model, Compiled) else Compiled(model)
    real = place(path)
    if not batch and not step.variants:
        batch = (np.zeros((1, _inputs(model))),)
    proto = _Writer(onnx, step, batch, np.dtype(dtype)).model()
    onnx.checker.check_model(proto, full_check=True)
    write_atomically(real, proto.SerializeToString())


def _inputs(model: Any) -> int:
    layers = list(model.modules()) if isinstance(model, Module) else []
    for module in layers:
        if hasattr(module, "w"):
            return len(module.w)
    raise ValueError("the shape of the arguments is unknown: pass a batch, export_onnx(model, path, X)")


@dataclass(frozen=True)
class Tensor(Operand):
    """A named tensor in the graph being written. A `shared` tensor has no sample axis."""

    writer: Any
    name: str
    shared: bool

    @property
    def _number_format(self) -> Format:
        return DOUBLE if self.writer.dtype == np.float64 else SINGLE

    @staticmethod
    def _apply(op: Op, args: Any) -> Tensor:
        args = op.complete(args)
        writer = next(a.writer for a in args if isinstance(a, Tensor))
        found: Tensor = writer.apply(op, [writer.number(a) for a in args])
        return found


class _Writer:
    """Writes nodes and initializers; `Segments` calls its methods."""

    def __init__(
        self, onnx: Any, step: Compiled[Any], batch: Sequence[Any], dtype: np.dtype[Any]
    ) -> None:
        self.onnx, self.step, self.dtype = onnx, step, dtype
        self.kind = onnx.helper.np_dtype_to_tensor_dtype(dtype)
        self.nodes: list[Any] = []
        self.initializers: dict[str, Any] = {}
        self.count = 0
        self.names: set[str] = set()
        self.batch = batch

    def model(self) -> Any:
        helper = self.onnx.helper
        paths = Paths(self.step, self.batch, differentiated=False)
        key = paths.key
        if paths.conditions is not None:
            raise TraceError(
                "a function that branches on Values has several programs and cannot be exported: write "
                "the branch as where(a < b, x, y)"
            )
        if any(axis is None for _, axis in leaves_of(key)):
            raise CompileError(
                "export_onnx writes functions of batches: compile with batch=0, and make what all "
                "samples share parameters"
            )
        (program,) = paths.programs
        declared: list[Any] = []
        inputs: list[Any] = []
        given = arguments(self.step, key)
        words = self.words([name for name, _ in given])
        for word, (_, shape), axes in zip(words, given, _shapes(key), strict=True):
            declared.append(helper.make_tensor_value_info(word, self.kind, ["batch", *shape]))
            inputs.append((word, math.prod(axes)))
        numbers = np.array(self.step.numbers())
        params = []
        if len(numbers):
            params.append((self.constant(numbers.tolist(), "parameters"), np.arange(len(numbers))))
        self.samples = declared[0].name
        count = len(program.outputs)
        named = [self.unique("output" if count == 1 else f"output{i}") for i in range(count)]
        read = [(self.input(word, width), width) for word, width in inputs]
        results = Segments(program, self, params, read).outputs()
        outputs = []
        for name, row in zip(named, results, strict=True):
            flat = self.node("Reshape", [row.name, self.integers([-1])])
            self.node("Expand", [flat, self.batch_shape()], name)
            outputs.append(helper.make_tensor_value_info(name, self.kind, ["batch"]))
        graph = helper.make_graph(
            self.nodes, "chainrule", declared, outputs, list(self.initializers.values())
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], producer_name="chainrule", ir_version=9)

    # --- pieces ----------------------------------------------------------------------------------

    def words(self, given: Sequence[str]) -> list[str]:
        """ONNX names for the arguments. Identifiers are kept; batch['x'] becomes batch_x if free."""
        kept = {name: self.unique(name) for name in given if name.isidentifier()}
        found = []
        for i, name in enumerate(given):
            parts = "".join(c if c.isalnum() else " " for c in name).split()
            found.append(kept.get(name) or self.unique("_".join(parts) or f"input{i}"))
        return found

    def unique(self, name: str) -> str:
        """The name, with a number appended if it is taken."""
        found = next(n for n in _numbered(name) if n not in self.names)
        self.names.add(found)
        return found

    def numbered(self, kind: str) -> str:
        """A new internal name."""
        self.count += 1
        return self.unique(f"{kind}{self.count}")

    def node(self, kind: str, inputs: Sequence[str], name: str = "", **attributes: Any) -> str:
        name = name or self.numbered(kind.lower())
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def store(self, array: Any, name: str) -> str:
        """The name of an initializer with these numbers; equal initializers are stored once."""
        same = f"{array.dtype}{array.shape}{array.tobytes().hex()}"
        key = f"{name}{self.count}" if name == "parameters" else same
        if key not in self.initializers:
            self.initializers[key] = self.onnx.numpy_helper.from_array(array, self.numbered(name))
        found: str = self.initializers[key].name
        return found

    def integers(self, numbers: Sequence[int]) -> str:
        return self.store(np.array(numbers, dtype=np.int64), "shape")

    def number(self, x: Any) -> Tensor:
        if isinstance(x, Tensor):
            return x
        return Tensor(self, self.store(np.array(x, self.dtype), "number"), True)

    def batch_shape(self) -> str:
        return self.node("Shape", [self.samples], end=1)

    def input(self, name: str, width: int) -> Tensor:
        flat = self.node("Reshape", [name, self.integers([-1, width])])
        return Tensor(self, self.node("Transpose", [flat], perm=[1, 0]), False)

    # --- called by Segments ----------------------------------------------------------------------

    def constant(self, numbers: Sequence[float], name: str = "constants") -> Tensor:
        return Tensor(self, self.store(np.array(numbers, self.dtype), name), True)

    def rows(self, x: Tensor, which: Any) -> Tensor:
        return Tensor(self, self.node("Gather", [x.name, self.integers(which)], axis=0), x.shared)

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        shared = all(part.shared for part in parts)
        if not shared:
            parts = [self.expanded(part) for part in parts]
        return Tensor(self, self.node("Concat", [p.name for p in parts], axis=0), shared)

    def expanded(self, x: Tensor) -> Tensor:
        """Expand to one number per sample, even if all are equal."""
        shape = self.node("Concat", [self.integers([1]), self.batch_shape()], axis=0)
        return Tensor(self, self.node("Expand", [x.name, shape]), False)

    def shape(self, x: Tensor, *sizes: int) -> Tensor:
        after = [*sizes] if x.shared else [*sizes, -1]
        return Tensor(self, self.node("Reshape", [x.name, self.integers(after)]), x.shared)

    def swap(self, x: Tensor) -> Tensor:
        axes = [1, 0] if x.shared else [1, 0, 2]
        return Tensor(self, self.node("Transpose", [x.name], perm=axes), x.shared)

    def spread(self, x: Tensor) -> Tensor:
        return Tensor(self, self.node("Unsqueeze", [x.name, self.integers([1])]), False)

    def apply(self, op: Op, args: Sequence[Tensor]) -> Tensor:
        shared = all(a.shared for a in args)
        names = [a.name for a in args]
        composed = formula(op, self.dtype == np.float64)
        if composed is not None:
            return self.number(composed(*args))
        if op.name in NAMES:
            return Tensor(self, self.node(NAMES[op.name], names), shared)
        if op.name in COMPARISONS:
            test = self.node(COMPARISONS[op.name], names)
            return Tensor(self, self.node("Cast", [test], to=self.kind), shared)
        if op.name == "fmod":
            return Tensor(self, self.node("Mod", names, fmod=1), shared)
        zero = self.node("Equal", [names[0], self.number(0.0).name])
        return Tensor(self, self.node("Where", [zero, names[2], names[1]]), shared)

    def rough(self, kind: str, x: Tensor) -> Tensor:
        """Compute in single precision, for operators that the runtime lacks in double precision."""
        single = self.node("Cast", [x.name], to=self.onnx.TensorProto.FLOAT)
        found = self.node(kind, [single])
        return Tensor(self, self.node("Cast", [found], to=self.kind), x.shared)

    def fold(self, op: Variadic, parts: Sequence[Tensor], terms: int) -> Tensor:
        x = parts[0]
        if op.name == "logsumexp":
            kept = logsumexp(x)
        elif op.name in ("max", "min"):
            kept = extreme(op.name, x)
        elif op.name in FOLDS:
            kept = self.reduced(FOLDS[op.name], x)
        else:
            found: Tensor = op.forward(*(self.column(part, k) for part in parts for k in range(terms)))
            return found
        return Tensor(self, self.node("Squeeze", [kept.name, self.integers([1])]), x.shared)

    def column(self, x: Tensor, k: int) -> Tensor:
        """Term k of every row."""
        place = self.store(np.array(k, dtype=np.int64), "place")
        return Tensor(self, self.node("Gather", [x.name, place], axis=1), x.shared)

    def reduced(self, kind: str, x: Tensor) -> Tensor:
        """Reduce over the second axis, which is kept."""
        return Tensor(self, self.node(kind, [x.name, self.integers([1])], keepdims=1), x.shared)

    def product(self, sizes: tuple[int, int, int], a: Tensor, x: Tensor, start: Tensor | None) -> Tensor:
        """A matrix product. MatMul sees the columns and samples of x as one axis."""
        lines, terms, columns = sizes
        shared = x.shared
        flat = x.name
        if not shared:
            flat = self.node("Reshape", [x.name, self.integers([terms, -1])])
        result = self.node("MatMul", [a.name, flat])
        if start is not None:
            column = self.node("Unsqueeze", [start.name, self.integers([1])])
            result = self.node("Add", [result, column])
        after = [lines * columns] if shared else [lines * columns, -1]
        return Tensor(self, self.node("Reshape", [result, self.integers(after)]), shared)

    def dots(self, a: Tensor, b: Tensor) -> Tensor:
        both = self.node("Mul", [a.name, b.name])
        name = self.node("ReduceSum", [both, self.integers([1])], keepdims=0)
        return Tensor(self, name, a.shared and b.shared)

    def take(self, x: Tensor, index: Tensor, shared: bool, terms: int) -> Tensor:
        """Select by index. An invalid one gives NaN: a model cannot raise, and Gather accepts -1."""
        floor = Tensor(self, self.node("Floor", [index.name]), index.shared)
        inside = ops.less_equal(0.0, index) * ops.less(index, float(terms))
        valid = ops.equal(index, floor) * inside
        place = ops.where(valid, index, 0.0)
        whole = self.node("Cast", [place.name], to=self.onnx.TensorProto.INT64)
        if shared:
            flat = self.node("Reshape", [whole, self.integers([-1])])
            picked = self.node("Gather", [x.name, flat], axis=1)
        else:
            places = self.node("Unsqueeze", [whole, self.integers([0])])  # (1, 1, samples)
            like = self.node("Shape", [self.node("ReduceSum", [x.name, self.integers([1])], keepdims=1)])
            spread = self.node("Expand", [places, like])
            gathered = self.node("GatherElements", [x.name, spread], axis=1)
            picked = self.node("Squeeze", [gathered, self.integers([1])])
        found: Tensor = ops.where(valid, Tensor(self, picked, False), math.nan)
        return found


def _shapes(key: Any) -> list[tuple[int, ...]]:
    return [shape for shapes in key[0] for shape in shapes]


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{k}" for k in itertools.count(2))
