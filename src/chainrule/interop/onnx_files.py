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
from ..compiler.backends.segments import Body, Segments
from ..compiler.codegen.exporting import Paths, arguments
from ..compiler.graph import CompileError
from ..compiler.inputs import leaves_of
from ..nn import Module
from ..ops import DOUBLE, SINGLE, Format, Op, Variadic
from ..support.atomic.files import place, write_atomically
from ..support.formulas.symbols import Operand
from .onnx_formulas import COMPARISONS, FOLDS, NAMES, extreme, formula, logsumexp

OPSET = 18
SHORT = 4  # so few rows are copied by their indices


def export_onnx(
    model: Module | Compiled[Any], path: str | Path, *batch: Any, dtype: Any = np.float32
) -> None:
    """Write an ONNX file with named inputs and outputs, for batches of any size.

    Arguments:
        model: a model, or a compiled function with one batch axis or none.
        batch: arrays with the shapes of the model's arguments; not needed for a compiled function that
            has already been called, or for the networks of chainrule.nn.
        dtype: np.float32 or np.float64.

    Inputs are named after the function's arguments, with dict keys appended: batch['x'] becomes batch_x.
    A duplicate name gets a number. The results agree with eager mode up to rounding, even for
    infinities, NaN and large arguments, with these exceptions: the sign of a zero may be lost (see
    `onnx_formulas.py`); onnxruntime's sin and cos in double precision have an absolute error of 5e-16
    near their zeros (so tan, computed as sin/cos, may be infinite near its poles); onnxruntime's tanh
    loses bits of subnormal numbers; a mean whose sum overflows in single precision is infinite. Where a
    compiled function raises for an invalid index of `take`, the ONNX model gives NaN. So it does for
    samples that take a branch on Values which no call of the compiled function, nor `batch`, has taken.

    A loop becomes an ONNX Scan, so the file does not grow with its steps.

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
        if self.step.axes > 1:
            raise CompileError(
                f"export_onnx writes functions with one batch axis, got axes={self.step.axes}"
            )
        leaves = leaves_of(paths.key)
        given = self.words([name for name, _ in arguments(self.step, paths.key)])
        declared = [
            helper.make_tensor_value_info(word, self.kind, _with_batch(own, axis))
            for word, (own, axis) in zip(given, leaves, strict=True)
        ]
        count = len(paths.programs[0].outputs)
        named = [self.unique("output" if count == 1 else f"output{i}") for i in range(count)]
        batched = [
            (word, axis) for word, (_, axis) in zip(given, leaves, strict=True) if axis is not None
        ]
        self.samples = self.integers([1])
        if batched:
            word, at = batched[0]
            self.samples = self.node("Shape", [word], start=at, end=at + 1)
        self.row = self.node("Concat", [self.integers([1]), self.samples], axis=0)
        first = 0
        params: list[tuple[Tensor, Any]] = []
        inputs: list[tuple[Tensor, int]] = []
        for word, (own, axis) in zip(given, leaves, strict=True):
            width = math.prod(own)
            if batched and axis is None:
                params.append((self.flat(word), range(first, first + width)))
                first += width
            else:
                inputs.append((self.input(word, own, axis), width))
        numbers = self.step.numbers().tolist()
        if numbers:
            params.append((self.constant(numbers, "parameters"), range(first, first + len(numbers))))
        outputs = []
        for name, row in zip(named, self.results(paths, params, inputs), strict=True):
            flat = self.flat(row.name).name
            if batched:
                self.node("Expand", [flat, self.samples], name)
            else:
                self.node("Reshape", [flat, self.integers([])], name)
            outputs.append(helper.make_tensor_value_info(name, self.kind, ["batch"] if batched else []))
        graph = helper.make_graph(
            self.nodes, "chainrule", declared, outputs, list(self.initializers.values())
        )
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], producer_name="chainrule", ir_version=9)

    def results(
        self, paths: Paths, params: list[tuple[Tensor, Any]], inputs: list[tuple[Tensor, int]]
    ) -> list[Tensor]:
        """The results of each sample's path; NaN on a path that was not traced."""
        found = [Segments(program, self, params, inputs).outputs() for program in paths.programs]
        if paths.conditions is None:
            return found[0]
        unmet = [ops.equal(x, 0.0) for x in Segments(paths.conditions, self, params, inputs).outputs()]
        fits: list[Any] = []
        for before, number, expected in paths.outcomes:
            met = 1.0 - unmet[number] if expected else unmet[number]
            fits.append(met if before < 0 else fits[before] * met)
        results: list[Any] = [math.nan] * len(found[0])
        for rows, last in zip(found, paths.last, strict=True):
            results = [
                ops.where(fits[last], row, result) for row, result in zip(rows, results, strict=True)
            ]
        return results

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

    def flat(self, name: str) -> Tensor:
        """The numbers of an array, of which there are as many for all samples."""
        return Tensor(self, self.node("Reshape", [name, self.integers([-1])]), True)

    def input(self, name: str, shape: tuple[int, ...], axis: int | None) -> Tensor:
        """The rows of an argument."""
        width = math.prod(shape)
        if axis is None:
            return Tensor(self, self.node("Reshape", [name, self.integers([width, 1])]), False)
        if axis:
            others = [k for k in range(len(shape) + 1) if k != axis]
            name = self.node("Transpose", [name], perm=[axis, *others])
        flat = self.node("Reshape", [name, self.integers([-1, width])])
        return Tensor(self, self.node("Transpose", [flat], perm=[1, 0]), False)

    # --- called by Segments ----------------------------------------------------------------------

    def constant(self, numbers: Sequence[float], name: str = "constants") -> Tensor:
        return Tensor(self, self.store(np.array(numbers, self.dtype), name), True)

    def rows(self, x: Tensor, which: Any) -> Tensor:
        steps = set(np.diff(which).tolist())
        if len(which) <= SHORT or len(steps) > 1 or 0 in steps:
            return Tensor(self, self.node("Gather", [x.name, self.integers(which)], axis=0), x.shared)
        (step,) = steps
        end = int(which[-1]) + step
        bounds = [int(which[0]), end if end >= 0 else np.iinfo(np.int64).min, 0, step]
        inputs = [x.name, *(self.integers([each]) for each in bounds)]
        return Tensor(self, self.node("Slice", inputs), x.shared)

    def full(self, x: Tensor, shared: bool) -> Tensor:
        return x if shared else self.expanded(x)

    def scan(
        self, body: Body, start: Tensor | None, slices: Sequence[Tensor], count: int
    ) -> tuple[Tensor | None, Tensor | None]:
        """A Scan, whose body is a graph of its own that sees the tensors around it."""
        helper = self.onnx.helper
        outer, self.nodes = self.nodes, []
        given = [*([] if start is None else [start]), *slices]
        inner = [Tensor(self, self.numbered("iteration"), each.shared) for each in given]
        own = inner[len(inner) - len(slices) :]
        found = body(inner[0] if start is not None else None, own)
        names = [self.node("Identity", [each.name]) for each in found if each is not None]
        nodes, self.nodes = self.nodes, outer
        taken, seen = [each.name for each in given], [each.name for each in inner]
        if not slices:  # a Scan needs something to walk along
            zero = self.onnx.numpy_helper.from_array(np.zeros(1, self.dtype))
            taken.append(self.node("ConstantOfShape", [self.integers([count])], value=zero))
            seen.append(self.numbered("nothing"))
        infos = [
            [helper.make_tensor_value_info(name, self.kind, None) for name in some]
            for some in (seen, names)
        ]
        graph = helper.make_graph(nodes, self.numbered("body"), *infos)
        results = [self.numbered("scan") for _ in names]
        self.nodes.append(
            helper.make_node("Scan", taken, results, body=graph, num_scan_inputs=max(len(slices), 1))
        )
        left, kept = found
        last = Tensor(self, results[0], left.shared) if left is not None else None
        if kept is None:
            return last, None
        after = self.integers([-1])
        if not kept.shared:
            after = self.node("Concat", [after, self.samples], axis=0)
        return last, Tensor(self, self.node("Reshape", [results[-1], after]), kept.shared)

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        shared = all(part.shared for part in parts)
        if not shared:
            parts = [self.expanded(part) for part in parts]
        return Tensor(self, self.node("Concat", [p.name for p in parts], axis=0), shared)

    def expanded(self, x: Tensor) -> Tensor:
        """Expand to one number per sample, even if all are equal."""
        return Tensor(self, self.node("Expand", [x.name, self.row]), False)

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


def _with_batch(shape: tuple[int, ...], axis: int | None) -> list[Any]:
    """The shape of an argument, with the name of its batch axis."""
    return [*shape] if axis is None else [*shape[:axis], "batch", *shape[axis:]]


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{k}" for k in itertools.count(2))
